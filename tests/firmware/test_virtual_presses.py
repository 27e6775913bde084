"""When the process of a virtual board presses its buttons, step by step in device time."""

import io

from boards import A, B
from noughts.virtual.process import PRESS_US, STEP_US, BoardProcess
from noughts.virtual.program import program

CLICK = ("press", A), ("release", A)


def obeyed_at_us(process, *messages):
    """The device time at which the last of these is obeyed."""
    wanted = process._obeyed + len(messages)
    for message in messages:
        process._inbox.put(message)
    process._obey()
    while process._obeyed < wanted:
        process._step()
        process._obey()
    return process._board.clock_us


def test_a_button_stays_down_and_then_up_for_a_while():
    process = BoardProcess(io.BytesIO(), io.BytesIO(), program("V2"), 1, 1.0)
    up_us = obeyed_at_us(process, *CLICK)
    assert PRESS_US <= up_us <= PRESS_US + STEP_US
    assert obeyed_at_us(process, ("press", B)) == up_us  # which was not down
    down_us = obeyed_at_us(process, ("press", A, B))  # both at one moment
    assert PRESS_US <= down_us - up_us <= PRESS_US + STEP_US
    assert PRESS_US <= obeyed_at_us(process, ("release", A, B)) - down_us <= PRESS_US + STEP_US


def test_a_board_that_is_programmed_anew_waits_for_no_press_of_the_one_before():
    """Its clock begins anew, so that it would be deaf for as long as the other has run."""
    made = program("V2")
    process = BoardProcess(io.BytesIO(), io.BytesIO(), made, 1, 1.0)
    obeyed_at_us(process, *CLICK, *CLICK)
    assert obeyed_at_us(process, ("program", made), ("press", A)) == 0
    assert obeyed_at_us(process, ("program", made), ("release", A)) == 0
