"""`noughts replay`: a stored game move by move, in words and with its scores."""

import pytest

from noughts.store import timestamps
from noughts.store.store import Store
from sample_games import AT, DRAW, filled, stages

V1 = "micro:bit V1, table 2798, "
TWO_DIAGONALS = [0, 1, 2, 3, 8, 5, 6, 7, 4]


@pytest.fixture
def stored(tmp_path):
    """Five games; of a sixth, of another board, no start was received."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW, step_ms=60_000),
        stages(TWO_DIAGONALS, seats="PP", number=7, first="B", step_ms=0),
        stages([4, 1, 0, 8, 3, 5, 6], seats="PP", number=8, first="B"),
        stages([0, 4, 8, 2, 3, 6], seats="PE", number=9),
        stages([4], "x", number=10)[-1:],  # nothing else was received of it
    )
    with Store(path) as store:
        store.keep("usb-2", stages([4], boot="BBBBBBBB")[1], AT)
    return path


@pytest.fixture
def replay(printed):
    return lambda number, **named: printed("replay", number, "--text", **named)


OF = " of boot 00000A83"


@pytest.mark.parametrize(
    ("number", "began", "game", "board"),
    [
        (1, AT, "B is the chip (hard); A began; draw", V1 + "usb-1, its game 1" + OF),
        (
            2,
            AT + 60_000,
            "B is a person; B began; B won",
            V1 + "usb-1, its game 7" + OF,
        ),
        (
            6,
            AT - 1000,
            "B is the chip (hard); A began; unfinished",
            "usb-2, its game 1 of boot BBBBBBBB",
        ),
    ],
)
def test_the_head(replay, number, began, game, board):
    assert replay(number).splitlines()[:2] == [
        f"game {number}: A is a person, {game}",
        f"{timestamps.local(began)}, {board}",
    ]


def test_every_step(replay):
    out = replay(3)
    steps = out.split("Move ")[1:]
    assert len(steps) == 7
    assert steps[1].startswith("2 of 7: A plays 2, on the top edge, after 1.0 s.\n")
    assert "A mistake: it turns a draw into a loss. Best: 1, 3, 7 or 9." in steps[1]
    assert "The best move; the position was already lost." in steps[3]
    assert "It keeps the draw; against mistakes, 1, 3, 7 or 9 wins more often." in steps[0]
    assert out.endswith("B wins: left column.\n")


def test_a_move_that_took_no_time_and_two_lines_at_once(replay):
    out = replay(2)
    assert "Move 1 of 9: B plays 1, in the top-left corner, after 0.0 s.\n" in out
    assert out.split("B begins.\n\n")[1].splitlines()[1] == " B | 2 | 3     -1   row 1 2 3"
    assert out.endswith("B wins: diagonal from the top left and diagonal from the top right.\n")


def test_the_eight_scores(replay):
    out = replay(4)
    assert "One of the best moves, 1, 3, 7 or 9: it keeps the draw." in out
    after_four = out.split("Move 4 of 6")[0].split("Move 3 of 6")[1].split("\n\n", 1)[1]
    # A has 0 and 8, B 4 and 2: columns 1 -1 0, rows 0 -1 1, falling 1, rising -2.
    assert [line.rstrip() for line in after_four.strip("\n").splitlines()] == [
        "               -2   diagonal 3 5 7",
        " A | 2 | B      0   row 1 2 3",
        "---+---+---",
        " 4 | B | 6     -1   row 4 5 6",
        "---+---+---",
        " 7 | 8 | A     +1   row 7 8 9",
        "",
        "+1  -1   0     +1   diagonal 1 5 9",
        "columns",
    ]


@pytest.mark.parametrize(
    ("number", "ending"),
    [
        (1, "A draw."),
        (5, "The game was abandoned here."),
        (6, "Nothing more of this game was received."),
    ],
)
def test_how_a_game_stopped(replay, number, ending):
    assert replay(number).splitlines()[-1] == ending


def test_a_move_without_a_time(replay):
    assert "Move 1 of 1: A plays 5, in the centre.\n" in replay(5)


def test_the_last_game_is_one_that_ended(replay, tmp_path):
    """After a game a board begins the next by itself, and is switched off in it."""
    assert replay("last").startswith("game 4:")
    begun = stages([0], number=2, first="B")
    for name, games in (("played.db", [stages(DRAW), begun]), ("begun.db", [begun])):
        assert replay("last", db=filled(tmp_path / name, *games)).startswith("game 1:")
