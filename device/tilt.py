# noughts: tilt as a joystick: past 300 mg the cursor moves, again every 800 ms.
step = 0
start = 0  # of the last step, ms


def move(cell, right, down, now):
    # The cell after tilting right and down by so many milli-g; it stops at
    # the board's edge.
    global step, start
    if abs(right) < abs(down):
        value = 3 * (down > 300) - 3 * (down < -300)
    else:
        value = (right > 300) - (right < -300)
    if value != step or now - start >= 800:
        step = value
        start = now
        # A step to the right from column 2, or to the left from column 0?
        if cell % 3 != value + 1 and 0 <= cell + value < 9:
            return cell + value
    return cell
