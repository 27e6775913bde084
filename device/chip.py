# noughts: the chip's move.
import ai, buttons, leds, random


def choose(marks, score, player, level):
    # The cell to place on, or -1 for the menu. The reply waits a moment, so
    # that a person sees it.
    until = buttons.now + 400
    cells = ai.best(marks, score, player, level)
    while buttons.now < until:
        if buttons.wait() == 3:
            return -1
        leds.draw(marks, buttons.now, b"", 0)
    return random.choice(cells)
