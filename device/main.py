# noughts: starts the game, or has it told why it does not start. While this file
# runs, the firmware keeps its parse tree, so it is tiny.
try:
    import loop

    loop.start()
except Exception as e:  # Ctrl-C is none: it always reaches the REPL
    import gc

    gc.collect()  # the parser does not collect when memory runs out
    import fault

    fault.show(e)
