"""What pyserial finds for `stepped://`."""
