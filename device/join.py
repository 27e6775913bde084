# noughts: two boards find each other by radio, on a channel: A shows the next, B starts. Both store
# their ids in `settings`; then play.py goes on. A reset comes before and after this, because
# a V1 has no memory for the menu, this and the games together.
import loop, microbit

loop.modules = "%.0s"  # for the board's kind: none, because `pick` and `find` need the memory


def pick(chosen):
    # Shows the channels. Returns the choice with one, or without for the menu.
    import buttons, repeat, sentences

    button = 0
    text = ""  # the channel that was sent
    while button < 2:
        digit = chosen[3]
        if not buttons.pending and text != digit:
            sentences.send("NM,%s,%s" % (sentences.boot, chosen))
            text = digit
        following = "1234567890"[int(digit)]
        microbit.display.show((digit, following, " ")[buttons.pending])
        button = repeat.turn()  # without the radio
        if button == 1:
            chosen = chosen[:3] + following
    return chosen if button == 2 else chosen[:3]


# The partner's id; ours; how many more frames to us the partner has sent.
ids = ["", "", 0]  # type: list


def receive():
    # Replaces repeat.receive(): takes a board that searches too, or has chosen us, as partner.
    import buttons, radio, repeat

    frame = radio.receive_bytes()
    if frame:
        to, sender = str(frame, "utf-8").split(",")[:2]
        if not ids[0] and to in ("", ids[1]) and len(sender) == 8:
            ids[0] = sender
            repeat.heard = buttons.now
        elif [sender, to] == ids[:2]:
            ids[2] += 1
            repeat.heard = buttons.now


def find(chosen):
    # Returns the choice with both boards' ids.
    import buttons, leds, radio, repeat, sentences
    from random import randrange

    loop.chosen = chosen
    radio.config(channel=2 + 8 * int(chosen[3]))
    repeat.receive = receive
    ids[1] = sentences.boot
    number = 0  # turns since both boards know
    while number < 40:
        repeat.ours[0] = "%s,%s" % (ids[0], ids[1])
        buttons.wait()
        leds.draw(bytes(9), 0, (buttons.now // 200 % 9,), 4)
        if ids[0] == ids[1]:
            ids[:] = "", "%08X" % randrange(1 << 30), 0
        if ids[2] > 1:  # one may have been sent just before it chose another board
            number += 1
        elif buttons.now - repeat.heard > 1000:
            ids[0] = ""
            ids[2] = 0
            repeat.heard = buttons.now
    return chosen + ids[1] + ids[0]


def start():
    import gc

    gc.collect()
    import buttons, sentences

    with open("table.py") as file:  # a V1 has no memory to import it
        text = file.read()
    sentences.send(sentences.opening % (sentences.boot, buttons.model, text[-6:-2]))
    del text
    chosen = pick(loop.chosen)
    if chosen[3:]:
        try:
            chosen = find(chosen)
        except EOFError:  # A and B were pressed
            chosen = chosen[:3]
    with open("settings", "w") as file:
        file.write(chosen)
    microbit.reset()
