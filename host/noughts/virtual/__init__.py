"""Emulated micro:bits with the game: in real time with a serial port, or stepped."""
