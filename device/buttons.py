# noughts: two buttons, debounced; a press of A is 1, of B is 2, of both together
# is 3.
#
# A press counts at its first contact. Changes in the next 21 ms are bounce, also
# after a release. A press is reported when the same button is pressed again, or
# when it is too late for the other button: two presses within 100 ms are "both",
# in either order, and never also a single press. Until then, the press is
# `pending`, so that the LEDs can respond at once. The firmware's own debouncing
# takes 60 ms and loses quick taps, so this reads the pins.
import microbit

# A pin reads 0 while its button is down.
read = microbit.pin5.read_digital, microbit.pin11.read_digital
model = 1 + hasattr(microbit, "pin_logo")
if model > 1:
    import v2  # noqa: F401  # it replaces `read`

# now: running time in this turn of the loop, ms; pending: 1, 2, or 0 for none; began: when the
# pending press began, ms
now = pending = began = 0
down = [True] * 2  # a button that is held at the start does not count as pressed
changed = [0] * 2  # when each button last changed, ms


def wait():
    # Waits for the next turn of the loop. Returns the button once a press is
    # decided, else 0.
    global now, pending, began
    microbit.sleep(5)
    i = now
    now = microbit.running_time()
    if now < i:  # a V1's clock may lose 65.5 ms when an interrupt comes at the wrong moment
        began -= 66
    button = 0
    for i in range(2):
        i ^= pending // 2  # the pending one first: if it is down again, the other joins it
        if not button and read[i]() == down[i]:
            if abs(now - changed[i]) > 20:  # the clock may jump
                changed[i] = now
                down[i] = not down[i]
                if down[i]:
                    if pending == 2 - i:
                        pending = 0
                        return 3
                    button = pending
                    pending = i + 1
                    began = now
            elif not down[i]:
                return 0  # a bounce or a press: wait until it is clear
    # 100 ms between the presses, and a turn of 6 ms at either end.
    if pending and not button and now - began > 112:
        button = pending
        pending = 0
    return button
