"""As win_block_centre.py, but never leave the other a fork: two lines to complete at once."""


def leaves_a_fork(board, cell):
    """Whether the other player can threaten two lines after this move of ours."""
    after = board.play(cell)
    # If we threaten to complete a line, the other has to block it, and may fork nowhere else.
    replies = after.completing(board.turn) or after.legal_moves
    return any(len(after.play(reply).completing(board.other)) > 1 for reply in replies)


def choose(board):
    """Return the first free cell of the first rule that has one."""
    for cell in board.completing(board.turn) + board.completing(board.other):
        return cell
    wishes = [cell for cell in (4, 0, 2, 6, 8, 1, 3, 5, 7) if board[cell] == "."]
    safe = [cell for cell in wishes if not leaves_a_fork(board, cell)]
    return (safe or wishes)[0]
