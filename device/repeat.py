# noughts: what two boards send to each other by radio, several times a second: the game so far.
#
#     <the other's id>,<its own id>,<boot>,<game>,PP,<first>,<moves>,<ms>,<"x" if it leaves>
import buttons, leds, loop, radio
from random import randrange

radio.config(length=70, queue=1, channel=2 + 8 * int(loop.chosen[3:4]), group=77, power=7)
radio.on()
del loop  # a V1 needs its memory: the 13th name of a module takes 40 bytes
turn = buttons.wait
ours = ["", "", "", "0", "PP", "A", "", "0", ""]
theirs = [""] * 9  # the partner's last frame, its id, and the other fields of that frame
again = heard = 0  # when to send; when the partner was heard, ms


def receive(frame):
    global heard
    if frame != theirs[0]:
        theirs[0] = ""  # a V1 needs its memory
        fields = str(frame, "utf-8").split(",")
        if not ours[0] and fields[0] in ("", ours[1]) and len(fields[1]) == 8:
            ours[0] = fields[1]  # perhaps the partner
            heard = buttons.now
        if len(fields) != 9 or fields[8] not in "x" or fields[:2] != [ours[1], ours[0]]:
            return
        fields[:2] = frame, ours[0]
        fields[4:6] = ours[4:6]  # the same on both boards
        # Each cell at most once: so what follows on our moves can be played.
        cells = set(bytes("9" + fields[6], "utf-8"))
        if int("0" + fields[3] + fields[6] + fields[7]) < 0 or len(cells) <= len(fields[6]):
            return
        theirs[:] = fields
    heard = buttons.now


def wait():
    # Replaces buttons.wait(): also receives and sends. EOFError: a board leaves.
    global again
    lost = False  # the partner is silent
    while True:
        now = buttons.now
        if now >= again:  # first, because the turn takes some milliseconds
            again = now + randrange(60, 140)
            radio.send_bytes(bytes(",".join(ours), "utf-8"))
        button = turn()
        now = buttons.now
        try:
            frame = radio.receive_bytes()
            if frame:
                receive(frame)
        except Exception:  # anyone can send anything
            pass
        if not ours[8]:
            if button == 3 or (theirs[8] and len(theirs[6]) <= len(ours[6])):
                raise EOFError
            if now - heard > 10000:
                leds.show("?")
                lost = True
                continue
        if lost:
            leds.show(" ")
        return button


buttons.wait = wait
