"""What every replay says of a stored game: at its head, of its moves, and at its end."""

import pytest

from noughts.store import timestamps
from noughts.store.replay_words import won_cells
from noughts.store.store import Store
from sample_games import AT, DRAW, filled, stages

TWO_DIAGONALS = [0, 1, 2, 3, 8, 5, 6, 7, 4]


@pytest.fixture
def replay(tmp_path, printed):
    """Replays the games of a store; the last was heard without its board's start."""
    two = stages(TWO_DIAGONALS, seats="PP", number=7, first="B", step_ms=0)
    path = filled(tmp_path / "games.db", stages(DRAW, step_ms=60_000), two)
    with Store(path) as store:
        store.keep("usb-2", stages([4])[1], AT)
    return lambda number: printed("replay", number, "--text", db=path).splitlines()


@pytest.mark.parametrize(
    ("number", "began", "game", "where"),
    [
        (
            1,
            AT,
            "B is the chip (hard); A began; draw",
            "micro:bit V1, table 2798, usb-1, its game 1",
        ),
        (
            2,
            AT + 60_000,
            "B is a person; B began; B won",
            "micro:bit V1, table 2798, usb-1, its game 7",
        ),
        (3, AT - 1000, "B is the chip (hard); A began; unfinished", "usb-2, its game 1"),
    ],
)
def test_the_head(replay, number, began, game, where):
    assert replay(number)[:2] == [
        f"game {number}: A is a person, {game}",
        f"{timestamps.local(began)}, {where} of boot 0A83",
    ]


def test_whose_marks_stand_and_how_it_ended(replay):
    """B began; a move in no time is one that was heard."""
    told = replay(2)
    assert "Move 1 of 9: B plays 1, in the top-left corner, after 0.0 s." in told
    assert "Move 2 of 9: A plays 2, on the top edge, after 0.0 s." in told
    begun = told.index("B begins.") + 3
    assert told[begun] == " B | 2 | 3     -1"
    assert told[-1] == "B wins: diagonal from the top left and diagonal from the top right."
    assert replay(1)[-1] == "A draw."


def test_the_cells_of_the_lines_that_are_complete():
    assert won_cells([0, 2, -2, 1, -1, 0, 0, 2]) == set()
    assert won_cells([3, 0, 0, 1, 1, 1, 1, 1]) == {0, 3, 6}
    assert won_cells([-1, 1, -1, -1, 1, -1, -3, -3]) == {0, 2, 4, 6, 8}
