"""What boards say on the serial line: sentences, the stream they come in, and their words."""
