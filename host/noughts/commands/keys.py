"""Playing without a terminal: keys as text in, LED pictures and sentences as text out."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from dataclasses import dataclass

from noughts.boards.base import Board, Button
from noughts.errors import BoardError
from noughts.log.sentences import Boot
from noughts.log.stream import Heard, Item, Noise, Stream

DOWN_MS = 60
UP_MS = 190
"""After a press: longer than the 100 ms in which the device takes two presses as both."""
LAST_MS = 300
SEEN_MS = 100
START_S = 20.0
_POLL_S = 0.004
_MAX_MS = 3_600_000

_BUTTONS = {"A": (Button.A,), "B": (Button.B,), "AB": (Button.A, Button.B)}


class BadTokenError(ValueError):
    """A token that is not a valid key."""


@dataclass(frozen=True)
class Press:
    """Buttons to press together, and milliseconds of device time to hold them and to rest after."""

    buttons: tuple[Button, ...]
    down_ms: int = DOWN_MS
    up_ms: int = UP_MS


@dataclass(frozen=True)
class Wait:
    """Milliseconds of device time to let pass."""

    ms: int


def read_keys(text: str) -> list[Press | Wait]:
    """What a `--keys` text asks for. Raises `BadTokenError` with a line that says which token."""
    steps: list[Press | Wait] = []
    for token in text.split():
        name, colon, held_ms = token.partition(":")
        if name in _BUTTONS and not colon:
            steps.append(Press(_BUTTONS[name]))
        elif name in _BUTTONS and _is_ms(held_ms):
            steps.append(Press(_BUTTONS[name], int(held_ms), up_ms=0))
        elif _is_ms(token):
            steps.append(Wait(int(token)))
        else:
            raise BadTokenError(
                f"{token!r} is not a valid key; use A, B, AB, A:40 to hold A for 40 ms, "
                f"or a wait in ms such as 500 (at most {_MAX_MS})"
            )
    return steps


def _is_ms(text: str) -> bool:
    return re.fullmatch(r"[0-9]{1,7}", text) is not None and int(text) <= _MAX_MS


class Player:
    """Presses keys on a board and tells what it shows and says, as it happens.

    A LED picture is told when it has stood for two looks, so that none is half drawn, and when it
    was not told since the last key.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._stream = Stream()
        self._told: set[bytes] = set()
        self._last = b""

    def play(self, steps: list[Press | Wait]) -> Iterator[str]:
        """Lines of text, from the board's start to a moment after the last key."""
        yield from self._wait_for_start()
        for step in steps:
            if isinstance(step, Wait):
                yield from self._watch(step.ms)
                continue
            self._told.clear()
            for button in step.buttons:
                self._board.press(button)
            yield from self._watch(step.down_ms)
            for button in step.buttons:
                self._board.release(button)
            yield from self._watch(step.up_ms)
        yield from self._watch(LAST_MS)

    def _wait_for_start(self) -> Iterator[str]:
        end_s = time.monotonic() + START_S
        started = False
        while not (started and any(self._board.leds())):
            if time.monotonic() > end_s:
                raise BoardError("the board does not start the game; check its files")
            for item in self._listen():
                yield self._tell(item)
                started = started or (isinstance(item, Heard) and isinstance(item.sentence, Boot))
            time.sleep(_POLL_S)
        # A button that is down when the game starts is no press to it.
        yield from self._watch(SEEN_MS)

    def _watch(self, ms: int) -> Iterator[str]:
        end_us = self._board.clock_us() + ms * 1000
        while (left_us := end_us - self._board.clock_us()) > 0:
            yield from self._look()
            for item in self._listen():
                yield self._tell(item)
            time.sleep(min(_POLL_S, left_us / 1e6))

    def _listen(self) -> list[Item]:
        return self._stream.feed(self._board.serial.read(4096))

    def _look(self) -> Iterator[str]:
        picture = self._board.leds()
        if picture == self._last and picture not in self._told:
            self._told.add(picture)
            yield f"{self._clock()}  LEDs\n" + text_of(picture)
        self._last = picture

    def _tell(self, item: Item) -> str:
        if isinstance(item, Noise):
            return f"{self._clock()}  noise: {item.text}"
        return f"{self._clock()}  {item.line}"

    def _clock(self) -> str:
        return f"{self._board.clock_us() // 1000:>7} ms"


def text_of(picture: bytes) -> str:
    """Five lines of five levels; a dot is a dark LED."""
    rows = [picture[start : start + 5] for start in range(0, 25, 5)]
    return "\n".join(" " * 12 + "".join(str(level or ".") for level in row) for row in rows)
