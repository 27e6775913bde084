# noughts: the loop of menu and games, also after a fault.
import sys, microbit

# The choice, as in the file `settings`: the opponent's seat (P, shown as 2, for a person; R for
# another board, by radio), "b" for buttons or "t" for tilt, and "s" for sound or "q" for quiet (a
# V1 has none). While the board plays by radio, the channel comes next, then both boards' ids.
chosen = "Pbs"
try:
    with open("settings") as file:
        stored = file.read(3)  # a power cut may leave a wrong length
        if stored[0] in "PEMHR" and stored[1] in "bt" and stored[2] in "sq":
            chosen = stored
            chosen += file.read(17 * (chosen > "R"))
except Exception:  # missing or damaged
    pass
microbit.display.show(chosen[0].replace("P", "2"))  # while other modules are imported


def start():
    # After a fault, the board shows a sad face and starts again.
    global chosen
    import game, menu, sentences, table

    sentences.send(sentences.opening % (sentences.boot, model, table.ID))
    del sentences.opening
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


# `main.py` imports these, from the last one on, because the stack has most room there. Those that
# need the most memory in one piece come first. Small modules come with those that import them,
# because each collection takes 2 ms.
modules = "ending tilt games_v%d ai game menu human"
if chosen[4:]:  # `play` and `join` replace `modules`, too
    from play import start  # type: ignore[assignment]
elif chosen[3:]:
    from join import start  # type: ignore[assignment]
from buttons import model  # noqa: E402

modules = (modules % model).split()  # type: ignore[assignment]
