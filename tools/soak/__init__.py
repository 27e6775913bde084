"""Hours of device time on the real firmware: random play, power cuts, serial noise, flash wear."""
