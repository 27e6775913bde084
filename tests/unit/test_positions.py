"""Positions held against independently published counts."""

import pytest

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


def test_published_counts():
    assert len(reachable()) == 5478
    assert sum(1 for _ in unfinished()) == 4520
    assert len({canonical(position) for position in reachable()}) == 765
    classes = {canonical(position) for position in unfinished()}
    assert len(classes) == 627
    assert sum(map(is_quiet, classes)) == 101


def test_eight_symmetries_keep_the_lines():
    assert len(set(SYMMETRIES)) == 8
    position = parse("XO..X...O")
    assert {canonical(position)} == {
        canonical(parse("".join("XO..X...O"[cell] for cell in to))) for to in SYMMETRIES
    }


def test_text_round_trip():
    for position in reachable():
        assert parse(str(position)) == position


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nine characters"),
        ("X" * 10, "nine characters"),
        ("ab.......", "nine characters"),
        ("0........", "nine characters"),
        ("XX.......", "as many X as O"),
        ("O........", "as many X as O"),
        ("XXXOOO...", "both sides have a line"),
        ("XXXOO.O..", "after the other had won"),
        ("XX.OOOX.X", "after the other had won"),
    ],
)
def test_illegal_positions_are_explained(text, why):
    with pytest.raises(IllegalPositionError, match=why):
        parse(text)


def test_small_letters_are_the_same_marks():
    assert parse("xx.oo....") == parse("XX.OO....") == parse("Xx.oO....")
    with pytest.raises(IllegalPositionError, match="has 2 X and 0 O"):
        parse("xx.......")


def test_the_empty_board():
    assert str(EMPTY) == "........."
    assert EMPTY.free == tuple(range(9))
