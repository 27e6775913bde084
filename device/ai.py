# noughts: choosing a move. All three levels are one rule with different weights:
# a free cell is worth the sum of its lines' weights, and the best cell is played.
#
# A line's weight depends on its score, seen by the player to move (-2 to 2),
# and on whether it is straight (weights 0-4) or a diagonal (weights 5-9).
# Easy has no weights, so all free cells are equally good. Medium only sees lines
# that one mark completes (99) or blocks (9). Hard's weights come from
# `noughts table`, with a book of the few positions that they get wrong.
from rules import THROUGH
import table


def best(marks, score, player, level):
    # The best cells, one or more, for a level ("E", "M" or "H").
    # Medium's are eleven, because bytes of up to ten cost a name.
    weights = bytes(10) if level < "H" else b"\t\0\0\0c\t\0\0\0c " if level > "H" else table.WEIGHTS
    worths = bytearray(9)  # of the lines; the ninth, 0, stands for "no more"
    for i in range(8):
        worths[i] = weights[player * score[i] + 2 + i // 6 * 5]
    cells = [-1] * 9  # their worths; a taken cell is never the best
    squares = 0  # the sum of the squares of these worths identifies a position
    for cell in range(9):
        if not marks[cell]:
            worth = 0
            for i in THROUGH[4 * cell : 4 * cell + 4]:
                worth += worths[i]
            cells[cell] = worth
            squares += worth * worth
    best = max(cells)
    if level == "H":
        for worth in set(cells):
            if squares * 32 + worth in table.BOOK:
                best = worth
    return [cell for cell in range(9) if cells[cell] == best]
