# noughts: scrolls why the game does not start: `files incomplete` or `error`. In
# the files of an interrupted update the table is missing or cut short, because it
# is always sent last; or one of our files is missing.
from microbit import display


def show(fault):
    text = "files incomplete"
    try:
        import table

        # Of "no module named 'tilt'", the name.
        name = " %s " % str(fault)[17:-1]
        ours = " menu buttons leds tilt human game rules ai ending chip sentences kept v2 v2kept "
        if table.ID and name not in ours + "loop ":
            text = "error"
    except Exception:
        pass
    display.scroll(text, loop=True)
