"""Games looked at afterwards, held against the solver, which other tests hold against another."""

from hypothesis import given
from hypothesis import strategies as st

from noughts.game.positions import EMPTY
from noughts.game.review import mistakes, review
from noughts.game.solver import value


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
