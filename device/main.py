# noughts: starts the game, or says why it does not start. While this file runs,
# the firmware keeps its parse tree, so it is tiny.
try:
    import loop

    loop.start()
except Exception as e:  # Ctrl-C is none: it always reaches the REPL
    import sys

    sys.print_exception(e)  # type: ignore[attr-defined]
    import fault  # for which there may be no memory left

    fault.show(e)
