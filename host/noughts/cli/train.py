"""`noughts train`: let MENACE learn from games, draw how it learns, and show its boxes."""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random
from textwrap import fill

import click

from noughts.cli import options
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
from noughts.store.store import Store
from noughts.terminal.ascii_text import is_plain
from noughts.terminal.layout import board
from noughts.terminal.output import progress
from noughts.terminal.plots import FORMATS, Learned, curve_text, draw_learning
from noughts.views.stored_games import MOVED

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
    help=f"its opponent: {', '.join(engines())}, or a file; menace plays itself [default: medium]",
)
@click.option(
    "--games",
    metavar="N",
    cls=options.Option,
    type=IntRange(1, 1_000_000),
    help=f"how many games it plays [default: {_GAMES}]",
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
    chosen: GameFilter,
    db: Path | None,
) -> None:
    """Let matchboxes learn to play, and see how."""
    if stored and (against or games or plot or as_json):
        left_out = "--against, --games, --plot and --json"
        raise click.UsageError(f"--stored plays no games; leave out {left_out}")
    if as_json and show is not None:
        raise click.UsageError("--json prints the curve, --show a box; give one of them")
    if not stored and chosen != MOVED:
        raise click.UsageError("--board, --since and so on are for --stored, which plays no games")
    position = None if show is None else parse_unfinished(show)
    menace = options.named_engine(engine)
    if not isinstance(menace, Menace):
        raise click.UsageError(f"{engine} does not learn; name menace, or a saved MENACE file")
    plays = bool(against or games or plot or as_json) or not (stored or position)
    against = "medium" if against is None else against
    games = games or _GAMES
    itself = against == "menace"
    opponent = menace.reply if itself else cached_replies(options.named_engine(against))
    if output is not None:
        refuse_other(output)  # before it learns, as that may take minutes
    if stored:
        with options.open_store(db) as store:
            learned = counted(_learn_stored(menace, store, chosen), "stored game")
        print(f"{menace.name} has learned from {learned}, both sides of each")
    if plays:
        curve, results = _train(menace, opponent, games, _SEATS[seat], seed)
    if output is not None:
        write_menace(menace, output)  # before what else may fail
    if plays:
        title = f"{menace.name} against {against}{_MOVING[seat]}"
        if plot is not None:
            draw_learning(curve, title, plot)
        if as_json:
            asked = {"engine": engine, "against": against, "games": games, "seed": seed}
            empty = {"empty_boxes": list(map(str, menace.empty_boxes()))}
            print(json.dumps(asked | {"seat": seat, **asdict(results), **empty, "curve": curve}))
            return
        ended = f"won {results.won:,}, drawn {results.drawn:,}, lost {results.lost:,}"
        print(fill(f"{title}, {counted(games, 'game')}, seed {seed}: {ended}", 80))
        _print_curve(menace, curve)
        if plot is not None:
            print(printable(f"{plot} written"))
    if position is not None:
        print(_box(menace, position))
    if output is not None:
        print(printable(f"{output} written"))
    elif stored or plays:
        print("not saved; -o FILE saves what it has learned")


def _learn_stored(menace: Menace, store: Store, chosen: GameFilter) -> int:
    """Learn from the stored games that were won or drawn; returns their number."""
    games = [game for game in queries.games(store, chosen) if game.end in "AB="]
    if not games:
        raise options.nothing_found(store)
    for game in games:
        won = 0 if game.end == "=" else 1 if game.end == game.first else -1
        menace.learn([int(cell) for cell in game.moves], won)
    return len(games)


def _train(
    menace: Menace, opponent: Replies, games: int, seats: Sequence[bool], seed: int
) -> tuple[list[Learned], Tally]:
    """Its curve, averaged over its seats, and the results of its games while it learned."""

    def learned() -> Learned:
        found = [odds(menace.reply, opponent, first) for first in seats]
        return Learned(menace.games, *(sum(part) / len(found) for part in zip(*found, strict=True)))

    results, curve = Tally(), [learned()]
    marks = {round(games * point / _POINTS) for point in range(1, _POINTS + 1)}
    with progress(games, "games") as steps:
        playing = train(menace, opponent, games, seats, Random(seed))
        for number, result in enumerate(playing, 1):
            results.add(result)
            steps.advance(1)
            if number in marks:
                curve.append(learned())
    return curve, results


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
