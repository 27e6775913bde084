"""What many games have in common: results, first moves, lengths, thinking times, mistakes."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field

from noughts.game.review import mistakes
from noughts.protocol.describe import CHIP, SEATS, called, name_key
from noughts.store.queries import GameFilter, count_origins, played, sound
from noughts.store.store import Store
from noughts.store.stored_game import thinking

_PLIES = 9
_SEATS = "".join(SEATS)


@dataclass
class Player:
    """One kind of seat: a person, the chip at one of its levels, or an engine."""

    games: int = 0
    """Games that ended by the rules, counted once for each seat of this kind."""
    moves: int = 0
    """In those games."""
    mistakes: int = 0
    """In those games."""
    thought_ms: list[int | None] = field(default_factory=list)
    """Of each move in all games; None where the time was not received."""

    @property
    def mistakes_a_game(self) -> float | None:
        """The mean; none without games."""
        return self.mistakes / self.games if self.games else None

    def add(self, other: Player) -> None:
        """Count what another of this kind did, too."""
        self.games += other.games
        self.moves += other.moves
        self.mistakes += other.mistakes
        self.thought_ms += other.thought_ms

    def quartiles_ms(self) -> list[float] | None:
        """A quarter, half and three quarters of the moves took less; none without moves."""
        times: list[float] = sorted(ms for ms in self.thought_ms if ms is not None)
        if len(times) < 2:
            return times * 3 or None
        return statistics.quantiles(times, method="inclusive")


@dataclass
class BoardStats:
    """The games of one board."""

    board: str = ""
    name: str | None = None
    """What people call it."""
    results: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """By seats and who began: how often each end, as in the sentence."""
    players: dict[str, Player] = field(default_factory=dict)
    """By the letter of the seat."""

    def kind(self, seats: str, first: str) -> _Kind:
        """Where such games are counted."""
        one, two = (self.players.setdefault(seat, Player()) for seat in seats)
        results = self.results.setdefault((seats, first), Counter())
        return (results, one, two) if first == "A" else (results, two, one)

    @property
    def called(self) -> str:
        """The board as people know it."""
        return called(self.board, self.name)

    @property
    def games(self) -> int:
        """All games."""
        return sum(results.total() for results in self.results.values())

    @property
    def people(self) -> Player:
        """All people who played on it."""
        return self.players.get("P", Player())

    def against_chip(self) -> tuple[int, int, int]:
        """How many games a person won, drew and lost against the chip."""
        won = drawn = lost = 0
        for (seats, _), results in self.results.items():
            if "P" in seats and CHIP.intersection(seats):
                person, chip = ("A", "B") if seats[0] == "P" else ("B", "A")
                won += results[person]
                drawn += results["="]
                lost += results[chip]
        return won, drawn, lost

    def between_people(self) -> int:
        """How many games between two people were won or drawn."""
        return sum(
            results[end]
            for (seats, _), results in self.results.items()
            if seats == "PP"
            for end in "AB="
        )

    def ended(self, end: str) -> int:
        """How many games ended so, see `RESULTS`."""
        return sum(results[end] for results in self.results.values())


_Kind = tuple[Counter[str], Player, Player]
"""Where games are counted: their results, who moves first, who moves second."""


@dataclass
class Stats:
    """Of any number of games."""

    games: int = 0
    told_late: int = 0
    """Those whose start is not known, only that they were over at some moment."""
    by_radio: int = 0
    """Those of which only the radio knows how they went on, where anybody near can send."""
    boards: list[BoardStats] = field(default_factory=list)
    """Those with games, by name."""
    results: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """By seats and who began: how often each end, as in the sentence."""
    first_moves: list[int] = field(default_factory=lambda: [0] * _PLIES)
    """How often people began with each cell, in games that ended by the rules."""
    lengths: Counter[int] = field(default_factory=Counter)
    """How many games that ended by the rules had so many moves."""
    players: dict[str, Player] = field(default_factory=dict)
    """By the letter of the seat."""

    def add(self, board: BoardStats) -> None:
        """Count a board's games, too."""
        self.boards.append(board)
        self.games += board.games
        for kind, results in board.results.items():
            self.results.setdefault(kind, Counter()).update(results)
        for seat, player in board.players.items():
            self.players.setdefault(seat, Player()).add(player)


def stats(store: Store, wanted: GameFilter) -> Stats:
    """Over the games that fit. Raises `StoreError`, also for a store that holds nonsense."""
    with sound(store.path):
        return _counted(store, wanted)


def _counted(store: Store, wanted: GameFilter) -> Stats:
    found = Stats()
    boards: dict[int, BoardStats] = {}
    kinds: dict[tuple[int, str, str], _Kind] = {}
    for number, seats, first, moves, times, end in played(store, wanted):
        kind = kinds.get((number, seats, first))
        if kind is None:
            here = boards.setdefault(number, BoardStats())
            kind = kinds[number, seats, first] = here.kind(seats, first)
        results, mover, other = kind
        results[end] += 1
        if not moves:
            continue
        thought = thinking(times)
        mover.thought_ms += thought[::2]
        other.thought_ms += thought[1::2]
        if end in "AB=":
            found.lengths[len(moves)] += 1
            if seats[first == "B"] == "P":
                found.first_moves[int(moves[0])] += 1
            mover.games += 1
            other.games += 1
            mover.moves += (len(moves) + 1) // 2
            other.moves += len(moves) // 2
            for ply in mistakes(moves):
                (other if ply & 1 else mover).mistakes += 1
    # Afterwards: a board may be new since the first game was read.
    for number, name, given_name in store.each("SELECT id, name, given_name FROM boards"):
        if number in boards:
            boards[number].board, boards[number].name = str(name), given_name and str(given_name)
    for board in sorted(boards.values(), key=lambda board: name_key(board.called)):
        found.add(board)
    found.told_late, found.by_radio = count_origins(store, wanted)
    return found


def board_record(board: BoardStats) -> dict[str, str | int | float | None]:
    """A board's row, as JSON and spreadsheets have it."""
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


def in_order(found: Stats) -> list[tuple[str, str, Counter[str]]]:
    """Seats, who began, and the results: people first."""
    keys = sorted(found.results, key=lambda key: ([_SEATS.index(seat) for seat in key[0]], key[1]))
    return [(seats, first, found.results[seats, first]) for seats, first in keys]


def players_in_order(found: Stats) -> list[tuple[str, Player]]:
    """The kinds of seats that played, people first."""
    return [(seat, found.players[seat]) for seat in _SEATS if seat in found.players]
