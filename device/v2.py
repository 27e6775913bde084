# noughts: what a V2 needs that a V1 does not, which never imports this.
from microbit import button_a, button_b


def read(read):
    # What reads the pins of A and B: 0 while a button is down. Some always read 0: pin 11
    # on firmware 2.0.0-beta.5, and both in the simulator on python.microbit.org. There the
    # firmware's debounced button, which is slower, has to do; so too where a button is held.
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
    # The very first time this takes 0.7 s, for it formats the log: the menu is lit already.
    import log

    log.set_labels(*LABELS, timestamp=None)
except (ImportError, OSError) as e:  # a firmware before 2.1
    log = None  # type: ignore[assignment]
    print("games are not stored:", e)


def keep(text):
    # A game's last sentence, as a row of the data log: MY_DATA.HTM on the board's drive.
    global log
    if log:
        try:
            log.add(dict(zip(LABELS, text[4:-3].split(","))))
        except OSError as e:  # it is full
            log = None  # type: ignore[assignment]
            print("games are not stored:", e)
