# noughts: the menu: button A shows the next opponent, B starts, both switch the controls,
# and the logo of a V2 switches sound. Each choice that it shows is sent. `loop.py` describes it.
import loop, sys, microbit


def choose(chosen):
    # Shows the menu until a game is started; returns the choice, such as "Hbs".
    import buttons, leds, sentences

    last = chosen  # in the file
    shown = sent = ""  # on the LEDs; the choice that was sent
    until = 0  # when a scrolling text ends
    while True:
        if not buttons.pending:
            if sent != chosen:
                sentences.send("NM,%s,%s" % (sentences.boot, chosen))
                sent = chosen
            microbit.sleep(2)
        button = buttons.wait()
        # The next one; as a text of up to ten letters, the first would cost a name.
        seat = "PEMHRPPPPPP"["PEMHR".find(chosen[0]) + 1]
        if button == 1:
            chosen = seat + chosen[1:]
        elif button > 2:  # 4: the logo, see `sound.py`
            i = chosen[button - 2]
            shown = "tilt buttons quiet sound".split()["btsq".find(i)]
            chosen = chosen.replace(i, shown[0])
            until = buttons.now + leds.scroll(shown)
        elif button:
            if chosen > "R":  # see `join.py`
                chosen += str(0)  # "0" would cost a name
            if chosen != last:
                try:
                    with open("settings", "w") as file:
                        file.write(chosen)
                except OSError:  # no room
                    pass
            if chosen[3:]:
                microbit.reset()
            return chosen
        seat = (chosen[0], seat, " ")[buttons.pending]
        if seat != shown and (buttons.pending or buttons.now >= until):
            leds.show(seat.replace("P", "2"))
            shown = seat


def start():
    # After a fault, the board shows a sad face and starts again.
    import buttons, ending, game, sentences, table  # noqa: F401  # so a game begins at once

    chosen = loop.chosen
    sentences.send(sentences.opening % (sentences.boot, buttons.model, table.ID))
    del sentences.opening
    number = 0  # games since boot
    while True:
        try:
            chosen = choose(chosen)
            player = 1  # the person begins
            number += 1
            while game.play(number, chosen, player):
                player = -player
                number += 1
        except Exception as e:  # not Ctrl-C, which always reaches the REPL
            sys.print_exception(e)  # type: ignore[attr-defined]
            microbit.display.show(microbit.Image.SAD)
            microbit.sleep(2000)
