"""`noughts prove`: play engines against every sequence of moves, and report what is proved."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from textwrap import fill

from noughts.cli import options
from noughts.engines.menace import Menace
from noughts.engines.registry import engines, listed
from noughts.errors import NoughtsError
from noughts.game.engine import Engine, may_vary
from noughts.game.evaluator import Odds, odds
from noughts.game.positions import after
from noughts.game.proof import DRAWN, LOST, WON_BY_ENGINE, Asked, Proof, Seat, ask, prove
from noughts.game.review import Verdict, review, verdict
from noughts.protocol.describe import either
from noughts.terminal.layout import board, columns, side_by_side
from noughts.terminal.output import progress

_HEAD = ("engine", "moves", "games", "won", "drawn", "lost", "plies", "wins against random")
_MAX_FRACTION = 13
"""Characters of a chance that is printed as it is."""
_POSITIONS = 4520
_IN_A_ROW = 5
"""Boards in 80 columns."""
_MISTAKES = (Verdict.MISTAKE, Verdict.BLUNDER)


@dataclass(frozen=True)
class _Proved:
    engine: Engine
    proof: Proof
    own: Asked | None
    """What the user's own engine answered."""

    @property
    def against(self) -> dict[str, list[Odds]]:
        """What the user's own engine comes to against each of ours, moving first and second."""
        own = self.own
        return {
            name: [odds(own, each, first, Fraction) for first in (True, False)]
            for name, each in engines().items()
            if own
        }


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
        shown = [_shown(each) if chosen else {} for each in proved.values()]
        for each, games in zip(proved.values(), shown, strict=True):
            for line in (_verdict(each, games), *_choices(each.own)):
                _print_wrapped(f"{listed(each.engine.name)}: {line}")
            for line in _chances(each.proof, games):
                _print_wrapped(f"  {line}")
        for each, games in zip(proved.values(), shown, strict=True):
            for picture in _pictures(each, games):
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


def _is_menace(each: _Proved) -> bool:
    """Its shortest loss may hardly ever be played: the likeliest is shown."""
    return isinstance(each.engine, Menace)


def _shortest(proof: Proof) -> Seat:
    """The seat from which an engine loses soonest; it must lose from one."""
    return min(
        (seat for seat in proof.seats if seat.losing_line is not None),
        key=lambda seat: len(seat.losing_line or ()),
    )


def _shown(each: _Proved) -> dict[bool, Sequence[int]]:
    """The lost games that are shown as pictures, by whether the engine moves first."""
    if each.proof.never_loses:
        return {}
    games = (
        {seat.first: seat.likeliest_loss for seat in each.proof.seats}
        if _is_menace(each)
        else {_shortest(each.proof).first: _shortest(each.proof).losing_line}
    )
    return {first: line for first, line in games.items() if line}


def _verdict(each: _Proved, shown: Mapping[bool, Sequence[int]]) -> str:
    """What is certain of an engine."""
    proof, own = each.proof, each.own
    if not proof.never_loses:
        seat = _shortest(proof)
        line = seat.losing_line or ()
        if line and shown.get(seat.first) == line:
            how = "as below"
        elif line:
            how = f"when cells {_cells(line)} are played ({after(line)})"
        else:
            how = "when it resigns at once"
        text = f"loses moving {_order(seat)}, {how}"
    elif own and own.varies:
        text = f"lost no game with its answers to {own.calls} calls, which is not a proof"
    else:
        text = "never loses"
    if proof.value_losing_positions:
        losing = proof.value_losing_positions
        return f"{text}; loses value in {losing:,} of {_POSITIONS:,} positions"
    return f"{text}; preserves the value of every reachable position"


def _chances(proof: Proof, shown: Mapping[bool, Sequence[int]]) -> Iterator[str]:
    """For each seat from which the engine may lose, how likely it does, and how."""
    for seat in proof.seats:
        line = seat.likeliest_loss
        if line is None:
            continue
        how = "as below" if shown.get(seat.first) == line else f"by cells {_cells(line)}"
        yield (
            f"moving {_order(seat)}, it loses {_percent(seat.loss_chance)} of games against random "
            f"play, {_percent(seat.greatest_loss_chance)} against its best opponent, "
            f"most often {how if line else 'at once'}"
        )


def _pictures(each: _Proved, shown: Mapping[bool, Sequence[int]]) -> Iterator[str]:
    """The games that are shown, a picture for each move, with the engine's mistakes."""
    for seat in each.proof.seats:
        line = shown.get(seat.first)
        if not line:
            continue
        who = f"{listed(each.engine.name)}, as {'X' if seat.first else 'O'},"
        about = f"{who} loses this game (? and ?? are its mistakes):"
        if _is_menace(each):
            about = (
                f"{who} loses {_percent(seat.likeliest_loss_chance)} of games against its best "
                "opponent like this;\nno other loss is more frequent (? and ?? are its "
                "mistakes):"
            )
        resigns = "" if after(line).over else f"\n\n{who} resigns here"
        yield f"{about}\n\n{_moves(line, seat.first)}{resigns}"


def _moves(line: Sequence[int], first: bool) -> str:
    boards = []
    for ply, move in enumerate(review(line)):
        found = verdict(move)
        own = (ply % 2 == 0) == first
        mark = f" {found.value}" if own and found in _MISTAKES else ""
        title = f"{'XO'[ply % 2]} {move.cell + 1}{mark}"
        boards.append(f"{title}\n{board(move.before.play(move.cell), {}, move.cell)}")
    rows = [boards[at : at + _IN_A_ROW] for at in range(0, len(boards), _IN_A_ROW)]
    return "\n\n".join(side_by_side(row, gap=3) for row in rows)


def _order(seat: Seat) -> str:
    return "first" if seat.first else "second"


def _cells(line: Sequence[int]) -> str:
    return " ".join(str(cell + 1) for cell in line)


def _percent(chance: Fraction) -> str:
    """Exact to two places, but that what may happen is not 0%, and what may not is not 100%."""
    text = f"{float(chance):.2%}"
    if text == "0.00%" and chance:
        return "less than 0.01%"
    return "more than 99.99%" if text == "100.00%" and chance < 1 else text


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
        rows.append((listed(name), *(f"{float(half):.1%}" for half in halves)))
    counted = "each of its answers alike" if each.own and each.own.varies else "exactly"
    print(f"\n{listed(each.engine.name)} against each engine, from either seat in turn, {counted}:")
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
                    listed(name),
                    _order(seat),
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


def _shares(chances: Odds) -> dict[str, str]:
    return {kind: str(getattr(chances, kind)) for kind in ("won", "drawn", "lost")}
