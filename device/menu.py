# noughts: the menu: button A shows the next opponent, B starts, both switch the controls. A choice
# is the opponent's seat (P, shown as 2, for a person), and "b" for buttons or "t" for tilt.
import microbit

chosen = "Pb"
try:
    with open("settings") as file:
        text = file.read(2)  # a power cut may leave a wrong length
    if text[0] in "PEMH" and text[1] in "bt":
        chosen = text
except Exception:  # missing or damaged
    pass
last = chosen  # in the file
microbit.display.show(chosen[0].replace("P", "2"))  # while other modules are imported


def choose():
    # Shows the menu until a game is started; returns the choice, such as "Hb".
    global chosen, last
    import buttons, leds

    text = ""  # on the LEDs
    until = 0  # when a scrolling text ends
    while True:
        if not buttons.pending:
            microbit.sleep(8)
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
                    last = chosen
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
