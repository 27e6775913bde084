"""The solved game: positions, reviews of games, and puzzles, held against published counts."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.game import solver
from noughts.game.positions import (
    EMPTY,
    SYMMETRIES,
    IllegalPositionError,
    canonical,
    is_quiet,
    parse,
    reachable,
    unfinished,
)
from noughts.game.review import Verdict, mistakes, review, verdict
from noughts.game.solver import draw, level, puzzle_of, puzzles


def test_published_counts():
    assert len(reachable()) == 5478
    assert sum(1 for _ in unfinished()) == 4520
    assert len({canonical(position) for position in reachable()}) == 765
    classes = {canonical(position) for position in unfinished()}
    assert len(classes) == 627
    assert sum(map(is_quiet, classes)) == 101
    assert len(set(SYMMETRIES)) == 8
    turned = (parse("".join("XO..X...O"[cell] for cell in to)) for to in SYMMETRIES)
    assert len(set(map(canonical, turned))) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0........", "nine characters"),
        ("XX.......", "as many X as O"),
        ("XXXOOO...", "both sides have a line"),
        ("XXXOO.O..", "after the other had won"),
        ("OOOXX.XX.", "after the other had won"),
    ],
)
def test_illegal_positions_are_explained(text, why):
    with pytest.raises(IllegalPositionError, match=why):
        parse(text)


@given(st.permutations(list(range(9))), st.integers(0, 9))
def test_a_review_is_that_of_the_solver_and_its_mistakes_are_counted_alike(order, plies):
    position, moves, wrong = EMPTY, [], []
    for ply, cell in enumerate(order[:plies]):
        if not position.over:
            moves.append(cell)
            after = position.play(cell)
            if -solver.value(after) != solver.value(position):
                wrong.append(ply)
            position = after
    assert [ply for ply, move in enumerate(review(moves)) if move.mistake] == wrong
    assert mistakes("".join(map(str, moves))) == wrong


@pytest.mark.parametrize(
    ("start", "cell", "called"),
    [
        (".........", 0, Verdict.BEST),
        (".........", 4, Verdict.GOOD),  # wins 95 of 96 games, the corners 191 of 192
        (".X.......", 7, Verdict.INACCURACY),  # 63 %, where the centre wins 83 %
        ("X........", 1, Verdict.MISTAKE),  # a draw lost
        ("XX.OO....", 2, Verdict.BEST),
        ("XX.OO....", 8, Verdict.BLUNDER),
        ("XX.OX...O", 5, Verdict.BEST),  # lost, whatever O plays: no mistake
    ],
)
def test_what_known_moves_are_called(start, cell, called):
    (move,) = review([cell], parse(start))
    assert verdict(move) == called


def test_a_puzzle_has_one_right_move_and_it_matters():
    wanted = {
        canonical(each)
        for each in unfinished()
        if sum(-solver.value(each.play(cell)) == solver.value(each) for cell in each.free) == 1
        and len(each.free) > 1
    }
    assert {each.position for each in puzzles()} == wanted
    assert len(puzzles()) == len(wanted) == 294
    for each in puzzles():
        assert solver.value_preserving_moves(each.position) == [each.right]
        assert each.wins == (solver.value(each.position) == 1)


def test_levels_of_puzzles():
    """By depth, until enough people have answered."""
    found = {(each.depth, level(each)) for each in puzzles()}
    assert found == {(1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (6, 3)}
    hard = puzzle_of(parse("X........"))
    answers = [(4, 0), (5, 0), (100, 9), (100, 10), (100, 29), (100, 30)]
    assert [level(hard, *each) for each in answers] == [3, 1, 1, 2, 2, 3]


def test_puzzles_differ_from_the_one_before_and_are_turned_at_random():
    random, least = Random(1), canonical(parse("XX..O...."))

    def drawn(before=EMPTY):
        found = draw(random, lambda each: each.position == least, before)
        assert solver.value_preserving_moves(found.position) == [found.right]
        return found.position

    turned = Counter(drawn() for _ in range(400))
    assert len(turned) == 8 and min(turned.values()) > 25
    others = {canonical(drawn(least)) for _ in range(400)}  # where no other fits, it is any other
    assert len(others) > 150 and least not in others
