# noughts: a person's move: the cursor, by buttons or by tilt. It blinks every
# 100 ms, as bright as the mark that it would place. Over a taken cell, it drops
# to 4 instead of going dark.
from microbit import Image, accelerometer
import buttons, leds


def choose(marks, player, controls):
    # Returns the chosen cell, or -1 for the menu. With controls "b", button A moves the
    # cursor and B places; with "t", A places for player A and B for player B.
    cell = 1 if marks[4] else 4  # the centre, the edges 1 to 7, or the corners 0 to 8
    while marks[cell]:
        cell = (cell + 2) % 9
    # target: the cell to which a pending press moves, or where it places; until: when an icon ends
    pending = until = 0
    began = buttons.now  # the cursor is lit first, then blinks
    target = phase = -1  # phase: of the blinking, as drawn
    while True:
        button = buttons.wait()
        now = buttons.now
        if button == 3:
            return -1
        if button and target >= 0:
            if controls != "b" or button == 2:
                return target
            cell = target
        if controls != "b":
            import tilt  # loaded already, but not while this large module is compiled

            moved = tilt.move(cell, accelerometer.get_x(), accelerometer.get_y(), now)
            if moved != cell:
                cell = moved
                began = now
                phase = -1
        if button or buttons.pending != pending:
            pending = buttons.pending
            lit = not phase & 1
            target = phase = -1
            if pending:
                began = now
                if pending == 1 and controls == "b":
                    target = (cell + 1) % 9
                    while marks[target]:
                        target = (target + 1) % 9
                elif marks[cell] or (controls != "b" and pending * 2 + player != 3):
                    # The arrow points to the button of the player to move.
                    arrow = Image.ARROW_W if player > 0 else Image.ARROW_E
                    leds.show(Image.NO if pending * 2 + player == 3 else arrow)
                    until = now + 700
                else:
                    target = cell
                    began -= 100 * lit  # blink at once, in response to the press
        if until:
            if now < until:
                continue
            until = 0
            leds.show(" ")
            phase = -1
        # Draw only changes: it takes longer than a turn of the loop.
        if (now - began) // 100 != phase:
            phase = (now - began) // 100
            light = 4 if marks[cell] else 0
            if not phase & 1:
                light = 8 + player  # 9 for player A, 7 for B
            leds.draw(marks, now, (cell if target < 0 else target,), light)
