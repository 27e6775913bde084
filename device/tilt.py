# noughts: tilt as a joystick: beyond 300 mg the cursor moves, again every 800 ms.
last = began = 0  # step; its time, ms


def move(cell, across, along, now):
    # The cell after tilting this many milli-g to the right and down. The cursor
    # stops at the board's edge.
    global last, began
    if abs(across) < abs(along):
        tilted = 3 * (along > 300) - 3 * (along < -300)
    else:
        tilted = (across > 300) - (across < -300)
    if tilted != last or now - began >= 800:
        last = tilted
        began = now
        # A step to the right from column 2, or to the left from column 0?
        if cell % 3 != tilted + 1 and 0 <= cell + tilted < 9:
            return cell + tilted
    return cell
