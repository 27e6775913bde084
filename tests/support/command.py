"""The command line, run in the test's process."""

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
    stdin = io.TextIOWrapper(io.BufferedReader(io.BytesIO(typed)), "utf-8")
    stdout, stderr = (io.TextIOWrapper(io.BytesIO(), "utf-8") for _ in range(2))
    with (
        patch("sys.stdin", stdin),
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
    ):
        status = main([str(word) for word in words])
    return Done(status, _printed(stdout), _printed(stderr))


def _printed(stream: io.TextIOWrapper) -> str:
    stream.seek(0)
    return stream.read()
