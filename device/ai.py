# noughts: choosing a move. All three levels are one rule with different weights:
# a free cell is worth the sum of its lines' weights, and the best cell is played.
#
# A line's weight depends on its score, seen by the player to move (-2 to 2),
# and on whether it is straight (weights 0-4) or a diagonal (weights 5-9).
# Easy weighs nothing, so every free cell is as good as any other. Medium sees
# only lines that one mark completes (99) or blocks (9). Hard's weights come
# from `noughts table`, with a book of the few positions that they get wrong.
from rules import THROUGH
import table


def best(marks, score, player, level):
    # The cells, one or more, that a level ("E", "M" or "H") holds to be best.
    weights = table.WEIGHTS if level == "H" else bytes(10)
    if level == "M":
        weights = b"\x09\0\0\0\x63\x09\0\0\0\x63"
    values = bytearray(9)  # of the lines; the ninth, 0, stands for "no more"
    for i in range(8):
        values[i] = weights[player * score[i] + 2 + i // 6 * 5]
    cells = [-1] * 9  # their values; a taken one is never the best
    key = 0  # the sum of the squares of these values: it names a position
    for cell in range(9):
        if not marks[cell]:
            value = 0
            for i in range(4 * cell, 4 * cell + 4):
                value += values[THROUGH[i]]
            cells[cell] = value
            key += value * value
    best = max(cells)
    if level == "H":
        key <<= 5
        for value in set(cells):
            if key + value in table.BOOK:
                best = value
    # The best cells: V1 needs back the memory of the lines' values.
    values = []  # type: ignore[assignment]
    for cell in range(9):
        if cells[cell] == best:
            values.append(cell)
    return values
