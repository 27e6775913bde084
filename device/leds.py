# noughts: drawing on the 25 LEDs. Cell (column c, row r) is the LED (2c, 2r).
#
# A's mark is steady at 9, the brightest. B's mark pulses slowly between 7 and 4,
# every 500 ms, and never goes dark.
#
# The display is cleared by showing " ": V1's display.clear() waits for its own
# interrupt, and hangs if that comes between two of its instructions.
from microbit import display

show = display.show


def draw(marks, now, cells, level):
    # Draws the marks, and `cells` at this level.
    for cell in range(9):
        light = 9 * marks[cell]
        if cell in cells:
            light = level
        if light < 0:
            light = 7 - now // 500 % 2 * 3
        display.set_pixel(cell % 3 * 2, cell // 3 * 2, light)


def scroll(text):
    # Starts scrolling a text, and returns how many milliseconds that takes: 80 for each column of
    # pixels, 6 columns a letter, and 5 more.
    display.scroll(text, 80, wait=False)
    return 480 * len(text) + 400
