"""`noughts train`: let MENACE learn from games, draw how it learns, and show its boxes."""

import json
from dataclasses import asdict
from pathlib import Path
from random import Random
from textwrap import fill

import click

from noughts.cli import engine_options, options
from noughts.cli.options import IntRange
from noughts.engines.built_in import engines
from noughts.engines.menace import SUFFIX, Menace, refuse_other, train, write_menace
from noughts.errors import printable
from noughts.game.engine import Replies, Tally, cached_replies
from noughts.game.odds import odds
from noughts.game.positions import Position, alike, parse_unfinished
from noughts.protocol.describe import counted
from noughts.store import queries
from noughts.store.game_filter import GameFilter
from noughts.terminal.ascii_text import is_plain
from noughts.terminal.layout import board
from noughts.terminal.output import progress
from noughts.terminal.plots import FORMATS, Learned, curve_text, draw_learning
from noughts.views.game_list import MOVED

_GAMES = 500
_POINTS = 40
"""On the curve."""
_DRAWN = 5
"""Beads; if there are more, only the number shows how many."""
_SEATS = {"first": (True,), "second": (False,), "both": (True, False)}
_MOVING = {"first": "", "second": ", moving second", "both": ", moving first and second"}


@options.command(
    "noughts train menace",
    "noughts train menace --against hard --games 200 -o menace.json",
    "noughts train menace.json --show X...O....",
)
@click.argument("engine", help="menace, to start with new boxes, or a saved MENACE file")
@click.option(
    "--against",
    metavar="ENGINE",
    help=f"its opponent: {', '.join(engines())}, or a file; with menace, it plays itself "
    "(default: medium)",
)
@click.option(
    "--games",
    metavar="N",
    cls=options.Option,
    type=IntRange(1, 1_000_000),
    help=f"how many games it plays (default: {_GAMES})",
)
@click.option(
    "--seat",
    cls=options.Option,
    type=click.Choice(_SEATS),
    default="first",
    help="whether it moves first",
)
@click.option(
    "--seed",
    cls=options.Option,
    default=1,
    help="the seed of the random numbers",
)
@click.option(
    "--stored",
    is_flag=True,
    help="learn from both sides of the stored games instead of playing",
)
@options.output(f"save it in this file, {SUFFIX}", endings=[SUFFIX])
@options.output(
    "draw the curve to this file, .png or .svg",
    "--plot",
    endings=FORMATS,
)
@click.option(
    "--show",
    metavar="POSITION",
    help="show its box for this position, such as X...O....",
)
@options.as_json("the result")
@options.stored_games
def run_train(
    engine: str,
    against: str | None,
    games: int | None,
    seat: str,
    seed: int,
    stored: bool,
    output: Path | None,
    plot: Path | None,
    show: str | None,
    as_json: bool,
    game_filter: GameFilter,
    db: Path | None,
) -> None:
    """Train matchboxes, and watch them learn."""
    plays = bool(against or games or plot or as_json) or not (stored or show)
    _check_usage(stored, plays, as_json, show, game_filter)
    position = None if show is None else parse_unfinished(show)
    menace = _menace(engine)
    opponent = "medium" if against is None else against
    training = _Training(menace, opponent, games or _GAMES, seat, seed)
    if output is not None:
        refuse_other(output)  # before it learns, as that may take minutes
    if stored:
        _learn_stored(menace, db, game_filter)
    if plays:
        training.play()
    if output is not None:
        write_menace(menace, output)  # before what else may fail
    if plays and plot is not None:
        draw_learning(training.curve, training.title, plot)
    if as_json:
        print(json.dumps({"engine": engine, **training.facts()}))
        return
    if plays:
        training.print()
    if plot is not None:
        print(_written(plot))
    if position is not None:
        print(_box(menace, position))
    if stored or plays or output is not None:
        print(
            "not saved; -o FILE saves what it has learned" if output is None else _written(output)
        )


def _written(path: Path) -> str:
    return printable(f"{path} written")


def _menace(engine: str) -> Menace:
    """The machine with this name, or in this file."""
    menace = engine_options.named_engine(engine)
    if not isinstance(menace, Menace):
        raise click.UsageError(f"{engine} does not learn; name menace, or a saved MENACE file")
    return menace


def _check_usage(
    stored: bool, plays: bool, as_json: bool, show: str | None, game_filter: GameFilter
) -> None:
    """Raise `click.UsageError` for options that exclude each other."""
    if stored and plays:
        left_out = "--against, --games, --plot and --json"
        raise click.UsageError(f"--stored plays no games; leave out {left_out}")
    if as_json and show is not None:
        raise click.UsageError("--json prints the curve, --show a box; give one of them")
    if not stored and game_filter != MOVED:
        raise click.UsageError("--board, --since and so on are for --stored, which plays no games")


