# Menu, games, and what follows a fault.
import sys
from microbit import Image, display, sleep


def start():
    # Never a dead board: after a fault it shows a sad face and begins again.
    # Imported here, so that this module is compiled before they are.
    import buttons
    import game
    import menu
    import sentences
    import table

    name = "V2" if buttons.V2 else "V1"
    sentences.send("NB,1,%s,%s,0.1.0,%s" % (sentences.boot, name, table.ID))
    index = 0  # games since boot
    while True:
        try:
            choice = menu.choose()
            player = 1  # the person begins
            index += 1
            while game.play(index, "P" + choice[0], player, choice[1]):
                player = -player
                index += 1
        except Exception as e:  # Ctrl-C is none: it always reaches the REPL
            sys.print_exception(e)  # type: ignore[attr-defined]
            display.show(Image.SAD)
            sleep(2000)
