"""`noughts duel`: two engines against each other, or all of them, and how sure the result is."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Mapping
from random import Random

import click

from noughts.cli import options
from noughts.cli.options import option
from noughts.engines.registry import engines, listed
from noughts.game.engine import Engine, Player, Tally, interval, match
from noughts.terminal.layout import columns
from noughts.terminal.output import Steps, progress

Seats = Mapping[bool, Tally]
"""What the first of two engines got, moving first and moving second."""


@options.command("noughts duel hard medium", "noughts duel ./mine.py hard", "noughts duel --all")
@options.engine_arguments(f"two of {', '.join(engines())}")
@option("--all", "every engine against every other", "everyone")
@option(
    "-n, --games GAMES",
    "games for each pair, an even number",
    type=options.IntRange(2, 10_000_000),
    default=1000,
)
@option("--seed", "the seed of the random numbers", default=0)
@options.as_json("the results")
def run_duel(chosen: list[Engine], everyone: bool, games: int, seed: int, as_json: bool) -> None:
    """Let engines play many games, and count."""
    if games % 2:
        raise click.UsageError(f"each plays half of {games} games first; give an even number to -n")
    if everyone == bool(chosen):
        raise click.UsageError("name two engines, or use --all")
    if not everyone and len(chosen) != 2:
        raise click.UsageError(f"a duel takes two engines, not {len(chosen)}")
    pairs = list(itertools.combinations(chosen or engines().values(), 2))
    with progress(games * len(pairs), "games") as steps:
        results = {
            (one.name, other.name): _duel(one, other, games, seed, steps) for one, other in pairs
        }
    if as_json:
        print(json.dumps([_facts(*names, seats, seed) for names, seats in results.items()]))
    elif everyone:
        _print_pairs(results, games, seed)
    else:
        ((names, seats),) = results.items()
        _print_duel(*names, seats, seed)


def _duel(one: Engine, other: Engine, games: int, seed: int, steps: Steps) -> Seats:
    random = Random(f"{seed} {one.name} {other.name}")
    seats = {True: Tally(), False: Tally()}
    steps.doing(f"{one.name} against {other.name}")
    played = match(Player(one, random), Player(other, random), games)
    for number, (first, result) in enumerate(played, 1):
        seats[first] += Tally(result == 1, result == 0, result == -1)
        if number % 500 == 0 or number == games:
            steps.advance(number % 500 or 500)
    return seats


def _print_duel(one: str, other: str, seats: Seats, seed: int) -> None:
    """A row of what was won, drawn and lost from each seat, and one of the intervals below it."""
    both = seats[True] + seats[False]
    named = {f"{listed(one)} first": seats[True], f"{listed(one)} second": seats[False]}
    rows: list[tuple[str, ...]] = [("", "won", "drawn", "lost")]
    for name, tally in (named | {"together": both}).items():
        counts = tally.won, tally.drawn, tally.lost
        intervals = (interval(count, tally.games) for count in counts)
        rows.append((name, *(f"{count:,} = {count / tally.games:.1%}" for count in counts)))
        rows.append(("", *(f"({low:.1%} to {high:.1%})" for low, high in intervals)))
    print(f"{listed(one)} against {listed(other)}, {both.games:,} games, seed {seed}")
    print("\n".join(columns(rows)))
    print("In brackets: 95% confidence intervals (Wilson).")


def _print_pairs(results: Mapping[tuple[str, str], Seats], games: int, seed: int) -> None:
    rows: list[tuple[str, ...]] = [("engine", "against", "won", "drawn", "lost")]
    above = below = 0.0  # how far the intervals reach
    for names, seats in results.items():
        both = seats[True] + seats[False]
        ended = both.won, both.drawn, both.lost
        rows.append((*map(listed, names), *(f"{count / games:.1%}" for count in ended)))
        for count in ended:
            low, high = interval(count, games)
            above, below = max(above, high - count / games), max(below, count / games - low)
    print(f"all against all, {games:,} games a pair, seed {seed}")
    print("\n".join(columns(rows, right=(2, 3, 4))))
    above, below = (math.ceil(reach * 1000) / 1000 for reach in (above, below))
    print(
        f"95% confidence intervals (Wilson) reach up to {above:.1%} above these, {below:.1%} below."
    )


def _facts(one: str, other: str, seats: Seats, seed: int) -> dict[str, object]:
    facts: dict[str, object] = {"engine": one, "against": other, "seed": seed}
    for first, tally in seats.items():
        facts["first" if first else "second"] = {
            kind: {"games": count, "interval": interval(count, tally.games)}
            for kind, count in (("won", tally.won), ("drawn", tally.drawn), ("lost", tally.lost))
        }
    return facts
