# noughts: tells why the game does not start: on the serial line by the traceback,
# on the LEDs as `files incomplete` or `error`. In the files of an interrupted
# update the table is missing or cut short, because it is always sent last.
import sys
from microbit import display


def show(fault):
    sys.print_exception(fault)  # type: ignore[attr-defined]
    text = "files incomplete"
    try:
        import table

        if table.ID and not isinstance(fault, ImportError):
            text = "error"
    except Exception:
        pass
    display.scroll(text, loop=True)
