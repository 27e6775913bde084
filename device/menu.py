# noughts: the menu: A is the next opponent, B starts, both switch the controls. The choice is
# the opponent's seat (P, shown as 2, for a person), and "b" for buttons or "t" for tilt.
import microbit
from machine import mem8

chosen = "Pb"
number = 100000  # of the next game to keep
# The choice of the newest game (see kept.py) is read from flash as it is: as long as that game is
# played, its file is open, and such a file reads as empty. A V2 has but one, which is closed.
i = 0x6D000 if hasattr(microbit, "pin_logo") else 0x38800
for i in range(i, i + 0x7400, 128):
    if mem8[i] == 254 and mem8[i + 2] < 3:  # a file begins; the lengths of it, and of its name
        last = mem8[i + min(mem8[i + 1], 127)] < 127  # is a letter, so it was closed
        i += 3 + mem8[i + 2]
        text = "".join(chr(mem8[i]) for i in range(i, i + 9))
        if (
            text[6:8] in "Pb Pt Eb Et Mb Mt Hb Ht"
            and (last or text[8] == "$")
            and text[:6].isdigit()
            and int(text[:6]) >= number
        ):
            number = int(text[:6]) + last
            chosen = text[6:8]
microbit.display.show(chosen[0].replace("P", "2"))  # while other modules are to come


def choose():
    # Shows the menu until a game is started; gives the choice, like "Hb".
    global chosen
    import buttons, leds

    text = ""  # on the LEDs
    until = 0  # when a scrolling text ends
    while True:
        button = buttons.wait()
        seat = "PEMHP"["PEMHP".find(chosen[0]) + 1]
        if button == 1:
            chosen = seat + chosen[1]
        elif button:
            if button == 3:
                text = "tilt" if chosen[1] == "b" else "buttons"
                chosen = chosen[0] + text[0]
                until = buttons.now + leds.scroll(text)
            else:
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
