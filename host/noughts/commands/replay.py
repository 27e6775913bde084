"""`noughts replay`: one game, move by move, with what each move was worth."""

from __future__ import annotations

import argparse
import sys
import threading
import time

from noughts.commands.options import add_db, nothing_found, open_store
from noughts.game.review import Reviewed, review
from noughts.store.queries import GameFilter, count, game, games
from noughts.store.replay_words import heading
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame
from noughts.terminal.replay_text import step, wait_s

_SLOWEST, _FASTEST = 0.1, 100.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "game",
        metavar="GAME",
        type=_number,
        help="the game's number in `noughts games`, or `last` for the newest that was played "
        "to its end",
    )
    parser.add_argument(
        "--speed",
        metavar="X",
        type=_speed,
        help=f"play automatically, this many times as fast as the game was played ({_SLOWEST:g} to "
        f"{_FASTEST:g})",
    )
    parser.add_argument(
        "--text", action="store_true", help="print every step instead of stepping through the game"
    )
    add_db(parser)


def _number(text: str) -> int | None:
    if text == "last":
        return None
    if not text.isdecimal() or not text.isascii() or len(text) > 18:
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} is not a game; give its number, or `last` for the newest"
        )
    return int(text)


def _speed(text: str) -> float:
    try:
        speed = float(text)
    except ValueError:
        speed = 0.0
    if not _SLOWEST <= speed <= _FASTEST:
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} is not a speed from {_SLOWEST:g} to {_FASTEST:g}"
        )
    return speed


def run(args: argparse.Namespace) -> int:
    """Replay one game."""
    with open_store(args) as store:
        if args.game is None:
            listed = _newest(store)
        else:
            listed = [game(store, args.game)] if count(store, GameFilter()) else []
        if not listed:
            raise nothing_found(store)
    (found,) = listed
    reviewed = review(list(map(int, found.moves)))
    if args.text or not (sys.stdin.isatty() and sys.stdout.isatty()):
        _print(found, reviewed, args.speed)
        return 0
    from noughts.terminal.replay_screen import ReplayApp
    from noughts.terminal.stuck import leaving_a_stuck_terminal

    with leaving_a_stuck_terminal(threading.Event(), lambda: None):
        ReplayApp(found, reviewed, args.speed).run()
    return 0


def _newest(store: Store) -> list[StoredGame]:
    """The newest game that was played to its end, or else the newest of all.

    A board begins the next game by itself: when it is switched off, one has often just begun.
    """
    for which in (GameFilter(results=("A", "B", "draw")), GameFilter()):
        if found := list(games(store, which, newest=1)):
            return found
    return []


def _print(found: StoredGame, reviewed: list[Reviewed], speed: float | None) -> None:
    print(heading(found))
    for plies in range(len(found.moves) + 1):
        if plies and speed is not None:
            time.sleep(wait_s(found, plies - 1, speed))
        print(f"\n{_trimmed(step(found, reviewed, plies).plain)}", flush=True)


def _trimmed(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.rstrip().splitlines())
