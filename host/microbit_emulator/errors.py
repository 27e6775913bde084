"""The emulator's errors, as a tree. Messages are one line: what is wrong; what to do."""


class EmulatorError(Exception):
    """Any failure of the emulator."""


class EngineError(EmulatorError):
    """wasmtime is missing, or its version does not work."""


class HexError(EmulatorError):
    """A firmware file cannot be used."""


class ProgramError(EmulatorError):
    """A program is not there, or does not fit."""


class ExpectationError(EmulatorError, AssertionError):
    """A program has not printed what was expected."""


class PowerOffError(EmulatorError):
    """The micro:bit has no power."""


class FirmwareStoppedError(EmulatorError):
    """The firmware cannot go on. `address` is what it accessed, and `pc` is where."""

    def __init__(self, message: str, address: int, pc: int) -> None:
        super().__init__(message)
        self.address = address
        self.pc = pc


class CpuFaultError(FirmwareStoppedError):
    """The firmware did something that makes the processor fault."""


class UnmodelledError(FirmwareStoppedError):
    """The firmware waits for something that is not modelled."""
