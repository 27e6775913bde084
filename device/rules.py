# noughts: the rules: nine cells, two players, eight lines.
#
#     0 1 2     Cells are numbered in reading order. `marks` holds the nine
#     3 4 5     cells: 0 is free, 1 is player A's, -1 is player B's.
#     6 7 8
#
# The score array sums the marks on each line: elements 0-2 are the columns,
# 3-5 the rows, 6 the diagonal 0-4-8 and 7 the diagonal 2-4-6. 3 means that A
# holds the whole line, -3 that B does; at 2 or -2 one more mark completes it.

# The lines through each cell, four digits per cell; 8 stands for "no more".
THROUGH = bytes(
    [
        i - 48  # not int(i), because a string's letters would be interned
        for i in b"036813882378"  # cells 0, 1, 2
        b"048814672488"
        b"057815882568"
    ]
)


def place(marks, score, cell, player):
    # Puts a mark on a free cell, and counts it on its two to four lines.
    marks[cell] = player
    for i in THROUGH[4 * cell : 4 * cell + 4]:
        if i < 8:
            score[i] += player


def result(marks, score):
    # 1 or -1: that player has won; 0: a draw; 2: the game goes on.
    return (3 in score) - (-3 in score) or 2 * (0 in marks)
