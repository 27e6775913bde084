# noughts: the chip's move.
from random import choice
import ai
import buttons
import leds


def choose(marks, score, player, level):
    # The cell to place on, or -1 for the menu. The reply waits a moment, so
    # that a person sees it.
    until = buttons.now + 400
    cells = ai.best(marks, score, player, level)
    while buttons.now < until:
        if buttons.wait() == 3:
            return -1
        leds.draw(marks, buttons.now, b"", 0)
    return choice(cells)
