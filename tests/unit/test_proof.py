"""What `prove` claims, held against published counts, and every game played out."""

import json
import re
from collections import Counter
from fractions import Fraction

import noughts
import noughts.cli.prove  # before a test replaces the engines that it imports
from brute_force import alike, answers, ends
from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, unfinished
from noughts.game.proof import RESULTS, ask, prove
from own_engines import outcomes


def test_random_against_everything_is_every_game():
    proof = prove(engines()["random"])
    first, second = proof.seats
    assert first.total == second.total == 255_168
    counts = [seat.count(result) for seat in (first, second) for result in RESULTS]
    assert counts == [131_184, 46_080, 77_904, 77_904, 46_080, 131_184]
    # Random play might play any cell, so it is wrong wherever one of them is.
    wrong = sum(set(p.free) != set(solver.value_preserving_moves(p)) for p in unfinished())
    assert proof.value_losing_positions == wrong == 3_191


def test_the_figures_as_json(printed):
    """Published for `rules` moving second: 489 games, of the wins 228 at ply 6 and 136 at ply 8.

    What is printed is in the lessons, which are run.
    """
    facts = json.loads(printed("prove", "rules", "--json"))["rules"]
    assert facts["second"]["by_plies"]["won"] == {"6": 228, "8": 136}
    assert (facts["never_loses"], facts["second"]["win_chance"]) == (True, "164/189")
    assert [facts["second"][result] for result in RESULTS] == [364, 125, 0]


def test_a_lost_game_is_shown_once_as_cells_or_as_pictures(printed, monkeypatch):
    chosen = {name: engines()[name] for name in ("kind", "medium")}
    monkeypatch.setattr("noughts.cli.prove.engines", lambda: chosen)
    told = " ".join(printed("prove").split())
    cells = "when cells 1 2 3 4 5 7 9 are played (XOXOX.O.X);"
    assert f"medium: loses moving second, {cells} gives away value in 467 of" in told
    assert "by cells 2 1 3 4 8 5 6 7 moving" in told
    assert "this game" not in told and "as below" not in told
    told = printed("prove", "medium")
    assert "medium: loses moving second, as below; gives away value in 467 of" in told
    assert "are played" not in told and max(map(len, told.splitlines())) <= 80
    assert "\nX 1           O 2 ?         X 3           O 4 ?" in told


class Fickle:
    """Answers each position by one function after the other."""

    about, may_vary = "", True

    def __init__(self, *answers, name="fickle", perfect=False):
        self.answers, self.asked = answers, Counter()
        self.name, self.perfect = name, perfect

    def reply(self, position):
        answer = self.answers[self.asked[position] % len(self.answers)]
        self.asked[position] += 1
        return Reply(answer(position))


def test_an_engine_that_is_called_perfect_has_to_be(noughts, monkeypatch):
    rules = engines()["rules"]
    chosen = Fickle(lambda position: rules.reply(position).cells, name="random", perfect=True)
    monkeypatch.setattr("noughts.engines.registry.engines", lambda: {"random": chosen})
    status, out, err = noughts("prove", "random")
    assert status == 1 and "random: never loses; gives away value" in out
    assert "random should play perfectly and does not (see above)" in err


def played(choose, first, other):
    """The chances that a function wins, draws and loses; other: the answers of its opponent."""

    def mine(position):
        return alike(choose(noughts.Board.of(position)))

    return ends(mine, other) if first else ends(other, mine)[::-1]


def test_every_figure_is_that_of_playing_every_game(folder, printed, monkeypatch):
    chosen = {name: engines()[name] for name in ("medium", "hard", "kind", "menace")}
    monkeypatch.setattr("noughts.cli.prove.engines", lambda: chosen)
    (folder / "mine.py").write_text("def choose(board):\n    return board.legal_moves[:2]\n")

    def choose(board):
        return board.legal_moves[:2]

    told = " ".join(printed("prove", "mine.py").split())
    for order, first in (("first", True), ("second", False)):
        boards = list(outcomes(choose, first))
        games = Counter(board.winner for board in boards)
        won, drawn, lost = (games[end] for end in (["X", None, "O"] if first else ["O", None, "X"]))
        plies = [9 - str(board).count(".") for board in boards]
        wins, _, losses = played(choose, first, lambda position: alike(position.free))
        assert (
            f"mine.py {order} {len(boards):,} {won:,} {drawn:,} {lost:,} {min(plies)}-{max(plies)} "
            f"{f'{wins} = ' if len(str(wins)) < 14 else ''}{float(wins):.2%} mine.py"
        ) in told
        assert f"moving {order}, it loses {float(losses):.2%} of games against random" in told
    several = sum(len(position.free) > 1 for position in unfinished())
    assert f"mine.py: chooses among several cells in {several:,} positions;" in told
    facts = json.loads(printed("prove", "mine.py", "--json"))["mine.py"]
    assert facts["varies"] is facts["never_loses"] is False
    for name, engine in chosen.items():
        seats = [played(choose, first, answers(engine)) for first in (True, False)]
        shares = [f"{float(sum(both) / 2):.1%}" for both in zip(*seats, strict=True)]
        listed = name.replace("menace", "menace (untrained)")
        assert f" {listed} {' '.join(shares)}" in told
        exact = facts["against"][name]["first"]
        assert [Fraction(exact[result]) for result in RESULTS] == seats[0]


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
