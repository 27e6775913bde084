"""Tilt as a joystick, with a fake clock."""

from itertools import pairwise

import pytest

from noughts.device_files import load_device


@pytest.fixture
def tilt():
    return load_device("tilt")


@pytest.mark.parametrize(
    ("right", "down", "cell"),
    [(301, 0, 5), (-301, 0, 3), (0, 301, 7), (0, -301, 1), (500, 400, 5), (-400, 500, 7)],
)
def test_past_300_mg_moves_one_cell(tilt, right, down, cell):
    assert tilt.move(4, right, down, 1000) == cell


def test_at_300_mg_nothing_moves(tilt):
    assert tilt.move(4, 300, -300, 1000) == 4


def test_repeats_every_800_ms(tilt):
    moves = [now for now in range(1000, 4000, 6) if tilt.move(3, 400, 0, now) != 3]
    assert [later - now for now, later in pairwise(moves)] == [804] * 3


def test_another_way_moves_at_once(tilt):
    assert tilt.move(4, 400, 0, 1000) == 5
    assert tilt.move(5, 0, 0, 1006) == 5
    assert tilt.move(5, 400, 0, 1012) == 5  # the edge
    assert tilt.move(5, -400, 0, 1018) == 4


@pytest.mark.parametrize("cell", range(9))
def test_never_leaves_the_board_nor_changes_row(tilt, cell):
    for now, (right, down) in enumerate([(400, 0), (-400, 0), (0, 400), (0, -400)]):
        there = tilt.move(cell, right, down, 1000 + now)
        assert 0 <= there < 9
        assert there // 3 == cell // 3 or there % 3 == cell % 3
