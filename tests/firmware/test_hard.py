"""Hard on real firmware: every position asked, every line of play against it followed."""

import pytest

from ask_hard import ask_hard
from needed import long
from noughts import brain
from noughts.device_files import load_device
from noughts.game.positions import canonical, unfinished
from noughts.game.solver import hard_moves
from official import NEWEST


@pytest.mark.parametrize(
    ("firmware", "up_to_symmetry"),
    [("V1 1.1.1", True), *(long(firmware, False) for firmware in NEWEST)],
)
def test_every_position(firmware, up_to_symmetry):
    """A board answers as the same code on this computer, which keeps the value in each position.

    So no line of play beats it.
    """
    asked, ai = ask_hard(firmware, up_to_symmetry=up_to_symmetry), load_device("ai")
    wanted = set(unfinished())
    assert set(asked) == wanted or {*map(canonical, asked)} == {*map(canonical, wanted)}
    assert len(asked) == (627 if up_to_symmetry else 4520)
    for position, answer in asked.items():
        assert answer.cells == brain.best_cells(ai, position), position
        assert set(answer.cells) <= set(hard_moves(position)), position
