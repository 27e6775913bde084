"""Stand-ins for the boards on the page, which do what a test wants."""

import asyncio
from collections.abc import Callable
from typing import Any

from noughts.errors import BoardGoneError
from noughts.protocol.sentences import Sentence
from noughts.recording.data_logs import DataLogs
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.sources import Change
from noughts.recording.watch import Watch
from noughts.virtual.virtual_boards import VirtualBoards
from noughts.web.live import LiveBoards
from noughts.web.safety import Site
from sample_games import wire
from waiting import until

DARK = bytes(25)


class BoardPort:
    """The serial port of a stand-in board."""

    port = "there"

    def __init__(self) -> None:
        self.unread = b""

    def read(self, size: int) -> bytes:
        data, self.unread = self.unread[:size], self.unread[size:]
        return data

    def close(self) -> None:
        """It stays usable, for a board that is restarted."""


class Board:
    """Shows and sends what the test wants, and records what is done to it."""

    board = "V2"
    firmware = "stand-in of the tests"
    port = BoardPort.port

    def __init__(self) -> None:
        self.led_levels, self.ms, self.flash, self.ended = DARK, 1000, b"", False
        self.hertz = 0
        self.serial = BoardPort()
        self.done: list[tuple[object, ...]] = []
        self.before_press: Callable[[], object] = lambda: None
        self.before_release: Callable[[], object] = lambda: None

    def says(self, *sentences: Sentence) -> None:
        self.serial.unread += wire(*sentences)

    def leds(self) -> bytes:
        if self.ended:
            raise BoardGoneError("it was killed; start again")
        return self.led_levels

    def tone_hz(self) -> int:
        return self.hertz

    def clock_us(self) -> int:
        return self.ms * 1000

    def memory(self) -> bytes:
        return self.flash

    def close(self) -> None:
        self.ended = True

    def __getattr__(self, name: str) -> Callable[..., None]:
        def do(*arguments: object) -> None:
            if self.ended:
                raise BoardGoneError("it was killed; start again")
            if name == "press":
                self.before_press()
            if name == "release":
                self.before_release()
            self.done.append((name, *arguments))

        return do


def stand_in_boards(site: Site) -> LiveBoards:
    """The boards of a site; the virtual ones are not emulated."""

    ports, virtual = PortMonitor(), stand_in_virtual(site.boards, PortMonitor(find=list))
    watch = Watch(site.db, [ports, DataLogs(), virtual], has_fallback=True)
    return LiveBoards(watch, ports, virtual, site.for_all_readers)


def stand_in_virtual(count: int, ports: Any = None) -> VirtualBoards[Change]:
    """Virtual boards that are not emulated."""

    def start(model: str) -> Any:
        return Board()

    return VirtualBoards(count, ports, start_board=start)


def idle_boards(site: Site) -> LiveBoards:
    """No boards, and nothing runs; for requests that are not about boards."""
    none: Any = None
    return LiveBoards(Watch(site.db), none, stand_in_virtual(0))


def device_of(live_boards: LiveBoards, name: str = "virtual-1") -> Any:
    """A stand-in, once it has started."""
    return live_boards.virtual.boards[name].device


def board_sends(live_boards: LiveBoards, *sentences: Sentence) -> None:
    """Let the first virtual board send sentences, once it runs."""
    until(lambda: device_of(live_boards) is not None, "the board")
    device_of(live_boards).says(*sentences)


async def settled(holds: Callable[[], object]) -> None:
    """Let everything else run until a condition holds."""
    for _ in range(12_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")
