"""The package where pyserial looks up `stepped://`."""
