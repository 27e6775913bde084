"""What can go wrong, as a tree.

EmulatorError                  anything below
├── UnicornError               Unicorn is missing, or is not a version that works
├── HexError                   a firmware file is not what it should be
├── ProgramError               a program is not there, or does not fit
├── ExpectationError           a program has not printed what was expected
├── PowerOffError              the micro:bit has no power
└── FirmwareStoppedError       the firmware cannot go on
    ├── CpuFaultError          it did what makes the processor fault
    └── UnmodelledError        it waits for something that is not modelled

Messages are one line: what is wrong; what to do.
"""


class EmulatorError(Exception):
    """Anything that goes wrong in the emulator: one line, `what is wrong; what to do`."""


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
