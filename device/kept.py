# noughts: keeps the last sentence of each game in flash, and tells them again after a reset.
#
# A V1 has 65 files for them, each of one chunk: the newest takes the place of the oldest. Before
# the sentence stand its number, in six digits, and the menu's choice. When a game begins with
# another choice, that is kept at once, and the file stays open until it ends. So no game needs a
# second chunk, and chunks are freed page by page. (A V2 has few and large pages: see v2kept.py.)
import buttons, menu

turn = buttons.wait
told = 0  # files
file = None  # of the game that is played, where it has begun with another choice
if buttons.v2:
    from v2 import keep, tell
else:

    def keep(text):
        # A game's last sentence; or the choice, when a game begins with another one.
        global file
        try:
            if not (file and text[2:]):
                file = open(str(menu.number % 65), "w")
                file.write(str(menu.number) + menu.chosen)
                file.write("$")  # tells that the choice is whole
            if text[2:]:
                while told < 65:  # it has ended at once, and would be told again
                    tell()
                file.write(text[1:])
                file = file.close()  # type: ignore[func-returns-value]
                menu.number += 1
        except OSError:  # no room
            pass

    def tell():
        global told  # Tells one more; whether there may be others.
        try:
            # The length is written last, and a power cut may leave one that leads beyond the chunk,
            # where the firmware would end: so no more is read than there can be.
            text = open(str(told), "b").read(62)
            if text[8] == 36:  # "$"
                if text[-1] < 127:
                    print(str(text[8:], "utf-8"))
                else:  # flash that was never written: the choice alone is left, in an open file
                    open(str(told), "w").write(str(text[:9], "utf-8"))
        except Exception:  # none, or what a power cut left of one
            pass
        told += 1
        return told < 65


def wait_and_tell():  # noqa: F811
    # Stands for buttons.wait() until all are told, one at each turn of the loop.
    global tell, wait_and_tell  # a V1 needs their memory then
    if not tell():
        buttons.wait = turn
        del tell, wait_and_tell
    return turn()


buttons.wait = wait_and_tell
