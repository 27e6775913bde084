"""The games that follow from the lines of one boot and game number: a pure function of a set.

Only what was received counts, and a stored game is its summary. So the games do not depend on the
order in which lines come, or on how often they come.

    line    what a board sent about a game: the whole game so far, see `protocol/sentences.py`
    radio   whether it came by radio, where anyone nearby can send; else by cable, or from a file
    late    whether the game had ended some time before: it was resent, or comes from a log
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import GAME_FIELDS, Game

_CHANGING = "moves", "ms", "end"
_setup = attrgetter(*(name for name in GAME_FIELDS if name not in ("boot", "number", *_CHANGING)))
"""The fields that stay the same during a game, without those that all lines here have in common."""


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
    """The body of the sentence."""
    game: Game
    """What the sentence says."""
    setup: tuple[object, ...] = field(init=False)
    progress: tuple[int, bool, int] = field(init=False)
    """How far the game has come: moves, abandoned, ms. During a game, this only grows."""

    def __post_init__(self) -> None:
        self.setup = _setup(self.game)
        self.progress = len(self.game.moves), self.game.end == "x", self.game.ms


class FoldedGame(NamedTuple):
    """A game, with what the table `games` has of it; see `StoredGame` for what times mean."""

    board: str
    game: Game
    """The sentence that has come furthest."""
    times: str
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
                                  with a USB serial number, not a copied log that nobody has
                                  named, in the nearest room, in that order.
    ============================  =================================================================

    A line without a time does not show when the game was played.
    """
    by_progress = sorted(lines, key=attrgetter("progress"))
    # Nearly always, all lines are of one game. Then each agrees with the next, and it is enough to
    # look at neighbours, because `_are_of_one_game` is transitive.
    if all(map(_are_of_one_game, by_progress, by_progress[1:])):
        return [(_summary(by_progress), by_progress)] if by_progress else []
    # Two runs of a board have drawn the same boot, or someone invents lines by radio. Lines that
    # have come furthest come first, and each begins a game unless it fits one. So what a game has
    # is known before its shorter lines are placed, and the result depends on no order of arrival.
    games: list[list[Line]] = []
    for line in sorted(by_progress, key=_furthest_first):
        fitting = [game for game in games if _fits(line, game)]
        if fitting:
            min(fitting, key=partial(_distance, line)).append(line)
        else:
            games.append([line])
    return [(_summary(sorted(game, key=attrgetter("progress"))), game) for game in games]


# Two runs of a board have drawn the same boot. Their lines are placed in this order:
#
#     moves     ms    belongs to
#     4 0 8 2   9000  game 1, which begins with it
#     4 0 8     7000  game 1: it can come before 4 0 8 2
#     4 0 6     5000  game 2: it cannot come before 4 0 8, so another game begins with it
#     4 0       4000  game 1: it fits both, whose next lines have three moves; game 1 is slower
#     4 0       3000  game 2: game 1 has another time for this move
#
# `_fits` compares a line by cable with a game's last line only, and `_distance` sees only lines
# that were placed before. Both are right because of this order: the line that was placed last has
# come least far, and of two games that are equally near, the slower one comes first.
def _furthest_first(line: Line) -> tuple[bool, int, bool, int, str]:
    """A sort key: by cable first, then the furthest; equal texts stand next to each other."""
    plies, abandoned, ms = line.progress
    return line.radio, -plies, not abandoned, -ms, line.text


def _fits(line: Line, game: Sequence[Line]) -> bool:
    """Whether a line agrees with all lines of a game so far."""
    # Lines by cable come furthest first, so one that can precede the last can precede all of them.
    # By radio come only lines that may be invented, after all those by cable.
    shortest = game[-1:]
    return all(
        _are_of_one_game(*sorted((line, other), key=attrgetter("progress")))
        for other in (game if line.radio else shortest)
    )


def _are_of_one_game(earlier: Line, later: Line) -> bool:
    """Whether two lines can belong to one game; the later one has come as far or further.

    If the first and second can, and the second and third, then the first and third can too.
    """
    if earlier.text == later.text:
        return True
    game, later_game = earlier.game, later.game
    if game.end != "-" or game.ms > later_game.ms or earlier.setup != later.setup:
        return False
    plies = len(game.moves)
    if later_game.moves[:plies] != game.moves:
        return False
    # Two times for one move contradict each other. Before the first move, any time will do.
    return plies < len(later_game.moves) or later_game.end == "x" or not plies


def _distance(line: Line, game: Sequence[Line]) -> tuple[bool, float, bool, int]:
    """A sort key: how far a fitting game is from a line, which goes to the nearest one."""
    next_lines = [other.progress for other in game if other.progress >= line.progress]
    plies, abandoned, ms = min(next_lines, default=(math.inf, True, 0))
    # Lines with as many moves come slowest first, so the slower of two games comes first too.
    return game[0].radio, plies, abandoned, -ms


def _summary(lines: Sequence[Line]) -> FoldedGame:
    """The game of these lines, which are in order; the last line has come furthest."""
    last = lines[-1]
    by_cable = [line for line in lines if not line.radio]
    times = [""] * (1 + len(last.game.moves))
    for plies, abandoned, ms in [line.progress for line in lines]:
        if not abandoned:  # else its ms are those of leaving the game, not of a move
            times[plies] = str(ms)
    started, heard, played_before = _dates(by_cable) or _dates(lines) or _late_dates(lines)
    return FoldedGame(
        board=min({line.board for line in lines}, key=precedence),
        game=last.game,
        times=",".join(times[1:]),
        started=started,
        heard=heard,
        played_before=played_before,
        by_radio=int(not by_cable or by_cable[-1].progress[:2] < last.progress[:2]),
    )


_Dates = tuple[int | None, int | None, int | None]
"""`started`, `heard` and `played_before`."""


def _dates(lines: Iterable[Line]) -> _Dates | None:
    """The dates that live lines give; None if there is no such line."""
    live = [(line.at, line.game.ms) for line in lines if line.at is not None and not line.late]
    if not live:
        return None
    # The way from the board takes time, so the earliest start is the nearest to the truth.
    return min([at - ms for at, ms in live]), max(live)[0], None


def _late_dates(lines: Iterable[Line]) -> _Dates:
    """The dates of a game of which only its end was received, some time after it."""
    first_at = min((line.at for line in lines if line.at is not None), default=None)
    return None, first_at, first_at


_UNNAMED_COPY = re.compile(r"([^/]+/)*file-(MY_DATA|microbit)\b.*", re.IGNORECASE)
"""A copied log under the name that each V2 gives it, as `MY_DATA.HTM` or `microbit (1).csv`."""


def precedence(board: str) -> tuple[bool, bool, bool, int, str]:
    """A game received under several boards is stored under the one with the least value."""
    is_unnamed = _UNNAMED_COPY.fullmatch(board) is not None
    return is_by_radio(board), "usb-" not in board, is_unnamed, len(board), board
