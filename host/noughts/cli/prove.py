"""`noughts prove`: play engines against every sequence of moves, and report the proof."""

import json
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from textwrap import TextWrapper

from noughts.cli import engine_options, options
from noughts.engines.built_in import engines, name_in_lists
from noughts.engines.menace import Menace
from noughts.errors import NoughtsError
from noughts.game.engine import Engine
from noughts.game.odds import odds
from noughts.game.positions import position_after
from noughts.game.proof import RESULTS, prove
from noughts.game.review import review, verdict
from noughts.terminal.layout import board, columns, side_by_side
from noughts.terminal.output import progress
from noughts.views.words import either

_MAX_FRACTION = 13
"""Characters; a longer fraction is only printed as a percentage."""
_POSITIONS = 4520
_FACTS = (
    "win_chance", "loss_chance", "greatest_loss_chance", "likeliest_loss", "likeliest_loss_chance",
    "losing_line",
)  # fmt: skip
_IN_A_ROW = 5
"""Boards in 80 columns."""


class _Proved:
    """An engine and its proof; its lost games are shown as pictures or as cells."""

    def __init__(self, engine: Engine, pictures: bool) -> None:
        self.engine = engine
        self.name = name_in_lists(engine.name)
        with progress(_POSITIONS * (2 if engine.may_vary else 1), "answers") as steps:
            steps.describe(engine.name)
            self.proof = prove(engine, lambda: steps.advance(1))
        lost = [seat for seat in self.proof.seats if seat.losing_line is not None]
        self.soonest = min(lost, key=lambda seat: len(seat.losing_line or ()), default=None)
        """The seat from which it loses soonest."""
        self.shown: dict[bool, Sequence[int] | None] = {}
        """The lost games to show as pictures, by whether the engine moves first."""
        if pictures and isinstance(engine, Menace):  # its shortest loss may hardly ever be played
            self.shown = {seat.first: seat.likeliest_loss for seat in lost}
        elif pictures and self.soonest:
            self.shown = {self.soonest.first: self.soonest.losing_line}
        answers = self.proof.replies.__getitem__
        self.against = {
            name: [odds(answers, opponent.reply, first, Fraction) for first in (True, False)]
            for name, opponent in engines().items()
            if engine.may_vary
        }
        """The odds of the user's engine against each of ours, moving first and second."""

    def rows(self) -> Iterator[Sequence[str]]:
        for seat in self.proof.seats:
            chance = seat.win_chance
            shortest, longest = seat.plies
            yield (
                self.name,
                seat.order,
                f"{seat.total:,}",
                *(f"{seat.count(result):,}" for result in RESULTS),
                f"{shortest}-{longest}",
                f"{chance} = " * (len(str(chance)) <= _MAX_FRACTION) + f"{float(chance):.2%}",
            )

    def verdict(self) -> Iterator[str]:
        """Whether it loses or gives away value; and that it may answer in several ways."""
        if self.soonest:
            how = self._how(self.soonest.first, self.soonest.losing_line or ())
            text = f"loses moving {self.soonest.order}, {how}"
        elif self.proof.varies:
            text = "did not lose when asked twice, but that is not a proof"
        else:
            text = "never loses"
        value = "preserves the value of every reachable position"
        if losing := self.proof.value_losing_positions:
            value = f"gives away value in {losing:,} of {_POSITIONS:,} positions"
        yield f"{text}; {value}"
        if self.proof.varies:
            position, *replies = self.proof.varies
            first_answer, second_answer = (either(reply.cells) for reply in replies)
            yield (
                f"its answers vary: in {position} it played {first_answer}, and another time "
                f"{second_answer}; return all of them in a list, and `prove` follows each"
            )
        elif self.engine.may_vary and (
            several := sum(len(reply.cells) > 1 for reply in self.proof.replies.values())
        ):
            yield f"chooses among several cells in {several:,} positions; each is followed"

    def chances(self) -> Iterator[str]:
        """For each seat from which the engine can lose, how likely that is, and how it happens."""
        for seat in self.proof.seats:
            if seat.likeliest_loss is not None:
                yield (
                    f"moving {seat.order}, it loses {_percent(seat.loss_chance)} of games against "
                    f"random play, {_percent(seat.greatest_loss_chance)} against its best "
                    f"opponent, most often {self._how(seat.first, seat.likeliest_loss)}"
                )

    def _how(self, first: bool, line: Sequence[int]) -> str:
        if not line:
            return "at once, as it resigns"
        if self.shown.get(first) == line:
            return "as below"
        return f"with cells {' '.join(str(cell + 1) for cell in line)} ({position_after(line)})"

    def pictures(self) -> Iterator[str]:
        """These games, one board per move, with the engine's mistakes marked."""
        for seat in self.proof.seats:
            line = self.shown.get(seat.first)
            if not line:
                continue
            who = f"{self.name}, as {'X' if seat.first else 'O'},"
            how = "loses this game"
            if isinstance(self.engine, Menace):
                share = _percent(seat.likeliest_loss_chance)
                how = (
                    f"loses {share} of games against its best opponent like this;\n"
                    "no other loss is more frequent"
                )
            resigns = "" if position_after(line).over else f"\n\n{who} resigns here"
            moves = _moves(line, seat.first)
            yield f"{who} {how} (? and ?? are its mistakes):\n\n{moves}{resigns}"

    def table_against(self) -> str:
        rows: list[Sequence[str]] = [("against", *RESULTS)]
        for name, seats in self.against.items():
            halves = (float(sum(both) / 2) for both in zip(*seats, strict=True))
            rows.append((name_in_lists(name), *(f"{half:.1%}" for half in halves)))
        counted = "counting each of its answers equally" if self.proof.varies else "exactly"
        head = f"{self.name} against each engine, averaged over both seats, {counted}:"
        return "\n".join([head, *columns(rows, right=(1, 2, 3))])

    def facts(self) -> dict[str, object]:
        facts: dict[str, object] = {
            "never_loses": self.proof.never_loses,
            "value_losing_positions": self.proof.value_losing_positions,
        }
        for seat in self.proof.seats:
            by_plies: dict[str, dict[int, int]] = {result: {} for result in RESULTS}
            for (result, ply), count in sorted(seat.games.items()):
                by_plies[result][ply] = count
            facts[seat.order] = {
                "games": seat.total,
                **{result: seat.count(result) for result in RESULTS},
                "by_plies": by_plies,
                **{name: getattr(seat, name) for name in _FACTS},
            }
        if self.engine.may_vary:
            facts["varies"] = bool(self.proof.varies)
            facts["against"] = {
                name: {"first": first._asdict(), "second": second._asdict()}
                for name, (first, second) in self.against.items()
            }
        return facts


