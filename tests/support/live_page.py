"""Stand-ins for the boards on the page, which do what a test wants."""

import asyncio
import threading
from collections.abc import Callable

from noughts.errors import BoardError, BoardGoneError
from noughts.protocol.sentences import Sentence
from noughts.recording.events import PortOpened
from noughts.recording.sources import DataReceived
from noughts.web.live import LiveBoards
from sample_games import wire

DARK = bytes(25)


class Board:
    """Shows what the test wants, and records what is done to it."""

    firmware = "MicroPython"

    def __init__(self) -> None:
        self.shown, self.ms, self.flash, self.ended = DARK, 1000, b"", False
        self.done: list[tuple[object, ...]] = []

    def leds(self) -> bytes:
        if self.ended:
            raise BoardGoneError("it was killed; start again")
        return self.shown

    def clock_us(self) -> int:
        return self.ms * 1000

    def memory(self) -> bytes:
        return self.flash

    def __getattr__(self, name: str) -> Callable[..., None]:
        def do(*given: object) -> None:
            if self.ended:
                raise BoardGoneError("it was killed; start again")
            self.done.append((name, *given))

        return do


class Boards:
    """Stands in for virtual boards: all are running, but not emulated."""

    def __init__(
        self, count: int, follow: Callable[..., object], changed: Callable[[str], object]
    ) -> None:
        self.kinds = {f"virtual-{number + 1}": "V2" for number in range(count)}
        self.running = {name: Board() for name in self.kinds}
        self.names: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self._changed = changed

    def start(self) -> None:
        for name in self.kinds:
            self._changed(name)

    def board(self, name: str) -> Board:
        if name not in self.running:
            raise BoardError("it does not run")
        return self.running[name]

    def close(self) -> None:
        self.running.clear()
        self.recorded = "record games" not in [thread.name for thread in threading.enumerate()]


def board_sends(live_boards: LiveBoards, *sentences: Sentence) -> None:
    """Plug in the first virtual board, and let it send sentences."""
    live_boards._recorded.put(PortOpened("virtual-1", "there"))
    live_boards._recorded.put(DataReceived("virtual-1", wire(*sentences), None))


async def settled(holds: Callable[[], object]) -> None:
    """Let everything else run until a condition holds."""
    for _ in range(12_000):
        if holds():
            return
        await asyncio.sleep(0.01)
    raise AssertionError("it never came")
