"""What moves are called afterwards, in known games and against the solver's own chances."""

from fractions import Fraction

import pytest

from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.positions import canonical, parse, unfinished
from noughts.game.proof import prove
from noughts.game.review import review
from noughts.game.verdict import Verdict, chance, chance_lost, verdict


@pytest.mark.parametrize(
    ("start", "cell", "called"),
    [
        (".........", 0, Verdict.BEST),
        (".........", 4, Verdict.GOOD),  # wins 95 of 96 games, the corners 191 of 192
        (".X.......", 7, Verdict.INACCURACY),  # 63 %, where the centre wins 83 %
        ("X........", 1, Verdict.MISTAKE),  # a draw lost
        ("XX.OO....", 2, Verdict.BEST),
        ("XX.OO....", 5, Verdict.MISTAKE),  # a win given away for a draw
        ("XX.OO....", 8, Verdict.BLUNDER),
        ("XX.OX...O", 5, Verdict.BEST),  # lost, whatever O plays: no mistake
    ],
)
def test_known_moves(start, cell, called):
    (move,) = review([cell], parse(start))
    assert verdict(move) == called


def test_only_what_keeps_the_value_can_be_best_good_or_inaccurate():
    for position in set(map(canonical, unfinished())):
        for move in (review([cell], position)[0] for cell in position.free):
            lost = move.worth - move.kept
            if lost:
                assert verdict(move) == {1: Verdict.MISTAKE, 2: Verdict.BLUNDER}[lost]
            elif verdict(move) == Verdict.BEST:
                assert move.cell in solver.hard_moves(position) and chance_lost(move) == 0
            else:
                assert (verdict(move) == Verdict.GOOD) == (0 < chance_lost(move) < Fraction(1, 10))


def test_the_last_move_of_a_game_wins_or_draws():
    assert chance(parse("XOXXOXO.O"), 7) == 0
    assert chance(parse("XX.OO...."), 2) == 1


def test_the_chance_is_that_of_the_proof():
    """Which plays all games against hard instead."""
    first, second = prove(engines()["hard"]).seats
    empty = parse("." * 9)
    assert max(chance(empty, cell) for cell in range(9)) == first.win_chance
    replies = [solver.win_chance_from(empty.play(cell)) for cell in range(9)]
    assert sum(replies) / 9 == second.win_chance
