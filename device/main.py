# noughts: starts the game, or shows why it does not start. This file is tiny,
# because its parse tree uses memory while it runs.
try:
    import gc, loop

    while loop.modules:
        __import__(loop.modules.pop())  # type: ignore[attr-defined]
        gc.collect()
    loop.start()
except Exception as e:  # not Ctrl-C, which always reaches the REPL
    import sys

    sys.print_exception(e)  # type: ignore[attr-defined]
    import fault  # in the end, because there may be no memory for it

    fault.show(e)
