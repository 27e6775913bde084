"""Driving boards in tests and the soak: press buttons, wait for LEDs and sentences.

The same seed gives the same run.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable
from functools import cache
from typing import Any

from microbit_emulator import Button, FirmwareStoppedError, Microbit, Snapshot
from noughts.protocol import data_log
from noughts.protocol.parser import Item, ParsedSentence, Stream
from noughts.protocol.sentences import Boot, Game, Menu, Sentence
from official import Start, stepped

A: Button = "A"
B: Button = "B"
BOOT_S = 3.0
SAVING_S = 5.0
"""The choice is saved before a game starts, which may move and erase pages."""
BYTE_MS = 1000 * 10 / 115_200

NO_LOG = "games are not stored: no module named 'log'"
LETTERS = {
    "2": "999.. ...9. .99.. 9.... 9999.",
    "E": "9999. 9.... 999.. 9.... 9999.",
    "M": "9...9 99.99 9.9.9 9...9 9...9",
    "R": "999.. 9..9. 999.. 9..9. 9...9",
    "H": "9..9. 9..9. 9999. 9..9. 9..9.",
    "X": "9...9 .9.9. ..9.. .9.9. 9...9",
    "<": "..9.. .9... 99999 .9... ..9..",
    ">": "..9.. ...9. 99999 ...9. ..9..",
    "?": ".999. 9...9 ..99. ..... ..9..",
    "house": "..9.. .999. 99999 .999. .9.9.",
}


class ViolationError(AssertionError):
    """A board has broken one of the rules that a test, or the soak, holds it to."""


FAILURES = ViolationError, FirmwareStoppedError


def text(leds: bytes) -> str:
    """The LEDs as five words of five levels; a dot is dark."""
    levels = "".join(str(level or ".") for level in leds)
    return " ".join(levels[start : start + 5] for start in range(0, 25, 5))


@cache
def scrolled(firmware: str, message: str) -> frozenset[bytes]:
    """The first pictures of a scrolling text, as the firmware itself shows them."""
    script = f"from microbit import display\ndisplay.scroll({message!r})\n"
    microbit = stepped(firmware)({"main.py": script.encode()})
    looks = []
    for _ in range(200):  # four seconds
        microbit.run_for(20_000)
        looks.append(microbit.leds())
    # The rows are lit one after another: a picture seen twice is complete.
    return frozenset(one for one, next in itertools.pairwise(looks) if one == next and any(one))


class Driver:
    """Steps a micro:bit, presses its buttons, and reads its LEDs and sentences, in device time."""

    def __init__(self, board: Microbit) -> None:
        self.board = board
        self.stream = Stream()
        self.items: list[Item] = []

    def listen(self) -> None:
        self.items += self.stream.feed(self.board.uart.receive())

    def leds(self) -> str:
        return text(self.board.leds())

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 40) -> None:
        def holds() -> bool:
            self.listen()
            return condition()

        if not self.board.run_until(holds, timeout_us=seconds * 1e6, step_us=5000):
            raise ViolationError(f"waited for {what}: {self.leds()} {self.items}")

    def rest(self, ms: float) -> None:
        self.board.run_for(ms * 1000)
        self.listen()

    def press(self, *buttons: Button, down_ms: float = 60, up_ms: float = 90) -> None:
        for button in buttons:
            self.board.press(button)
        self.rest(down_ms)
        for button in buttons:
            self.board.release(button)
        self.rest(up_ms)

    def type(self, data: bytes) -> None:
        """Send bytes to the board, and let it run until they have arrived."""
        self.board.uart.send(data)
        self.board.run_for(len(data) * BYTE_MS * 1000)

    def cut_power(self) -> None:
        self.board.power_cut()
        self.board.power_on()

    def shows(self, picture: str, seconds: float = 40) -> None:
        expected_leds = LETTERS.get(picture, picture)
        self.wait(lambda: self.leds() == expected_leds, f"LEDs {picture}", seconds)

    def scrolls(self, message: str, seconds: float = 30) -> None:
        """Wait until most of the first pictures of a scrolling text have been seen."""
        pictures = scrolled("V1 1.1.1", message)  # a V2's are the same
        seen: set[bytes] = set()

        def enough() -> bool:
            seen.add(self.board.leds())
            return len(seen & pictures) > len(pictures) * 0.8

        self.wait(enough, f"the text {message!r}", seconds)

    @property
    def _sentences(self) -> list[Sentence]:
        return [item.sentence for item in self.items if isinstance(item, ParsedSentence)]

    @property
    def games(self) -> list[Game]:
        return [sentence for sentence in self._sentences if isinstance(sentence, Game)]

    @property
    def boots(self) -> list[Boot]:
        return [sentence for sentence in self._sentences if isinstance(sentence, Boot)]

    @property
    def choices(self) -> list[str]:
        """What its menu has shown, in this order."""
        return [sentence.choice for sentence in self._sentences if isinstance(sentence, Menu)]

    @property
    def logged(self) -> list[Game]:
        """The games in a V2's data log."""
        content = self.board.my_data()
        return [] if content is None else data_log.read(content).games

    @property
    def noise(self) -> list[Item]:
        """Everything but sentences, and but the line of a V2 whose firmware has no data log."""
        noise = (item for item in self.items if not isinstance(item, ParsedSentence))
        return [item for item in noise if getattr(item, "text", "") != NO_LOG]

    def start(self) -> None:
        """Wait until the menu answers."""
        boots = len(self.boots)
        self.wait(lambda: len(self.boots) > boots, "the boot sentence")
        self.rest(60)

    def start_game(self) -> Game:
        self.press(B)
        return self.says("", "-")

    def says(self, moves: str, end: str, seconds: float = 40) -> Game:
        expected = [(tuple(map(int, moves)), end)]
        self.wait(
            lambda: [(game.moves, game.end) for game in self.games[-1:]] == expected,
            f"moves {moves} {end}",
            seconds,
        )
        return self.games[-1]

    def place(self, cell: int) -> None:
        """With the buttons, move the cursor from its start to a free cell, and place a mark."""
        moves = self.games[-1].moves
        free = [c for c in range(9) if c not in moves]
        cursor = next(c for c in (4, 1, 3, 5, 7, 0, 2, 6, 8) if c in free)
        for _ in range((free.index(cell) - free.index(cursor)) % len(free)):
            self.press(A)
        self.press(B)

    def play_out(self, moves: str, end: str) -> None:
        """Play a whole game of two people, and check each move on the serial line."""
        for count, cell in enumerate(moves, 1):
            self.place(int(cell))
            self.says(moves[:count], end if count == len(moves) else "-")


