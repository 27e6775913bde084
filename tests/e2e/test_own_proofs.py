"""What `prove` claims of engines of one's own, held against every game played out."""

import json
import re
from functools import cache

import pytest

import noughts
from noughts.engines.registry import engines
from noughts.game.encounter import encounter
from own_engines import FIRST_FREE, run

RULES = {
    "first": FIRST_FREE,
    "several": "def choose(board):\n    return board.legal_moves[:2]\n",
}


def outcomes(choose, first, board=None):
    """Every game of a function: what follows from each of its choices, and of the other's moves."""
    board = board or noughts.Board()
    if board.is_over:
        yield board.winner
        return
    mine = (board.turn == "X") == first
    for cell in choose(board) if mine else board.legal_moves:
        yield from outcomes(choose, first, board.play(cell))


@pytest.mark.parametrize("kind", RULES)
def test_what_is_proved_is_what_playing_every_game_gives(kind, folder, capsys):
    (folder / "mine.py").write_text(RULES[kind])
    count = 1 if kind == "first" else 2

    def choose(board):
        return board.legal_moves[:count]

    status, out, _ = run(capsys, "prove", "mine.py", "--json")
    facts = json.loads(out)["mine.py"]
    for seat, first in (("first", True), ("second", False)):
        ends = list(outcomes(choose, first))
        us, them = "XO" if first else "OX"
        found = [ends.count(us), ends.count(None), ends.count(them)]
        assert [facts[seat][kind] for kind in ("won", "drawn", "lost")] == found
    assert status == 0 and facts["varies"] is False

    @cache
    def chance(board, first, other):
        """That X, or O if it is not first, wins for `choose`, from this board."""
        if board.is_over:
            return float(board.winner == ("X" if first else "O"))
        mine = (board.turn == "X") == first
        cells = choose(board) if mine else other.reply(board).cells
        return sum(chance(board.play(cell), first, other) for cell in cells) / len(cells)

    for name in ("random", "medium", "kind"):
        for seat, first in (("first", True), ("second", False)):
            top, _, bottom = facts["against"][name][seat]["won"].partition("/")
            expected = chance(noughts.Board(), first, noughts.engine(name))
            assert int(top) / int(bottom or 1) == pytest.approx(expected)
            shares = [facts["against"][name][seat][kind] for kind in ("won", "drawn", "lost")]
            parts = [part.partition("/") for part in shares]
            assert sum(int(top) / int(low or 1) for top, _, low in parts) == pytest.approx(1)


def test_chances_of_our_own_engines_are_known():
    assert [str(seat.won) for seat in encounter(engines()["hard"], engines()["random"])] == [
        "191/192", "866/945",
    ]  # fmt: skip


def test_the_losing_game_is_shown_and_who_wins_against_it(folder, capsys):
    (folder / "mine.py").write_text(FIRST_FREE)
    status, out, _ = run(capsys, "prove", "mine.py")
    assert status == 0 and "mine.py, as O, loses this game (? and ?? are its mistakes):" in out
    heads = re.findall(r"^X \d.*$", out, re.MULTILINE)
    shown = re.findall(r"([XO]) (\d)( \?+)?", "   ".join(heads))
    assert [mark for mark, _, _ in shown] == list("XOXOX")
    board = noughts.Board()
    for mark, cell, mistake in shown:
        assert not mistake or mark == "O"
        before = board.value()
        board = board.play(int(cell) - 1)
        if mark == "O":
            assert bool(mistake) == (-board.value() < before)
    assert board.winner == "X" and max(map(len, out.split("loses this game")[1].splitlines())) < 81
    assert re.search(r"^hard +0\.0% +0\.0%  100\.0%$", out, re.MULTILINE)


def test_answers_that_vary_prove_nothing(folder, capsys):
    text = "from noughts import engine\nfrom random import Random\nhard, chance = engine('hard'), "
    text += "Random(1)\ndef choose(board):\n    return hard.choose(board, chance)\n"
    (folder / "mine.py").write_text(text)
    status, out, _ = run(capsys, "prove", "mine.py")
    assert status == 0 and "never loses" not in out
    assert "mine.py: lost no game with its answers to 10 calls, which is not a proof" in out
    assert re.search(r"mine.py: its answers vary: in \S{9} it played \d, and another time \d", out)
