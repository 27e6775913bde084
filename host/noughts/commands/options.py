"""Options that several commands share: where the store is, which games, and which engine."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date, timedelta
from pathlib import Path
from typing import BinaryIO

from noughts.engines.registry import engine_named, engines
from noughts.errors import StoreError, UnknownEngineError
from noughts.files import whole_file
from noughts.game.engine import Engine
from noughts.protocol.describe import opponents
from noughts.store import timestamps
from noughts.store.queries import GameFilter, count
from noughts.store.store import Store, command_for, default_path
from noughts.store.stored_game import RESULTS

_SEATS = re.compile("[PEMH]{2}")
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_DAYS = "today, yesterday, a weekday such as monday for the latest one, or a date as 2026-11-21"


def add_db(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The option that names the store."""
    parser.add_argument(
        "--db",
        metavar="FILE",
        type=Path,
        default=default,
        help="where the games are kept (games.db in your data folder)",
    )


def add_game_filter(parser: argparse.ArgumentParser) -> None:
    """The options that choose games."""
    group = parser.add_argument_group("which games (all)")
    group.add_argument(
        "--board",
        metavar="NAME",
        action="append",
        default=[],
        type=_utf8,
        help="only boards with this in their name or USB id; may be given several times",
    )
    group.add_argument(
        "--seats",
        metavar="AB",
        type=_seats,
        help="who plays as A and as B: P a person, E, M and H the chip's levels; PH or ph is a "
        "person against hard",
    )
    group.add_argument(
        "--result",
        metavar="RESULT",
        action="append",
        default=[],
        type=_result,
        help=f"{', '.join(RESULTS)}, in capitals or not; A and B are the winner; may be given "
        "several times",
    )
    group.add_argument(
        "--since",
        metavar="DAY",
        type=_day,
        help=f"only games that began on this day or later: {_DAYS}",
    )
    group.add_argument(
        "--until",
        metavar="DAY",
        type=_day,
        help="only games that began on this day or earlier, named as for --since",
    )


def _utf8(text: str) -> str:
    """What was typed may be any bytes."""
    return text.encode(errors="replace").decode()


def _seats(text: str) -> str:
    if not _SEATS.fullmatch(text.upper()):
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} is not two letters of P, E, M and H, such as PH"
        )
    return text.upper()


def _result(text: str) -> str:
    names = {name.lower(): name for name in RESULTS}
    if text.lower() not in names:
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} is not a result; choose from {', '.join(RESULTS)}"
        )
    return names[text.lower()]


def _day(text: str) -> date:
    word = text.lower()
    today = timestamps.today()
    if word in ("today", "yesterday"):
        return today - timedelta(days=word == "yesterday")
    if word in _WEEKDAYS:
        return today - timedelta(days=(today.weekday() - _WEEKDAYS.index(word)) % 7)
    try:
        day = date.fromisoformat(text)
        for each in (day, day + timedelta(days=1)):
            timestamps.of_day(each)
        return day
    except (ValueError, OverflowError, OSError) as error:
        raise argparse.ArgumentTypeError(
            f"{text[:20]!r} is not a usable date; write {_DAYS}"
        ) from error


def game_filter(args: argparse.Namespace) -> GameFilter:
    """The games that the options choose."""
    since = None if args.since is None else timestamps.of_day(args.since)
    until = None if args.until is None else timestamps.of_day(args.until + timedelta(days=1))
    return GameFilter(tuple(args.board), args.seats, tuple(args.result), since, until)


def filter_in_words(args: argparse.Namespace) -> str:
    """Which games the options choose, as a person says it; empty for all."""
    words = (
        [f"boards with {' or '.join(map(repr, args.board))} in their name"] if args.board else []
    )
    words += [opponents(args.seats)] if args.seats else []
    words += [f"results {' or '.join(args.result)}"] if args.result else []
    words += [f"since {args.since}"] if args.since else []
    words += [f"until {args.until}"] if args.until else []
    return ", ".join(words)


def open_store(args: argparse.Namespace) -> Store:
    """The store, which must be there. Raises `StoreError`, saying how to fill it."""
    path = args.db or default_path()
    if not path.exists():
        raise StoreError(f"no games are kept in {path} yet; {_how_to_fill(path)}")
    return Store(path)


def demonstration(path: Path) -> Path:
    """Where the games of boards that play by themselves are: not among the pupils'."""
    return path.with_name("demonstration.db")


def refuse_store(args: argparse.Namespace, output: Path | None) -> None:
    """An output that would be written over the store is a usage error."""
    path = os.path.realpath(args.db or default_path())
    if output is not None and os.path.realpath(output) in (path, f"{path}-wal", f"{path}-shm"):
        args.error(f"{output} is the store itself; choose another file")


@contextmanager
def output(path: Path | None) -> Iterator[BinaryIO]:
    """The file to write, whole or not at all; None is standard output."""
    if path is not None:
        with whole_file(path) as file:
            yield file
        return
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def nothing_found(store: Store) -> StoreError:
    """The error when no game was found: none is kept, or none matches."""
    if count(store, GameFilter()):
        listing = command_for("noughts games", store.path)
        return StoreError(f"no game in {store.path} matches; {listing} lists them all")
    return StoreError(f"{store.path} holds no game yet; {_how_to_fill(store.path)}")


def no_board_yet(store: Store) -> StoreError:
    """The error when no board is known."""
    return StoreError(f"{store.path} knows no board yet; {_how_to_fill(store.path)}")


def _how_to_fill(path: Path) -> str:
    """What to do where a store is empty or missing, or another one was filled."""
    usual = default_path()
    played = demonstration(usual)
    if path == played:
        return "`noughts watch --emulated 3` fills it"
    if path != usual:
        return "check the name that --db gives, or fill it with `noughts watch --db FILE`"
    keeping = "`noughts play` and `noughts watch` keep games there"
    if played.exists():
        return f"{keeping}, and --db {played} selects a demonstration's"
    return f"{keeping}, and `noughts watch --emulated 3` fills {played.name} without a board"


def add_engines(parser: argparse.ArgumentParser, nargs: str, about: str) -> None:
    """The engines' names, which a shell completes."""
    named = parser.add_argument("engine", nargs=nargs, metavar="ENGINE", help=about)
    # Not `choices`: a name that is wrong gets the nearest one in the message.
    named.completer = lambda **_: list(engines())  # type: ignore[attr-defined]


def engine_option(name: str, args: argparse.Namespace) -> Engine:
    """The engine of that name; a usage error, with the nearest name, if there is none."""
    try:
        return engine_named(name)
    except UnknownEngineError as error:
        args.error(str(error))
        raise
