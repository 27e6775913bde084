"""What is happening now: ports that come and go, recording what boards say."""
