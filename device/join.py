# noughts: two boards find each other by radio, on a channel. Both store their ids in `settings`;
# play.py goes on after a reset, because a V1 has no memory for this too.
import microbit


def start():
    import gc, loop

    gc.collect()
    import buttons, leds, repeat, sentences

    chosen = loop.chosen
    ours = repeat.ours
    ours[1] = sentences.boot
    number = 0  # turns since both boards know
    try:
        while number < 40:
            buttons.wait()
            leds.draw(bytes(9), 0, (buttons.now // 200 % 9,), 4)
            if ours[0] == ours[1]:
                microbit.reset()  # and draw another id
            if repeat.theirs[1] == ours[0] > "":
                number += 1
            elif buttons.now - repeat.heard > 1000:
                ours[0] = ""
                repeat.heard = buttons.now
        chosen += ours[1] + ours[0]
    except EOFError:
        chosen = chosen[:3]
    with open("settings", "w") as file:
        file.write(chosen)
    microbit.reset()
