"""noughts: tic-tac-toe on a BBC micro:bit, and the tools around it."""

__version__ = "0.1.0"
