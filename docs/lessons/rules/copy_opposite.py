"""Take the centre, then always play opposite to the other player's move."""


def choose(board):
    """Return the centre, a free cell opposite a taken one, or the first free cell."""
    if board[4] == ".":
        return 4
    for cell in board.legal_moves:
        if board[8 - cell] == board.other:
            return cell
    return board.legal_moves[0]
