"""What boards say on the serial line: sentences, finding them in bytes, describing them."""
