# noughts: the menu: A is the next opponent, B starts, both switch the controls.
# The last choice is kept in flash as two letters: the opponent's seat (P, shown
# as 2, for a person) and "b" for buttons or "t" for tilt.
from microbit import display

chosen = "Pb"
try:
    text = open("settings").read(3)
    if len(text) == 2 and text[0] in "PEMHP" and text[1] in "bt":
        chosen = text
except (OSError, ValueError):  # missing or damaged: the defaults
    pass

# At once, while the other modules are still to come.
display.show("2" if chosen[0] == "P" else chosen[0])

import buttons
import leds


def choose():
    # Shows the menu until a game is started; gives the choice, like "Hb".
    global chosen
    old = chosen
    text = ""  # on the LEDs
    until = 0  # when a scrolling text ends
    while True:
        button = buttons.wait()
        seat = "PEMHP"["PEMHP".find(chosen[0]) + 1]
        if button == 1:
            chosen = seat + chosen[1]
        elif button:
            if button == 3:
                chosen = chosen[0] + ("t" if chosen[1] == "b" else "b")
                until = buttons.now + leds.scroll("tilt" if chosen[1] == "t" else "buttons")
                text = ""
            # Flash wears out.
            if chosen != old and (not buttons.v2 or buttons.v2.room()):
                with open("settings", "w") as f:
                    f.write(chosen)
                old = chosen
            if button == 2:
                return chosen
        if buttons.pending:
            until = 0
        else:
            seat = chosen[0]
        if buttons.pending == 2:
            seat = " "
        if seat != text and buttons.now >= until:
            display.show("2" if seat == "P" else seat)
            text = seat
