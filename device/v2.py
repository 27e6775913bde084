# noughts: what only a V2 needs; a V1 never imports this.
import sound  # noqa: F401  # it works by itself
from microbit import button_a, button_b


def read(read):
    # The readers of A and B, which give 0 while a button is down. Some pins always read 0: pin
    # 11 on firmware 2.0.0-beta.5, and both in the simulator on python.microbit.org. Those, and
    # buttons that are held now, use the firmware's debounced button, which is slower.
    def choose(pin, button):
        return pin if pin() else lambda: not button()

    one = choose(read[0], button_a.is_pressed)
    two = choose(read[1], button_b.is_pressed)
    try:
        import air

        two = air.read(one, two)
    except ImportError:  # made without radio
        pass
    return one, two


LABELS = "boot", "game", "seats", "first", "moves", "ms", "end"
try:
    # The very first time, this formats the log for 0.7 s; the menu is shown already.
    import log

    log.set_labels(*LABELS, timestamp=None)
except (ImportError, OSError) as e:  # a firmware before 2.1
    log = None  # type: ignore[assignment]
    print("games are not stored:", e)


def save(text):
    # Adds a game's last sentence to the data log: MY_DATA.HTM on the board's drive.
    global log
    if log:
        try:
            log.add(dict(zip(LABELS, text[4:-3].split(","))))
        except OSError as e:  # it is full
            log = None  # type: ignore[assignment]
            print("games are not stored:", e)
