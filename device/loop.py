# noughts: menu, games, and what follows a fault.
import sys
import microbit


def start():
    # Never a dead board: after a fault it shows a sad face and begins again.
    # While a module imports, the firmware keeps its parse tree; so all is imported
    # here, in a function: the menu first, which shows itself, then what takes the
    # most memory to compile. Collecting before that keeps the heap in one piece.
    import gc, menu, buttons, leds

    gc.collect()
    import tilt, human, kept

    gc.collect()
    import game, rules, table, ai, ending, chip, sentences

    sentences.send("NB,1,%s,V%d,1.0.0,%s" % (sentences.boot, 2 if buttons.v2 else 1, table.ID))
    number = 0  # games since boot
    while True:
        try:
            chosen = menu.choose()
            player = 1  # the person begins
            number += 1
            while game.play(number, "P" + chosen[0], player, chosen[1]):
                player = -player
                number += 1
        except Exception as e:  # Ctrl-C is none: it always reaches the REPL
            sys.print_exception(e)  # type: ignore[attr-defined]
            microbit.display.show(microbit.Image.SAD)
            microbit.sleep(2000)
