"""The figures that the report, the page and `noughts stats` show of known games."""

import pytest

from noughts.store import figures
from noughts.store.people_moves import met_positions
from noughts.store.queries import GameFilter
from noughts.store.statistics import stats
from noughts.store.store import Store
from sample_games import DRAW, filled, stages

WON = [4, 1, 0, 2, 8]


@pytest.fixture
def counted(tmp_path):
    """Counts a store with these games."""

    def count(*games):
        with Store(filled(tmp_path / "games.db", *games)) as store:
            return stats(store, GameFilter()), met_positions(store, GameFilter())

    return count


def test_games_against_the_chip(counted):
    found, positions = counted(
        stages(WON, seats="PE"),
        stages(WON, seats="HP", number=2, step_ms=2000),
        stages(WON, seats="HP", number=3, step_ms=9000),
        stages(DRAW, number=4, step_ms=500),
        stages(DRAW, number=5, first="B", step_ms=500),
        stages([4, 0], "x", number=6),
        stages([4], number=7),
    )
    assert figures.facts(found) == [
        ("7", "games"),
        ("1", "board"),
        ("1 – 2 – 2", "won, drawn, lost against the chip"),
        ("0.40", "mistakes a game, of each person"),
    ]
    assert figures.boards(found.boards, {}).rows == [("usb-1", 7, 1, 2, 2, 0, 2, 2, 0.4, "-")]
    assert figures.players(found).rows[0] == ("person", 5, 16, 2, 0.4, "0.8", "0.5 to 1.0")
    assert figures.lengths(found).rows == [(5, 3), (6, 0), (7, 0), (8, 0), (9, 2)]
    assert figures.mistakes(positions).rows[:3] == [
        (1, 2, 0, "0%"),
        (2, 3, 2, "67%"),
        (3, 2, 0, "0%"),
    ]


def test_what_was_not_played_has_no_figure(counted):
    drawn, _ = counted(stages(DRAW))
    assert ("0 – 1 – 0", "won, drawn, lost against the chip") in figures.facts(drawn)
    begun, _ = counted(stages([], seats="MH", number=2))
    rows = {row[0]: row for row in figures.players(begun).rows}
    assert rows["medium"] == ("medium", 0, 0, 0, None, None, None)


def test_where_people_began():
    assert figures.first_moves([3, 0, 1, 0, 4, 2, 0, 0, 0]) == (
        "Where people began 10 games: 40% in the centre, 40% in a corner, 20% on an edge."
    )


def test_the_commonest_of_several_mistakes(counted):
    edge, opposite = [0, 1, 4, 2, 8], [0, 8, 2, 1, 6, 3, 4]
    played = enumerate((edge, opposite, edge), 1)
    games = [stages(cells, seats="HP", number=number) for number, cells in played]
    _, positions = counted(*games, stages(DRAW, seats="HP", number=4))
    met = next(each for each in positions if each.met == 3)
    how_many, wrong, right = figures.position(met)
    assert how_many == "O to move: 3 mistakes in 3 games (100%)."
    assert wrong == (
        "Most often wrong: 2, on the top edge (2 times); it turns a draw into a loss: "
        "X answers 4, 5 or 7."
    )
    assert right == "Right: 5."