class _Training:
    """Games of a machine against an opponent, and how its chances change meanwhile."""

    def __init__(self, menace: Menace, against: str, games: int, seat: str, seed: int) -> None:
        """against: the opponent's name; `menace` is the machine itself."""
        self.title = f"{menace.name} against {against}{_MOVING[seat]}"
        self.curve: list[Learned] = []
        """Averaged over its seats."""
        self._menace, self._against, self._games = menace, against, games
        self._seat, self._seed = seat, seed
        self._results = Tally()
        self._opponent: Replies = menace.reply
        if against != "menace":
            self._opponent = cached_replies(engine_options.named_engine(against))

    def play(self) -> None:
        """Play all games; the machine learns from each."""
        self.curve.append(self._chances())
        marks = {round(self._games * point / _POINTS) for point in range(1, _POINTS + 1)}
        seats, random = _SEATS[self._seat], Random(self._seed)
        with progress(self._games, "games") as steps:
            playing = train(self._menace, self._opponent, self._games, seats, random)
            for number, result in enumerate(playing, 1):
                self._results.add(result)
                steps.advance(1)
                if number in marks:
                    self.curve.append(self._chances())

    def _chances(self) -> Learned:
        by_seat = [odds(self._menace.reply, self._opponent, first) for first in _SEATS[self._seat]]
        means = (sum(part) / len(by_seat) for part in zip(*by_seat, strict=True))
        return Learned(self._menace.games, *means)

    def facts(self) -> dict[str, object]:
        """For JSON."""
        return {
            "against": self._against,
            "games": self._games,
            "seed": self._seed,
            "seat": self._seat,
            **asdict(self._results),
            "empty_boxes": list(map(str, self._menace.empty_boxes())),
            "curve": self.curve,
        }

    def print(self) -> None:
        """Print the results, and the curve as text."""
        results = self._results
        ended = f"won {results.won:,}, drawn {results.drawn:,}, lost {results.lost:,}"
        games = counted(self._games, "game")
        print(fill(f"{self.title}, {games}, seed {self._seed}: {ended}", 80))
        _print_curve(self._menace, self.curve)


def _learn_stored(menace: Menace, db: Path | None, game_filter: GameFilter) -> None:
    """Let it learn from the stored games that were won or drawn."""
    with options.open_store(db) as store:
        games = [game for game in queries.games(store, game_filter) if game.end in "AB="]
        if not games:
            raise options.nothing_found(store)
    for game in games:
        won = 0 if game.end == "=" else 1 if game.end == game.first else -1
        menace.learn([int(cell) for cell in game.moves], won)
    stored = counted(len(games), "stored game")
    print(f"{menace.name} has learned from {stored}, both sides of each")


def _print_curve(menace: Menace, curve: list[Learned]) -> None:
    print("Its exact chances of winning, drawing and losing, by number of games:\n")
    print(f"{curve_text(curve, is_plain())}\n")
    for name, learned in (("before", curve[0]), ("after", curve[-1])):
        print(
            f"{name:<6}  wins {learned.won:>7.2%}, draws {learned.drawn:>7.2%}, "
            f"loses {learned.lost:>7.2%}"
        )
    if empty := len(menace.empty_boxes()):
        are = "is" if empty == 1 else "are"
        print(f"{empty} of its {len(menace.boxes)} boxes {are} empty: there it resigns.")
    if curve[-1].lost == 1:
        print("It loses every game, for good; try another --seed, or an easier opponent.")


def _box(menace: Menace, position: Position) -> str:
    """The box for a position, in the position's orientation."""
    beads = menace.beads(position)
    if beads is None:
        (cell,) = position.free
        alone = f"There is no box for this position: {position.turn} has one move, cell {cell + 1}."
        return f"{board(position, {cell: str(cell + 1)})}\n\n{alone}"
    slots = alike(position)
    first = {slot: cell for cell, slot in reversed(slots.items())}
    labels = {
        cell: _label(beads[cell]) if first[slot] == cell else f"as {first[slot] + 1}"
        for cell, slot in slots.items()
    }
    total = sum(beads.values())
    text = f"This box is empty: {menace.name} resigns, as {position.turn}."
    if total:
        chances = ", ".join(
            f"{cell + 1} ({count / total:.1%})" for cell, count in beads.items() if count
        )
        text = f"{position.turn} to move draws one of {counted(total, 'bead')}: it plays {chances}."
    return f"{board(position, labels)}\n\n{fill(text, 80)}"


def _label(count: int) -> str:
    sign = "o" if is_plain() else "●"
    return f"{count:,} {sign * min(count, _DRAWN)}{'+' * (count > _DRAWN)}".rstrip()
