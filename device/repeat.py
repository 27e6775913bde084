# noughts: what two boards send to each other by radio, several times a second: the game so far.
#
#     <the other's id>,<its own id>,<boot>,<game>,PP,<first>,<moves>,<ms>,<"x" if it leaves>
import buttons, leds, loop, radio
from random import randrange

turn = buttons.wait
ours = ["", "", "", "0", "PP", "A", "", "0", ""]
theirs = [""] * 9
raw = None  # the partner's last frame
again = heard = 0  # when to send; when the partner was heard, ms


def receive(frame, now):
    global raw, heard
    if frame != raw:
        raw = None  # a V1 needs its memory
        fields = str(frame, "utf-8").split(",")
        sender = fields[1]
        if not ours[0] and fields[0] in ("", ours[1]) and len(sender) == 8:
            ours[0] = sender  # perhaps the partner
            heard = now
        # Each cell at most once: so what follows on our moves can be played.
        cells = bytes(fields[6] + "9", "utf-8")
        if int("0" + fields[3] + fields[6] + fields[7]) < 0 or len(set(cells)) < len(cells):
            return
        if fields[8:] not in ([""], ["x"]) or fields[:2] != [ours[1], ours[0]]:
            return
        theirs[:] = fields
        raw = frame
    heard = now


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
                receive(frame, now)
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
radio.config(length=70, queue=1, channel=2 + 8 * int(loop.chosen[3:4]), group=77, power=7)
radio.on()
