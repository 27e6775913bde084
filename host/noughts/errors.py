"""The errors that a user can expect, and their one line on standard error.

It says what is wrong; what to do. It names commands like `noughts put`, and `invocation.py` turns
these into what the user can type. The emulator has its own errors.
"""

import queue
from collections.abc import Callable, Sequence


class NoughtsError(Exception):
    """An expected failure. Its text is one line, `what is wrong; what to do`."""


class BoardError(NoughtsError):
    """A board could not be found, started or used."""


class BoardGoneError(BoardError):
    """A board has disappeared while it was running: unplugged, killed or closed."""


class GameError(BoardError):
    """The game on a board stopped with a traceback. `details` are its lines, printed first."""

    def __init__(self, message: str, details: Sequence[str]) -> None:
        super().__init__(message)
        self.details = tuple(details)


class DataLogError(NoughtsError):
    """A file is not a data log with our games, or it is cut short or damaged."""


class IllegalMoveError(NoughtsError, ValueError):
    """A move on a taken cell, off the board, or after the end of the game."""


class IllegalPositionError(NoughtsError, ValueError):
    """A text is not a position, or is one that no game can reach."""


class ResignedError(NoughtsError):
    """An engine resigns, so its opponent has won."""


class OwnEngineError(NoughtsError):
    """A user's own engine is not there, or gave no legal move."""


class SentenceError(NoughtsError, ValueError):
    """A line is not a valid sentence."""


class UnknownSentenceError(SentenceError):
    """A sentence has a valid checksum, but an unknown type or protocol version."""

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} is not known to this version; get a newer noughts")


class StoreError(NoughtsError):
    """The stored games cannot be read or written."""


class StoreBusyError(StoreError):
    """Another program is writing to the store. Writing can succeed later."""


class GameNotFoundError(StoreError):
    """The store has no game with this number."""


class StoreDamagedError(StoreError):
    """The file is not a store, or is damaged."""


class UnknownEngineError(NoughtsError, LookupError):
    """There is no engine with this name."""


def error_message(error: NoughtsError | OSError) -> str:
    """One line for an expected failure, or for an error of the system."""
    if isinstance(error, NoughtsError):
        return str(error)
    what = error.filename or "the output or a device"
    # pyserial's errors have only their own text.
    why = error.strerror or " ".join(str(error).split()) or type(error).__name__
    return f"cannot use {what} ({why}); check it and try again"


def fault_message(error: Exception) -> str:
    """One line for an error that is a fault of ours."""
    return f"a fault of noughts ({error!r}); please report it"


class ThreadFault(Exception):
    """A fault of ours in a thread that nobody waits for; what others do goes on.

    error: what that thread raised.
    """

    def __init__(self, error: Exception) -> None:
        super().__init__(str(error))
        self.error = error


class ThreadFaults:
    """Faults of ours in threads that nobody waits for: kept for a thread that reports them."""

    def __init__(self) -> None:
        self._faults: queue.SimpleQueue[Exception] = queue.SimpleQueue()

    def keep(self, work: Callable[..., object], *arguments: object) -> None:
        """Do the work of such a thread; what it raises is kept."""
        try:
            work(*arguments)
        except Exception as error:
            self._faults.put(error)

    def raise_next(self) -> None:
        """Raise the oldest fault that was not raised yet, as a `ThreadFault`."""
        if not self._faults.empty():
            error = self._faults.get()
            raise ThreadFault(error) from error


def printable(text: str) -> str:
    """Text without control characters; what it quotes must not act on the terminal."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else " " for char in text)
