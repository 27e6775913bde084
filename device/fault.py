# noughts: scrolls why the game does not start: `files incomplete` or `error`. In
# the files of an interrupted update the table is missing or cut short, because it
# is always sent last.
from microbit import display


def show(fault):
    text = "files incomplete"
    try:
        import table

        if table.ID and not isinstance(fault, ImportError):
            text = "error"
    except Exception:
        pass
    display.scroll(text, loop=True)
