"""Writing files atomically: a reader sees the old content or the new, never half of it."""

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from noughts.errors import NoughtsError

_MAX_SMALL = 1_000_000
_MAX_LINKS = 40
"""In a row, as on Linux; a link that leads to itself has more."""


def atomic_write(path: Path, content: bytes) -> None:
    """Write a file with this content; see `atomic_writer`."""
    with atomic_writer(path) as file:
        file.write(content)


def read_small(path: Path) -> bytes:
    """The content of a file that people write or noughts makes, such as a table.

    Raises `OSError`, and `NoughtsError` for a file that is far too large, or a device without end.
    """
    with path.open("rb") as file:
        content = file.read(_MAX_SMALL + 1)
    if len(content) > _MAX_SMALL:
        raise NoughtsError(f"{path} has more than 1 MB; check which file it is")
    return content


def require_folder(path: Path) -> None:
    """Raise `NoughtsError` for a file that cannot be written: it is a folder, or has none.

    So a command can say it before it computes for minutes.
    """
    if path.is_dir():
        raise NoughtsError(f"cannot write {path} (it is a folder); name a file in it")
    if not path.parent.is_dir():
        raise NoughtsError(
            f"cannot write {path} (no such folder); make the folder, or choose another"
        )


@contextmanager
def atomic_writer(path: Path) -> Iterator[BinaryIO]:
    """A temporary file to write, which replaces the file at the end; an error removes it.

    A link stays, and its target is replaced. A device, a pipe or an open file, such as
    `/dev/stdout`, is written directly. Raises `NoughtsError`, and leaves the old file, if the
    folder cannot be written, the disk is full, or the like.
    """
    require_folder(path)
    temporary = None
    try:
        if _is_open_file(path) or (path.exists() and not path.is_file()):
            with path.open("wb") as file:
                yield file
            return
        path = Path(os.path.realpath(path))
        # Its own name is short, as the file's may be as long as the system allows.
        temporary = path.with_name(f".{os.urandom(6).hex()}")
        with temporary.open("xb") as file:
            if path.exists():
                temporary.chmod(path.stat().st_mode & 0o777)
            yield file
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        raise NoughtsError(
            f"cannot write {path} ({error.strerror}); "
            "check that the folder exists, is writable and has room"
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _is_open_file(path: Path) -> bool:
    """Whether this is an open file of a process, such as /dev/stdout: it cannot be replaced."""
    for _ in range(_MAX_LINKS):
        folder = os.path.realpath(path.parent)
        if folder == "/dev/fd" or re.fullmatch("/proc/.+/fd", folder):
            return True
        if not path.is_symlink():
            return False
        path = Path(folder) / path.readlink()
    return False
