"""Boards that tell one game after another, each until it is in a store, and when they did."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fed_port import Port
from noughts.protocol.sentences import Game
from noughts.store import timestamps
from random_games import random_game

_PLY_MS = 5
_TELL_S = 0.005
"""Between two sentences of a board."""
_RESEND_AFTER_S = 0.5
"""Without a word from its room, after which a board tells its game again."""


@dataclass
class Told:
    """A game that a room has, and when it was told: from the first to the last moment."""

    game: Game
    board: str
    first_ms: int
    last_ms: int


class Board:
    """Tells one game after another, each until its room has it."""

    def __init__(self, path: Path, room_db: Path, name: str, boot: str, dice: random.Random):
        self._port = Port(path)
        self._db, self._name, self._boot, self._dice = room_db, name, boot, dice
        self._number = self._told = 0
        self._due_s = 0.0
        self.done: list[Told] = []
        self.times_told = 0
        self._next()

    def _next(self) -> None:
        self._number += 1
        self._game = [
            replace(each, ms=_PLY_MS * len(each.moves))
            for each in random_game(self._boot, self._number, self._dice)
        ]
        self._first_ms = timestamps.now()
        self._told = 0

    def step(self) -> None:
        """Say what is due, or look whether the room has the game."""
        now_s = time.monotonic()
        if self._told < len(self._game):
            if now_s >= self._due_s:
                self._port.offer(self._game[self._told])
                self.times_told += not self._told
                self._told += 1
                self._due_s, self._again_s = now_s + _TELL_S, now_s + _RESEND_AFTER_S
        elif self._is_kept():
            end = self._game[-1]
            self.done.append(Told(end, self._name, self._first_ms, timestamps.now()))
            self._next()
        elif now_s > self._again_s:
            self._told = 0

    def _is_kept(self) -> bool:
        game = self._game[-1]
        found = rows(
            self._db,
            "SELECT 1 FROM games WHERE boot = ? AND number = ? AND end = ?",
            game.boot, game.number, game.end,
        )  # fmt: skip
        return bool(found)

    def close(self) -> None:
        self._port.pull()


def rows(db: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What a store has, if it is there by now."""
    try:
        with contextlib.closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(query, values).fetchall()
    except sqlite3.OperationalError:
        return []
