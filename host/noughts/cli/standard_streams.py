"""Standard output and standard error as the command line needs them, whatever they lead to."""

from __future__ import annotations

import io
import os
import sys
from typing import TextIO


class _Output(io.FileIO):
    """Standard output: what goes wrong with it is said by its name."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except OSError as error:
            error.filename = "standard output"
            raise


class _Messages(io.FileIO):
    """Standard error: where nobody can be told anything, the work goes on all the same."""

    def write(self, data: bytes, /) -> int:  # type: ignore[override]
        try:
            return super().write(data)
        except OSError:
            return len(data)


def prepare() -> None:
    """Replace the streams that were closed, and those that lead to a file, a pipe or a terminal.

    Output that cannot be written then raises an `OSError` about "standard output", when it is
    written or flushed; messages that cannot be written are dropped.
    """
    if sys.stdin is None:  # closed by whoever started us
        sys.stdin = open(os.devnull)  # noqa: PTH123, SIM115
    sys.stdout = _over(_Output, sys.stdout)
    sys.stderr = _over(_Messages, sys.stderr)


def abandon_output() -> None:
    """Write what is left to be written, or drop it: Python would complain of it at its exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _over(kind: type[io.FileIO], stream: TextIO | None) -> TextIO:
    if stream is None:
        # Nothing can be written to what is open for reading only, as to what is closed; but its
        # number is taken: the next file that is opened does not become standard output.
        number, encoding, each_line = os.open(os.devnull, os.O_RDONLY), "utf-8", False
    elif type(stream) is io.TextIOWrapper and type(_raw(stream)) is io.FileIO:
        stream.flush()
        # Unbuffered (-u), Python itself ignores that a disk took only a part of what it was given.
        each_line = stream.line_buffering or stream.write_through
        number, encoding = stream.fileno(), stream.encoding
    else:  # such as Windows' console
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
        return stream
    return io.TextIOWrapper(
        io.BufferedWriter(kind(number, "w", closefd=False)),
        encoding,
        # Not every terminal has every character that we or a file's name may need.
        errors="backslashreplace",
        line_buffering=each_line,
    )


def _raw(stream: io.TextIOWrapper) -> object:
    return getattr(stream.buffer, "raw", stream.buffer)
