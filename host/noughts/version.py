"""The version of noughts, which is also the release of the game that it puts onto boards."""

__version__ = "1.2.0"
