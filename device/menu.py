# noughts: the menu: A is the next opponent, B starts, both switch the controls.
# The last choice is kept in flash as two letters: the opponent's seat (P, shown
# as 2, for a person) and "b" for buttons or "t" for tilt.
from microbit import display

choice = "Pb"
try:
    text = open("settings").read(3)
    if len(text) == 2 and text[0] in "PEMHP" and text[1] in "bt":
        choice = text
except (OSError, ValueError):  # missing or damaged: the defaults
    pass

# At once, while the other modules are still to come.
display.show("2" if choice[0] == "P" else choice[0])

import buttons
import leds


def choose():
    # Shows the menu until a game is started; gives the choice, like "Hb".
    global choice
    old = choice
    text = ""  # on the LEDs
    stop = 0  # when a scrolling text ends
    while True:
        button = buttons.wait()
        key = "PEMHP"["PEMHP".find(choice[0]) + 1]
        if button == 1:
            choice = key + choice[1]
        elif button:
            if button == 3:
                choice = choice[0] + ("t" if choice[1] == "b" else "b")
                stop = buttons.now + leds.scroll("tilt" if choice[1] == "t" else "buttons")
                text = ""
            # Flash wears out.
            if choice != old and (not buttons.v2 or buttons.v2.writable()):
                with open("settings", "w") as f:
                    f.write(choice)
                old = choice
            if button == 2:
                return choice
        if buttons.pending:
            stop = 0
        else:
            key = choice[0]
        if buttons.pending == 2:
            key = " "
        if key != text and buttons.now >= stop:
            display.show("2" if key == "P" else key)
            text = key
