"""What a board says of itself when it starts: waiting for it, and checking it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

import serial

from noughts import __version__
from noughts.errors import BoardError, BoardGoneError, GameError
from noughts.hardware.ports import ERRORS
from noughts.hardware.tracebacks import Traceback, TracebackReader
from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot

LIMIT_S = 10.0
_RESTART_S = 2.0
"""How long after a traceback the game may still start: it may be from before the restart."""


def wait_for_boot(
    port: serial.SerialBase, limit_s: float = LIMIT_S, nudges: Sequence[Callable[[], None]] = ()
) -> Boot:
    """The next boot sentence on a port.

    `nudges` are called one after another, at even intervals, as long as nothing has come. Raises
    `GameError` when there is a traceback instead, `BoardError`, with the last that was heard, when
    there is neither, and `BoardGoneError`.
    """
    stream = Stream()
    reader = TracebackReader()
    stopped: Traceback | None = None
    last = ""
    for nudge in (None, *nudges):
        try:
            port.timeout = 0.1
            if nudge is not None:
                nudge()
            end_s = time.monotonic() + limit_s / (1 + len(nudges))
            while time.monotonic() < end_s:
                for item in stream.feed(port.read_until(b"\n")):
                    if isinstance(item, ParsedSentence) and isinstance(item.sentence, Boot):
                        return item.sentence
                    if isinstance(item, Noise) and item.text.strip():
                        last = item.text
                        found = reader.feed(item.text)
                        # That is our own Ctrl-C.
                        if found and not found.error.startswith("KeyboardInterrupt"):
                            stopped = stopped or found  # a second one follows from the first
                            end_s = min(end_s, time.monotonic() + _RESTART_S)
        except ERRORS as error:
            raise gone(port) from error
        if stopped is not None:
            raise GameError(f"the game on {port.port} {stopped}", stopped.report())
    heard = f"; the last line it sent was: {last[:60]}" if last else ", and sent nothing"
    raise BoardError(
        f"the game on {port.port} did not start{heard}; press reset, or run `noughts put` again"
    )


def gone(port: serial.SerialBase) -> BoardGoneError:
    """The error for a port that has gone while it was in use."""
    return BoardGoneError(
        f"the board on {port.port} went away; plug it in and run the same command again"
    )


def soft_reset(port: serial.SerialBase) -> None:
    """Through MicroPython's REPL: interrupt what runs, then start again."""
    port.write(b"\x03\x03")
    time.sleep(0.2)
    port.write(b"\x02\x04")


def reset_by_break(port: serial.SerialBase) -> None:
    """Through the interface chip, which resets the board at a break on the line."""
    try:
        port.send_break(0.3)
    except OSError:
        raise
    except Exception as error:  # termios.error is no OSError, and not everywhere
        raise OSError(str(error)) from error


def confirmed(boot: Boot, table_id: str) -> str:
    """What the board says, in words; `BoardError` if it is not what was put there."""
    if (boot.release, boot.table_id) != (__version__, table_id):
        raise BoardError(
            f"the board started game {boot.release} with table {boot.table_id}, "
            f"not {__version__} with {table_id}; try again"
        )
    return f"started on micro:bit {boot.board}: game {boot.release}, table {boot.table_id}"
