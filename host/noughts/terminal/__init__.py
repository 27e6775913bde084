"""The terminal program behind `noughts play`."""
