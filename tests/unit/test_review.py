"""Reviews of games, and what their moves are called, held against the solver."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.engines.registry import engines
from noughts.game import solver
from noughts.game.positions import EMPTY, canonical, parse, unfinished
from noughts.game.proof import prove
from noughts.game.review import mistakes, review
from noughts.game.solver import value
from noughts.game.verdict import Verdict, chance, chance_lost, verdict


@given(st.permutations(list(range(9))), st.integers(0, 9))
def test_a_review_is_that_of_the_solver_and_its_mistakes_are_counted_alike(order, plies):
    position, moves = EMPTY, []
    for cell in order[:plies]:
        if not position.over:
            moves.append(cell)
            position = position.play(cell)
    reviewed = review(moves)
    assert [move.cell for move in reviewed] == moves
    position = EMPTY
    for move in reviewed:
        after = position.play(move.cell)
        assert (move.worth, move.kept) == (value(position), -value(after))
        assert all(-value(position.play(cell)) == move.worth for cell in move.best)
        position = after
    wrong = [ply for ply, move in enumerate(reviewed) if move.kept != move.worth]
    assert [ply for ply, move in enumerate(reviewed) if move.mistake] == wrong
    assert mistakes("".join(map(str, moves))) == wrong


def test_a_known_game():
    """The centre, an edge (a mistake), a corner that wins by two lines at once."""
    reviewed = review([4, 1, 0, 8, 3])
    assert [move.mistake for move in reviewed] == [False, True, False, False, False]
    assert (reviewed[1].worth, reviewed[1].kept) == (0, -1)
    assert set(reviewed[1].best) == {0, 2, 6, 8}
    assert reviewed[3].best == (8,)


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
    assert max(chance(EMPTY, cell) for cell in range(9)) == first.win_chance
    replies = [solver.win_chance_from(EMPTY.play(cell)) for cell in range(9)]
    assert sum(replies) / 9 == second.win_chance
