"""An engine of your own: it completes a line if it can, and plays anywhere else.

    noughts vs ./mine.py              play against it
    noughts prove ./mine.py           see how it loses, and how it does against all others
    noughts duel ./mine.py medium     let it play another engine

Cells are numbered from 0:    0 | 1 | 2
                              3 | 4 | 5
                              6 | 7 | 8
"""


def choose(board):
    """Return the cell to play, or several in a list, of which any may be played.

    board.turn           who you are: "X", who moved first, or "O"
    board.other          who the other one is
    board.legal_moves    the free cells, such as (1, 2, 5)
    board[4]             what is in the centre: "X", "O", or "." if it is free
    board.play(5)        the board after your move in cell 5; this board stays as it is
    board.winner         "X" or "O" if one has a line, else None
    """
    # Rule 1: complete a line. Try each free cell, and see whether that wins.
    for cell in board.legal_moves:
        if board.play(cell).winner == board.turn:
            return cell

    # Rule 2 is yours: do not let the other complete a line. These are the cells to block:
    # board.completing(board.other)

    # Where no rule has decided: any free cell.
    return board.legal_moves
