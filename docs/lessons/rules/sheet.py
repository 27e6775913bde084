"""The sheet of lesson 6: rules for a person who only obeys."""

CORNERS, EDGES = (0, 2, 6, 8), (1, 3, 5, 7)


def crossings(board):
    """The free corners where a row with a mark of the other player meets a column with one."""
    rows = {cell // 3 for cell in range(9) if board[cell] == board.other}
    columns = {cell % 3 for cell in range(9) if board[cell] == board.other}
    return [cell for cell in CORNERS if cell // 3 in rows and cell % 3 in columns]


def choose(board):
    """Return all free cells of the first rule that has any."""
    theirs = [cell for cell in range(9) if board[cell] == board.other]
    rules = [
        board.completing(board.turn),  # 1. Win.
        board.completing(board.other),  # 2. Block.
        (4,) if theirs else CORNERS,  # 3. The middle, but begin in a corner.
        EDGES if theirs in ([0, 8], [2, 6]) else (),  # 4. Opposite corners: an edge.
        crossings(board),  # 5. The corner where their row and their column cross.
        CORNERS,  # 6. Any corner.
        range(9),  # 7. Anything.
    ]
    free_cells = [[cell for cell in rule if board[cell] == "."] for rule in rules]
    return next(cells for cells in free_cells if cells)
