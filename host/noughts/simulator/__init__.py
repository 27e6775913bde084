"""A micro:bit without firmware: the device files under CPython, in a process of their own."""
