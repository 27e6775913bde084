# noughts: starts the game, or shows why it does not start. This file is tiny,
# because its parse tree uses memory while it runs.
try:
    import loop

    loop.start()
except Exception as e:  # not Ctrl-C, which always reaches the REPL
    import sys

    sys.print_exception(e)  # type: ignore[attr-defined]
    import fault  # in the end, because there may be no memory for it

    fault.show(e)
