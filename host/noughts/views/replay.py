"""Stored games for replay: the facts of a game, and the situation after each move.

X is who moved first, as everywhere on the computer; A and B are the players on the board.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from noughts.game.positions import EMPTY, after
from noughts.game.review import Reviewed, review, verdict
from noughts.protocol.describe import CELLS, LINE_NAMES, SEATS, line_names, won
from noughts.protocol.sentences import score_array
from noughts.store.stored_game import StoredGame
from noughts.views.board import Picture, board_text
from noughts.views.words import ending, judged, worths


@dataclass(frozen=True)
class LineScore:
    """One of the eight scores around the board."""

    line: str
    score: int
    text: str
    full: bool
    """Whether two or three marks of the same player make it up."""


@dataclass(frozen=True)
class ReplayStep:
    """The situation after a number of moves."""

    marks: str
    """X, O and `.`."""
    players: Mapping[int, str]
    """By taken cell: A or B."""
    names: list[str]
    """Each cell's name for screen readers."""
    last: int | None
    line: list[int]
    """The winning cells, if somebody has won."""
    scores: list[LineScore]
    """In the order of `LINES`."""
    worths: Mapping[int, str]
    """By free cell, its value to the player to move; empty at the end."""
    next: str | None
    """A or B."""
    made: str
    """The last move, or who begins. Before the first move, the texts about the move are empty."""
    where: str
    thought: str
    """The time for the move; empty if not known."""
    sign: str
    """Its verdict as chess players write it, such as `??`."""
    called: str
    verdict: str
    better: str
    """A better move, if there was one."""
    mistake: bool
    ending: str
    """The end of the game; empty before the last step."""

    sentences: list[str]
    """All these texts, in sentences."""


@dataclass(frozen=True)
class Replay:
    """A whole game, with one more step than moves."""

    number: int
    result: str
    players: list[tuple[str, str, str]]
    """The mark (X moved first), A or B, and a description."""
    details: list[tuple[str, str]]
    steps: list[ReplayStep]
    picture: Picture
    """The board at its end."""


def replay(game: StoredGame) -> Replay:
    moves = list(map(int, game.moves))
    reviewed = review(moves)
    end = after(moves)
    line = ["line" if cell in end.won_cells else "" for cell in range(9)]
    order = "AB" if game.first == "A" else "BA"
    return Replay(
        game.id,
        won(game.result),
        [
            (mark, player, SEATS[game.seats["AB".index(player)]])
            for mark, player in zip("XO", order, strict=True)
        ],
        _details(game),
        [_step(game, reviewed, plies) for plies in range(len(reviewed) + 1)],
        Picture(str(end), board_text(str(end)), grounds=tuple(line)),
    )


def heading(game: StoredGame) -> str:
    """The facts of a game in two lines."""
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
        details.append(("Received", "by radio only, where anyone nearby can send"))
    if game.hardware:
        details.append(("Kind", f"micro:bit {game.hardware}"))
        details.append(("Hard plays from", f"table {game.table_id}"))
    details.append(("On the board", f"its game {game.number} of boot {game.boot}"))
    details.append(("Lasted", f"{game.ms / 1000:.1f} s"))
    return details


def _step(game: StoredGame, reviewed: list[Reviewed], plies: int) -> ReplayStep:
    last = reviewed[plies - 1] if plies else None
    position = last.before.play(last.cell) if last else EMPTY
    players = {int(cell): game.player(ply) for ply, cell in enumerate(game.moves[:plies])}
    cells = {} if position.over else worths(position)
    made = f"{game.first} begins."
    where = thought = sign = called = judgement = better = ""
    if last:
        where, found = CELLS[last.cell], verdict(last)
        sign, called = found.value, found.name.lower()
        judgement, better = judged(last)
        if (ms := game.thought_ms[plies - 1]) is not None:
            thought = f"{ms / 1000:.1f} s"
        after_s = thought and f", after {thought}"
        played = f"{players[last.cell]} plays {last.cell + 1}, {where}{after_s}."
        made = f"Move {plies} of {len(game.moves)}: {played}"
    end = _ending(game) if plies == len(game.moves) else ""
    return ReplayStep(
        marks=str(position),
        players=players,
        names=[_named(cell, mark, cells) for cell, mark in enumerate(str(position))],
        last=last.cell if last else None,
        line=position.won_cells,
        scores=[
            LineScore(
                name, score, f"{score:+d}".replace("-", "−") if score else "0", abs(score) > 1
            )
            for name, score in zip(LINE_NAMES, score_array(players), strict=True)
        ],
        worths=cells,
        next=None if position.over else game.player(plies),
        made=made,
        where=where,
        thought=thought,
        sign=sign,
        called=called,
        verdict=judgement,
        better=better,
        mistake=last is not None and last.mistake,
        ending=end,
        sentences=[text for text in (made, judgement, better, end) if text],
    )


def _named(cell: int, mark: str, worths: Mapping[int, str]) -> str:
    here = f"{cell + 1}, {CELLS[cell]}"
    if mark != ".":
        return f"{here}: {mark}"
    return f"{here}: free; {worths[cell]} with best play" if cell in worths else f"{here}: free"


def _ending(game: StoredGame) -> str:
    if game.end == "-":
        return "Nothing more of this game was received."
    if game.end == "x":
        return "The game was abandoned here."
    if game.end == "=":
        return f"{ending(None).capitalize()}."
    return f"{ending(game.end)}: {line_names(after(map(int, game.moves)))}."
