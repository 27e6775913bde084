# Starts the game. While this file runs, the firmware keeps its parse tree, and
# while it imports a module, that module's too. So this file is tiny and brings
# every module in by itself: the menu first, which shows itself, then those that
# take the most memory to compile.
import buttons
import leds
import menu
import tilt
import person
import game
import loop
import rules
import table
import ai
import ending
import chip
import sentences

loop.start()
