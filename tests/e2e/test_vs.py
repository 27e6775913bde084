"""`noughts vs`: a game by typing cells."""

import subprocess
import sys

import pytest

from noughts.commands.vs import read_cell
from noughts.game.positions import EMPTY, parse


def vs(*words, typed=""):
    command = [sys.executable, "-m", "noughts", "vs", *words]
    return subprocess.run(command, input=typed, capture_output=True, text=True, timeout=60)


def test_a_whole_game_with_wrong_input_on_the_way():
    done = vs("minimax", typed="5\n5\nmiddle\n\n0\n3\n2,1\n8\n9\n6\n2\n")
    assert done.returncode == 0
    assert "O, minimax, plays 1 (55,505 nodes visited, " in done.stdout
    assert "cell 5 is taken; these are free: 2, 3, 4, 6, 7, 8, 9" in done.stderr
    for wrong in ("middle", "", "0"):
        assert f"{wrong!r} is not a cell; type 1 to 9, or row,column such as 2,3" in done.stderr
    assert done.stdout.splitlines()[-1] in ("a draw", "O wins")
    assert "Traceback" not in done.stderr


def test_the_board_is_printed_after_each_move():
    done = vs("rules", "--first", "it", typed="1\n")
    boards = done.stdout.count("---+---+---") // 2
    assert boards == 4  # empty, its move, mine, its next
    assert "X, rules, plays 5\n" in done.stdout
    assert done.stdout.endswith("stopped; the game is not over\n") and done.returncode == 0


def test_two_engines_play_each_other_and_a_seed_repeats_it():
    games = {vs("random", "easy", "--seed", "7").stdout for _ in range(2)}
    (game,) = games
    assert "X, random, plays" in game and "O, easy, plays" in game
    assert game.splitlines()[-1] in ("X wins", "O wins", "a draw")
    assert any(vs("random", "easy", "--seed", str(seed)).stdout != game for seed in range(3))


def test_perfect_engines_draw():
    assert vs("alphabeta", "hard").stdout.endswith("a draw\n")


@pytest.mark.parametrize(
    ("text", "cell"), [("1", 0), (" 9 ", 8), ("1,1", 0), ("2,3", 5), ("3, 1", 6)]
)
def test_cells(text, cell):
    assert read_cell(text, EMPTY) == (cell, "")


@pytest.mark.parametrize("text", ["", "0", "10", "a", "1,4", "0,1", "1,1,1", ",", "²", "1.5", "-1"])
def test_what_is_no_cell(text):
    cell, wrong = read_cell(text, EMPTY)
    assert cell is None and wrong.startswith(f"{text!r} is not a cell; type 1 to 9")


def test_what_is_typed_does_not_act_on_the_terminal():
    assert "\x1b" not in read_cell("\x1b[2J", EMPTY)[1]
    assert read_cell("1", parse("X........")) == (
        None,
        "cell 1 is taken; these are free: 2, 3, 4, 5, 6, 7, 8, 9",
    )
