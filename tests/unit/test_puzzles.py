"""Puzzles, held against a count of the test's own, and how they are drawn."""

from collections import Counter
from random import Random

import pytest

from noughts.engines.search import WIN, score_of_move
from noughts.game.positions import canonical, parse, unfinished
from noughts.game.puzzles import draw, level, puzzle_of, puzzles
from noughts.game.solver import value, value_preserving_moves


def test_there_is_one_right_move_and_it_matters():
    wanted = {
        canonical(each)
        for each in unfinished()
        if sum(-value(each.play(cell)) == value(each) for cell in each.free) == 1
        and len(each.free) > 1
    }
    assert {each.position for each in puzzles()} == wanted
    assert len(puzzles()) == len(wanted) == 294
    for each in puzzles():
        assert value_preserving_moves(each.position) == [each.right]
        assert each.wins == (value(each.position) == 1)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("XX.OO....", (2, 1)),  # completes a row
        ("X.O.X....", (8, 2)),  # blocks a diagonal
        ("XX..O....", (2, 2)),  # or O loses at once
        ("X........", (4, 6)),
        ("XO.......", None),  # several win
        (".........", None),
        ("XXXOO....", None),
        ("XOXXOXO.O", None),
    ],
)
def test_known_puzzles(text, found):
    """The right cell, and the depth."""
    puzzle = puzzle_of(parse(text))
    assert (puzzle and (puzzle.right, puzzle.depth)) == found


def test_the_depth_is_that_of_a_search():
    for each in puzzles():
        wrong = [cell for cell in each.position.free if cell != each.right]
        scores = [score_of_move(each.position, cell) for cell in [each.right, *wrong]]
        assert each.depth == (WIN - scores[0] if each.wins else WIN + max(scores[1:]))


def test_levels():
    found = {(each.depth, level(each)) for each in puzzles()}
    assert found == {(1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (6, 3)}
    hard = puzzle_of(parse("X........"))
    assert level(hard) == 3 == level(hard, 4, 0)
    assert level(hard, 5, 0) == 1
    wrong = {0: 1, 9: 1, 10: 2, 29: 2, 30: 3, 100: 3}
    assert {count: level(hard, 100, count) for count in wrong} == wrong


def test_never_the_same_twice_in_a_row_and_turned_at_random():
    random = Random(1)
    before, seen = parse("." * 9), Counter()
    for _ in range(150):
        drawn = draw(random, lambda each: level(each) == 3, before)
        assert level(drawn) == 3 and canonical(drawn.position) != canonical(before)
        assert value_preserving_moves(drawn.position) == [drawn.right]
        before = drawn.position
        seen[drawn.position] += 1
    assert len(seen) > len(set(map(canonical, seen))) > 10


def test_a_puzzle_is_turned_and_mirrored_in_every_way():
    random = Random(1)
    least = canonical(parse("XX..O...."))
    drawn = Counter(draw(random, lambda each: each.position == least).position for _ in range(400))
    assert len(drawn) == 8 and min(drawn.values()) > 25


def test_where_no_other_fits_it_is_any_other():
    random, shown = Random(1), puzzles()[0].position
    drawn = (draw(random, lambda each: each.position == shown, shown) for _ in range(400))
    others = {canonical(each.position) for each in drawn}
    assert len(others) > 150 and shown not in others
