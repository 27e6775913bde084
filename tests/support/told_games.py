"""Boards that tell one game after another, each until it is in a store, and when they did."""

from __future__ import annotations

import contextlib
import os
import random
import sqlite3
import time
import tty
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from noughts.protocol.sentences import Game, write
from noughts.store import timestamps
from random_games import random_game

_PLY_MS = 5
_TELL_S = 0.005
"""Between two sentences of a board."""
_AGAIN_S = 0.5
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
        self._master, self._slave = os.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        path.symlink_to(os.ttyname(self._slave))
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
                sentence = write(self._game[self._told]).encode() + b"\r\n"
                with contextlib.suppress(BlockingIOError):
                    os.write(self._master, sentence)
                self.times_told += not self._told
                self._told += 1
                self._due_s, self._again_s = now_s + _TELL_S, now_s + _AGAIN_S
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
        os.close(self._master)
        os.close(self._slave)


def rows(db: Path, query: str, *values: object) -> list[tuple[Any, ...]]:
    """What a store has, if it is there by now."""
    try:
        with contextlib.closing(sqlite3.connect(f"{db.as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(query, values).fetchall()
    except sqlite3.OperationalError:
        return []
