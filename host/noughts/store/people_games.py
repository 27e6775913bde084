"""The games in which people moved, for `noughts learn`."""

from __future__ import annotations

from noughts.brain.learn import PeopleGame
from noughts.store.queries import GameFilter, played, sound
from noughts.store.store import Store


def people_games(store: Store, wanted: GameFilter) -> list[PeopleGame]:
    """Those that fit, also games that never ended. Raises `StoreError`."""
    found = []
    with sound(store.path):
        for _, seats, first, moves, _, _ in played(store, wanted):
            by_turn = seats if first == "A" else seats[::-1]
            game = PeopleGame(tuple(map(int, moves)), (by_turn[0] == "P", by_turn[1] == "P"))
            if game.people_moves:
                found.append(game)
    return found
