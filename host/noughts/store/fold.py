"""The games that follow from the lines of one boot and game number: a pure function of a set.

Only what was received counts, and a stored game is its summary. So the games do not depend on the
order in which lines come, or on how often they come.

    line    what a board sent about a game: the whole game so far, see `protocol/sentences.py`
    radio   whether it came by radio, where anyone nearby can send; else by cable, or from a file
    late    whether the game had ended some time before: it was resent, or comes from a log
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from noughts.protocol.radio_boards import is_by_radio


@dataclass(slots=True)
class Line:
    """A line about a game, as the store has it."""

    id: int
    board: str
    radio: bool
    late: bool
    at: int | None
    """When it was first received, in ms since 1970; None if unknown."""
    text: str
    head: str = field(init=False)
    """The text before the moves: boot, number, seats, and who began."""
    moves: str = field(init=False)
    """Cells 0 to 8."""
    ms: int = field(init=False)
    end: str = field(init=False)
    progress: tuple[int, bool, int] = field(init=False)
    """How far the game has come: moves, abandoned, ms. During a game, this only grows."""

    def __post_init__(self) -> None:
        self.head, self.moves, digits, self.end = self.text.rsplit(",", 3)
        self.ms = int(digits)
        self.progress = len(self.moves), self.end == "x", self.ms


class FoldedGame(NamedTuple):
    """A game, with the columns of the table `games`; see `StoredGame` for what they mean."""

    board: str
    seats: str
    first: str
    moves: str
    times: str
    ms: int
    end: str
    started: int | None
    heard: int | None
    played_before: int | None
    by_radio: int


def fold(lines: Iterable[Line]) -> list[tuple[FoldedGame, list[Line]]]:
    """The games of these lines, which have one boot and game number; each with its lines.

    ============================  =================================================================
    lines of one game             have the same seats, and the same player began. Of any two, the
                                  earlier one is unfinished (`-`), the later one's moves begin with
                                  its moves, and its ms are not greater. Each move has one time.
                                  So another move, another time for a move, a time that runs
                                  backwards, or a move after the end belongs to another game.
    the cable before the radio    Games are made of lines by cable. A line by radio is added if it
                                  agrees with all of them; else it belongs to another game.
    a line that fits two games    belongs to the one whose next line has fewer moves, or to the
                                  slower one.
    moves, times, ms, end         those of the line that has come furthest; a move has a
                                  time if a line ends with that move.
    started                       the earliest start given by a live line, by cable if there
                                  is one, else by radio; heard is when the last of them arrived.
    played_before                 without a live line, the first time by which the game had ended.
    by_radio                      1 if no line by cable has come as far as the last one.
    board                         the best of the boards under which it was received: by cable,
                                  with a USB serial number, in the nearest room, in that order.
    ============================  =================================================================

    A line without a time does not show when the game was played.
    """
    played = sorted(lines, key=attrgetter("progress"))
    if all(map(_are_of_one_game, played, played[1:])):
        return [(_summary(played), played)] if played else []
    games: list[list[Line]] = []
    for line in sorted(played, key=_order):
        fitting = [game for game in games if _fits(line, game)]
        if len(fitting) > 1:
            fitting.sort(key=partial(_distance, line))
        if fitting:
            fitting[0].append(line)
        else:
            games.append([line])
    return [(_summary(sorted(game, key=attrgetter("progress"))), game) for game in games]


def _order(line: Line) -> tuple[bool, int, bool, int, str]:
    """By cable first, then those that have come furthest; equal texts next to each other."""
    plies, abandoned, ms = line.progress
    return line.radio, -plies, not abandoned, -ms, line.text


def _fits(line: Line, game: Sequence[Line]) -> bool:
    """Whether a line agrees with all lines of a game so far."""
    return all(
        _are_of_one_game(*sorted((line, other), key=attrgetter("progress")))
        # A line that can precede the earliest line by cable can precede all of them.
        for other in (game if line.radio else game[-1:])
    )


def _are_of_one_game(earlier: Line, later: Line) -> bool:
    """Whether two lines can belong to one game; the later one has come as far or further.

    If the first and second can, and the second and third, then the first and third can too.
    """
    return earlier.text == later.text or (
        earlier.end == "-"
        and earlier.ms <= later.ms
        and earlier.head == later.head
        and later.moves.startswith(earlier.moves)
        # Two times for one move contradict each other. Before the first move, any time will do.
        and (len(earlier.moves) < len(later.moves) or later.end == "x" or not later.moves)
    )


def _distance(line: Line, game: Sequence[Line]) -> tuple[bool, float, bool, int]:
    """How far away a fitting game is: the line goes to the nearest one."""
    later = [other.progress for other in game if other.progress >= line.progress]
    plies, abandoned, ms = min(later, default=(math.inf, True, 0))
    # Lines with as many moves come slowest first, so the slower of two games comes first too.
    return game[0].radio, plies, abandoned, -ms


def _summary(lines: Sequence[Line]) -> FoldedGame:
    """The game of these lines; the last line has come furthest."""
    last = lines[-1]
    cable = [line for line in lines if not line.radio]
    times = [""] * (1 + len(last.moves))
    for line in lines:
        if line.end != "x":
            times[len(line.moves)] = str(line.ms)
    started, heard, before = _dates(cable) or _dates(lines) or _late_dates(lines)
    *_, seats, first = last.head.split(",")
    return FoldedGame(
        board=min({line.board for line in lines}, key=precedence),
        seats=seats,
        first=first,
        moves=last.moves,
        times=",".join(times[1:]),
        ms=last.ms,
        end=last.end,
        started=started,
        heard=heard,
        played_before=before,
        by_radio=int(not cable or cable[-1].progress[:2] < last.progress[:2]),
    )


_Dates = tuple[int | None, int | None, int | None]


def _dates(lines: Iterable[Line]) -> _Dates | None:
    live = [(line.at, line.ms) for line in lines if line.at is not None and not line.late]
    if not live:
        return None
    return min([at - ms for at, ms in live]), max(live)[0], None


def _late_dates(lines: Iterable[Line]) -> _Dates:
    before = min((line.at for line in lines if line.at is not None), default=None)
    return None, before, before


def precedence(board: str) -> tuple[bool, bool, int, str]:
    """A game received under several boards is stored under the one with the least value."""
    return is_by_radio(board), "usb-" not in board, len(board), board
