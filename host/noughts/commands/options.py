"""Options that several commands share: where the store is, which games, and which engine."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, TypeVar

from noughts import brain
from noughts.brain import Table
from noughts.engines.own import LIMIT_S, OwnEngine, from_program, packaged
from noughts.engines.registry import engine_named, engines
from noughts.errors import StoreError, UnknownEngineError, printable
from noughts.files import whole_file
from noughts.game.engine import Engine
from noughts.protocol.describe import SEATS_MEANING
from noughts.radio_files import GROUPS, OFF, Radio
from noughts.store import filter_words
from noughts.store.filter_words import ChosenGames
from noughts.store.queries import GameFilter, count
from noughts.store.store import Store, command_for, default_path
from noughts.store.stored_game import RESULTS

_Value = TypeVar("_Value")
_MAX_LIMIT_S = 3600


def add_db(parser: argparse.ArgumentParser, default: str | None = None) -> None:
    """The option that names the store."""
    parser.add_argument(
        "--db",
        metavar="FILE",
        type=Path,
        default=default,
        help="where the games are kept (games.db in your data folder)",
    )


def add_radio(parser: argparse.ArgumentParser, off: bool = False) -> None:
    """The options for boards that send by radio, and for their gateway; `off` can be said too."""
    options = parser.add_mutually_exclusive_group()
    about = "a V2 also sends its games by radio, in this group (0 to 255) of a class"
    if off:
        about += "; 'off': it sends no more; without this option, that stays as it is"
    options.add_argument(
        "--radio",
        metavar="GROUP",
        type=_typed(lambda text: OFF if off and text == "off" else Radio(sends=_group(text))),
        help=about,
    )
    options.add_argument(
        "--gateway",
        metavar="GROUP",
        dest="radio",
        type=_typed(lambda text: Radio(gateway=_group(text))),
        help="no game, but a gateway: a board that prints what the group sends, for `watch`",
    )


def add_unproved(parser: argparse.ArgumentParser) -> None:
    """The option for a table that can lose."""
    parser.add_argument(
        "--unproved",
        action="store_true",
        help="accept a table that can lose, or give away a win; otherwise it is refused",
    )


def prove_table(table: Table, unproved: bool) -> None:
    """Say of a table for a board what is wrong with it; raise that, unless it is accepted."""
    if not unproved:
        brain.prove(table, "make another with `noughts table`, or accept it with --unproved")
    elif found := brain.flaw(table):
        print(f"noughts: {found}; accepted, because of --unproved", file=sys.stderr)


def _group(text: str) -> int:
    if text.isascii() and text.isdigit() and int(text) in GROUPS:
        return int(text)
    raise ValueError(f"{text!r} is not a radio group, 0 to 255")


def add_records(parser: argparse.ArgumentParser, records: str) -> None:
    """What is in the records that the command prints, at the end of its help."""
    parser.epilog = f"{parser.epilog or ''}\n{records}"


def add_stored_games(parser: argparse.ArgumentParser, records: str) -> None:
    """The options that choose games of the store, and what is in the command's records."""
    add_records(parser, records)
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
        type=_typed(filter_words.seats),
        help=f"who plays as A and as B: {SEATS_MEANING}; PH or ph is a person against hard",
    )
    group.add_argument(
        "--result",
        metavar="RESULT",
        action="append",
        default=[],
        type=_typed(filter_words.result),
        help=f"{', '.join(RESULTS)}, in capitals or not; A and B are the winner; may be given "
        "several times",
    )
    group.add_argument(
        "--since",
        metavar="DAY",
        type=_typed(filter_words.day),
        help=f"only games that began, or were told late, on this day or later: {filter_words.DAYS}",
    )
    group.add_argument(
        "--until",
        metavar="DAY",
        type=_typed(filter_words.day),
        help="only games that began, or were told late, on this day or earlier; as for --since",
    )
    add_db(parser)


def _utf8(text: str) -> str:
    """What was typed may be any bytes."""
    return text.encode(errors="replace").decode()


def _typed(parse: Callable[[str], _Value]) -> Callable[[str], _Value]:
    """What reads an option's words; argparse shows why only what is an error of its own."""

    def typed(text: str) -> _Value:
        try:
            return parse(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from error

    return typed


def chosen_games(args: argparse.Namespace) -> ChosenGames:
    """Which games the options choose."""
    return ChosenGames(tuple(args.board), args.seats, tuple(args.result), args.since, args.until)


def game_filter(args: argparse.Namespace) -> GameFilter:
    """The games that the options choose."""
    return chosen_games(args).filter()


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


def add_engines(parser: argparse.ArgumentParser, about: str) -> None:
    """The engines to name, which a shell completes, and those that are programs."""
    named = parser.add_argument(
        "engine",
        nargs="*",
        metavar="ENGINE",
        help=f"{about}; or your own, as ./mine.py, or a MENACE that has learned, as ./menace.json",
    )
    # Not `choices`: a name that is wrong gets the nearest one in the message.
    named.completer = _completed  # type: ignore[attr-defined]
    add_own_engines(parser)


def add_own_engines(parser: argparse.ArgumentParser) -> None:
    """The options for engines that are not ours."""
    parser.add_argument(
        "--program",
        metavar="COMMAND",
        action="append",
        default=[],
        help="a program as an engine, after those that are named: for each line such as "
        "'X...O.... X', a position and who is to move, it prints a line with a cell, 0 to 8",
    )
    parser.add_argument(
        "--limit",
        metavar="SECONDS",
        type=_typed(_limit),
        default=LIMIT_S,
        help=f"how long an engine of your own may take for an answer ({LIMIT_S:g})",
    )


def engine_option(name: str, args: argparse.Namespace, limit_s: float = LIMIT_S) -> Engine:
    """The engine of that name; a usage error, with the nearest name, if there is none."""
    try:
        return engine_named(name, limit_s)
    except UnknownEngineError as error:
        args.error(str(error))
        raise


def chosen_engines(names: Sequence[str], args: argparse.Namespace) -> list[Engine]:
    """The engines of these names, then the programs; a name that there is not is a usage error.

    Files of one name, in several folders, are called by their paths, and so is what has the name
    of an engine of ours.
    """
    typed = [*names, *args.program]
    found = [engine_option(name, args, args.limit) for name in names]
    found += [from_program(command, args.limit) for command in args.program]
    called = [*(engine.name for engine in found), *engines()]
    for engine, name in zip(found, typed, strict=True):
        if isinstance(engine, OwnEngine) and called.count(engine.name) > 1:
            engine.name = printable(name)
    return found


def _limit(text: str) -> float:
    with suppress(ValueError):
        if 0 < float(text) <= _MAX_LIMIT_S:
            return float(text)
    raise ValueError(f"{text!r} is not a number of seconds, more than 0 and up to an hour")


def _completed(prefix: str, **_: object) -> list[str]:
    folder = Path(prefix).parent if not prefix.endswith("/") else Path(prefix)
    files = [str(path) for path in folder.glob("*.py")]
    typed = "./" if prefix.startswith("./") else ""  # which a Path does not keep
    return [*engines(), *packaged(), *(typed + file for file in files)]
