"""Statistics of many games: results, first moves, lengths, thinking times, mistakes."""

from __future__ import annotations

import statistics
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from noughts.brain.learn import people_moves
from noughts.game.people import PeopleGame
from noughts.game.positions import Position
from noughts.game.review import mistakes
from noughts.game.solver import value_preserving_moves
from noughts.protocol.describe import display_name, is_chip, seat_order
from noughts.store.game_filter import GameFilter
from noughts.store.queries import count, named_boards, played
from noughts.store.store import Store
from noughts.store.stored_game import thinking

_RECOVERED = "CASE WHEN started IS NULL THEN played_before END"
_RADIO = "nullif(by_radio, 0)"


@dataclass
class Player:
    """One kind of seat: a person, the chip at one of its levels, or an engine."""

    games: int = 0
    """Games that were won or drawn, counted once for each seat of this kind."""
    moves: int = 0
    """In those games."""
    mistakes: int = 0
    thought_ms: list[int | None] = field(default_factory=list)
    """For each move in all games; None if the time was not received."""

    @property
    def mistakes_a_game(self) -> float | None:
        """Mistakes per game; None without games."""
        return self.mistakes / self.games if self.games else None

    def add(self, other: Player) -> None:
        """Add the numbers of another board."""
        self.games += other.games
        self.moves += other.moves
        self.mistakes += other.mistakes
        self.thought_ms += other.thought_ms

    def quartiles_ms(self) -> list[float] | None:
        """A quarter, half and three quarters of the moves took less; None without moves."""
        times: list[float] = [ms for ms in self.thought_ms if ms is not None]
        if len(times) < 2:
            return times * 3 or None
        return statistics.quantiles(times, method="inclusive")


@dataclass
class _Figures:
    results: dict[tuple[str, str], Counter[str]] = field(
        default_factory=lambda: defaultdict(Counter)
    )
    """By seats and who began: how many games had each end."""
    players: dict[str, Player] = field(default_factory=lambda: defaultdict(Player))
    """By the seat's letter."""

    @property
    def games(self) -> int:
        return sum(results.total() for results in self.results.values())

    def add(self, other: _Figures) -> None:
        for key, results in other.results.items():
            self.results[key].update(results)
        for seat, player in other.players.items():
            self.players[seat].add(player)


@dataclass
class BoardStats(_Figures):
    """The statistics of one board."""

    board: str = ""
    name: str | None = None

    @property
    def display_name(self) -> str:
        """Its name for people."""
        return display_name(self.board, self.name)

    @property
    def people(self) -> Player:
        """The numbers of the people who played on it."""
        return self.players.get("P", Player())

    def against_chip(self) -> tuple[int, int, int]:
        """How many games a person won, drew and lost against the chip."""
        won = drawn = lost = 0
        for (seats, _), results in self.results.items():
            if "P" in seats and any(map(is_chip, seats)):
                person, chip = ("A", "B") if seats[0] == "P" else ("B", "A")
                won += results[person]
                drawn += results["="]
                lost += results[chip]
        return won, drawn, lost

    def between_people(self) -> int:
        """How many games between two people were won or drawn."""
        games = [results for (seats, _), results in self.results.items() if seats == "PP"]
        return sum(results[end] for results in games for end in "AB=")

    def ended(self, end: str) -> int:
        """How many games had this end, see `RESULTS`."""
        return sum(results[end] for results in self.results.values())


@dataclass
class Stats(_Figures):
    """People come first in `results` and `players`."""

    recovered: int = 0
    """Games without a known start; only a time is known by which they had ended."""
    by_radio: int = 0
    """Games whose later moves came by radio only, where anyone nearby can send."""
    boards: list[BoardStats] = field(default_factory=list)
    """Those with games."""
    first_moves: list[int] = field(default_factory=lambda: [0] * 9)
    """How often people began with each cell, in games that were won or drawn."""
    lengths: Counter[int] = field(default_factory=Counter)
    """How many games that were won or drawn had so many moves."""


