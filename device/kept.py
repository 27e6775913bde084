# noughts: keeps the last sentence of each game. A V2 adds it to its data log (see v2.py). A V1
# has a ring of 24 files, of one chunk each: the newest takes the place of the oldest, and a rising
# number before the sentence says which that is. After a reset they are sent again, one in each
# turn of the loop.
import buttons

turn = buttons.wait
told = 0  # files
number = 100000  # of the next game to keep
if buttons.v2:
    from v2 import keep
else:

    def keep(text):
        global number
        while told < 24:  # this game has ended at once, and would be sent again
            tell()
        try:
            with open(str(number % 24), "w") as file:
                file.write(str(number) + text)
            number += 1
        except OSError:  # no room
            pass

    def tell():
        # Stands for buttons.wait() until all are sent.
        global told, number, tell
        try:
            # A power cut may leave a wrong length: so no more is read than there can be.
            with open(str(told), "b") as file:
                text = file.read(60)
            if text[-1] < 127:
                number = max(number, int(text[:6]) + 1)
                print(str(text[6:], "utf-8"))
        except Exception:  # none, or what a power cut left of one
            pass
        told += 1
        if told == 24:
            buttons.wait = turn
            del tell  # a V1 needs its memory
        return turn()

    buttons.wait = tell
