"""Waiting for a board's start message, and checking it.

A game sends a sentence. With radio, it sends another line first. A gateway sends only such a line.
`noughts watch` counts those lines as noise.
"""

import re
from dataclasses import dataclass

import serial

from microbit_emulator.firmware import V1
from noughts.boards import clock
from noughts.boards.ports import ERRORS, gone
from noughts.boards.radio import OFF, Radio
from noughts.boards.timeouts import START_S
from noughts.boards.tracebacks import TracebackReader
from noughts.errors import BoardError, GameError
from noughts.protocol.parser import Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot
from noughts.version import __version__

# Other text may come first in the line: a reset may have cut a line short.
_SENDER = re.compile(r"radio ([0-9A-F]{8}) (\d{1,3})$")
_GATEWAY = re.compile(r"gateway ([\w.+-]{1,16}) (V[12]) (\d{1,3})$")


@dataclass(frozen=True)
class Start:
    """What a board has sent about the game, or the gateway, that it started."""

    boot: Boot | None
    """None for a gateway."""
    board_model: str
    release: str
    radio: Radio = OFF
    radio_id: str | None = None

    def __str__(self) -> str:
        if self.boot is None:
            return f"{self.radio}, release {self.release}"
        text = f"game {self.release}, table {self.boot.table_id}"
        return text if self.radio == OFF else f"{text}, {self.radio} as {self.radio_id}"

    @property
    def message(self) -> str:
        """The line for people: `Done: the game is running (1.2.0, table 2798)`, and a full stop."""
        if self.boot is None:
            return f"Done: the {self.radio} is running ({self.release})."
        return f"Done: the game is running ({str(self).removeprefix('game ')})."


def wait_for_start(port: serial.SerialBase) -> Start:
    """The next start message of the board on a port.

    Raises `GameError` for a traceback instead, `BoardGoneError`, and else `BoardError` with the
    last line that the board sent.
    """
    stream, reader = Stream(), TracebackReader()
    radio, radio_id = OFF, None
    last_line = ""
    try:
        port.timeout = 0.1
        end_s = clock.monotonic() + START_S
        while clock.monotonic() < end_s:
            for item in stream.feed(port.read_until(b"\n")):
                if isinstance(item, ParsedSentence) and isinstance(item.sentence, Boot):
                    boot = item.sentence
                    return Start(boot, boot.hardware, boot.release, radio, radio_id)
                if not isinstance(item, Noise) or not item.text.strip():
                    continue
                last_line = item.text
                if match := _GATEWAY.search(last_line):
                    return Start(None, match[2], match[1], Radio(gateway=int(match[3])))
                if match := _SENDER.search(last_line):
                    radio, radio_id = Radio(sends=int(match[2])), match[1]
                fault = reader.feed(last_line)
                # KeyboardInterrupt is our own Ctrl-C.
                if fault and not fault.error.startswith("KeyboardInterrupt"):
                    raise GameError(f"the game on {port.port} {fault}", fault.report())
    except ERRORS as error:
        raise gone(port) from error
    sent = f"; the last line it sent was: {last_line[:60]}" if last_line else ", and sent nothing"
    raise BoardError(
        f"the game on {port.port} did not start{sent}; press reset, or run `noughts put` again"
    )


def confirm_start(port: serial.SerialBase, table_id: str | None, radio: Radio = OFF) -> Start:
    """The board's next start. Raises `BoardError` if that is not what was just installed.

    table_id: the game's; None for a gateway.
    """
    start = wait_for_start(port)
    if start.boot and start.board_model == V1:
        radio = OFF  # its game never has radio
    started_table_id = start.boot.table_id if start.boot else None
    if (start.release, started_table_id, start.radio) != (__version__, table_id, radio):
        raise BoardError(f"the board started as {start}, which is not what was sent; try again")
    return start
