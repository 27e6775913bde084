# noughts: keeps the last sentence of each game in flash, and tells them again after a reset.
#
# A V1 has 64 files for them, each of one chunk: the newest takes the place of the oldest. Before
# each sentence stands its number, in six digits. (A V2 has few and large pages: see v2kept.py.)
import buttons

turn = buttons.wait
number = 100000  # of the next game to keep
told = 0  # files
if buttons.v2:
    from v2 import keep, tell
else:

    def keep(text):
        global number
        while told < 64:  # a game has ended at once
            tell()
        try:
            with open(str(number % 64), "w") as f:
                f.write(str(number) + text)
        except OSError:  # no room
            pass
        number += 1

    def tell():
        global number, told  # Tells one more; whether there may be others.
        try:
            # The length is written last, and a power cut may leave one that leads beyond the chunk,
            # where the firmware would end: so no more is read than there can be.
            text = open(str(told), "b").read(60)
            number = max(number, int(text[:6]) + 1)
            if text[-1] > 126:  # flash that was never written: the length is such a one
                open(str(told), "w").close()
            else:
                print(str(text[6:], "utf-8"))
        except (OSError, ValueError):  # none, or what a power cut left of one
            pass
        told += 1
        return told < 64


def wait_and_tell():  # noqa: F811
    # Stands for buttons.wait() until all are told, one at each turn of the loop.
    global tell, wait_and_tell  # a V1 needs their memory then
    if not tell():
        buttons.wait = turn
        del tell, wait_and_tell
    return turn()


buttons.wait = wait_and_tell
