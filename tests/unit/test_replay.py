"""`noughts replay`: a stored game move by move, in words and with its scores."""

import pytest

from noughts.store import timestamps
from noughts.store.store import Store
from sample_games import AT, DRAW, filled, stages

V1 = "micro:bit V1, table 2798, "


@pytest.fixture
def stored(tmp_path):
    """Five games; of a sixth, of another board, no start was received."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW, step_ms=60_000),
        stages([0, 1, 2, 3, 8, 5, 6, 7, 4], seats="PP", number=7, first="B", step_ms=0),
        stages([4, 1, 0, 8, 3, 5, 6], seats="PP", number=8, first="B"),
        stages([0, 4, 8, 2, 3, 6], seats="PE", number=9),
        stages([4], "x", number=10)[-1:],  # nothing else was received of it
    )
    with Store(path) as store:
        store.add("usb-2", stages([4], boot="BBBBBBBB")[1], AT)
    return path


@pytest.fixture
def replay(printed):
    return lambda number, **named: printed("replay", number, "--text", **named)


@pytest.mark.parametrize(
    ("number", "game", "began", "board", "ending"),
    [
        (1, "hard); A began; draw", AT, f"{V1}usb-1, its game 1 of boot 00000A83", "A draw."),
        (5, "hard); A began; abandoned", None, None, "The game was abandoned here."),
        (6, "hard); A began; unfinished", AT - 1000, "usb-2, its game 1 of boot BBBBBBBB",
         "Nothing more of this game was received."),
    ],
)  # fmt: skip
def test_what_a_game_was_and_how_it_stopped(replay, number, game, began, board, ending):
    first, second, *_, last = replay(number).splitlines()
    assert first == f"game {number}: A is a person, B is the chip ({game}"
    assert began is None or second == f"{timestamps.local(began)}, {board}"
    assert last == ending


def test_every_step(replay):
    out = replay(3)
    steps = out.split("Move ")[1:]
    assert len(steps) == 7
    assert steps[1].startswith("2 of 7: A plays 2, on the top edge, after 1.0 s.\n")
    # After move 3 B has 1 and 5, and A has 2.
    assert steps[1].endswith("\n\n-1   0   0     -2   diagonal 1 5 9\ncolumns\n\n")
    assert "The best move; the position was already lost." in steps[3]
    assert "It keeps the draw, but 1, 3, 7 or 9 wins more often against mistakes." in steps[0]
    assert "One of the best moves, 1, 3, 7 or 9: it keeps the draw." in replay(4)
    assert "The best move: it wins the game." in steps[6]
    assert out.endswith("B has won: left column.\n")


def test_moves_without_time_and_two_lines_at_once(replay):
    out = replay(2)
    assert out.startswith("game 2: A is a person, B is a person; B began; B won\n")
    assert "Move 1 of 1: A plays 5, in the centre.\n" in replay(5)  # no start was received
    assert "Move 1 of 9: B plays 1, in the top-left corner, after 0.0 s.\n" in out
    assert out.endswith("B has won: diagonal from the top left and diagonal from the top right.\n")


def test_the_last_game_is_one_that_ended(replay, tmp_path):
    """After a game a board begins the next by itself, and is switched off in it."""
    assert replay("last").startswith("game 4:")
    begun = stages([0], number=2, first="B")
    for name, games in (("played.db", [stages(DRAW), begun]), ("begun.db", [begun])):
        assert replay("last", db=filled(tmp_path / name, *games)).startswith("game 1:")
