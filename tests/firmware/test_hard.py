"""Hard on real firmware: every position asked, every line of play against it followed."""

import pytest

from device_query import ask_hard
from noughts import brain
from noughts.device_files import load_device
from noughts.game.positions import EMPTY, WON, canonical, unfinished
from noughts.game.solver import hard_moves
from official import NEWEST


def answers(firmware, **named):
    """The cells that a board answers with, which are those of the same code on this computer."""
    found = {each: answer.cells for each, answer in ask_hard(firmware, **named).items()}
    ai = load_device("ai")
    for position, cells in found.items():
        assert cells == brain.best_cells(ai, position), position
        assert set(cells) <= set(hard_moves(position)), position
    return found


def test_a_position_of_each_class():
    asked = answers("V1 1.1.1", up_to_symmetry=True)
    assert {canonical(each) for each in asked} == {canonical(each) for each in unfinished()}


@pytest.mark.long
@pytest.mark.parametrize("firmware", NEWEST)
def test_all_4520_positions_and_no_line_that_beats_it(firmware):
    cells_at = answers(firmware)
    assert set(cells_at) == set(unfinished()) and len(cells_at) == 4520
    lost = []

    def walk(position, hard_to_move):
        if position.over:
            if WON[position.other] and hard_to_move:
                lost.append(position)
            return
        for cell in cells_at[position] if hard_to_move else position.free:
            walk(position.play(cell), not hard_to_move)

    walk(EMPTY, True)
    walk(EMPTY, False)
    assert not lost
