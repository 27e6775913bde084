"""`noughts prove`: play engines against every sequence of moves, and report what is proved."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from textwrap import fill

from noughts.cli import options
from noughts.engines.menace import Menace
from noughts.engines.registry import engines
from noughts.errors import NoughtsError
from noughts.game.asked import Asked, ask
from noughts.game.encounter import Chances, encounter
from noughts.game.engine import Engine, may_vary
from noughts.game.proof import DRAWN, LOST, WON_BY_ENGINE, Proof, prove
from noughts.protocol.describe import either
from noughts.terminal.layout import columns
from noughts.terminal.losses import Losses, order
from noughts.terminal.progress import progress

_HEAD = ("engine", "moves", "games", "won", "drawn", "lost", "plies", "wins against random")
_MAX_FRACTION = 13
"""Characters of a chance that is printed as it is."""
_POSITIONS = 4520


@dataclass(frozen=True)
class _Proved:
    engine: Engine
    proof: Proof
    own: Asked | None
    """What the user's own engine answered."""

    @property
    def against(self) -> dict[str, tuple[Chances, Chances]]:
        """What the user's own engine comes to against each of ours, moving first and second."""
        own = self.own
        return {name: encounter(own, each) for name, each in engines().items()} if own else {}


@options.command("noughts prove", "noughts prove hard rules", "noughts prove ./mine.py")
@options.engine_arguments(f"{', '.join(engines())}; all of these by default")
@options.as_json("the results")
def run(chosen: list[Engine], as_json: bool) -> None:
    """Prove which engines never lose."""
    proved = {each.name: _proved(each) for each in chosen or engines().values()}
    if as_json:
        print(json.dumps({name: _facts(each) for name, each in proved.items()}))
    else:
        _print_table(proved)
        losses = [_losses(each, shown=bool(chosen)) for each in proved.values()]
        for each, lost in zip(proved.values(), losses, strict=True):
            for line in (_verdict(each, lost), *_choices(each.own)):
                _print_wrapped(f"{each.engine.name}: {line}")
            for line in lost.chances() if lost else ():
                _print_wrapped(f"  {line}")
        for each, lost in zip(proved.values(), losses, strict=True):
            for picture in lost.pictures() if lost else ():
                print(f"\n{picture}")
            if each.own:
                _print_against(each)
    wrong = [name for name, each in proved.items() if each.engine.perfect and not sound(each.proof)]
    if wrong:
        raise NoughtsError(
            f"{' and '.join(wrong)} should play perfectly and does not "
            "(see above); correct device/ai.py or the engine"
        )


def _proved(engine: Engine) -> _Proved:
    if not may_vary(engine):
        return _Proved(engine, prove(engine), None)
    with progress(2 * _POSITIONS, "answers") as steps:
        steps.doing(engine.name)
        own = ask(engine, lambda: steps.advance(1))
    return _Proved(engine, prove(own), own)


def sound(proof: Proof) -> bool:
    """Whether an engine may be called perfect."""
    return proof.never_loses and not proof.value_losing_positions


def _losses(each: _Proved, *, shown: bool) -> Losses | None:
    if each.proof.never_loses:
        return None
    # MENACE's shortest loss may hardly ever be played.
    which = "likeliest" if isinstance(each.engine, Menace) else "shortest"
    return Losses(each.engine.name, each.proof, which if shown else "none")


def _verdict(each: _Proved, losses: Losses | None) -> str:
    """What is certain of an engine."""
    proof, own = each.proof, each.own
    if losses:
        text = losses.shortest()
    elif own and own.varies:
        text = f"lost no game with its answers to {own.calls} calls, which is not a proof"
    else:
        text = "never loses"
    if proof.value_losing_positions:
        losing = proof.value_losing_positions
        return f"{text}; loses value in {losing:,} of {_POSITIONS:,} positions"
    return f"{text}; preserves the value of every reachable position"


def _choices(own: Asked | None) -> list[str]:
    """What there is to know of an engine that does not always play the same."""
    if own is None:
        return []
    if own.varies:
        position, *replies = own.varies
        one, other = (either(reply.cells) for reply in replies)
        vary = f"its answers vary: in {position} it played {one}, and another time {other}"
        return [f"{vary}; return all such cells in a list, and each is followed"]
    several = sum(len(reply.cells) > 1 for reply in own.replies.values())
    if several:
        return [f"chooses among several cells in {several:,} positions; each is followed"]
    return []


def _print_against(each: _Proved) -> None:
    rows: list[tuple[str, ...]] = [("against", "won", "drawn", "lost")]
    for name, seats in each.against.items():
        halves = [
            sum((getattr(seat, kind) for seat in seats), Fraction(0)) / 2
            for kind in ("won", "drawn", "lost")
        ]
        rows.append((name, *(f"{float(half):.1%}" for half in halves)))
    counted = "each of its answers alike" if each.own and each.own.varies else "exactly"
    print(f"\n{each.engine.name} against each engine, from either seat in turn, {counted}:")
    print("\n".join(columns(rows, right=(1, 2, 3))))


def _print_wrapped(text: str) -> None:
    """Lines of up to 80 columns; those that go on begin further in."""
    print(fill(text, 80, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


def _print_table(proved: Mapping[str, _Proved]) -> None:
    rows: list[tuple[str, ...]] = [_HEAD]
    for name, each in proved.items():
        for seat in each.proof.seats:
            counts = (seat.total, *(seat.count(kind) for kind in (WON_BY_ENGINE, DRAWN, LOST)))
            exact = f"{seat.win_chance} = " if len(str(seat.win_chance)) <= _MAX_FRACTION else ""
            shortest, longest = seat.plies
            rows.append(
                (
                    name,
                    order(seat),
                    *(f"{count:,}" for count in counts),
                    f"{shortest}-{longest}",
                    f"{exact}{float(seat.win_chance):.2%}",
                )
            )
    print("\n".join(columns(rows, right=range(2, 7))))


def _facts(each: _Proved) -> dict[str, object]:
    proof = each.proof
    facts: dict[str, object] = {
        "never_loses": proof.never_loses,
        "value_losing_positions": proof.value_losing_positions,
    }
    for seat in proof.seats:
        facts[order(seat)] = {
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
            "likeliest_loss_chance": str(seat.likeliest_loss_chance),
            "losing_line": seat.losing_line,
        }
    if each.own:
        facts["varies"] = bool(each.own.varies)
        facts["against"] = {
            name: {"first": _shares(first), "second": _shares(second)}
            for name, (first, second) in each.against.items()
        }
    return facts


def _shares(chances: Chances) -> dict[str, str]:
    return {kind: str(getattr(chances, kind)) for kind in ("won", "drawn", "lost")}
