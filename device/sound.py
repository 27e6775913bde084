# noughts: sound, on a V2. It stands between the game and what it shows, so that nothing else knows
# of it, and a V1 has no cost. Nothing waits for a tone.
import ending, leds, loop, menu, music
from microbit import pin_logo

choice = loop.chosen  # of the menu, see `loop.py`
total = 0  # of the marks
cursor = touched = -1  # a finger that is on the logo at the start does not count
draw_leds = leds.draw
show_leds = leds.show
show_end = ending.show
choose = menu.choose


def tone(hertz):
    if choice[2] == "s":
        music.pitch(hertz, 120, wait=False)


def draw(marks, now, cells, light):
    # A mark of A is high, one of B low; the cells under the cursor are between them, and rise.
    global total, cursor
    draw_leds(marks, now, cells, light)
    last = sum(marks) - total
    total += last
    if last and any(marks):
        tone(490 + 294 * last)  # 784 or 196
    elif len(cells) == 1 and cells[0] != cursor:
        tone(262 + 40 * cells[0])
    if cells:
        cursor = cells[0]


def show(image):
    # An arrow or a cross answers a press that places nothing. Letters are shown without one.
    show_leds(image)
    if not isinstance(image, str):
        tone(131)


def end(marks, score, result):
    # Against the chip, the person is A. By radio, the boards' ids say whose this board is.
    global total
    total = sum(marks)
    if choice[2] == "s":
        won = choice[0] == "P" or (result > 0) == (choice[4:12] <= choice[12:])
        tune = music.POWER_UP if won else music.POWER_DOWN
        music.play(tune if result else music.BA_DING, wait=False)
    return show_end(marks, score, result)


def offer(chosen):
    # In the menu, a touch of the logo is button 4.
    global choice
    import buttons

    def wait():
        global touched
        last = touched
        touched = pin_logo.is_touched()
        return turn() or 4 * (touched and not last)

    turn = buttons.wait
    buttons.wait = wait
    choice = choose(chosen)
    buttons.wait = turn
    return choice


if choice[4:] or not choice[3:]:  # while it looks for another board, the light is no cursor
    leds.draw = draw
leds.show = show  # type: ignore[assignment]
ending.show = end
menu.choose = offer
if choice[4:]:  # there is a partner
    music.play(music.JUMP_UP, wait=False)
