"""A stored game as its page draws it: who played, each move, and how things stood after each.

X is who moved first, as everywhere on the computer; A and B are the players on the board.
"""

from __future__ import annotations

from noughts.game.positions import Position
from noughts.game.review import Reviewed, review, verdict
from noughts.game.solver import value
from noughts.protocol.describe import CELLS, LINE_NAMES, SEATS, WORTHS, judged, won
from noughts.protocol.sentences import score_array
from noughts.store import replay_words
from noughts.store.stored_game import StoredGame
from noughts.web.position import evaluated


def about(game: StoredGame) -> dict[str, object]:
    """What is known of the game as a whole."""
    order = "AB" if game.first == "A" else "BA"
    details = [("Began", str(game.when)), ("Board", game.called)]
    if game.by_radio:
        details.append(("Received", "by radio only, where anybody near can send"))
    if game.hardware:
        details.append(("Kind", f"micro:bit {game.hardware}, table {game.table_id}"))
    details.append(("On the board", f"its game {game.number} of boot {game.boot}"))
    details.append(("Lasted", f"{game.ms / 1000:.1f} s"))
    return {
        "result": won(game.result),
        "players": [
            {"mark": mark, "player": player, "who": SEATS[game.seats["AB".index(player)]]}
            for mark, player in zip("XO", order, strict=True)
        ],
        "details": details,
        "thought_ms": game.thought_ms,
    }


def moves(game: StoredGame) -> list[dict[str, object]]:
    """Each move, and what it was worth."""
    rows: list[dict[str, object]] = []
    for ply, move in enumerate(_reviewed(game)):
        thought_ms = game.thought_ms[ply]
        found = verdict(move)
        rows.append(
            {
                "mark": "XO"[ply % 2],
                "player": game.player(ply),
                "cell": move.cell,
                "where": CELLS[move.cell],
                "verdict": found.value,
                "called": found.name.lower(),
                "thought": None if thought_ms is None else f"{thought_ms / 1000:.1f} s",
            }
        )
    return rows


def steps(game: StoredGame) -> list[dict[str, object]]:
    """How things stood before the first move, and after each."""
    reviewed = _reviewed(game)
    return [_step(game, reviewed, plies) for plies in range(len(reviewed) + 1)]


def _reviewed(game: StoredGame) -> list[Reviewed]:
    return review(list(map(int, game.moves)))


def evaluations(game: StoredGame) -> list[dict[str, object]]:
    """What the game was worth before the first move, and after each."""
    reviewed = _reviewed(game)
    positions = [Position(0, 0), *(move.before.play(move.cell) for move in reviewed)]
    return [evaluated(position) for position in positions]


def _step(game: StoredGame, reviewed: list[Reviewed], plies: int) -> dict[str, object]:
    last = reviewed[plies - 1] if plies else None
    position = last.before.play(last.cell) if last else Position(0, 0)
    scores = score_array(replay_words.marks(game, plies))
    worths = {} if position.over else _worths(position)
    return {
        "marks": str(position),
        "names": [_named(cell, mark, worths) for cell, mark in enumerate(str(position))],
        "last": last.cell if last else None,
        "line": position.won_cells,
        "scores": [
            {
                "line": name,
                "score": f"{score:+d}".replace("-", "−") if score else "0",
                "full": abs(score) > 1,
            }
            for name, score in zip(LINE_NAMES, scores, strict=True)
        ],
        "worths": worths,
        "next": None if position.over else game.player(plies),
        "said": _said(game, reviewed, plies),
    }


def _worths(position: Position) -> dict[int, str]:
    """By free cell, what playing it is worth to the mover."""
    return {cell: WORTHS[-value(position.play(cell))] for cell in position.free}


def _named(cell: int, mark: str, worths: dict[int, str]) -> str:
    """What a screen reader calls a cell."""
    here = f"{cell + 1}, {CELLS[cell]}"
    if mark != ".":
        return f"{here}: {mark}"
    return f"{here}: free; {worths[cell]} with best play" if cell in worths else f"{here}: free"


def _said(game: StoredGame, reviewed: list[Reviewed], plies: int) -> list[str]:
    said = [f"{game.first} begins."]
    if plies:
        made = f"Move {plies} of {len(game.moves)}: {replay_words.played(game, plies - 1)}"
        said = [made, *filter(None, judged(reviewed[plies - 1]))]
    if plies == len(game.moves):
        said.append(replay_words.ending(game))
    return said
