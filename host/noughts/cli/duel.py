"""`noughts duel`: two engines against each other, or all of them, and how sure the result is."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterable, Iterator, Mapping
from random import Random

import click

from noughts.cli import options
from noughts.engines.registry import engines, listed
from noughts.game.engine import Engine, Player, Tally, interval, match
from noughts.terminal.layout import columns
from noughts.terminal.progress import Steps, progress

_MAX_GAMES = 10_000_000


@options.command("noughts duel hard medium", "noughts duel ./mine.py hard", "noughts duel --all")
@options.engine_arguments(f"two of {', '.join(engines())}")
@click.option("--all", "everyone", is_flag=True, help="every engine against every other")
@click.option(
    "-n",
    "--games",
    metavar="GAMES",
    type=options.IntRange(2, _MAX_GAMES),
    default=1000,
    help="games for each pair, an even number",
)
@click.option("--seed", default=0, help="the seed of the random numbers")
@options.as_json("the results")
def run(chosen: list[Engine], everyone: bool, games: int, seed: int, as_json: bool) -> None:
    """Let engines play many games, and count."""
    if games % 2:
        raise click.UsageError(f"each plays half of {games} games first; give an even number to -n")
    if everyone == bool(chosen):
        raise click.UsageError("name two engines, or use --all")
    if everyone:
        pairs = list(itertools.combinations(engines().values(), 2))
    elif len(chosen) == 2:
        pairs = [(chosen[0], chosen[1])]
    else:
        raise click.UsageError(f"a duel takes two engines, not {len(chosen)}")
    with progress(games * len(pairs), "games") as steps:
        results = {
            (one.name, other.name): _duel(one, other, games, seed, steps) for one, other in pairs
        }
    if as_json:
        print(json.dumps([_facts(names, seats, seed) for names, seats in results.items()]))
    elif everyone:
        _print_pairs(results, games, seed)
    else:
        ((names, seats),) = results.items()
        _print_duel(names, seats, seed)


def _duel(one: Engine, other: Engine, games: int, seed: int, steps: Steps) -> dict[bool, Tally]:
    """What `one` got, moving first and moving second."""
    random = Random(f"{seed} {one.name} {other.name}")
    seats = {True: Tally(), False: Tally()}
    steps.doing(f"{one.name} against {other.name}")
    players = Player(one, random), Player(other, random)
    for number, (first, result) in enumerate(match(*players, games), 1):
        seats[first] += Tally(result == 1, result == 0, result == -1)
        if number % 500 == 0 or number == games:
            steps.advance(number % 500 or 500)
    return seats


def _shares(name: str, tally: Tally) -> Iterator[tuple[str, ...]]:
    """A row of what was won, drawn and lost, and one of the intervals below it."""
    counts = tally.won, tally.drawn, tally.lost
    intervals = (interval(count, tally.games) for count in counts)
    yield name, *(f"{count:,} = {count / tally.games:.1%}" for count in counts)
    yield "", *(f"({low:.1%} to {high:.1%})" for low, high in intervals)


def _print_duel(names: tuple[str, str], seats: Mapping[bool, Tally], seed: int) -> None:
    one, other = map(listed, names)
    rows = [
        (f"{one} first", seats[True]),
        (f"{one} second", seats[False]),
        ("together", seats[True] + seats[False]),
    ]
    print(f"{one} against {other}, {rows[2][1].games:,} games, seed {seed}")
    cells: list[tuple[str, ...]] = [("", "won", "drawn", "lost")]
    for name, tally in rows:
        cells += _shares(name, tally)
    print("\n".join(columns(cells)))
    print("In brackets: 95% confidence intervals (Wilson).")


def _print_pairs(
    results: Mapping[tuple[str, str], Mapping[bool, Tally]], games: int, seed: int
) -> None:
    rows: list[tuple[str, ...]] = [("engine", "against", "won", "drawn", "lost")]
    counts: set[int] = set()
    for names, seats in results.items():
        both = seats[True] + seats[False]
        ended = both.won, both.drawn, both.lost
        rows.append((*map(listed, names), *(f"{count / games:.1%}" for count in ended)))
        counts.update(ended)
    print(f"all against all, {games:,} games a pair, seed {seed}")
    print("\n".join(columns(rows, right=(2, 3, 4))))
    above, below = _furthest(counts, games)
    print(
        f"95% confidence intervals (Wilson) reach up to {above:.1%} above these, {below:.1%} below."
    )


def _furthest(counts: Iterable[int], games: int) -> tuple[float, float]:
    """How far the intervals of these shares reach above and below them; tenths, rounded up."""
    ends = [(count / games, *interval(count, games)) for count in counts]
    above = max(high - share for share, _, high in ends)
    below = max(share - low for share, low, _ in ends)
    return math.ceil(above * 1000) / 1000, math.ceil(below * 1000) / 1000


def _facts(names: tuple[str, str], seats: Mapping[bool, Tally], seed: int) -> dict[str, object]:
    facts: dict[str, object] = {"engine": names[0], "against": names[1], "seed": seed}
    for first, tally in seats.items():
        facts["first" if first else "second"] = {
            kind: {"games": count, "interval": interval(count, tally.games)}
            for kind, count in (("won", tally.won), ("drawn", tally.drawn), ("lost", tally.lost))
        }
    return facts
