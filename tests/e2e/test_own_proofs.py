"""What `prove` claims of engines of one's own, held against every game played out."""

import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache

import pytest

import noughts
from needed import long
from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.asked import ask
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, unfinished
from own_engines import FIRST_FREE, outcomes

RULES = {
    "first": FIRST_FREE,
    "several": "def choose(board):\n    return board.legal_moves[:2]\n",
}


def played(choose, first, other):
    """The chances that a function wins, draws and loses; other: its moves with their chances."""

    @cache
    def ends(board):
        if board.is_over:
            return Counter({board.winner: Fraction(1)})
        cells = choose(board)
        mine = {cell: Fraction(1, len(cells)) for cell in cells}
        found = Counter()
        for cell, chance in (mine if (board.turn == "X") == first else other(board)).items():
            found += {end: chance * part for end, part in ends(board.play(cell)).items()}
        return found

    found = ends(noughts.Board())
    return [found[end] for end in ("X", None, "O")][:: 1 if first else -1]


@pytest.mark.parametrize("kind", ["several", long("first")])
def test_every_figure_is_that_of_playing_every_game(kind, folder, printed):
    (folder / "mine.py").write_text(RULES[kind])
    count = 1 if kind == "first" else 2

    def choose(board):
        return board.legal_moves[:count]

    def equal(cells):
        return {cell: Fraction(1, len(cells)) for cell in cells}

    told = " ".join(printed("prove", "mine.py").split())
    for order, first in (("first", True), ("second", False)):
        boards = list(outcomes(choose, first))
        games = Counter(board.winner for board in boards)
        won, drawn, lost = (games[end] for end in (["X", None, "O"] if first else ["O", None, "X"]))
        plies = [9 - str(board).count(".") for board in boards]
        wins, _, losses = played(choose, first, lambda board: equal(board.legal_moves))
        assert (
            f"mine.py {order} {len(boards):,} {won:,} {drawn:,} {lost:,} {min(plies)}-{max(plies)} "
            f"{f'{wins} = ' if len(str(wins)) < 14 else ''}{float(wins):.2%} mine.py"
        ) in told
        assert f"moving {order}, it loses {float(losses):.2%} of games against random" in told
    several = sum(len(position.free[:count]) > 1 for position in unfinished())
    assert ("among several" in told) == (kind == "several")
    assert not several or f"mine.py: chooses among several cells in {several:,} positions;" in told
    for name in noughts.engine_names():
        engine = noughts.engine(name)

        def reply(board, engine=engine):
            return dict(engine.reply(board).chances())

        seats = [played(choose, first, reply) for first in (True, False)]
        shares = [f"{float(sum(both) / 2):.1%}" for both in zip(*seats, strict=True)]
        assert f" {name} {' '.join(shares)}" in told


def test_the_figures_as_json(folder, printed):
    (folder / "mine.py").write_text(FIRST_FREE)
    facts = json.loads(printed("prove", "mine.py", "--json"))["mine.py"]
    games = [board.winner for board in outcomes(lambda board: board.legal_moves[:1], True)]
    found = [games.count(end) for end in ("X", None, "O")]
    assert [facts["first"][kind] for kind in ("won", "drawn", "lost")] == found
    assert facts["varies"] is False and facts["never_loses"] is False
    shares = facts["against"]["random"]["first"].values()
    assert sum(map(Fraction, shares)) == 1 and set(facts["against"]) == set(engines())


def test_the_losing_game_is_shown_and_who_wins_against_it(folder, printed):
    (folder / "mine.py").write_text(FIRST_FREE)
    out = printed("prove", "mine.py")
    assert "mine.py, as O, loses this game (? and ?? are its mistakes):" in out
    heads = re.findall(r"^X \d.*$", out, re.MULTILINE)
    shown = re.findall(r"([XO]) (\d)( \?+)?", "   ".join(heads))
    assert [mark for mark, _, _ in shown] == list("XOXOX")
    assert sorted(re.findall(r"\[[XO]\]", out)) == ["[O]"] * 2 + ["[X]"] * 3
    board = noughts.Board()
    for mark, cell, mistake in shown:
        assert not mistake or mark == "O"
        before = board.value()
        board = board.play(int(cell) - 1)
        if mark == "O":
            assert bool(mistake) == (-board.value() < before)
    assert board.winner == "X" and max(map(len, out.split("loses this game")[1].splitlines())) < 81
    assert re.search(r"^hard +0\.0% +0\.0%  100\.0%$", out, re.MULTILINE)


class Fickle:
    """Answers each position by one function after the other."""

    name, about, perfect, may_vary = "fickle", "", False, True

    def __init__(self, *answers):
        self.answers, self.asked = answers, Counter()

    def reply(self, position):
        answer = self.answers[self.asked[position] % len(self.answers)]
        self.asked[position] += 1
        return Reply(answer(position))


def test_each_of_the_answers_that_vary_is_followed_and_their_order_is_none():
    asked = ask(Fickle(lambda position: position.free, lambda position: position.free[::-1]))
    assert (asked.calls, asked.varies) == (2, None)
    answers = slice(1), slice(-1, None), slice(2)
    asked = ask(Fickle(*(lambda position, part=part: position.free[part] for part in answers)))
    position, one, other = asked.varies
    assert (asked.calls, position, one.cells, other.cells) == (10, EMPTY, (0,), (8,))
    assert asked.reply(EMPTY).cells == (0, 8, 1)


def test_answers_that_vary_prove_nothing(printed, monkeypatch):
    fickle = Fickle(
        lambda position: solver.hard_moves(position)[:1],
        lambda position: solver.hard_moves(position)[-1:],
    )
    both = {"hard": engines()["hard"], "fickle": fickle}
    monkeypatch.setattr("noughts.engines.registry.engines", lambda: both)
    told = " ".join(printed("prove", "fickle").split())
    assert "never loses" not in told
    assert "fickle: lost no game with its answers to 10 calls, which is not a proof;" in told
    assert "from either seat in turn, each of its answers alike: against" in told
    varied = r"fickle: its answers vary: in \S{9} it played \d, and another time \d"
    assert re.search(varied, told)
