# noughts: stores the last sentence of each game on a V2 (on a V1: games_v1.py), in the board's data
# log: MY_DATA.HTM on its drive.
import buttons

LABELS = "boot", "game", "seats", "first", "moves", "ms", "end"
try:
    # The very first time, this formats the log for 0.7 s; the menu is shown already.
    import log

    log.set_labels(*LABELS, timestamp=None)
except (ImportError, OSError) as e:  # a firmware before 2.1
    log = None  # type: ignore[assignment]
    print("games are not stored:", e)


def save(sentence):
    global log
    if log:
        try:
            log.add(dict(zip(LABELS, sentence[4:-3].split(","))))
        except OSError as e:  # it is full
            log = None  # type: ignore[assignment]
            print("games are not stored:", e)


buttons.save = save  # type: ignore[attr-defined]
