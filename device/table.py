# noughts: hard's brain, made by `noughts table`; regenerate it, do not edit it.
#
# Objective: never give away the value of a position; among the moves that keep
# it, play one that wins most often against random play (191/192 of the games
# moving first, 866/945 moving second).
#
# WEIGHTS is what a line is worth to the player to move when its score is -2,
# -1, 0, 1, 2: five numbers for rows and columns, then five for diagonals. A
# free cell is worth the sum of its lines, and the best cell is played; except
# in a position that is in BOOK, as 32 * (the sum of the squares of the free
# cells' values) + (the value of the cells to play instead).
#
# 26 bytes of payload: 10 weights, and 8 entries of two bytes. ID is the low
# half of the payload's CRC-32; it comes last, so that a file cut short has none.
WEIGHTS = b"\x12\x02\x00\x0b\x19\x19\x03\x03\x06\x19"
BOOK = (2307, 19013, 23723, 23917, 25934, 26129, 30064, 30579,)
ID = "2798"
