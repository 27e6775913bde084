"""`noughts prove`: play engines against every sequence of moves, and report what is proved."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from fractions import Fraction

from noughts.commands.options import add_engines, engine_option
from noughts.engines.registry import engines
from noughts.errors import NoughtsError
from noughts.game.engine import Engine
from noughts.game.positions import EMPTY
from noughts.game.proof import DRAWN, LOST, WON_BY_ENGINE, Proof, Seat, prove
from noughts.terminal.layout import columns

_HEAD = ("engine", "moves", "games", "won", "drawn", "lost", "plies", "wins against random")
_MAX_FRACTION = 13
"""Characters of a chance that is printed as it is."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    add_engines(parser, "*", f"{', '.join(engines())}; all by default")
    parser.add_argument("--json", action="store_true", help="print the results as JSON")


def run(args: argparse.Namespace) -> int:
    """Prove each, print, and fail if one that claims to be perfect is not."""
    wanted = [engine_option(name, args) for name in args.engine] or list(engines().values())
    proofs = {engine.name: (engine, prove(engine)) for engine in wanted}
    if args.json:
        print(json.dumps({name: _facts(proof) for name, (_, proof) in proofs.items()}))
    else:
        _print_table(proofs)
        for engine, proof in proofs.values():
            print(f"{engine.name}: {verdict(proof)}")
            print("".join(f"  {line}\n" for line in losing_chances(proof)), end="")
    wrong = [
        engine.name for engine, proof in proofs.values() if engine.perfect and not sound(proof)
    ]
    if wrong:
        raise NoughtsError(
            f"{' and '.join(wrong)} should play perfectly and does not "
            "(see above); correct device/ai.py or the engine"
        )
    return 0


def sound(proof: Proof) -> bool:
    """Whether an engine may be called perfect."""
    return proof.never_loses and not proof.value_losing_positions


def verdict(proof: Proof) -> str:
    """What is certain of an engine, in a line."""
    if proof.never_loses:
        text = "never loses"
    else:
        seat = min(
            (seat for seat in proof.seats if seat.losing_line is not None),
            key=lambda seat: len(seat.losing_line or ()),
        )
        text = f"loses {_game(seat)}"
    if proof.value_losing_positions:
        losing = proof.value_losing_positions
        return f"{text}; loses value in {losing:,} of 4,520 positions"
    return f"{text}; preserves the value of every reachable position"


def losing_chances(proof: Proof) -> list[str]:
    """For each seat from which an engine may lose, how likely it does, and how, in a line."""
    return [
        f"moving {_order(seat)}, it loses {_percent(seat.loss_chance)} of games against random "
        f"play, {_percent(seat.greatest_loss_chance)} against its best opponent, "
        f"most often {f'by cells {_cells(line)}' if line else 'at once'}"
        for seat in proof.seats
        if (line := seat.likeliest_loss) is not None
    ]


def _percent(chance: Fraction) -> str:
    """Exact to two places, but that what may happen is not 0%, and what may not is not 100%."""
    text = f"{float(chance):.2%}"
    if text == "0.00%" and chance:
        return "less than 0.01%"
    return "more than 99.99%" if text == "100.00%" and chance < 1 else text


def _game(seat: Seat) -> str:
    line = seat.losing_line or ()
    position = EMPTY
    for cell in line:
        position = position.play(cell)
    how = [f"cells {_cells(line)} are played"] if line else []
    how += [] if position.over else ["it resigns"]
    return f"moving {_order(seat)}, when {' and '.join(how)} ({position})"


def _cells(line: Sequence[int]) -> str:
    return " ".join(str(cell + 1) for cell in line)


def _order(seat: Seat) -> str:
    return "first" if seat.first else "second"


def _print_table(proofs: Mapping[str, tuple[Engine, Proof]]) -> None:
    rows: list[tuple[str, ...]] = [_HEAD]
    for name, (_, proof) in proofs.items():
        for seat in proof.seats:
            counts = (seat.total, *(seat.count(kind) for kind in (WON_BY_ENGINE, DRAWN, LOST)))
            exact = f"{seat.win_chance} = " if len(str(seat.win_chance)) <= _MAX_FRACTION else ""
            shortest, longest = seat.plies
            rows.append(
                (
                    name,
                    _order(seat),
                    *(f"{count:,}" for count in counts),
                    f"{shortest}-{longest}",
                    f"{exact}{float(seat.win_chance):.2%}",
                )
            )
    print("\n".join(columns(rows, right=range(2, 7))))


def _facts(proof: Proof) -> dict[str, object]:
    facts: dict[str, object] = {
        "never_loses": proof.never_loses,
        "value_losing_positions": proof.value_losing_positions,
    }
    for seat in proof.seats:
        facts[_order(seat)] = {
            "games": seat.total,
            "won": seat.count(WON_BY_ENGINE),
            "drawn": seat.count(DRAWN),
            "lost": seat.count(LOST),
            "by_plies": {
                kind: {ply: count for (k, ply), count in sorted(seat.games.items()) if k == kind}
                for kind in (WON_BY_ENGINE, DRAWN, LOST)
            },
            "win_chance": str(seat.win_chance),
            "loss_chance": str(seat.loss_chance),
            "greatest_loss_chance": str(seat.greatest_loss_chance),
            "likeliest_loss": seat.likeliest_loss,
            "losing_line": seat.losing_line,
        }
    return facts
