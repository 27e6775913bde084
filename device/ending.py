# noughts: the end of a game: the winning line flashes, then the result scrolls.
import buttons, leds
from rules import THROUGH


def show(marks, score, result):
    # Any press skips ahead. Returns True for the next game, False for the menu.
    cells = []
    for i in range(36):
        if result and THROUGH[i] < 8 and score[THROUGH[i]] == 3 * result:
            cells.append(i // 4)
    began = buttons.now
    until = 0
    while True:
        button = buttons.wait()
        now = buttons.now
        if button or (until and now > until):
            return button != 3
        if buttons.pending:
            leds.show(" ")
        elif now - began < 1200:
            leds.draw(marks, now, cells if (now - began) // 150 & 1 else (), 0)
        elif not until:
            until = now + leds.scroll("Draw Game\nA Win\nB Win".split("\n")[result])