def stats(store: Store, game_filter: GameFilter) -> Stats:
    """The statistics of the matching games. Raises `StoreError`."""
    totals = Stats(
        recovered=count(store, game_filter, _RECOVERED), by_radio=count(store, game_filter, _RADIO)
    )
    counted: defaultdict[int, _Figures] = defaultdict(_Figures)
    for number, seats, first, moves, times, end in played(store, game_filter):
        board = counted[number]
        board.results[seats, first][end] += 1
        by_turn = _by_turn(seats, first)
        mover, other = board.players[by_turn[0]], board.players[by_turn[1]]
        if not moves:
            continue
        thought = thinking(times)
        mover.thought_ms += thought[::2]
        other.thought_ms += thought[1::2]
        if end in "AB=":
            totals.lengths[len(moves)] += 1
            if by_turn[0] == "P":
                totals.first_moves[int(moves[0])] += 1
            mover.games += 1
            other.games += 1
            mover.moves += (len(moves) + 1) // 2
            other.moves += len(moves) // 2
            wrong, wrong_of_other = mistakes(moves)
            mover.mistakes += wrong
            other.mistakes += wrong_of_other
    # At the end, because a board may have been added since the first game was read.
    for named in named_boards(store):
        if named.number in counted:
            figures = counted[named.number]
            totals.boards.append(
                BoardStats(figures.results, figures.players, named.board, named.name)
            )
            totals.add(figures)
    totals.results = {key: totals.results[key] for key in sorted(totals.results, key=_order)}
    totals.players = {seat: totals.players[seat] for seat in sorted(totals.players, key=seat_order)}
    return totals


def _order(key: tuple[str, str]) -> tuple[list[tuple[int, str]], str]:
    """Sorts by seats and by who began: people first."""
    seats, first = key
    return [*map(seat_order, seats)], first


def _by_turn(seats: str, first: str) -> str:
    """The seats of who moves first and who moves second."""
    return seats if first == "A" else seats[::-1]


def board_record(board: BoardStats) -> dict[str, str | int | float | None]:
    """A board's row in JSON and spreadsheets."""
    won, drawn, lost = board.against_chip()
    return {
        "board": board.board,
        "name": board.name,
        "games": board.games,
        "won": won,
        "drawn": drawn,
        "lost": lost,
        "between_people": board.between_people(),
        "abandoned": board.ended("x"),
        "unfinished": board.ended("-"),
        "mistakes": board.people.mistakes,
        "mistakes_a_game": board.people.mistakes_a_game,
    }


@dataclass(frozen=True)
class MetPosition:
    """A position in which people had to move, together with its symmetric ones."""

    position: Position
    """Canonical."""
    moves: Counter[int]
    """How often each cell was chosen; equivalent cells count as the least of them."""
    right: tuple[int, ...]
    """All cells that keep the position's value."""

    @property
    def times_met(self) -> int:
        """How often people had to move here."""
        return self.moves.total()

    @property
    def wrong(self) -> Counter[int]:
        """The moves that gave away a win or a draw."""
        return Counter({cell: n for cell, n in self.moves.items() if cell not in self.right})

    @property
    def mistakes(self) -> int:
        """How often they gave away a win or a draw."""
        return self.wrong.total()

    @property
    def commonest_mistake(self) -> tuple[int, int]:
        """The wrong cell that was chosen most often, and how often. There must be one."""
        return max(self.wrong.items(), key=lambda item: (item[1], -item[0]))


def met_positions(store: Store, game_filter: GameFilter) -> list[MetPosition]:
    """How people moved in the matching games that were won or drawn; most mistakes first.

    Raises `StoreError`.
    """
    games = people_games(store, game_filter, finished=True)
    positions = [
        MetPosition(position, cells, tuple(value_preserving_moves(position)))
        for position, cells in people_moves(games).items()
    ]
    return sorted(
        positions,
        key=lambda item: (-item.mistakes, -item.times_met, item.position),
    )


def people_games(
    store: Store, game_filter: GameFilter, finished: bool = False
) -> Iterator[PeopleGame]:
    """The matching games in which people moved; finished: only those that were won or drawn.

    Raises `StoreError`.
    """
    for _, seats, first, moves, _, end in played(store, game_filter, legal=True):
        people = _are_people(seats, first)
        if any(people[: len(moves)]) and not (finished and end not in "AB="):
            yield PeopleGame(tuple(map(int, moves)), people)


@lru_cache  # there are few pairs of players
def _are_people(seats: str, first: str) -> tuple[bool, bool]:
    """Whether a person moved first, and whether a person moved second."""
    by_turn = _by_turn(seats, first)
    return by_turn[0] == "P", by_turn[1] == "P"
