"""Emulated micro:bits with the game: in step with real time behind a serial port, or stepped."""