def in_menu(start: Start) -> Driver:
    """A firmware's micro:bit with the game in its menu: a shared one, restored each time."""
    board, at_boot = _booted(start)
    at_boot.restore()
    driver = Driver(board)
    driver.start()
    return driver


@cache
def _booted(start: Start) -> tuple[Microbit, Snapshot]:
    board = start()
    assert board.run_until(lambda: b"$NB" in board.uart.received, timeout_us=5e6)
    return board, board.snapshot()


class Player(Driver):
    """Knows what each press must do, and that only sentences follow the boot.

    Every method raises `ViolationError` when the board does not do what it should.
    """

    def listen(self) -> None:
        for item in self.stream.feed(self.board.uart.receive()):
            if self.boots and not isinstance(item, ParsedSentence):
                raise ViolationError(f"{item} on the serial line")
            self.items.append(item)

    @property
    def _boot(self) -> str:
        """The id of its run; empty until it has sent it."""
        return self.boots[0].boot if self.boots else ""

    @property
    def games(self) -> list[Game]:
        """Sentences since the boot, from games of this run."""
        return [game for game in super().games if game.boot == self._boot]

    @property
    def resent(self) -> list[Game]:
        """Games of earlier boots, sent since this one."""
        return [game for game in super().games if game.boot != self._boot]

    def start(self) -> None:
        """Wait until the menu answers; what the board sent before is dropped."""
        self.board.uart.receive()
        self.stream, self.items = Stream(), []
        for button in (A, B):
            self.board.release(button)
        self.wait(lambda: bool(self.boots), "the boot sentence", BOOT_S)
        self.rest(60)  # a button down in the first pass of the loop is not a press

    def tap(self, *buttons: Button) -> list[Game]:
        """Press these buttons together, and release them; returns what the board sends."""
        games_before = len(self.games)
        self.press(*buttons, down_ms=80, up_ms=200)
        return self.games[games_before:]

    def choice(self) -> str:
        """Start a game from the menu, make a move, leave again; returns the choice, such as `Hb`.

        It shows in how the game plays: the opponent's seat, and `b` for buttons or `t` for tilt.
        """
        self.begin()
        game = self.games[-1]
        for button, controls in ((A, "t"), (B, "b")):
            if any(len(game.moves) == 1 for game in self.tap(button)):
                self.leave()
                return game.seats[1] + controls
        raise ViolationError(f"neither button places a mark in {game}")

    def begin(self) -> None:
        """Press B in the menu."""
        self.tap(B)
        self.says("", "-", SAVING_S)

    def leave(self) -> None:
        sent = self.tap(A, B)
        if not sent or sent[-1].end != "x":
            raise ViolationError(
                f"both buttons together do not leave the game; the board sends {sent}"
            )


class PortDriver(Driver):
    """The same for a `VirtualBoard`, in step with real time, through its serial port."""

    board: Any

    def listen(self) -> None:
        self.items += self.stream.feed(self.board.serial.read(4096))

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end:
                raise AssertionError(f"waited for {what}: {self.leds()} {self.items}")
            self.listen()
            time.sleep(0.004)

    def rest(self, ms: float) -> None:
        end = self.board.clock_us() + ms * 1000
        self.wait(lambda: self.board.clock_us() >= end, f"{ms} ms")
