"""`noughts duel`: two engines against each other, or all of them, and how sure the result is."""

import json
import math
from collections.abc import Iterator
from dataclasses import asdict
from itertools import combinations
from random import Random

import click

from noughts.cli import options
from noughts.cli.options import option
from noughts.engines.registry import engines, listed
from noughts.game.engine import Engine, Tally, interval, match
from noughts.terminal.layout import columns
from noughts.terminal.output import Steps, progress

Results = dict[tuple[str, str], tuple[Tally, Tally]]
"""The games of the first engine of each pair, moving first and moving second."""


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
        raise click.UsageError("-n must be even: each engine moves first in half of the games")
    if everyone == bool(chosen):
        raise click.UsageError("name two engines, or use --all")
    if not everyone and len(chosen) != 2:
        raise click.UsageError(f"a duel takes two engines, not {len(chosen)}")
    pairs = list(combinations(chosen or engines().values(), 2))
    with progress(games * len(pairs), "games") as steps:
        results = {
            (one.name, other.name): _duel(one, other, games, seed, steps) for one, other in pairs
        }
    if as_json:
        print(json.dumps([_facts(*names, *seats, seed) for names, seats in results.items()]))
    elif everyone:
        _print_pairs(results, games, seed)
    else:
        ((names, seats),) = results.items()
        _print_duel(*names, *seats, seed)


def _duel(one: Engine, other: Engine, games: int, seed: int, steps: Steps) -> tuple[Tally, Tally]:
    def played(number: int) -> None:
        if number % 500 == 0 or number == games:
            steps.advance(number % 500 or 500)

    steps.doing(f"{one.name} against {other.name}")
    return match(one, other, games, Random(f"{seed} {one.name} {other.name}"), played)


def _ended(tally: Tally) -> Iterator[tuple[int, float, float, float]]:
    """How many games were won, drawn and lost; each as a share, and with its interval."""
    for count in asdict(tally).values():
        yield count, count / tally.games, *interval(count, tally.games)


def _print_duel(one: str, other: str, first: Tally, second: Tally, seed: int) -> None:
    one, other = listed(one), listed(other)
    rows: list[tuple[str, ...]] = [("", "won", "drawn", "lost")]
    seats = {f"{one} first": first, f"{one} second": second, "together": first + second}
    for name, tally in seats.items():
        rows.append((name, *(f"{count:,} = {share:.1%}" for count, share, *_ in _ended(tally))))
        rows.append(("", *(f"({low:.1%} to {high:.1%})" for *_, low, high in _ended(tally))))
    print(f"{one} against {other}, {(first + second).games:,} games, seed {seed}")
    print("\n".join(columns(rows)))
    print("In brackets: 95% confidence intervals (Wilson).")


def _print_pairs(results: Results, games: int, seed: int) -> None:
    rows: list[tuple[str, ...]] = [("engine", "against", "won", "drawn", "lost")]
    above = below = 0.0  # how far the intervals reach
    for names, (first, second) in results.items():
        ended = list(_ended(first + second))
        rows.append((*map(listed, names), *(f"{share:.1%}" for _, share, *_ in ended)))
        above = max(above, *(high - share for _, share, _, high in ended))
        below = max(below, *(share - low for _, share, low, _ in ended))
    print(f"all against all, {games:,} games a pair, seed {seed}")
    print("\n".join(columns(rows, right=(2, 3, 4))))
    above, below = (math.ceil(reach * 1000) / 1000 for reach in (above, below))
    print(
        f"95% confidence intervals (Wilson) reach up to {above:.1%} above these, {below:.1%} below."
    )


def _facts(one: str, other: str, first: Tally, second: Tally, seed: int) -> dict[str, object]:
    facts: dict[str, object] = {"engine": one, "against": other, "seed": seed}
    for seat, tally in (("first", first), ("second", second)):
        facts[seat] = {
            result: {"games": count, "interval": interval(count, tally.games)}
            for result, count in asdict(tally).items()
        }
    return facts
