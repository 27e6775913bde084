"""Games read back from the store: in pages, and one after the other."""

import pytest

from noughts.store.queries import NEWEST_FIRST, GameFilter, before_and_after, game, games
from noughts.store.store import Store
from sample_games import AT, filled, stages

ALL = GameFilter()


@pytest.fixture
def store(tmp_path):
    """Games 1 to 5 without a moment and 6 to 10 with one, of which the even ones are of PP."""
    path = tmp_path / "games.db"
    for number in range(1, 11):
        game = stages([4, 0], number=number, seats="PH" if number % 2 else "PP")
        filled(path, game, at=None if number < 6 else AT + number)
    with Store(path) as opened:
        yield opened


def numbers(store, *args):
    return [each.id for each in games(store, *args)]


def test_pages_follow_each_other(store):
    pages = [numbers(store, ALL, 4, skipped) for skipped in (0, 4, 8, 12)]
    assert pages == [[10, 9, 8, 7], [6, 5, 4, 3], [2, 1], []]
    assert numbers(store, GameFilter(boards=("USB-", "x"), seats="PP"), 2, 2) == [6, 4]


@pytest.mark.parametrize("wanted", [ALL, GameFilter(seats="PP"), GameFilter(boards=("usb",))])
def test_the_games_before_and_after(store, wanted):
    listed = numbers(store, wanted, 99)
    for newer, here, older in zip([None, *listed], listed, [*listed[1:], None], strict=False):
        assert before_and_after(store, wanted, game(store, here)) == (older, newer)


def test_the_newest_games_come_from_an_index(store):
    plan = store.read(
        "EXPLAIN QUERY PLAN SELECT games.id FROM games JOIN boards ON boards.id = games.board "
        f"ORDER BY {NEWEST_FIRST} LIMIT 25"
    )
    assert "games_by_moment" in str(plan) and "TEMP B-TREE" not in str(plan)
