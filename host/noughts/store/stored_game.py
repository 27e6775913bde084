"""A stored game, and what its row must hold."""

from collections.abc import Iterable
from itertools import pairwise, repeat
from operator import sub
from typing import NamedTuple

from noughts.game.review import mistakes
from noughts.protocol import describe
from noughts.protocol.describe import display_name
from noughts.protocol.sentences import outcome, player_of
from noughts.store.rows import Columns
from noughts.store.timestamps import When

RESULTS = {name: end for end, name in describe.RESULTS.items()}
"""By name, a result as the store has it."""

_CELLS = b"012345678"
_MAX_PLIES = 9
_YEAR_9999 = 253_370_764_800_000
"""In ms since 1970. Times are before that, as the tables check."""
_MAX_TIMES = 200
"""Characters: nine times of ten digits, and then some."""


def check_games(columns: Columns) -> None:
    """Raise `ValueError` if noughts cannot have stored games like these, so a row is damaged.

    It does not look whether the moves are legal, because an export reads 100,000 games.
    """
    check_seats(columns["seats"])
    if not (set(columns["first"]) <= {"A", "B"} and set(columns["end"]) <= describe.RESULTS.keys()):
        raise ValueError("a game that nobody began, or with an unknown end")
    moves, times = columns["moves"], columns["times"]
    plies = list(map(len, moves))
    if _have_others(moves, _CELLS) or max(plies) > _MAX_PLIES:
        raise ValueError("a game with something else than moves")
    commas = [(n or 1) - 1 for n in plies]
    if _have_others(times, b"0123456789,") or list(map(str.count, times, repeat(","))) != commas:
        raise ValueError("a game without a time for each move")
    if max(map(len, times)) > _MAX_TIMES:
        raise ValueError("a game with a time of too many digits")


def _have_others(texts: Iterable[str], characters: bytes) -> bool:
    """Whether a text has another character than these."""
    # Deleting bytes is the fastest way to look at millions of them.
    return bool("".join(texts).encode().translate(None, characters))


def check_legal(columns: Columns) -> None:
    """Raise `ValueError` if moves are not legal, or have another end."""
    for moves, first, end in zip(columns["moves"], columns["first"], columns["end"], strict=True):
        if end not in (outcome(moves, first), "x"):
            raise ValueError("a game whose end does not follow from its moves")


def check_seats(seats: Iterable[str]) -> None:
    """Raise `ValueError` if these are not the seats of two players each."""
    for pair in set(seats):
        if len(pair) != 2 or not (pair.isascii() and pair.isalpha()):
            raise ValueError("a game without two players")


def check_times(*columns: Iterable[int | None]) -> None:
    """Raise `ValueError` for a time that is not before the year 9999."""
    for column in columns:
        times = {time for time in column if time is not None}
        if times and not -_YEAR_9999 < min(times) <= max(times) < _YEAR_9999:
            raise ValueError("a time that no calendar has")


def thinking(times: str) -> list[int | None]:
    """From the `times` of a game with moves: ms from the move before, or the start, to each move.

    None if one of the two times was not received.
    """
    texts = times.split(",")
    if "" not in texts:  # as in nearly all games
        moved_ms = list(map(int, texts))
        return list(map(sub, moved_ms, [0, *moved_ms]))
    received_ms = [0, *(int(text) if text else None for text in texts)]
    return [
        None if start_ms is None or end_ms is None else end_ms - start_ms
        for start_ms, end_ms in pairwise(received_ms)
    ]


class StoredGame(NamedTuple):
    """A game of the store; see `sentences.Game` for what the board sends.

    Times are ms since 1970, UTC; None if unknown. The last three fields come from the board's
    start; None if that was not received.

    >>> game = StoredGame(
    ...     7, "usb-1", "red", "00000A83", 2, "PH", "A", "-", None, None, None, 0, 1200, "40",
    ...     "500,1200", "V1", "1.2.0", "2798",
    ... )
    >>> game.result, game.display_name, game.cells, game.thought_ms, game.mistakes_a
    ('unfinished', 'red', [4, 0], [500, 700], 0)
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
    """When its last live line was received; if there is none, when its first late line was."""
    by_radio: int
    ms: int
    moves: str
    """Cells 0 to 8."""
    times: str
    """For each move, ms since the game began, separated by commas; empty if not received."""
    hardware: str | None
    release: str | None
    table_id: str | None

    @staticmethod
    def check(columns: Columns) -> None:
        """Raise `ValueError` if noughts cannot have stored such games, so a row is damaged."""
        check_games(columns)
        check_times(columns["started"], columns["played_before"], columns["heard"])

    @property
    def result(self) -> str:
        """One of `RESULTS`."""
        return describe.RESULTS[self.end]

    @property
    def when(self) -> When:
        """When it was played, as far as that is known."""
        return When(self.started, self.played_before)

    @property
    def display_name(self) -> str:
        """The board's name for people."""
        return display_name(self.board, self.name)

    @property
    def plies(self) -> int:
        """How many moves were made."""
        return len(self.moves)

    @property
    def cells(self) -> list[int]:
        """The cell of each move, 0 to 8."""
        return list(map(int, self.moves))

    @property
    def mistakes_a(self) -> int:
        """How many moves of A gave away a win or a draw."""
        return mistakes(self.moves)[self.first != "A"]

    @property
    def mistakes_b(self) -> int:
        """How many moves of B gave away a win or a draw."""
        return mistakes(self.moves)[self.first == "A"]

    @property
    def thought_ms(self) -> list[int | None]:
        """For each move, ms since the move before, or since the start."""
        return thinking(self.times) if self.moves else []

    def player(self, ply: int) -> str:
        """`A` or `B`, who makes a move; plies count from 0."""
        return player_of(self.first, ply)


class LegalGame(StoredGame):
    """A stored game whose moves were checked too, for those who replay it."""

    @staticmethod
    def check(columns: Columns) -> None:
        """Raise `ValueError` if no board can have played such games, so a row is damaged."""
        StoredGame.check(columns)
        check_legal(columns)
