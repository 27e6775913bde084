"""`noughts replay` and `noughts stats` in a real terminal."""

import re
import time

import pytest

from sample_games import filled, stages
from terminal import ESCAPES
from waiting import until


@pytest.fixture
def db(tmp_path):
    return str(filled(tmp_path / "games.db", stages([4, 1, 0, 8, 3, 5, 6], step_ms=500)))


def test_stepping_through_a_game(terminal, db):
    program = terminal("replay", "1", "--db", db)
    program.wait_for("A begins.")
    program.wait_for("0/7")
    program.type("\x1b[C")
    program.wait_for("Move 1 of 7: A plays 5, in the centre")
    program.type("\x1b[C")
    program.wait_for("A mistake: it turns a draw into a loss.")
    program.type("\x1b[F")
    program.wait_for("A wins: left column.")
    program.type("\x1b[D")
    program.wait_for("Move 6 of 7")
    program.type("\x1b[H")
    program.wait_for("0/7")
    program.type("q")
    assert program.end() == 0


def test_it_plays_by_itself_and_can_be_stopped(terminal, db):
    program = terminal("replay", "last", "--speed", "5", "--db", db)
    program.wait_for("A wins: left column.")
    program.wait_for("space play")
    program.type(" ")  # once more from the beginning
    program.wait_for("space stop")
    program.text = ""
    program.type(" ")
    program.wait_for("space play")
    program.text = ""
    time.sleep(0.5)  # two steps and a half, if it went on
    program.read(0.1)
    assert "Move" not in ESCAPES.sub("", program.text)
    program.type("\x03")
    assert program.end() == 0


def test_a_replay_ends_with_its_terminal(terminal, db):
    program = terminal("replay", "1", "--db", db)
    program.wait_for("0/7")
    program.hang_up()
    until(program.has_ended, "its end")


def test_the_heat_map_has_colours(terminal, db):
    program = terminal("stats", "--db", db)
    program.wait_for("A mistake is a move")
    assert program.end() == 0
    cells = re.findall(r"\x1b\[[0-9;]*(48;[0-9;]+)m +([0-9]+%)", program.text)
    colours = {text: colour for colour, text in cells}
    assert len(cells) == 9
    assert set(colours) == {"0%", "100%"}
    assert colours["0%"] != colours["100%"]
