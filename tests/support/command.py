"""The command line, run in the test's process."""

from __future__ import annotations

import contextlib
import io
from typing import NamedTuple
from unittest.mock import patch

from noughts.cli import main


class Done(NamedTuple):
    """What a command has come to."""

    returncode: int
    stdout: str
    stderr: str


def noughts(*words: object, typed: bytes = b"") -> Done:
    """Run a command, whose standard input is what is typed."""
    stdin, stdout, stderr = (
        io.TextIOWrapper(io.BytesIO(data), "utf-8") for data in (typed, b"", b"")
    )
    with (
        patch("sys.stdin", stdin),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        status = main([str(word) for word in words])
    return Done(status, _printed(stdout), _printed(stderr))


def _stream(data: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(data), "utf-8")


def _printed(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
