# noughts: the menu: button A shows the next opponent, B starts, both switch the controls. Each
# choice that it shows is sent. A choice has two letters, see `loop.py`.
import microbit


def choose(chosen):
    # Shows the menu until a game is started; returns the choice, such as "Hb".
    import buttons, leds, sentences

    last = chosen  # in the file
    text = sent = ""  # on the LEDs; the choice that was sent
    until = 0  # when a scrolling text ends
    while True:
        if not buttons.pending:
            if sent != chosen:
                sentences.send("NM,%s,%s" % (sentences.boot, chosen))
                sent = chosen
            microbit.sleep(4)
        button = buttons.wait()
        seat = "PEMHP"["PEMHP".find(chosen[0]) + 1]
        if button == 1:
            chosen = seat + chosen[1]
        elif button == 3:
            text = "tilt" if chosen[1] == "b" else "buttons"
            chosen = chosen[0] + text[0]
            until = buttons.now + leds.scroll(text)
        elif button:
            if chosen != last:
                try:
                    with open("settings", "w") as file:
                        file.write(chosen)
                except OSError:  # no room
                    pass
            return chosen
        if buttons.pending:
            until = 0
        else:
            seat = chosen[0]
        if buttons.pending == 2:
            seat = " "
        if seat != text and buttons.now >= until:
            microbit.display.show(seat.replace("P", "2"))
            text = seat
