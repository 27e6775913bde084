# noughts: the loop of menu and games, also after a fault.
import gc, sys, microbit

# The choice, as in the file `settings`: the opponent's seat (P, shown as 2, for a person; R for
# another board, by radio), "b" for buttons or "t" for tilt, and "s" for sound or "q" for quiet (a
# V1 has none). While the board plays by radio, the channel comes next, then both boards' ids.
chosen = "Pbs"
try:
    with open("settings") as file:
        text = file.read(20)  # a power cut may leave a wrong length
    if text[0] in "PEMHR" and text[1] in "bt" and text[2] in "sq":
        chosen = text if text[3:4].isdigit() else text[:3]
except Exception:  # missing or damaged
    pass
microbit.display.show(chosen[0].replace("P", "2"))  # while other modules are imported


def load(text):
    # While a module imports others, its parse tree uses memory. So this small one imports all:
    # first those that need the most memory in one piece. Small modules come with those that import
    # them, because each collection takes 2 ms.
    from buttons import model

    for i in (text % model).split():
        __import__(i)
        gc.collect()


def start():
    # After a fault, the board shows a sad face and starts again.
    global chosen, load
    load("leds human menu ai game games_v%d tilt ending")
    del load  # a V1 needs its memory
    import buttons, game, menu, sentences, table

    sentences.send(sentences.start % (buttons.model, table.ID))

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


if chosen[4:]:
    from play import start  # type: ignore[assignment]
elif chosen[3:]:
    from join import start  # type: ignore[assignment]
