# noughts: what two boards send to each other by radio, several times a second: the game so far.
#
#     <the other's id>,<its own id>,<boot>,<game>,PP,<first>,<moves>,<ms>,<"x" if it leaves>
import buttons, leds, loop, radio
from random import randrange

radio.config(length=70, queue=1, channel=2 + 8 * int(loop.chosen[3:4]), group=77, power=7)
radio.on()
del loop  # a V1 needs its memory: the 13th name of a module takes 40 bytes
turn = buttons.wait
# Both ids; boot, game, seats and who begins; the moves; ms; "x" if this board leaves.
ours = ["", ",0,PP,A", "", "0", ""]
# The partner's last frame, and the same four of it.
theirs = [""] * 5  # type: list
again = heard = 0  # when to send; when the partner was heard, ms


def receive():
    # Takes the partner's frame. Anyone can send anything, so this may raise any exception.
    global heard
    frame = radio.receive_bytes()
    if not frame:
        return
    if frame != theirs[0]:
        theirs[0] = ""  # a V1 needs its memory
        text = str(frame, "utf-8")
        if text[9:18] + text[:8] != ours[0]:
            return
        fields = text[18:].rsplit(",", 3)
        del text  # the same
        fields[3] = fields[3] or ""  # a constant takes none
        # Each cell at most once: so what follows on our moves can be played.
        cells = set(bytes("9" + fields[1], "utf-8"))
        if int("0" + fields[0][9:-5] + fields[1] + fields[2]) < 0:
            return
        if fields[3] not in "x" or len(cells) <= len(fields[1]):
            return
        theirs[1:] = fields
        theirs[0] = frame
    heard = buttons.now


def wait():
    # Replaces buttons.wait(): also receives and sends. EOFError: a board leaves.
    global again
    lost = False  # the partner is silent
    while True:
        now = buttons.now
        sent = now >= again
        if sent:  # first, because the turn takes some milliseconds
            radio.send_bytes(bytes(",".join(ours), "utf-8"))
            again = now + randrange(60, 140)  # this takes the frame from the stack
        button = turn()
        try:
            if not (sent or buttons.pending):  # so a turn is short, and the LEDs come first
                receive()
        except Exception:
            pass
        if not ours[4]:
            if button == 3 or (theirs[4] and len(theirs[2]) <= len(ours[2])):
                raise EOFError
            if buttons.now - heard > 10000:
                leds.show("?")
                lost = True
                continue
        if lost:
            leds.show(" ")
        return button


buttons.wait = wait
