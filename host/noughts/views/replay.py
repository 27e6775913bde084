"""A stored game as people replay it: what is known of it, each move, and how things stood.

X is who moved first, as everywhere on the computer; A and B are the players on the board.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from noughts.game.positions import EMPTY, Position, after
from noughts.game.review import Reviewed, review, verdict
from noughts.game.solver import value
from noughts.protocol.describe import CELLS, LINE_NAMES, SEATS, WORTHS, judged, line_names, won
from noughts.protocol.sentences import score_array
from noughts.store.stored_game import StoredGame
from noughts.views.board import Picture, board_text


@dataclass(frozen=True)
class Player:
    """Who had which mark."""

    mark: str
    """X or O; X moved first."""
    player: str
    """A or B."""
    who: str


@dataclass(frozen=True)
class Move:
    """A move of the game, and its value."""

    mark: str
    player: str
    cell: int
    where: str
    verdict: str
    """As chess players write it, such as `??`."""
    called: str
    thought: str | None


@dataclass(frozen=True)
class LineScore:
    """One of the eight numbers around the board."""

    line: str
    score: int
    text: str
    full: bool
    """Whether two or three marks of one player make it."""


@dataclass(frozen=True)
class ReplayStep:
    """How things stood after so many moves."""

    marks: str
    """X, O and `.`."""
    players: Mapping[int, str]
    """By taken cell: A or B."""
    names: list[str]
    """What a screen reader calls each cell."""
    last: int | None
    line: list[int]
    """The cells that have won; empty unless somebody has."""
    scores: list[LineScore]
    """In the order of `LINES`."""
    worths: Mapping[int, str]
    """By free cell: what it is worth to the player who moves; empty at the end."""
    next: str | None
    """A or B."""
    made: str
    """The last move, or who begins."""
    verdict: str
    better: str
    """What the move was worth, and what would have been better."""
    mistake: bool
    ending: str
    """How the game ended; empty before its last step."""

    @property
    def said(self) -> list[str]:
        """All there is to say of it, in sentences."""
        return [text for text in (self.made, self.verdict, self.better, self.ending) if text]


@dataclass(frozen=True)
class Replay:
    """A whole game: `steps` has one more than `moves`."""

    number: int
    result: str
    players: list[Player]
    details: list[tuple[str, str]]
    moves: list[Move]
    thought_ms: list[int | None]
    """For each move."""
    steps: list[ReplayStep]
    picture: Picture
    """The board at its end."""


def replay(game: StoredGame) -> Replay:
    """The view of a stored game."""
    moves = list(map(int, game.moves))
    reviewed = review(moves)
    end = after(moves)
    line = ["line" if cell in end.won_cells else "" for cell in range(9)]
    order = "AB" if game.first == "A" else "BA"
    return Replay(
        game.id,
        won(game.result),
        [
            Player(mark, player, SEATS[game.seats["AB".index(player)]])
            for mark, player in zip("XO", order, strict=True)
        ],
        _details(game),
        [_move(game, move, ply) for ply, move in enumerate(reviewed)],
        game.thought_ms,
        [_step(game, reviewed, plies) for plies in range(len(reviewed) + 1)],
        Picture(str(end), board_text(str(end)), grounds=tuple(line)),
    )


def heading(game: StoredGame) -> str:
    """What is known of the game as a whole, in two lines."""
    a, b = (SEATS[seat] for seat in game.seats)
    on = f"micro:bit {game.hardware}, table {game.table_id}, " if game.hardware else ""
    return (
        f"game {game.id}: A is {a}, B is {b}; {game.first} began; {won(game.result)}\n"
        f"{game.when}, {on}{game.called}, its game {game.number} of "
        f"boot {game.boot}{', by radio' * game.by_radio}"
    )


def _details(game: StoredGame) -> list[tuple[str, str]]:
    details = [("Began", str(game.when)), ("Board", game.called)]
    if game.by_radio:
        details.append(("Received", "by radio only, where anybody near can send"))
    if game.hardware:
        details.append(("Kind", f"micro:bit {game.hardware}"))
        details.append(("Hard plays from", f"table {game.table_id}"))
    details.append(("On the board", f"its game {game.number} of boot {game.boot}"))
    details.append(("Lasted", f"{game.ms / 1000:.1f} s"))
    return details


def _move(game: StoredGame, move: Reviewed, ply: int) -> Move:
    thought_ms = game.thought_ms[ply]
    found = verdict(move)
    return Move(
        "XO"[ply % 2],
        game.player(ply),
        move.cell,
        CELLS[move.cell],
        found.value,
        found.name.lower(),
        None if thought_ms is None else f"{thought_ms / 1000:.1f} s",
    )


def _step(game: StoredGame, reviewed: list[Reviewed], plies: int) -> ReplayStep:
    last = reviewed[plies - 1] if plies else None
    position = last.before.play(last.cell) if last else EMPTY
    players = {int(cell): game.player(ply) for ply, cell in enumerate(game.moves[:plies])}
    worths = {} if position.over else _worths(position)
    return ReplayStep(
        str(position),
        players,
        [_named(cell, mark, worths) for cell, mark in enumerate(str(position))],
        last.cell if last else None,
        position.won_cells,
        [
            LineScore(
                name, score, f"{score:+d}".replace("-", "−") if score else "0", abs(score) > 1
            )
            for name, score in zip(LINE_NAMES, score_array(players), strict=True)
        ],
        worths,
        None if position.over else game.player(plies),
        f"Move {plies} of {len(game.moves)}: {_played(game, plies - 1)}"
        if last
        else f"{game.first} begins.",
        *(judged(last) if last else ("", "")),
        last is not None and last.mistake,
        _ending(game) if plies == len(game.moves) else "",
    )


def _worths(position: Position) -> dict[int, str]:
    return {cell: WORTHS[-value(position.play(cell))] for cell in position.free}


def _named(cell: int, mark: str, worths: Mapping[int, str]) -> str:
    here = f"{cell + 1}, {CELLS[cell]}"
    if mark != ".":
        return f"{here}: {mark}"
    return f"{here}: free; {worths[cell]} with best play" if cell in worths else f"{here}: free"


def _played(game: StoredGame, ply: int) -> str:
    """The move in words, such as `A plays 5, in the centre, after 1.2 s`."""
    cell = int(game.moves[ply])
    thought_ms = game.thought_ms[ply]
    thought = "" if thought_ms is None else f", after {thought_ms / 1000:.1f} s"
    return f"{game.player(ply)} plays {cell + 1}, {CELLS[cell]}{thought}."


def _ending(game: StoredGame) -> str:
    if game.end == "-":
        return "Nothing more of this game was received."
    if game.end == "x":
        return "The game was abandoned here."
    if game.end == "=":
        return "A draw."
    return f"{game.end} wins: {line_names(after(map(int, game.moves)))}."
