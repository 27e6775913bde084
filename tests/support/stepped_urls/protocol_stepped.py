"""`stepped://NAME` is the port of a device in device time; pyserial finds it by this name."""

from stepped_ports import SteppedPort as Serial

__all__ = ["Serial"]
