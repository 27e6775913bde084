"""`noughts play` in a real terminal: a pseudo-terminal that this test holds the other end of."""

import os
import re
import signal

import pytest


@pytest.mark.parametrize("board", ["simulated", "emulated"])
def test_a_game_is_played_and_left(request, terminal, board):
    if board == "emulated":
        request.getfixturevalue("qemu")
    program = terminal("play", "--board", board)
    program.wait_for("board started: micro:bit V1")
    program.press("b", "game 1: A is a person, B is a person; A begins")
    program.press("b", "move 1: A in the centre")
    program.type("q")
    assert program.end() == 0
    assert "\x1b[?1049l" in program.text  # the terminal is as it was


def test_without_colour(terminal):
    program = terminal("play", "--board", "simulated", NO_COLOR="1")
    program.wait_for("board started")
    assert not re.search(r"\x1b\[[0-9;]*38;2;255", program.text)
    program.type("q")
    assert program.end() == 0


def test_a_closed_terminal_ends_the_board(terminal):
    program = terminal("play", "--board", "simulated")
    program.wait_for("board started")
    os.kill(program.pid, signal.SIGHUP)
    program.end()


@pytest.mark.parametrize("size", [(16, 100), (30, 39)])
def test_a_terminal_that_is_too_small_is_told_before_anything_starts(terminal, size):
    program = terminal("play", "--board", "simulated", size=size)
    assert program.end() == 1
    assert program.text.replace("\r\n", "\n") == (
        f"noughts: the terminal is too small ({size[1]} x {size[0]}); make it 40 x 17 or larger\n"
    )
