# noughts: the loop of menu and games, also after a fault.
import gc, sys, microbit


def load():
    # While a module imports others, its parse tree uses memory, so this small one imports all. The
    # menu comes first, and shows itself; then those that need the most memory in one piece.
    # Small modules come with those that import them, because each collection takes 2 ms.
    for i in "menu human game kept ai ending".split():
        __import__(i)
        gc.collect()
    import buttons, sentences, table

    sentences.send(sentences.start % (1 + bool(buttons.v2), table.ID))


def start():
    # After a fault, the board shows a sad face and starts again.
    global load
    load()
    del load  # a V1 needs its memory
    import game, menu

    number = 0  # games since boot
    while True:
        try:
            chosen = menu.choose()
            player = 1  # the person begins
            number += 1
            while game.play(number, chosen, player):
                player = -player
                number += 1
        except Exception as e:  # not Ctrl-C, which always reaches the REPL
            sys.print_exception(e)  # type: ignore[attr-defined]
            microbit.display.show(microbit.Image.SAD)
            microbit.sleep(2000)
