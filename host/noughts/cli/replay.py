"""`noughts replay`: one game, move by move, with the value of each move."""

from __future__ import annotations

import sys
import time
from pathlib import Path

import click

from noughts.cli import options
from noughts.store.queries import GameFilter, count, games
from noughts.store.queries import game as stored_game
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame
from noughts.terminal.layout import step, wait_s
from noughts.views.replay import heading, replay


def _number(text: str) -> int | str:
    if text != "last" and (not text.isdecimal() or not text.isascii() or len(text) > 18):
        raise ValueError(f"{text[:20]!r} is not a game; give its number, or `last` for the newest")
    return text if text == "last" else int(text)


@options.command("noughts replay last", "noughts replay 12 --text")
@click.argument(
    "game",
    type=_number,
    help="the game's number in `noughts games`, or `last` for the newest that was played to its "
    "end",
)
@click.option(
    "--speed",
    metavar="X",
    type=options.Number(0.1, 100),
    help="play automatically, this many times as fast as the game was played",
)
@click.option("--text", is_flag=True, help="print every step instead of stepping through the game")
@options.db
def run(game: int | str, speed: float | None, text: bool, db: Path | None) -> None:
    """Step through a game, each move judged."""
    with options.open_store(db) as store:
        if isinstance(game, str):
            listed = _newest(store)
        else:
            listed = [stored_game(store, game)] if count(store, GameFilter()) else []
        if not listed:
            raise options.nothing_found(store)
        (found,) = listed
        head, steps = heading(found), replay(found).steps
    if text or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print(head)
        for plies in range(len(steps)):
            if plies and speed is not None:
                time.sleep(wait_s(found, plies - 1, speed))
            print(f"\n{_trimmed(step(steps, plies).plain)}", flush=True)
        return
    from noughts.terminal.replay import ReplayApp

    ReplayApp(found, speed).run()


def _newest(store: Store) -> list[StoredGame]:
    """The newest game that was played to its end, or else the newest of all.

    A board begins the next game by itself: when it is switched off, one has often just begun.
    """
    for which in (GameFilter(results=("A", "B", "draw")), GameFilter()):
        if found := list(games(store, which, newest=1)):
            return found
    return []


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())
