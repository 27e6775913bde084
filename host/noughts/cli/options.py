"""What several commands share: options, the form of their help, signals, and the store.

The options for engines are in `engine_options.py`: `noughts watch` needs none of their modules,
which take 0.9 MB.
"""

from __future__ import annotations

import math
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import wraps
from os.path import realpath
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from noughts import brain
from noughts.boards.radio import GROUPS, OFF, Radio
from noughts.errors import StoreError
from noughts.files import atomic_writer, require_folder
from noughts.terminal.output import say

if TYPE_CHECKING:  # imported where it is needed: `hex` and `play` should start quickly
    from noughts.store.store import Store

Run = Callable[..., Any]
"""The function of a command; decorators give it options."""
FILE: click.Path[Path] = click.Path(path_type=Path, readable=False)
FILE.name = "file"  # as the help calls it


class IntRange(click.types.IntParamType):
    """A whole number between limits."""

    name = "number"  # as messages call it

    def __init__(self, min: int, max: int) -> None:
        self.min, self.max = min, max

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Say the range in words."""
        number = super().convert(value, param, ctx)
        if not self.min <= number <= self.max:
            self.fail(f"{number} is not in the range {self.min} to {self.max}.", param, ctx)
        return number


class Number(click.types.FloatParamType):
    """A number between limits. min_open: the least number itself is too low."""

    name = "number"

    def __init__(self, min: float, max: float, min_open: bool = False) -> None:
        self.min, self.max, self.min_open = min, max, min_open

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Say the range in words, and refuse `nan` too."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):  # it is neither below nor above a limit
            self.fail(f"{value!r} is not a valid number.", param, ctx)
        is_too_low = number <= self.min if self.min_open else number < self.min
        if is_too_low or number > self.max:
            least = f"{'above ' * self.min_open}{self.min}"
            self.fail(f"{number} is not in the range {least} to {self.max}.", param, ctx)
        return number


class Option(click.Option):
    """An option whose help says its range and its default in words: `(1 to 16; default: 3)`."""

    def get_help_extra(self, ctx: click.Context) -> click.types.OptionHelpExtra:
        """Nothing in brackets: `get_help_record` says it."""
        return {}

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """Its line in the help, with its range and default in words."""
        record = super().get_help_record(ctx)
        words = []
        if isinstance(self.type, IntRange | Number):
            is_above = isinstance(self.type, Number) and self.type.min_open
            least = "above " * is_above + f"{self.type.min:g}"
            words.append(f"{least} to {self.type.max:,}")
        if "default" in super().get_help_extra(ctx):
            is_number = isinstance(self.default, float)
            words.append(f"default: {f'{self.default:g}' if is_number else self.default}")
        return record and (record[0], f"{record[1]}  ({'; '.join(words)})" if words else record[1])


class Command(click.Command):
    """A command whose errors name it, also for an option without its value."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Click's parser raises some errors without their command."""
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            error.ctx = error.ctx or ctx
            raise


def command(*examples: str, records: str = "", **named: Any) -> Callable[[Run], Any]:
    r"""A command of `noughts`; its help shows examples, and describes the records that it prints.

    records: paragraphs, which the help wraps except after a line with `\b`.
    """
    heading = f"\b\nExample{'s' * (len(examples) > 1)}:"
    epilog = "\n  ".join([heading, *examples]) + f"\n{records}"
    named = {"cls": Command} | named
    return click.command(epilog=epilog, context_settings={"show_default": True}, **named)


# Eager, because `output` looks at it.
db = click.option(
    "--db",
    type=FILE,
    is_eager=True,
    help="where games are stored (default: games.db in your data folder)",
)
unproved = click.option(
    "--unproved",
    is_flag=True,
    help="accept a table that can lose or give away a win",
)


def as_json(what: str) -> Callable[[Run], Run]:
    """The option to print something as JSON; the command gets `as_json`."""
    return click.option(
        "--json",
        "as_json",
        is_flag=True,
        help=f"print {what} as JSON (see docs/scripts.md)",
    )


def output(help: str, *names: str, endings: Sequence[str] = ()) -> Callable[[Run], Run]:
    """The option for a file to write, which is not the store: `-o`, unless it has other names.

    endings: allowed endings. Without them, `-` is None, which stands for standard output.
    """

    def checked(ctx: click.Context, _: click.Parameter, path: Path | None) -> Path | None:
        from noughts.store.store import default_path

        if path is None or (path == Path("-") and not endings):
            return None
        if endings and path.suffix.lower() not in endings:
            raise click.BadParameter(f"{path.name!r} does not end in {' or '.join(endings)}")
        # Not `resolve()`, which refuses a link that loops.
        if "db" in ctx.params and realpath(path) == realpath(ctx.params["db"] or default_path()):
            raise click.BadParameter(f"{path} is the store itself; choose another file")
        require_folder(path)
        return path

    return click.option(*(names or ("-o", "--output")), type=FILE, callback=checked, help=help)


