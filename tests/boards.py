"""Driving a board in tests: press as a person does, wait for what it shows and says."""

from __future__ import annotations

import time
from collections.abc import Callable

from noughts.boards.base import Board, Button
from noughts.log.sentences import Boot, Game
from noughts.log.stream import Heard, Item, Stream

A, B = Button.A, Button.B

LETTERS = {
    "2": "999.. ...9. .99.. 9.... 9999.",
    "E": "9999. 9.... 999.. 9.... 9999.",
    "M": "9...9 99.99 9.9.9 9...9 9...9",
    "H": "9..9. 9..9. 9999. 9..9. 9..9.",
    "X": "9...9 .9.9. ..9.. .9.9. 9...9",
    "<": "..9.. .9... 99999 .9... ..9..",
    ">": "..9.. ...9. 99999 ...9. ..9..",
}


def text(leds: bytes) -> str:
    """The LEDs as five words of five levels; a dot is dark."""
    levels = "".join(str(level or ".") for level in leds)
    return " ".join(levels[start : start + 5] for start in range(0, 25, 5))


class Driver:
    """A board with hands, eyes and ears."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.stream = Stream()
        self.items: list[Item] = []

    def listen(self) -> None:
        self.items += self.stream.feed(self.board.serial.read(4096))

    def wait(self, condition: Callable[[], bool], what: str, seconds: float = 120) -> None:
        end = time.monotonic() + seconds
        while not condition():
            assert time.monotonic() < end, (
                f"waited for {what}: {text(self.board.leds())} {self.items}"
            )
            self.listen()
            time.sleep(0.004)

    def rest(self, ms: int) -> None:
        end = self.board.clock_us() + ms * 1000
        self.wait(lambda: self.board.clock_us() >= end, f"{ms} ms")

    def press(self, *buttons: Button, down_ms: int = 200, up_ms: int = 200) -> None:
        """Longer than a person would: a busy machine may not run the board all the time."""
        for button in buttons:
            self.board.press(button)
        self.rest(down_ms)
        for button in buttons:
            self.board.release(button)
        self.rest(up_ms)

    def shows(self, picture: str) -> None:
        wanted = LETTERS.get(picture, picture)
        self.wait(lambda: text(self.board.leds()) == wanted, f"LEDs {picture}")

    @property
    def games(self) -> list[Game]:
        return [
            item.sentence
            for item in self.items
            if isinstance(item, Heard) and isinstance(item.sentence, Game)
        ]

    @property
    def boots(self) -> list[Boot]:
        return [
            item.sentence
            for item in self.items
            if isinstance(item, Heard) and isinstance(item.sentence, Boot)
        ]

    @property
    def noise(self) -> list[Item]:
        return [item for item in self.items if not isinstance(item, Heard)]

    def start(self) -> None:
        """Wait until the menu answers."""
        boots = len(self.boots)
        self.wait(lambda: len(self.boots) > boots, "the boot sentence")
        self.rest(250)

    def says(self, moves: str, end: str) -> Game:
        wanted = tuple(map(int, moves))
        self.wait(
            lambda: (
                bool(self.games) and (self.games[-1].moves, self.games[-1].end) == (wanted, end)
            ),
            f"moves {moves} {end}",
        )
        return self.games[-1]

    def place(self, cell: int) -> None:
        """By buttons: move the cursor from where it starts to a free cell, and place."""
        moves = self.games[-1].moves
        free = [c for c in range(9) if c not in moves]
        cursor = next(c for c in (4, 1, 3, 5, 7, 0, 2, 6, 8) if c in free)
        for _ in range((free.index(cell) - free.index(cursor)) % len(free)):
            self.press(A)
        self.press(B)

    def play_out(self, moves: str, end: str) -> None:
        """Two people play a whole game, each move checked on the serial line."""
        for count, cell in enumerate(moves, 1):
            self.place(int(cell))
            self.says(moves[:count], end if count == len(moves) else "-")
