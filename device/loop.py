# noughts: the loop of menu and games, also after a fault.
import gc, sys, microbit

# The choice, as in the file `settings`: the opponent's seat (P, shown as 2, for a person), "b" for
# buttons or "t" for tilt, and "s" for sound or "q" for quiet (a V1 has none).
chosen = "Pbs"
try:
    with open("settings") as file:
        text = file.read(3)  # a power cut may leave a wrong length
    if text[0] in "PEMH" and text[1] in "bt" and text[2] in "sq":
        chosen = text
except Exception:  # missing or damaged
    pass
microbit.display.show(chosen[0].replace("P", "2"))  # while other modules are imported


def load():
    # While a module imports others, its parse tree uses memory. So this small one imports all:
    # first those that need the most memory in one piece. Small modules come with those that import
    # them, because each collection takes 2 ms.
    from buttons import model

    for i in ("menu human game games_v%d ai ending" % model).split():
        __import__(i)
        gc.collect()
    import sentences, table

    sentences.send(sentences.start % (model, table.ID))


def start():
    # After a fault, the board shows a sad face and starts again.
    global chosen, load
    load()
    del load  # a V1 needs its memory
    import game, menu

    number = 0  # games since boot
    while True:
        try:
            chosen = menu.choose(chosen)
            player = 1  # the person begins
            number += 1
            while game.play(number, chosen, player):
                player = -player
                number += 1
        except Exception as e:  # not Ctrl-C, which always reaches the REPL
            sys.print_exception(e)  # type: ignore[attr-defined]
            microbit.display.show(microbit.Image.SAD)
            microbit.sleep(2000)
