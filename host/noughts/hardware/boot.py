"""What a board says of itself when it starts: waiting for it, and checking it.

A game says it in a sentence. What there is to say of radio is a line before that, and a gateway,
which has no game, says a line only: so `noughts watch` knows them for noise.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import serial

from microbit_emulator.firmware import V1
from noughts import __version__
from noughts.errors import BoardError, BoardGoneError, GameError
from noughts.hardware import clock
from noughts.hardware.ports import ERRORS
from noughts.hardware.radio import OFF, Radio
from noughts.hardware.tracebacks import Traceback, TracebackReader
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot

LIMIT_S = 10.0
_NUDGE_S = 3.0
_RESTART_S = 2.0
"""How long after a traceback the game may still start: it may be from before the restart."""


# Whatever came before it in the line: a reset may have cut something short.
_SENDER = re.compile(r"radio ([0-9A-F]{8}) (\d{1,3})$")
_GATEWAY = re.compile(r"gateway ([\w.+-]{1,16}) (V[12]) (\d{1,3})$")


@dataclass(frozen=True)
class Start:
    """What a board says when it starts."""

    boot: Boot | None
    """What the game says; None of a gateway."""
    board: str
    release: str
    radio: Radio = OFF
    radio_id: str | None = None
    """What the board that sends by radio is called there."""

    def __str__(self) -> str:
        if self.boot is None:
            return f"{self.radio}, release {self.release}"
        text = f"game {self.release}, table {self.boot.table_id}"
        return text if self.radio == OFF else f"{text}, {self.radio} as {self.radio_id}"


class _Listener:
    """Takes what a board says, until that is a start."""

    def __init__(self) -> None:
        self._sender: re.Match[str] | None = None

    def hear(self, item: Item) -> Start | None:
        if isinstance(item, ParsedSentence) and isinstance(item.sentence, Boot):
            boot = item.sentence
            if self._sender is None:
                return Start(boot, boot.board, boot.release)
            radio = Radio(sends=int(self._sender[2]))
            return Start(boot, boot.board, boot.release, radio, self._sender[1])
        if isinstance(item, Noise):
            self._sender = _SENDER.search(item.text) or self._sender
            if found := _GATEWAY.search(item.text):
                return Start(None, found[2], found[1], Radio(gateway=int(found[3])))
        return None


def wait_for_start(
    port: serial.SerialBase,
    limit_s: float = LIMIT_S,
    nudges: Sequence[Callable[[], None]] = (),
    whole: Callable[[Start], bool] = lambda start: True,
) -> Start:
    """What the board on a port says when it starts next.

    `nudges` are called one after another as long as nothing `whole` has come: the port may have
    been opened in the middle of a start. After the last of them, it may take `limit_s`. Raises
    `GameError` when there is a traceback instead, `BoardError`, with the last that was heard, when
    there is neither, and `BoardGoneError`.
    """
    stream = Stream()
    listener = _Listener()
    reader = TracebackReader()
    heard: Start | None = None
    stopped: Traceback | None = None
    last = ""
    waits = (None, *nudges)
    for nudge in waits:
        try:
            port.timeout = 0.1
            if nudge is not None:
                nudge()
            is_last = nudge is waits[-1]
            end_s = clock.monotonic() + (limit_s if is_last else min(limit_s, _NUDGE_S))
            while clock.monotonic() < end_s:
                for item in stream.feed(port.read_until(b"\n")):
                    if start := listener.hear(item):
                        if whole(start):
                            return start
                        heard, stopped, end_s = start, None, 0
                    if isinstance(item, Noise) and item.text.strip():
                        last = item.text
                        found = reader.feed(item.text)
                        # That is our own Ctrl-C.
                        if found and not found.error.startswith("KeyboardInterrupt"):
                            stopped = stopped or found  # a second one follows from the first
                            end_s = min(end_s, clock.monotonic() + _RESTART_S)
        except ERRORS as error:
            raise gone(port) from error
        if stopped is not None:
            raise GameError(f"the game on {port.port} {stopped}", stopped.report())
    if heard is not None:
        return heard
    said = f"; the last line it sent was: {last[:60]}" if last else ", and sent nothing"
    raise BoardError(
        f"the game on {port.port} did not start{said}; press reset, or run `noughts put` again"
    )


def gone(port: serial.SerialBase) -> BoardGoneError:
    """The error for a port that has gone while it was in use."""
    return BoardGoneError(
        f"the board on {port.port} went away; plug it in and run the same command again"
    )


def soft_reset(port: serial.SerialBase) -> None:
    """Through MicroPython's REPL: interrupt what runs, then start again."""
    port.write(b"\x03\x03")
    clock.sleep(0.2)
    port.write(b"\x02\x04")


def reset_by_break(port: serial.SerialBase) -> None:
    """Through the interface chip, which resets the board at a break on the line."""
    try:
        port.send_break(0.3)
    except OSError:
        raise
    except Exception as error:  # termios.error is no OSError, and not everywhere
        raise OSError(str(error)) from error


def confirmed_start(start: Start, table_id: str, radio: Radio) -> str:
    """What the board says, in words; `BoardError` if it is not what was put there.

    table_id: of the game, if it is one.
    """
    boot = start.boot
    if boot is not None and radio.gateway is None:
        if (boot.release, boot.table_id) != (__version__, table_id):
            raise BoardError(
                f"the board started game {boot.release} with table {boot.table_id}, "
                f"not {__version__} with {table_id}; try again"
            )
        if start.board == V1:
            radio = OFF
    elif start.release != __version__:
        raise BoardError(f"the board started as {start}, not {__version__}; try again")
    if start.radio != radio:
        raise BoardError(f"the board started as {start}; its radio should be: {radio}; try again")
    return f"started on micro:bit {start.board}: {start}"
