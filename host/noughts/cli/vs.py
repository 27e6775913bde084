"""`noughts vs` and `duel`: play against an engine by typing, or let engines play each other."""

import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from itertools import combinations
from pathlib import Path
from random import Random

import click

from noughts.cli import engine_options, options
from noughts.cli.options import IntRange
from noughts.engines.built_in import engines, name_in_lists
from noughts.engines.menace import SUFFIX, Menace, read_menace, write_menace
from noughts.errors import printable
from noughts.game.engine import Engine, Tally, interval, match, winner
from noughts.game.positions import Position, position_after
from noughts.game.solver import hard_moves
from noughts.invocation import as_typed
from noughts.terminal.layout import board, columns
from noughts.terminal.output import progress, say
from noughts.views.words import either, ending, value_words

_LEAVE = "q"
_BEADS = {1: "gets 3 beads", 0: "gets a bead", -1: "loses a bead"}
_KEYS = (
    ("1 to 9", "play that cell, in reading order; or row,column: 2,3 is cell 6"),
    ("h", "hint: what each free cell is worth against perfect play, and the best"),
    ("u", "undo: take back your last move and the reply to it"),
    ("?", "show this"),
    (_LEAVE, "leave; so do Ctrl-C and Ctrl-D"),
)
_CELLS = {str(cell + 1): cell for cell in range(9)}
_CELLS |= {f"{cell // 3 + 1},{cell % 3 + 1}": cell for cell in range(9)}


@options.command(
    "noughts vs hard",
    "noughts vs minimax --first it",
    "noughts vs medium hard --seed 1",
    "noughts vs ./mine.py",
    "noughts vs --program './mine --quick'",
)
@engine_options.engine_arguments(f"one to play, or two to watch: {', '.join(engines())}")
@click.option(
    "--first",
    cls=options.Option,
    type=click.Choice(["me", "it"]),
    default="me",
    help="who moves first, as X",
)
@click.option(
    "--seed",
    type=int,
    help="the seed of the engine's random choices, to repeat a game",
)
@click.option(
    "--no-learning",
    is_flag=True,
    help="leave a MENACE's file as it is, so that it does not learn from your game",
)
def run_vs(named_engines: list[Engine], first: str, seed: int | None, no_learning: bool) -> int:
    """Play against an engine, or watch two play."""
    players: list[Engine | None] = [*named_engines]
    if len(players) not in (1, 2):
        raise click.UsageError(f"name one engine to play, or two to watch, not {len(players)}")
    if len(players) == 2 and first == "it":
        raise click.UsageError("the first of two engines moves first; leave out --first")
    if len(players) == 1:
        players.insert(first == "it", None)
        mark = "XO"[players.index(None)]
        print(f"You are {mark}. Type a cell's number; ? shows the rules and keys, q leaves.")
    try:
        moves = _played(players, Random(seed))
    except (KeyboardInterrupt, EOFError) as end:
        print("\nstopped before the game was over")
        return 130 if isinstance(end, KeyboardInterrupt) else 0
    result = winner(position_after(moves))
    print(ending({1: "X", -1: "O"}.get(result)), flush=True)
    if None in players and isinstance(named_engines[0], Menace) and not no_learning:
        file = click.get_current_context().params["engine"][0]
        print(_taught(file, moves, players[0] is not None, result))
    return 0


def _taught(file: str, moves: Sequence[int], first: bool, result: int) -> str:
    """Let a MENACE, which moved first or second, learn from a game. result: 1, 0 or -1, for X."""
    if not file.lower().endswith(SUFFIX):
        return as_typed("It does not learn; `noughts train menace -o FILE` makes one that learns")
    own = result if first else -result
    menace = read_menace(file)  # again, because it may have learned elsewhere during the game
    cells = menace.learn(moves, result, [first])
    write_menace(menace, Path(file))
    played = " ".join(str(cell + 1) for cell in cells)
    what = f"{_BEADS[own]} for each move, {played}" if cells else "has no bead to lose"
    return f"Game {menace.games:,}: it {what}; {printable(file)} written"


def _played(players: Sequence[Engine | None], random: Random) -> list[int]:
    """The moves of a game between engines and a person (None). Raises `EOFError` if they leave.

    If the game is not over after these moves, the engine whose turn it is has resigned.
    """
    moves: list[int] = []
    while True:
        position = position_after(moves)
        # The free cells have their numbers until the game is over.
        free = {} if position.over else {cell: str(cell + 1) for cell in position.free}
        print(f"\n{board(position, free, moves[-1] if moves else None)}\n", flush=True)
        if position.over:
            return moves
        if engine := players[position.ply % 2]:
            cell = _answered(engine, position, random)
            if cell is None:
                return moves
            moves.append(cell)
        else:
            moves = _moves_after_turn(moves, position)


def _answered(engine: Engine, position: Position, random: Random) -> int | None:
    start = time.perf_counter()
    reply = engine.reply(position)
    took_ms = (time.perf_counter() - start) * 1000
    cell = reply.choose(random)
    named = f"{position.turn}, {name_in_lists(engine.name)},"
    if cell is None:
        print(f"{named} resigns")
        return None
    cost = f" ({reply.nodes:,} boards looked at, {took_ms:.1f} ms)" if reply.nodes else ""
    print(f"{named} plays {cell + 1}{cost}")
    return cell


