"""What SQLite's errors mean for a store: only two of them say that the file is damaged."""

import contextlib
import sqlite3
from pathlib import Path

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError

# Primary result codes, https://sqlite.org/rescode.html. Python has their names from 3.11 on.
_BUSY, _LOCKED, _PROTOCOL = 5, 6, 15
_CORRUPT, _NOT_A_DATABASE = 11, 26
_READ_ONLY, _IO_ERROR, _FULL, _CANNOT_OPEN = 8, 10, 13, 14
_PERMISSION, _NO_MEMORY, _INTERRUPTED, _NO_LARGE_FILES, _NOT_AUTHORIZED = 3, 7, 9, 22, 23
_LOCKS_FAIL = frozenset(_IO_ERROR | place << 8 for place in (8, 9, 14, 15, 20))
"""Extended codes: UNLOCK, RDLOCK, CHECKRESERVEDLOCK, LOCK, SHMLOCK."""
_MAY_BE_ABOUT_LOCKS = (_BUSY, _LOCKED, _PROTOCOL, _PERMISSION, _IO_ERROR)

_BY_TEXT = {
    "is locked": _BUSY,
    "locking protocol": _PROTOCOL,
    "is malformed": _CORRUPT,
    "not a database": _NOT_A_DATABASE,
    "could not decode to utf-8": _CORRUPT,  # Python's own error, which never has a code
    "readonly database": _READ_ONLY,
    "disk i/o error": _IO_ERROR,
    "disk is full": _FULL,
    "unable to open database": _CANNOT_OPEN,
    "access permission denied": _PERMISSION,
    "out of memory": _NO_MEMORY,
    "interrupted": _INTERRUPTED,
    "large file support": _NO_LARGE_FILES,
    "not authorized": _NOT_AUTHORIZED,
}
"""For an error without a code, as in Python 3.10."""
_SYSTEM = "the system does not let noughts use {path} ({error}); "
_MESSAGES = {
    _FULL: "no room to write {path}; free some space: what is stored already is safe",
    _READ_ONLY: "{path} cannot be written; check its permissions, or choose another --db",
    _CANNOT_OPEN: "cannot open {path} ({error}); check the folder, or choose another --db",
    _IO_ERROR: "cannot read or write {path} ({error}); check the disk and its free space",
    _NO_MEMORY: _SYSTEM + "close other programs and try again",
    _INTERRUPTED: _SYSTEM + "try again",
    _PERMISSION: _SYSTEM + "check its permissions, or choose another --db",
    _NO_LARGE_FILES: _SYSTEM + "keep the store on another disk: choose another --db",
    _NOT_AUTHORIZED: _SYSTEM + "check its permissions, or choose another --db",
}


def store_error(path: Path, error: sqlite3.Error) -> StoreError | None:
    """The one-line error for one of SQLite's; None if it may also be a fault of noughts."""
    if getattr(error, "sqlite_errorcode", None) in _LOCKS_FAIL:
        return cannot_be_locked(path)
    code = _code(error)
    if code in (_BUSY, _LOCKED, _PROTOCOL):
        return StoreBusyError(f"{path} is in use by another program; close that and try again")
    if code in (_CORRUPT, _NOT_A_DATABASE):
        return damaged(path, str(error))
    if code in _MESSAGES:
        return StoreError(_MESSAGES[code].format(path=path, error=error))
    return None


def may_be_about_locks(error: sqlite3.Error) -> bool:
    """Whether it may have happened because the system locks no files there."""
    return _code(error) in _MAY_BE_ABOUT_LOCKS


def cannot_be_locked(path: Path) -> StoreError:
    """The error for a store on a network share, for example."""
    return StoreError(
        f"{path} cannot be locked; a store must be on a local disk: choose another --db"
    )


def damaged(path: Path, reason: str) -> StoreDamagedError:
    """The error for a store that noughts cannot have left like this."""
    return StoreDamagedError(
        f"{path} is damaged or not a store of noughts ({reason}); move it away, "
        "or put a backup in its place"
    )


def _code(error: sqlite3.Error) -> int | None:
    code: int | None = getattr(error, "sqlite_errorcode", None)
    if code is not None:
        return code & 0xFF  # the rest says where it happened
    text = str(error).lower()
    return next((code for words, code in _BY_TEXT.items() if words in text), None)


def can_lock_files(folder: Path) -> bool:
    """Whether the system locks files in this folder; some network shares lock none.

    It locks a file of its own: closing the store's file would release this process's locks on it.
    """
    import tempfile  # here, because it takes 0.7 MB and is rarely needed

    try:
        import fcntl
    except ImportError:  # Windows
        return True
    with contextlib.suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
        try:
            fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
    return True
