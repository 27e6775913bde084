"""The device's rules, as CPython runs them."""

import pytest

from noughts.device_files import load_device
from noughts.game.positions import LINES

rules = load_device("rules")


def play(moves, first=1):
    marks, score, player = [0] * 9, [0] * 8, first
    for cell in moves:
        rules.place(marks, score, cell, player)
        player = -player
    return marks, score


def test_known_game_ends_with_player_b_in_the_last_row():
    # In LED coordinates: A(2,2) B(4,0) A(2,0) B(2,4) A(0,0) B(4,4) A(4,2) B(0,4).
    leds = [(2, 2), (4, 0), (2, 0), (2, 4), (0, 0), (4, 4), (4, 2), (0, 4)]
    marks, score = play([x // 2 + 3 * (y // 2) for x, y in leds])
    assert score[5] == -3
    assert rules.result(marks, score) == -1


@pytest.mark.parametrize("line", range(8))
@pytest.mark.parametrize("player", [1, -1])
def test_each_line_wins(line, player):
    marks, score = [0] * 9, [0] * 8
    for count, cell in enumerate(LINES[line], 1):
        assert rules.result(marks, score) == 2
        rules.place(marks, score, cell, player)
        assert score[line] == count * player
    assert rules.result(marks, score) == player


def test_every_cell_counts_on_exactly_its_lines():
    for cell in range(9):
        _, score = play([cell])
        assert score == [int(cell in line) for line in LINES]


def test_a_full_board_without_a_line_is_a_draw():
    marks, score = play([4, 0, 2, 6, 3, 5, 1, 7, 8])
    assert 0 not in marks
    assert rules.result(marks, score) == 0
