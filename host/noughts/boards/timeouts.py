"""How long `put`, `flash` and `doctor` wait for a board, in seconds."""

START_S = 10.0
"""For the first sentence of the game, after a reset."""
ANSWER_S = 10.0
"""For the answer to a command over the serial line."""
INTERRUPT_WAITS_S = (1.0, 1.0, 2.0, 4.0)
"""For MicroPython's prompt, at each try: a board that has just been switched on ignores Ctrl-C
until its program runs."""
CARRY_OUT_S = 0.5
"""Before a reset after a failure, so as not to interrupt a command that is just writing a file."""
DRIVE_RETURNS_S = 30.0
"""For the drive MICROBIT to come back after a hex file was copied to it."""
PORT_RETURNS_S = 10.0
"""For the serial port to come back after that."""
