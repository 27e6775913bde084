"""Hard on real firmware: every position asked, every line of play against it followed."""

import pytest

from ask_hard import ask_hard
from noughts import brain
from noughts.device_files import load_device
from noughts.game.positions import canonical, unfinished
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
def test_all_4520_positions(firmware):
    """As in each it keeps the value, no line of play beats it."""
    assert set(answers(firmware)) == set(unfinished())
