"""`noughts train`: let MENACE learn from games, draw how it learns, and show its boxes."""

from __future__ import annotations

import argparse
import json
import textwrap
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

from noughts.commands.options import (
    add_stored_games,
    chosen_games,
    engine_option,
    game_filter,
    nothing_found,
    open_store,
    refuse_store,
)
from noughts.engines.menace import SUFFIX, Menace, refuse_other, train, write
from noughts.engines.registry import engines
from noughts.engines.tree import unfinished
from noughts.errors import printable
from noughts.game.engine import Engine, Remembering, may_vary
from noughts.game.evaluator import odds
from noughts.protocol.describe import counted
from noughts.store.filter_words import ChosenGames
from noughts.store.queries import games
from noughts.terminal import beads, learning_curve, palette
from noughts.terminal.figures import FORMATS
from noughts.terminal.learning_curve import Learned
from noughts.terminal.progress import progress

_GAMES = 500
_MAX_GAMES = 1_000_000
_POINTS = 40
"""Of the curve."""
_SEATS = {"first": (True,), "second": (False,), "both": (True, False)}

RECORDS = """
--json prints one object: engine, against, games, seed and seat; won, drawn and lost (games while it
learned); empty_boxes (positions in which it resigns now); curve (a list: games, and the exact
chances to win, draw and lose against that opponent after so many).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "engine",
        metavar="ENGINE",
        help="menace, to begin with new boxes, or the file of one that has learned before",
    )
    parser.add_argument(
        "--against",
        metavar="ENGINE",
        help=f"whom it plays: {', '.join(engines())}, or a file; menace is itself, on both sides "
        "(medium)",
    )
    parser.add_argument(
        "--games", metavar="N", type=int, help=f"how many games it plays ({_GAMES})"
    )
    parser.add_argument(
        "--seat",
        choices=tuple(_SEATS),
        default="first",
        help="whether it moves first, as Michie's did, second, or both by turns (first)",
    )
    parser.add_argument(
        "--seed", metavar="N", type=int, default=1, help="the seed of the random numbers (1)"
    )
    parser.add_argument(
        "--stored",
        action="store_true",
        help="learn from the games that are kept, in place of playing: from both sides of each",
    )
    parser.add_argument(
        "-o", metavar="FILE", type=Path, dest="output", help=f"keep it in this file, {SUFFIX}"
    )
    parser.add_argument(
        "--plot", metavar="FILE", type=Path, help="draw the curve into this file, .png or .svg"
    )
    parser.add_argument(
        "--show",
        metavar="POSITION",
        help="show its box for this position, nine characters X, O and . in reading order",
    )
    parser.add_argument("--json", action="store_true", help="print what came of it as JSON")
    add_stored_games(parser, RECORDS)


def run(args: argparse.Namespace) -> int:
    """Train, keep and show one machine."""
    _check(args)
    position = None if args.show is None else unfinished(args.show)
    menace = engine_option(args.engine, args)
    if not isinstance(menace, Menace):
        raise args.error(f"{args.engine} does not learn; name menace, or the file of one")
    opponent = _opponent(menace, args)
    if args.output is not None:
        refuse_other(args.output)  # before it learns, as that may take long
    if args.stored:
        learned = counted(_learn_stored(menace, args), "stored game")
        print(f"{menace.name} has learned from {learned}, both sides of each")
    trained = None if opponent is None else _train(menace, opponent, args)
    if args.output is not None:
        write(menace, args.output)  # before what else may fail
    if trained is not None:
        _report(menace, *trained, args)
    if position is not None:
        print(beads.box(menace, position, palette.is_plain()))
    if args.json:
        return 0
    if args.output is not None:
        print(printable(f"{args.output} written"))
    elif args.stored or trained:
        print("not kept; -o FILE keeps what it has learned")
    return 0


def _check(args: argparse.Namespace) -> None:
    plays = any(each is not None for each in (args.against, args.games, args.plot)) or args.json
    if plays and args.stored:
        args.error(
            "--against, --games, --plot and --json are of games that it plays, and --stored "
            "of games that were; leave one out"
        )
    if args.json and args.show is not None:
        args.error("--json prints the curve, --show a box; give one of them")
    if args.against is None and not args.stored and (plays or args.show is None):
        args.against = "medium"
    if args.games is None:
        args.games = _GAMES
    if not 1 <= args.games <= _MAX_GAMES:
        args.error(f"argument --games: {args.games} is not a number from 1 to {_MAX_GAMES:,}")
    if args.output is not None and args.output.suffix.lower() != SUFFIX:
        args.error(f"argument -o: {args.output.name!r} does not end in {SUFFIX}")
    if args.plot is not None and args.plot.suffix.lower() not in FORMATS:
        args.error(f"argument --plot: {args.plot.name!r} does not end in .png or .svg")
    if not args.stored and chosen_games(args) != ChosenGames():
        args.error("games are chosen among those that are kept; give --stored, too")
    refuse_store(args, args.output)
    refuse_store(args, args.plot)


def _opponent(menace: Menace, args: argparse.Namespace) -> Engine | None:
    if args.against is None:
        return None
    if args.against == "menace":
        return menace
    opponent = engine_option(args.against, args)
    return opponent if may_vary(opponent) else Remembering(opponent)


def _learn_stored(menace: Menace, args: argparse.Namespace) -> int:
    """Learn from the stored games that were won or drawn; how many those are."""
    with open_store(args) as store:
        learned = 0
        for game in games(store, game_filter(args)):
            if game.end in "AB=":
                won = 0 if game.end == "=" else 1 if game.end == game.first else -1
                cells = [int(cell) for cell in game.moves]
                menace.learn(cells, True, won)
                menace.learn(cells, False, -won)
                learned += 1
        if not learned:
            raise nothing_found(store)
    menace.games += learned
    return learned


def _train(
    menace: Menace, opponent: Engine, args: argparse.Namespace
) -> tuple[list[Learned], Counter[int]]:
    """Its curve, and how many games it won (1), drew (0) and lost (-1) while it learned."""
    seats = _SEATS[args.seat]
    results: Counter[int] = Counter()
    curve = [_learned(menace, opponent, seats)]
    marks = {round(args.games * point / _POINTS) for point in range(1, _POINTS + 1)}
    with progress(args.games, "games") as steps:
        playing = train(menace, opponent, args.games, seats, Random(args.seed))
        for number, result in enumerate(playing, 1):
            results[result] += 1
            steps.advance(1)
            if number in marks:
                curve.append(_learned(menace, opponent, seats))
    return curve, results


def _report(
    menace: Menace, curve: list[Learned], results: Counter[int], args: argparse.Namespace
) -> None:
    title = f"{menace.name} against {args.against}"
    if args.seat != "first":
        title += f", moving {args.seat if args.seat == 'second' else 'first and second'}"
    if args.plot is not None:
        from noughts.terminal.learning_plot import draw

        draw(curve, title, args.plot)
    if args.json:
        names = ("won", "drawn", "lost")
        facts = {name: results[result] for name, result in zip(names, (1, 0, -1), strict=True)}
        asked = {
            name: getattr(args, name) for name in ("engine", "against", "games", "seed", "seat")
        }
        empty = [str(position) for position in menace.empty_boxes()]
        print(json.dumps(asked | facts | {"empty_boxes": empty, "curve": curve}))
        return
    won, drawn, lost = (f"{results[result]:,}" for result in (1, 0, -1))
    played = counted(args.games, "game")
    ended = f"won {won}, drawn {drawn}, lost {lost}"
    print(textwrap.fill(f"{title}, {played}, seed {args.seed}: {ended}", 80))
    print("How likely it wins, draws and loses, exactly, by its beads after so many games:\n")
    print(learning_curve.drawn(curve, palette.is_plain()))
    print()
    print("\n".join(_said(menace, curve)))
    if args.plot is not None:
        print(printable(f"{args.plot} written"))


def _learned(menace: Menace, opponent: Engine, seats: tuple[bool, ...]) -> Learned:
    """What comes of its beads as they are, on the average of its seats."""
    found = [odds(menace, opponent, first) for first in seats]
    shares = (sum(parts) / len(found) for parts in zip(*found, strict=True))
    return Learned(menace.games, *shares)


def _said(menace: Menace, curve: list[Learned]) -> Iterator[str]:
    for name, learned in (("before", curve[0]), ("after", curve[-1])):
        yield (
            f"{name:<6}  wins {learned.won:>7.2%}, draws {learned.drawn:>7.2%}, "
            f"loses {learned.lost:>7.2%}"
        )
    empty = menace.empty_boxes()
    if empty:
        are = "is" if len(empty) == 1 else "are"
        yield f"{len(empty):,} of its {len(menace.boxes)} boxes {are} empty: there it resigns."
    if curve[-1].lost == 1:
        yield "It loses every game, for good; try another --seed, or an easier opponent."
