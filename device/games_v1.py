# noughts: stores the last sentence of each game on a V1 (on a V2: games_v2.py), in a ring of 24
# files of one chunk each. The newest game replaces the oldest, and a number before the sentence,
# which counts up, shows the order. After a reset, the games are sent again, one in each turn of
# the loop.
import buttons

turn = buttons.wait
resent = 0  # files
number = 100000  # of the next game


def save(sentence):
    global number
    while resent < 24:  # a game that has ended so soon must not be resent too
        resend()
    try:
        with open(str(number % 24), "w") as file:
            file.write(str(number) + sentence)
        number += 1
    except OSError:  # no room
        pass


def resend():
    # Replaces buttons.wait() until all are sent.
    global resent, number, resend
    try:
        # A power cut may leave a wrong length, so this reads only what there can be.
        with open(str(resent), "b") as file:
            sentence = file.read(60)
        if sentence[-1] < 127:
            number = max(number, int(sentence[:6]) + 1)
            print(str(sentence[6:], "utf-8"))
    except Exception:  # there is no file, or a power cut has damaged it
        pass
    resent += 1
    if resent == 24:
        buttons.wait = turn
        del resend  # a V1 needs its memory
    return turn()


buttons.wait = resend
buttons.save = save  # type: ignore[attr-defined]
