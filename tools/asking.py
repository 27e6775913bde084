"""Asking the device's own code on the emulated board: a position in, cells and time out."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from noughts.boards.emulated import EmulatedBoard

from noughts.device_files import files_for_boards
from noughts.positions import Position

FAST = "shift=6,sleep=off"
"""Idle time is skipped; device time still counts every instruction as 64 ns."""

_LOOP = b"""
from microbit import display
import rules, table, ai
from utime import ticks_us, ticks_diff
display.show("?")
def ask(text):
    marks = [0] * 9
    score = [0] * 8
    player = 1 if text.count("X") == text.count("O") else -1
    for cell in range(9):
        if text[cell] != ".":
            rules.place(marks, score, cell, 1 if text[cell] == "X" else -1)
    start = ticks_us()
    cells = ai.best(marks, score, player, "H")
    print("=", ticks_diff(ticks_us(), start), cells)
while True:
    ask(input())
"""


class Asker:
    """An emulated board that answers positions with `ai.best`, at level hard."""

    def __init__(self) -> None:
        files = {**files_for_boards(), "main.py": _LOOP}
        self._board = EmulatedBoard(files, icount=FAST)
        self._board.serial.timeout = 20
        self.firmware = self._board.firmware
        while not any(self._board.leds()):
            pass

    def ask(self, positions: Iterable[Position]) -> Iterator[tuple[Position, list[int], int]]:
        """For each position: the cells that hard holds to be best, and device microseconds."""
        for position in positions:
            self._board.serial.write(str(position).encode() + b"\r")
            while not (line := self._board.serial.read_until(b"\n")).startswith(b"="):
                if not line:
                    raise TimeoutError(f"no answer to {position}")
            _, took_us, cells = line.decode().split(maxsplit=2)
            yield position, ast.literal_eval(cells), int(took_us)

    def close(self) -> None:
        """End the board."""
        self._board.close()

    def __enter__(self) -> Asker:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
