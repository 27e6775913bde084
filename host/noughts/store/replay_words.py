"""A stored game step by step, in words: for all that replay one, however they draw it."""

from __future__ import annotations

from noughts.game.positions import after
from noughts.protocol.describe import CELLS, SEATS, line_names, won
from noughts.store.stored_game import StoredGame


def heading(game: StoredGame) -> str:
    """What is known of the game as a whole, in two lines."""
    a, b = (SEATS[seat] for seat in game.seats)
    on = f"micro:bit {game.hardware}, table {game.table_id}, " if game.hardware else ""
    return (
        f"game {game.id}: A is {a}, B is {b}; {game.first} began; {won(game.result)}\n"
        f"{game.when}, {on}{game.called}, its game {game.number} of "
        f"boot {game.boot}{', by radio' * game.by_radio}"
    )


def marks(game: StoredGame, plies: int) -> dict[int, str]:
    """By cell, whose mark stands there after so many moves: A or B."""
    return {int(cell): game.player(ply) for ply, cell in enumerate(game.moves[:plies])}


def played(game: StoredGame, ply: int) -> str:
    """The move in words: `A plays 5, in the centre, after 1.2 s`."""
    cell = int(game.moves[ply])
    thought_ms = game.thought_ms[ply]
    after = "" if thought_ms is None else f", after {thought_ms / 1000:.1f} s"
    return f"{game.player(ply)} plays {cell + 1}, {CELLS[cell]}{after}."


def ending(game: StoredGame) -> str:
    """How the game ended, with the line that won."""
    if game.end == "-":
        return "Nothing more of this game was received."
    if game.end == "x":
        return "The game was abandoned here."
    if game.end == "=":
        return "A draw."
    return f"{game.end} wins: {line_names(after(map(int, game.moves)))}."
