# noughts: two buttons, debounced, told apart from both together: A is 1, B is 2,
# both are 3.
#
# A press counts at its first contact; what the contact does in the next 21 ms is
# bounce, and so after a release. It is reported when the same button is pressed
# again, or when the other button can no longer join it: both within 100 ms are
# "both", in either order, and never also a single press. Until then it is
# `pending`, so that the LEDs can answer it at once. The firmware's own debouncing
# takes 60 ms and loses a quick tap, so the pins are read.
import microbit

# A pin reads 0 while its button is down.
read = (microbit.pin5.read_digital, microbit.pin11.read_digital)
v2 = hasattr(microbit, "pin_logo")
if v2:
    import v2  # type: ignore[assignment]

    read = v2.read(read)  # type: ignore[attr-defined]

# now: running time at this turn of the loop, ms; pending: 1, 2 or 0 for none; start: when the
# pending press began, ms
now = pending = start = 0
down = [True, True]  # a button that is held from the start is no press
time = [0, 0]  # when each button last changed, ms


def wait():
    # Waits for the next turn of the loop; the button when a press is decided,
    # else 0.
    global now, pending, start
    microbit.sleep(5)
    i = now
    now = microbit.running_time()
    if now < i:  # V1's clock may lose 65.5 ms: an interrupt at the wrong moment
        start -= 66
    button = 0
    for i in range(2):
        i ^= pending // 2  # the pending one first: if it is down again, the other joins that
        if not button and read[i]() == down[i]:
            if now - time[i] > 20:
                time[i] = now
                down[i] = not down[i]
                if down[i]:
                    if pending == 2 - i:
                        pending = 0
                        return 3
                    button = pending
                    pending = i + 1
                    start = now
            elif not down[i]:
                return 0  # bounce, or a press: nothing is decided before it is known
    # 100 ms between the presses, and one turn of 6 ms at either end.
    if pending and not button and now - start > 112:
        button = pending
        pending = 0
    return button
