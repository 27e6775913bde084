"""Games looked at afterwards, held against a minimax of the test's own."""

from functools import cache

from hypothesis import given
from hypothesis import strategies as st

from noughts.game.positions import LINES
from noughts.game.review import mistakes, review


@cache
def worth(board, player):
    """Of a board as text, to the player who moves next."""
    other = "BA"["AB".index(player)]
    if any(all(board[cell] == other for cell in line) for line in LINES):
        return -1
    if "." not in board:
        return 0
    return max(-worth(put(board, cell, player), other) for cell in range(9) if board[cell] == ".")


def put(board, cell, player):
    return board[:cell] + player + board[cell + 1 :]


def games():
    """Legal games, whole or not, as digits."""

    def legal(order):
        board, moves = "." * 9, ""
        for ply, cell in enumerate(order):
            if any(all(board[c] == p for c in line) for line in LINES for p in "AB"):
                break
            board = put(board, cell, "AB"[ply % 2])
            moves += str(cell)
        return moves

    orders = st.permutations(list(range(9)))
    return st.builds(lambda order, plies: legal(order[:plies]), orders, st.integers(0, 9))


@given(games())
def test_worth_and_mistakes_are_those_of_plain_minimax(moves):
    board, wrong = "." * 9, []
    reviewed = review(list(map(int, moves)))
    assert [move.cell for move in reviewed] == list(map(int, moves))
    for ply, move in enumerate(reviewed):
        player, other = "AB"[ply % 2], "BA"[ply % 2]
        before, board = board, put(board, move.cell, player)
        assert move.worth == worth(before, player)
        assert move.kept == -worth(board, other)
        for cell in move.best:
            assert -worth(put(before, cell, player), other) == move.worth
        if move.mistake:
            wrong.append(ply)
    assert [ply for ply, move in enumerate(reviewed) if move.kept != move.worth] == wrong
    assert mistakes(moves) == wrong


def test_known_games():
    """The centre, an edge (a mistake), a corner that wins by two lines at once."""
    assert review([]) == [] == mistakes("")
    reviewed = review([4, 1, 0, 8, 3])
    assert [move.mistake for move in reviewed] == [False, True, False, False, False]
    assert (reviewed[1].worth, reviewed[1].kept) == (0, -1)
    assert set(reviewed[1].best) == {0, 2, 6, 8}
    assert reviewed[3].best == (8,)
