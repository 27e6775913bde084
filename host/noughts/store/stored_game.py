"""A stored game, and its fields in JSON, exports and help."""

from functools import cache
from itertools import pairwise
from operator import sub
from typing import Any, NamedTuple

from noughts.game.positions import FULL, WON
from noughts.game.review import mistakes
from noughts.protocol import describe
from noughts.protocol.describe import SEATS_MEANING, called
from noughts.protocol.sentences import player_of
from noughts.store.timestamps import When

RESULTS = {name: end for end, name in describe.RESULTS.items()}
"""By name, a result as the store has it."""

_PLIES = range(1, 10)
_YEAR_9999 = 253_370_764_800_000
"""In ms since 1970. Times are before that, as the tables check."""
_MAX_TIMES = 200
"""Characters: nine times of ten digits, and then some."""


def check_game(seats: str, first: str, moves: str, times: str, end: str) -> None:
    """Raise `ValueError` if no board can have played a game, so its row is damaged.

    An export reads 100,000 games, and nearly all differ. So this looks at the masks of both
    players, where `sentences.parse` goes from move to move.
    """
    check_seats(seats)
    if first not in _TURNS or times.count(",") != max(0, len(moves) - 1):
        raise ValueError("a game that nobody began, or whose moves have no times")
    if times.strip("0123456789,") or len(times) > _MAX_TIMES:
        raise ValueError("a game with a time that is not a number")
    of_first, of_second = _mask(moves[::2]), _mask(moves[1::2])
    if WON[of_first] or WON[of_second]:
        last = _mask(moves[-1])
        won_before = WON[of_first & ~last] or WON[of_second & ~last]
        result = None if won_before else first if WON[of_first] else _TURNS[first]
    else:
        result = "=" if of_first | of_second == FULL else "-"
    if of_first & of_second or result is None or end not in (result, "x"):
        raise ValueError("a game with a move or an end that is not legal")


_BITS = {str(cell): 1 << cell for cell in range(9)}
_TURNS = {"A": "B", "B": "A"}


@cache
def _mask(cells: str) -> int:
    """The cells of one player, at most five, as a mask."""
    mask = 0
    for cell in cells:
        bit = _BITS.get(cell, 0)
        if not bit or mask & bit:
            raise ValueError("a game with a move that is not legal")
        mask |= bit
    return mask


def check_seats(seats: str) -> None:
    """Raise `ValueError` if these are not the seats of two players."""
    if len(seats) != 2 or not (seats.isascii() and seats.isalpha()):
        raise ValueError("a game without two players")


def check_times(*times: int | None) -> None:
    """Raise `ValueError` for a time that is not before the year 9999."""
    if any(time is not None and not -_YEAR_9999 < time < _YEAR_9999 for time in times):
        raise ValueError("a time that no calendar has")


def thinking(times: str) -> list[int | None]:
    """From the `times` of a game with moves: ms from the move before, or the start, to each move.

    None if one of the two times was not received.
    """
    moved = times.split(",")
    if "" not in moved:  # as in nearly all games
        at = list(map(int, moved))
        return list(map(sub, at, [0, *at]))
    known = pairwise([0, *(int(time) if time else None for time in moved)])
    return [None if now is None or before is None else now - before for before, now in known]


class StoredGame(NamedTuple):
    """A game of the store; see `sentences.Game` for what the board sends.

    Times are ms since 1970, UTC; None if unknown. The last three fields come from the board's
    start; None if that was not received.
    """

    id: int
    board: str
    name: str | None
    boot: str
    number: int
    seats: str
    first: str
    end: str
    started: int | None
    played_before: int | None
    heard: int | None
    by_radio: int
    ms: int
    moves: str
    """Cells 0 to 8."""
    times: str
    """For each move, ms since the game began, separated by commas; empty if not received."""
    hardware: str | None
    release: str | None
    table_id: str | None

    def check(self) -> None:
        """Raise `ValueError` if no board can have played it, so its row is damaged."""
        check_game(self.seats, self.first, self.moves, self.times, self.end)
        check_times(self.started, self.played_before, self.heard)

    @property
    def result(self) -> str:
        """One of `RESULTS`."""
        return describe.RESULTS[self.end]

    @property
    def when(self) -> When:
        return When(self.started, self.played_before)

    @property
    def called(self) -> str:
        return called(self.board, self.name)

    @property
    def thought_ms(self) -> list[int | None]:
        """For each move, ms since the move before, or since the start."""
        return thinking(self.times) if self.moves else []

    def player(self, ply: int) -> str:
        """`A` or `B`, who makes a move; plies count from 0."""
        return player_of(self.first, ply)


class Field(NamedTuple):
    """A field of a game: one value in JSON, and one or more columns in an export."""

    name: str
    kind: str
    """`int`, `str`, `id` (hex digits), `release`, `timestamp` (ms since 1970, UTC)."""
    meaning: str
    """For help and metadata, with the unit."""
    columns: tuple[str, ...] = ()
    """For a list: the names of its columns in an export, as many as it may have values."""


FIELDS = (
    Field("game", "int", "its number in the store"),
    Field(
        "board",
        "str",
        "usb- and the USB serial number, radio- and its id, else the port or the log's file",
    ),
    Field("board_name", "str", "what people call it, see `noughts boards`"),
    Field("boot", "id", "the id of the board's run, eight hex digits"),
    Field("number", "int", "the board's own count of games since that boot"),
    Field("seats", "str", f"who was player A, and player B: {SEATS_MEANING}", ("seat_a", "seat_b")),
    Field("first", "str", "who began: A or B"),
    Field("result", "str", "A or B (who won), draw, abandoned, unfinished"),
    Field("started", "timestamp", "when it began, if known"),
    Field(
        "played_before",
        "timestamp",
        "of a recovered game with no known start: a time by which it had ended",
    ),
    Field("heard", "timestamp", "when it was last received, live or after its end, if known"),
    Field("by_radio", "int", "1 if its later moves are known only by radio, else 0"),
    Field("ms", "int", "how long it was played, in milliseconds"),
    Field("hardware", "str", "V1 or V2; none if the board's start was not received"),
    Field("release", "release", "the game's release, as the board reports it"),
    Field("table_id", "id", "the id of the chip's table, four hex digits"),
    Field("plies", "int", "how many moves were made"),
    Field("mistakes_a", "int", "moves of A that gave away a win or a draw"),
    Field("mistakes_b", "int", "the same for B"),
    Field("moves", "int", "the cell of each move, 0 to 8", tuple(f"move_{ply}" for ply in _PLIES)),
    Field(
        "thought_ms",
        "int",
        "ms from the move before (or the start) to each move",
        tuple(f"ms_{ply}" for ply in _PLIES),
    ),
)
"""All fields; `values` has the same order."""


def values(game: StoredGame) -> tuple[Any, ...]:
    """A game's values, one for each of `FIELDS`; a list for one with columns."""
    wrong = mistakes(game.moves)
    of_second = len([ply for ply in wrong if ply & 1])
    of_both = len(wrong) - of_second, of_second
    return (
        *game[:7],
        describe.RESULTS[game.end],
        *game[8:13],
        *game[15:],
        len(game.moves),
        *(of_both if game.first == "A" else of_both[::-1]),
        list(map(int, game.moves)),
        game.thought_ms,
    )
