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


def test_positions_are_read_back_from_their_text_in_small_letters_too():
    for position in reachable():
        assert parse(str(position)) == parse(str(position).lower()) == position
    assert str(EMPTY) == "........." and EMPTY.free == tuple(range(9))


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "nine characters"),
        ("X" * 10, "nine characters"),
        ("ab.......", "nine characters"),
        ("0........", "nine characters"),
        ("XX.......", "as many X as O"),
        ("xx.......", "has 2 X and 0 O"),
        ("O........", "as many X as O"),
        ("XXXOOO...", "both sides have a line"),
        ("XXXOO.O..", "after the other had won"),
        ("XX.OOOX.X", "after the other had won"),
    ],
)
def test_illegal_positions_are_explained(text, why):
    with pytest.raises(IllegalPositionError, match=why):
        parse(text)
