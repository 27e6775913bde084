"""MicroPython firmware for the micro:bit as hex files, and the flash file system behind it."""
