# noughts: gateway. A board with only this prints what the boards in its group send by radio, one
# line per frame, for `noughts watch`. It only checks a frame's form. The computer, which knows
# all sentences, does the rest.
import gc
import microbit
import radio
from microbit import display


def start(group):
    kind = 2 if hasattr(microbit, "pin_logo") else 1
    # Printing a frame takes 6 ms. More frames can wait, at 71 bytes each: as many as the heap of a
    # V1 allows, or the firmware of a V2.
    gc.collect()
    radio.config(length=65, queue=90 if kind == 1 else 254, channel=77, group=group)
    radio.on()
    print("gateway 1.2.0 V%d %d" % (kind, group))
    text = "gateway %d" % group
    display.scroll(text, 80, wait=False)
    stop = microbit.running_time() + (6 * len(text) + 5) * 80
    frame = bytearray(65)
    index = 0  # frames received
    lit = -1  # the LED that shows this, by moving
    while True:
        try:
            size = radio.receive_bytes_into(frame)
            if size is None:
                microbit.sleep(1)
            elif sentence(bytes(frame[:size])):
                print(str(frame[:size], "ascii"))
                index += 1
            if lit != index and microbit.running_time() > stop:
                display.set_pixel(lit % 5, lit // 5 % 5, 0)
                lit = index
                display.set_pixel(lit % 5, lit // 5 % 5, 9)
        except Exception:  # anyone can send anything
            pass


def sentence(frame):
    # Whether it has the form "$NR," ... "*hh". A second "$" could begin another sentence, which
    # would look as if it came by cable.
    return (
        frame[:4] == b"$NR,"
        and frame[-3:-2] == b"*"
        and frame.count(b"$") == 1
        and min(frame) > 31
        and max(frame) < 127
    )
