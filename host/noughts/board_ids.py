"""Which micro:bit the four hex digits of a board id mean."""

from microbit_emulator.firmware import BOARD_IDS as BOARD_IDS
from microbit_emulator.firmware import V1 as V1
from microbit_emulator.firmware import V2 as V2
