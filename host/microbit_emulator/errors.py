"""What can go wrong, as a tree. Messages are one line: what is wrong; what to do."""


class EmulatorError(Exception):
    """Anything that goes wrong in the emulator."""


class UnicornError(EmulatorError):
    """Unicorn is missing, or is not a version that works."""


class HexError(EmulatorError):
    """A firmware file is not what it should be."""


class ProgramError(EmulatorError):
    """A program is not there, or does not fit."""


class ExpectationError(EmulatorError, AssertionError):
    """A program has not printed what was expected."""


class PowerOffError(EmulatorError):
    """The micro:bit has no power."""


class FirmwareStoppedError(EmulatorError):
    """The firmware cannot go on. `address` is what it accessed, `pc` where it did so."""

    def __init__(self, message: str, address: int, pc: int) -> None:
        super().__init__(message)
        self.address = address
        self.pc = pc


class CpuFaultError(FirmwareStoppedError):
    """The firmware did what makes the processor fault."""


class UnmodelledError(FirmwareStoppedError):
    """The firmware waits for something that is not modelled."""
