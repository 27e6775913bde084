"""What many games have in common: results, first moves, lengths, thinking times, mistakes."""

from __future__ import annotations

import statistics
from collections import Counter
from dataclasses import dataclass, field

from noughts.game.review import mistakes
from noughts.store.queries import GameFilter, played, sound
from noughts.store.store import Store
from noughts.store.stored_game import thinking

_PLIES = 9
_SEATS = "PEMH"


@dataclass
class Player:
    """One kind of seat: a person, or the chip at easy, medium or hard."""

    games: int = 0
    """Games that ended by the rules, counted once for each seat of this kind."""
    moves: int = 0
    """In those games."""
    mistakes: int = 0
    """In those games."""
    thought_ms: list[int | None] = field(default_factory=list)
    """Of each move in all games; None where the time was not heard."""

    @property
    def mistakes_a_game(self) -> float | None:
        """The mean; none without games."""
        return self.mistakes / self.games if self.games else None

    def quartiles_ms(self) -> list[float] | None:
        """A quarter, half and three quarters of the moves took less; none without moves."""
        times: list[float] = sorted(ms for ms in self.thought_ms if ms is not None)
        if len(times) < 2:
            return times * 3 or None
        return statistics.quantiles(times, method="inclusive")


@dataclass
class Stats:
    """Of any number of games."""

    games: int = 0
    results: dict[tuple[str, str], Counter[str]] = field(default_factory=dict)
    """By seats and who began: how often each end, as in the sentence."""
    first_moves: list[int] = field(default_factory=lambda: [0] * _PLIES)
    """How often each cell was the first."""
    lengths: Counter[int] = field(default_factory=Counter)
    """How many games that ended by the rules had so many moves."""
    players: dict[str, Player] = field(default_factory=dict)
    """By the letter of the seat."""

    def kind(self, seats: str, first: str) -> tuple[Counter[str], Player, Player]:
        """Where such games are counted: results, who moves first, who moves second."""
        one, two = (self.players.setdefault(seat, Player()) for seat in seats)
        results = self.results.setdefault((seats, first), Counter())
        return (results, one, two) if first == "A" else (results, two, one)


def stats(store: Store, wanted: GameFilter) -> Stats:
    """Over the games that fit. Raises `StoreError`, also for a store that holds nonsense."""
    with sound(store.path):
        return _counted(store, wanted)


def _counted(store: Store, wanted: GameFilter) -> Stats:
    found = Stats()
    kinds: dict[tuple[str, str], tuple[Counter[str], Player, Player]] = {}
    for seats, first, moves, times, end in played(store, wanted):
        kind = kinds.get((seats, first))
        if kind is None:
            kind = kinds[seats, first] = found.kind(seats, first)
        results, mover, other = kind
        results[end] += 1
        if not moves:
            continue
        found.first_moves[int(moves[0])] += 1
        thought = thinking(times)
        mover.thought_ms += thought[::2]
        other.thought_ms += thought[1::2]
        if end in "AB=":
            found.lengths[len(moves)] += 1
            mover.games += 1
            other.games += 1
            mover.moves += (len(moves) + 1) // 2
            other.moves += len(moves) // 2
            for ply in mistakes(moves):
                (other if ply & 1 else mover).mistakes += 1
    found.games = sum(sum(results.values()) for results in found.results.values())
    return found


def in_order(found: Stats) -> list[tuple[str, str, Counter[str]]]:
    """Seats, who began, and the results: people first."""
    keys = sorted(found.results, key=lambda key: ([_SEATS.index(seat) for seat in key[0]], key[1]))
    return [(seats, first, found.results[seats, first]) for seats, first in keys]


def players_in_order(found: Stats) -> list[tuple[str, Player]]:
    """The kinds of seats that played, people first."""
    return [(seat, found.players[seat]) for seat in _SEATS if seat in found.players]