def _moves_after_turn(moves: Sequence[int], position: Position) -> list[int]:
    """The moves of the game after the player has moved, or has taken a move back."""
    while True:
        text = input(f"{position.turn}, your cell: ")
        if not sys.stdin.isatty():
            print(text)  # as a terminal would have
        key = text.replace(" ", "").strip().lower()
        if key == _LEAVE:
            raise EOFError
        if key == "?":
            lines = "X moves first. Three in a row win: across, down or diagonally."
            print(f"\n{lines}\n[X] or [O] is the last move.", *columns(_KEYS), "", sep="\n")
        elif key == "h":
            labels = {cell: f"{cell + 1} {words}" for cell, words in value_words(position).items()}
            print(f"\n{board(position, labels, moves[-1] if moves else None)}\n")
            print(f"best: {either(hard_moves(position))}\n")
        elif key == "u" and len(moves) >= 2:
            return list(moves[:-2])
        elif key == "u":
            say("there is no move of yours to take back")
        elif key not in _CELLS:
            shown = printable(text[:20])
            say(f"{shown!r} is not a cell; type 1 to 9, row,column such as 2,3, or ? for help")
        elif _CELLS[key] not in position.free:
            free = ", ".join(str(cell + 1) for cell in position.free)
            say(f"cell {_CELLS[key] + 1} is taken; these are free: {free}")
        else:
            return [*moves, _CELLS[key]]


@options.command("noughts duel hard medium", "noughts duel ./mine.py hard", "noughts duel --all")
@engine_options.engine_arguments(f"two of {', '.join(engines())}")
@click.option(
    "--all",
    "everyone",
    is_flag=True,
    help="every engine against every other",
)
@click.option(
    "-n",
    "--games",
    metavar="N",
    cls=options.Option,
    type=IntRange(2, 10_000_000),
    default=1000,
    help="games for each pair (even)",
)
@click.option(
    "--seed",
    cls=options.Option,
    default=0,
    help="the seed of the random numbers",
)
@options.as_json("the results")
def run_duel(
    named_engines: list[Engine], everyone: bool, games: int, seed: int, as_json: bool
) -> None:
    """Let engines play many games, and count."""
    if games % 2:
        raise click.UsageError("-n must be even: each engine moves first in half of the games")
    if len(named_engines) != (0 if everyone else 2):
        raise click.UsageError("a duel takes two engines; name two, or use --all alone")
    pairs = list(combinations(named_engines or engines().values(), 2))
    results = []  # pairs, with the games of the first one, moving first and moving second
    with progress(games * len(pairs), "games") as steps:
        for engine, opponent in pairs:
            steps.describe(f"{engine.name} against {opponent.name}")
            random = Random(f"{seed} {engine.name} {opponent.name}")
            tallies = match(engine, opponent, games, random, lambda _: steps.advance(1))
            results.append((engine.name, opponent.name, *tallies))
    if as_json:
        print(json.dumps([_facts(*result, seed) for result in results]))
    elif everyone:
        _print_pairs(results, games, seed)
    else:
        _print_duel(*results[0], seed)


def _ended(tally: Tally) -> Iterator[tuple[int, float, float, float]]:
    """The number of games won, drawn and lost; each with its share and its interval."""
    for count in asdict(tally).values():
        yield count, count / tally.games, *interval(count, tally.games)


def _print_duel(engine: str, opponent: str, first: Tally, second: Tally, seed: int) -> None:
    engine, opponent = name_in_lists(engine), name_in_lists(opponent)
    rows: list[tuple[str, ...]] = [("", "won", "drawn", "lost")]
    seats = {f"{engine} first": first, f"{engine} second": second, "together": first + second}
    for name, tally in seats.items():
        rows.append((name, *(f"{count:,} = {share:.1%}" for count, share, *_ in _ended(tally))))
        rows.append(("", *(f"({low:.1%} to {high:.1%})" for *_, low, high in _ended(tally))))
    print(f"{engine} against {opponent}, {(first + second).games:,} games, seed {seed}")
    print("\n".join(columns(rows)))
    print("In brackets: 95% confidence intervals (Wilson).")


def _print_pairs(results: Sequence[tuple[str, str, Tally, Tally]], games: int, seed: int) -> None:
    rows: list[tuple[str, ...]] = [("engine", "against", "won", "drawn", "lost")]
    widest = 0.0
    for engine, opponent, first, second in results:
        ended = list(_ended(first + second))
        rows.append(
            (
                name_in_lists(engine),
                name_in_lists(opponent),
                *(f"{share:.1%}" for _, share, *_ in ended),
            )
        )
        widest = max(widest, *(high - low for *_, low, high in ended))
    print(f"all against all, {games:,} games per pair, seed {seed}")
    print("\n".join(columns(rows, right=(2, 3, 4))))
    print(f"95% confidence intervals (Wilson) are at most {100 * widest:.1f} points wide.")


def _facts(engine: str, opponent: str, first: Tally, second: Tally, seed: int) -> dict[str, object]:
    facts: dict[str, object] = {"engine": engine, "against": opponent, "seed": seed}
    for seat, tally in (("first", first), ("second", second)):
        facts[seat] = {
            result: {"games": count, "interval": interval(count, tally.games)}
            for result, count in asdict(tally).items()
        }
    return facts
