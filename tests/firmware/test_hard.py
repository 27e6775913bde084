"""Hard on real firmware: every position asked, every line of play against it followed."""

import pytest

from device_query import ask_hard
from needed import long
from noughts import brain
from noughts.device_files import load_device
from noughts.game.positions import EMPTY, WON, unfinished
from noughts.game.solver import hard_moves


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V2 2.1.2")])
def test_all_4520_positions_and_no_line_that_beats_it(firmware):
    answers = {position: answer.cells for position, answer in ask_hard(firmware).items()}
    assert set(answers) == set(unfinished())
    assert len(answers) == 4520
    ai = load_device("ai")
    for position, cells in answers.items():
        assert cells == brain.best_cells(ai, position), position
        assert set(cells) <= set(hard_moves(position)), position

    lost = []

    def walk(position, hard_to_move):
        if position.over:
            if WON[position.other] and hard_to_move:
                lost.append(position)
            return
        for cell in answers[position] if hard_to_move else position.free:
            walk(position.play(cell), not hard_to_move)

    walk(EMPTY, True)
    walk(EMPTY, False)
    assert not lost