@options.command("noughts prove", "noughts prove hard rules", "noughts prove ./mine.py")
@engine_options.engine_arguments(f"{', '.join(engines())}; all of these by default")
@options.as_json("the results")
def run_prove(named_engines: list[Engine], as_json: bool) -> None:
    """Prove which engines never lose."""
    asked = named_engines or engines().values()
    proved = {engine.name: _Proved(engine, bool(named_engines)) for engine in asked}
    if as_json:
        facts = {name: engine_proof.facts() for name, engine_proof in proved.items()}
        print(json.dumps(facts, default=str))  # such as 191/192
    else:
        _print(proved.values())
    for name, engine_proof in proved.items():
        if engine_proof.engine.perfect and (
            engine_proof.soonest or engine_proof.proof.value_losing_positions
        ):
            raise NoughtsError(f"{name} should play perfectly and does not (see above); correct it")


def _print(proved: Iterable[_Proved]) -> None:
    head = ("engine", "moves", "games", *RESULTS, "plies", "wins against random")
    rows = [head, *(row for engine_proof in proved for row in engine_proof.rows())]
    print("\n".join(columns(rows, right=range(2, 7))))
    wrapper = TextWrapper(
        80, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False
    )
    for engine_proof in proved:
        for line in engine_proof.verdict():
            print(wrapper.fill(f"{engine_proof.name}: {line}"))
        for line in engine_proof.chances():
            print(wrapper.fill(f"  {line}"))
    for engine_proof in proved:
        for picture in engine_proof.pictures():
            print(f"\n{picture}")
        if engine_proof.against:
            print(f"\n{engine_proof.table_against()}")


def _moves(line: Sequence[int], first: bool) -> str:
    boards = []
    for ply, move in enumerate(review(line)):
        own = (ply % 2 == 0) == first
        mark = f" {verdict(move).value}" if own and move.mistake else ""
        title = f"{'XO'[ply % 2]} {move.cell + 1}{mark}"
        boards.append(f"{title}\n{board(move.position.play(move.cell), {}, move.cell)}")
    rows = [boards[at : at + _IN_A_ROW] for at in range(0, len(boards), _IN_A_ROW)]
    return "\n\n".join(side_by_side(row, gap=3) for row in rows)


def _percent(chance: Fraction) -> str:
    """With two decimals; but a possible event is never 0%, and an uncertain one never 100%."""
    text = f"{float(chance):.2%}"
    if text == "0.00%" and chance:
        return "less than 0.01%"
    return "more than 99.99%" if text == "100.00%" and chance < 1 else text
