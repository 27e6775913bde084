# noughts: starts the game, or says on the LEDs that an interrupted update has
# left the files incomplete. While this file runs, the firmware keeps its parse
# tree, so it is tiny.
try:
    import loop

    loop.start()
except Exception:  # Ctrl-C is none: it always reaches the REPL
    import microbit

    microbit.display.scroll("files incomplete", loop=True)
