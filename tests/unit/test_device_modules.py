"""The device's rules, its tilt control and what its menu offers first, as CPython runs them."""

import io
import sys
from itertools import pairwise
from types import SimpleNamespace
from unittest.mock import patch

import pytest

from noughts.device_files import load_device
from noughts.game.positions import LINES
from sample_games import DRAW

rules = load_device("rules")


@pytest.fixture
def tilt():
    return load_device("tilt")


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("player", [1, -1])
def test_each_line_wins_and_a_cell_counts_on_exactly_its_lines(line, player):
    marks, score = [0] * 9, [0] * 8
    for count, cell in enumerate(line, 1):
        assert rules.result(marks, score) == 2
        rules.place(marks, score, cell, player)
        assert score == [player * len({*line[:count]} & {*each}) for each in LINES]
    assert rules.result(marks, score) == player


def test_a_full_board_without_a_line_is_a_draw():
    marks, score = [0] * 9, [0] * 8
    for ply, cell in enumerate(DRAW):
        rules.place(marks, score, cell, (1, -1)[ply % 2])
    assert rules.result(marks, score) == 0


@pytest.mark.parametrize(
    ("right", "down", "cell"),
    [
        (301, 0, 5), (-301, 0, 3), (0, 301, 7), (0, -301, 1), (500, 400, 5), (-400, 500, 7),
        (300, -300, 4),
    ],
)  # fmt: skip
def test_past_300_mg_the_cursor_moves_one_cell(tilt, right, down, cell):
    assert tilt.move(4, right, down, 1000) == cell


def test_the_cursor_moves_again_every_800_ms(tilt):
    moves = [now for now in range(1000, 4000, 6) if tilt.move(3, 400, 0, now) != 3]
    assert [later - now for now, later in pairwise(moves)] == [804] * 3


def test_another_way_moves_the_cursor_at_once(tilt):
    assert tilt.move(4, 400, 0, 1000) == 5
    assert tilt.move(5, 0, 0, 1006) == 5
    assert tilt.move(5, 400, 0, 1012) == 5  # the edge
    assert tilt.move(5, -400, 0, 1018) == 4


@pytest.mark.parametrize("cell", range(9))
def test_the_cursor_never_leaves_the_board_nor_changes_row(tilt, cell):
    for now, (right, down) in enumerate([(400, 0), (-400, 0), (0, 400), (0, -400)]):
        there = tilt.move(cell, right, down, 1000 + now)
        assert 0 <= there < 9
        assert there // 3 == cell // 3 or there % 3 == cell % 3


def offered(content):
    """What the menu offers with this content of the file `settings`; None: there is no file."""
    shown = []
    microbit = SimpleNamespace(display=SimpleNamespace(show=shown.append))

    def open_file(name):
        assert name == "settings"
        if content is None:
            raise OSError
        return io.StringIO(content)

    with patch.dict(sys.modules, microbit=microbit), patch("builtins.open", open_file):
        menu = load_device("menu")
    assert shown == [menu.chosen[0].replace("P", "2")]
    return menu.chosen


CHOICES = ["Pb", "Pt", "Eb", "Et", "Mb", "Mt", "Hb", "Ht"]
DAMAGED = ["", "H", "Zb", "Hq", "H\xff", " P", "b ", "\0\0", "hb" * 99, '{"volume": 11}', None]


def test_the_menu_offers_the_choice_of_the_last_game_or_the_default():
    for choice in CHOICES:
        assert offered(choice) == offered(choice + "\xff" * 9_000) == choice
    assert [offered(content) for content in DAMAGED] == ["Pb"] * len(DAMAGED)