quiet = click.option(
    "--quiet", is_flag=True, help="sound is off until the logo is touched in the menu (V2)"
)


def radio(run: Run) -> Run:
    """The options for boards that send by radio, and for gateways; the command gets `radio`."""
    group = IntRange(GROUPS[0], GROUPS[-1])

    @click.option(
        "--radio",
        metavar="GROUP",
        type=lambda text: OFF if text == "off" else Radio(sends=group(text)),
        help="also send games by radio in this group, 0 to 255 (V2 only); `put --radio off` "
        "turns it off",
    )
    @click.option(
        "--gateway",
        metavar="GROUP",
        type=lambda text: Radio(gateway=group(text)),
        help="make a gateway instead of a game: it prints what the group sends, for `watch`",
    )
    @wraps(run)
    def with_radio(*, radio: Radio | None, gateway: Radio | None, **named: Any) -> Any:
        if radio and gateway:
            raise click.UsageError("--radio and --gateway are for different boards; give only one")
        return run(radio=radio or gateway, **named)

    return with_radio


def prove_table(table: brain.Table, unproved: bool) -> None:
    """Raise `NoughtsError` for a table that can lose or give away a win; warn if it is accepted."""
    if not unproved:
        brain.prove(table, "make another with `noughts table`, or accept it with --unproved")
    elif flaw := brain.flaw(table):
        say(f"noughts: {flaw}; accepted, because of --unproved")


def stored_games(run: Run) -> Run:
    """The options that choose stored games; the command gets `game_filter` and `db`."""
    from noughts.protocol.describe import SEATS_MEANING
    from noughts.store import game_filter
    from noughts.store.game_filter import GameFilter
    from noughts.store.stored_game import RESULTS

    @click.option(
        "--board",
        metavar="NAME",
        type=lambda text: text.encode(errors="replace").decode(),  # any bytes are possible
        multiple=True,
        help="only boards with this in their name or USB id; can be repeated",
    )
    @click.option(
        "--seats",
        metavar="AB",
        type=game_filter.parse_seats,
        help=f"only games of these players, A and B: {SEATS_MEANING}; PH is a person against hard",
    )
    @click.option(
        "--result",
        metavar="RESULT",
        type=game_filter.parse_result,
        multiple=True,
        help=f"only games with this result: {', '.join(RESULTS)}; can be repeated",
    )
    @click.option(
        "--since",
        metavar="DAY",
        type=game_filter.parse_day,
        help=f"only games that began, or were recovered, on this day or later: {game_filter.DAYS}",
    )
    @click.option(
        "--until",
        metavar="DAY",
        type=game_filter.parse_day,
        help="only games on this day or earlier (see --since)",
    )
    @db
    @wraps(run)
    def with_games(
        *, board: Any, seats: Any, result: Any, since: Any, until: Any, **named: Any
    ) -> Any:
        since, until = since and since[0], until and until[1]
        return run(game_filter=GameFilter(board, seats, result, since, until, moved=True), **named)

    return with_games


def open_store(db: Path | None) -> Store:
    """The store. Raises `StoreError` if it is missing or damaged."""
    from noughts.store.store import Store, default_path

    return Store(db or default_path())


def nothing_found(store: Store) -> StoreError:
    """The error when no game was found: none is stored, or none matches."""
    from noughts.store.game_filter import GameFilter
    from noughts.store.queries import count
    from noughts.store.store import command_for, or_demonstration

    if not count(store, GameFilter()):
        watch = command_for("noughts watch", store.path)
        advice = f"{watch} stores them{or_demonstration(store.path)}"
        return StoreError(f"{store.path} holds no game yet; {advice}")
    listing = command_for("noughts games --result unfinished", store.path)
    advice = f"try other options, or list unfinished games with {listing}"
    return StoreError(f"no game in {store.path} matches; {advice}")


def opened(path: Path | None) -> AbstractContextManager[BinaryIO]:
    """The file to write, whole or not at all; None is standard output."""
    return atomic_writer(path) if path else nullcontext(sys.stdout.buffer)


@contextmanager
def until_signal(stop: threading.Event, *names: str) -> Iterator[list[int]]:
    """Gives the signals received, which set the event; a second one has its usual effect.

    SIGHUP is the exception: when a terminal closes, kernel and shell may both send one.
    """
    received: list[int] = []
    # Windows has no SIGHUP.
    numbers = [int(number) for number in signal.Signals if number.name in names]
    old_handlers = {number: signal.getsignal(number) for number in numbers}

    def on_signal(number: int, _: object) -> None:
        if signal.Signals(number).name != "SIGHUP":
            signal.signal(number, old_handlers[number])
        received.append(number)
        stop.set()

    for number in numbers:
        signal.signal(number, on_signal)
    try:
        yield received
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
