"""What names a board's runs: drawn anew at each start, and too long to be drawn twice."""

import pytest
from noughts.boards.base import Button

from soak.machine import Machine
from soak.player import Player


@pytest.mark.usefixtures("emulated")
def test_boot_ids_have_32_random_bits():
    drawn = []
    for seed in range(1, 7):
        with Machine(seed) as machine:
            player = Player(machine)
            player.boots()
            player.tap(Button.B)
            drawn.append(player.games[-1].boot)
    assert [len(boot) for boot in drawn] == [8] * len(drawn)
    assert len(set(drawn)) == len(drawn)
    for digit in zip(*drawn, strict=True):  # each is drawn
        assert len(set(digit)) > 1
