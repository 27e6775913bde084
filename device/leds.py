# noughts: what the 25 LEDs show. Cell (column c, row r) is the LED (2c, 2r).
#
# A's mark is steady at 9, the brightest. B's pulses slowly between 7 and 4,
# every 500 ms, and never goes dark.
#
# The display is cleared by showing " ": V1's display.clear() waits for its own
# interrupt, and for ever if that comes between two of its instructions.
from microbit import display


def draw(marks, now, cells, level):
    # The marks, but `cells` at a level of their own.
    for cell in range(9):
        light = 9 * marks[cell]
        if cell in cells:
            light = level
        elif light < 0:
            light = 4 if now // 500 & 1 else 7
        display.set_pixel(cell % 3 * 2, cell // 3 * 2, light)


def scroll(text):
    # Starts to scroll a text, and says how many milliseconds that takes:
    # 80 for each of the columns of pixels.
    display.scroll(text, 80, wait=False)
    return (6 * len(text) + 5) * 80
