# noughts: the menu: button A shows the next opponent, B starts, both switch the controls,
# and the logo of a V2 switches sound. Each choice that it shows is sent. `loop.py` describes it.
import microbit


def choose(chosen):
    # Shows the menu until a game is started; returns the choice, such as "Hbs".
    import buttons, leds, sentences

    last = chosen  # in the file
    text = sent = ""  # on the LEDs; the choice that was sent
    until = 0  # when a scrolling text ends
    seats = "PEMHRPPPPPP"  # each before the next; as a text of up to ten, it would cost a name
    while True:
        if not buttons.pending:
            if sent != chosen:
                sentences.send("NM,%s,%s" % (sentences.boot, chosen))
                sent = chosen
            microbit.sleep(2)
        button = buttons.wait()
        seat = seats[seats.find(chosen[0]) + 1]
        if button == 1:
            chosen = seat + chosen[1:]
        elif button > 2:  # 4: the logo, see `sound.py`
            i = chosen[button - 2]
            text = "b tilt t buttons s quiet q sound".split()  # type: ignore[assignment]
            text = text[text.index(i) + 1]
            chosen = chosen.replace(i, text[0])
            until = buttons.now + leds.scroll(text)
        elif button:
            if chosen[0] == "R":  # see `join.py`
                chosen += str(0)
            if chosen != last:
                try:
                    with open("settings", "w") as file:
                        file.write(chosen)
                except OSError:  # no room
                    pass
            if chosen[3:]:
                microbit.reset()
            return chosen
        if buttons.pending:
            until = 0
        seat = (chosen[0], seat, " ")[buttons.pending]
        if seat != text and buttons.now >= until:
            microbit.display.show(seat.replace("P", "2"))
            text = seat
