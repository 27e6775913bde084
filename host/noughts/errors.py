"""The failures that a user can expect, and their one line on standard error.

It says what is wrong; what to do. It names commands as `noughts put`, and whatever prints it lets
`invocation.py` say how that is typed. The emulator has errors of its own.
"""

from collections.abc import Sequence


class NoughtsError(Exception):
    """An expected failure: its text is one line, `what is wrong; what to do`."""


class BoardError(NoughtsError):
    """A board could not be started, found or kept."""


class BoardGoneError(BoardError):
    """A board that was running is not there any more (unplugged, killed, closed)."""


class GameError(BoardError):
    """The game on a board stopped with a traceback; `details` are its lines, printed first."""

    def __init__(self, message: str, details: Sequence[str]) -> None:
        super().__init__(message)
        self.details = tuple(details)


class DataLogError(NoughtsError):
    """A file is not a data log that holds games of ours, or it is cut short or damaged."""


class FirmwareError(NoughtsError):
    """A firmware file is not what it should be."""


class IllegalMoveError(NoughtsError, ValueError):
    """A move on a taken cell, off the board, or after the end of the game."""


class IllegalPositionError(NoughtsError, ValueError):
    """A text that is not a position, or one that no game can reach."""


class ResignedError(NoughtsError):
    """An engine gives a game up: its opponent has won."""


class OwnEngineError(NoughtsError):
    """An engine of the user's own gave no legal move, or is not there."""


class SentenceError(NoughtsError, ValueError):
    """A line is not a valid sentence of ours."""


class UnknownSentenceError(SentenceError):
    """A sentence whose checksum holds, of a type or protocol version that we do not know."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} is not known to this version; get a newer noughts")


class StoreError(NoughtsError):
    """The games that are kept cannot be read or written."""


class StoreBusyError(StoreError):
    """Another program is writing to the store; it can be written later."""


class StoreDamagedError(StoreError):
    """What is in the store's place is not a store, or is damaged."""


class UnknownEngineError(NoughtsError, LookupError):
    """There is no engine of that name."""


def error_message(error: NoughtsError | OSError) -> str:
    """One line for what was expected to fail, or for what the system refuses."""
    if isinstance(error, NoughtsError):
        return str(error)
    what = error.filename or "the output or a device"
    # What pyserial raises has a text of its own, and no other.
    why = error.strerror or " ".join(str(error).split()) or type(error).__name__
    return f"cannot use {what} ({why}); check it and try again"


def printable(text: str) -> str:
    """Text that may quote a file or a board: no character of theirs may act on the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " for char in text)
