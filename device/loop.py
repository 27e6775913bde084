# noughts: the start: reads the choice, and lists what it needs.
import microbit

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


# `main.py` imports these, from the last one on, because the stack has most room there. Those that
# need the most memory in one piece come first. Small modules come with those that import them,
# because each collection takes 2 ms.
modules = "games_v%d ai game tilt human"
# `play` and `join` replace `modules`, too.
start = __import__("play" if chosen[4:] else "join" if chosen[3:] else "menu").start
from buttons import model  # noqa: E402

modules = (modules % model).split()  # type: ignore[assignment]
