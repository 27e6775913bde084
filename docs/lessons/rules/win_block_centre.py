"""Complete a line, else block, else the centre, else a corner, else an edge."""


def choose(board):
    """Return the first free cell of the first rule that has one."""
    wishes = board.completing(board.turn) + board.completing(board.other)
    wishes += (4, 0, 2, 6, 8, 1, 3, 5, 7)
    free = [cell for cell in wishes if board[cell] == "."]
    return free[0]
