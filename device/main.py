# Starts the game. While this file runs, the firmware keeps its parse tree, and
# while it imports a module, that module's too. So this file is tiny, with one
# import for all, and brings every module in by itself: the menu early, which
# shows itself, then those that take the most memory to compile.
import buttons, leds, menu, tilt, person, game, loop, rules, table, ai, ending, chip, sentences

loop.start()
