"""`play`, `replay` and `vs` in a pseudo-terminal that the test controls."""

import os
import re
import signal
import sys

import psutil
import pytest

from needed import LINUX, long
from noughts.brain.device import device_files
from noughts.protocol.sentences import parse
from noughts.store.store import default_path
from noughts.virtual.program import StoredFlash
from noughts.virtual.program import program as board_program
from sample_games import A_WINS, filled, stages
from waiting import until


def wait_for_menu(program, board=""):
    """Wait until it reacts: a press in the first 8 ms counts as held since the start."""
    program.wait_for(f"board started: micro:bit {board}")
    start, clock = len(program.text), re.compile(r"clock \d+:\d\d\.\d")
    until(
        lambda: program.read(0.1) and len({*clock.findall(program.text, start)}) > 2,
        "0.1 s of device time",
    )


def boards_of(program):
    """The processes of its boards."""
    return psutil.Process(program.pid).children()


@pytest.fixture
def db(tmp_path):
    return str(filled(tmp_path / "games.db", stages(A_WINS, step_ms=500)))


# These ask for no UTF-8. With the first ones alone, Python writes it all the same.
PLAIN = {"LC_ALL": "C", "PYTHONUTF8": "0"}
ASCII = {**PLAIN, "PYTHONIOENCODING": "ascii"}


@pytest.fixture
def stored_flash(folder):
    """The flash of a kind of board, where `noughts play` stores it."""
    return lambda kind: StoredFlash(default_path().parent / "virtual", board_program(kind))


def choice_in_menu(program):
    """What a board with this program shows in its menu, such as `Hbs`."""
    board = program.microbit()
    board.expect("$NM,")
    return parse("NM," + board.expect("*")[:-1]).sentence.choice


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_board_and_games_are_stored_and_fresh_resets_the_board(
    terminal, printed, stored_flash, kind
):
    stored_flash(kind).keep(board_program(kind, {**device_files(), "settings": b"Mbs"}).flash)
    play = terminal("play", "--board", kind)
    wait_for_menu(play, kind)
    play.wait_for("M: the chip, medium")
    play.type("a")
    play.wait_for("H: the chip, hard")
    play.type(" b")  # tilt
    play.wait_for("game 1: A is a person, B is the chip (hard); A begins")
    play.wait_for("mode   tilt")
    play.type("a")
    play.wait_for("game 1, move 2: B")
    play.type(" ")
    play.wait_for("game 1: abandoned after 2 moves")
    play.text = ""
    play.type("r")
    play.wait_for("board started")
    play.type("\x03")  # Ctrl-C
    assert play.end() == 0
    assert "\x1b[?1049l" in play.text  # the terminal is restored
    assert "1 game stored; `noughts replay 1` shows the last one" in play.text
    assert re.search(rf"person +hard +A +2 +\d+ +abandoned +virtual-{kind}", printed("games"))
    assert choice_in_menu(stored_flash(kind).program()) == "Hts"

    # In a terminal without colours and other characters, whose window is closed in the end.
    play = terminal("play", "--board", kind, "--fresh", NO_COLOR="1", **ASCII)
    play.wait_for("2: two people")
    assert not re.search(r"\x1b\[[0-9;]*[34]8;[25];", play.text)
    assert play.text.isascii() and "\\u" not in play.text
    (process,) = boards_of(play)
    play.hang_up()
    until(play.has_ended, "its end")
    process.wait(120)


def test_two_boards_are_played_side_by_side(terminal, misused):
    """They end with the program, even if the terminal no longer accepts output."""
    program = terminal("play", "--two", "--board", "v1")
    names = ("left", "right")
    for name in names:
        program.wait_for(f"{name}: board started: micro:bit V1")
    for name, key in zip(names, "ah", strict=True):
        program.type(key)
        program.wait_for(f"{name}: menu: the chip (easy), buttons")
    boards = boards_of(program)
    if sys.platform == "linux":  # only there can a test open the terminal of another process
        program.fill()
    program.type("q")
    until(program.has_ended, "its end")
    assert program.status == 0
    assert len(boards) == 2 and not psutil.wait_procs(boards, timeout=120)[1]
    error = misused("play", "--two", "--keys", "A")
    assert "--keys presses the buttons of one board; leave out --two" in error


@pytest.mark.long
def test_terminal_that_asks_for_no_other_characters_gets_ascii(terminal):
    program = terminal("play", "--board", "v1", **PLAIN)
    program.wait_for("2: two people")
    program.type("q")
    assert program.end() == 0
    assert program.text.isascii() and "\\u" not in program.text


def test_terminal_without_a_full_screen_gets_lines(terminal, db):
    program = terminal("replay", "last", "--db", db, TERM="dumb")
    assert program.end() == 0
    assert "Move 7 of 7" in program.text and "\x1b" not in program.text


def test_killed_board_and_storage_failures_are_reported_at_the_end(terminal, tmp_path):
    (tmp_path / "noughts").write_text("a file where the folder should be")
    program = terminal("play", "--board", "v1")
    wait_for_menu(program)
    program.wait_for("games are stored only until noughts ends")
    program.type("ab")  # which the board stores
    program.wait_for("game 1: A is a person, B is the chip (easy); A begins")
    (board,) = boards_of(program)
    board.kill()
    assert program.end() == 1
    *_, text_after = program.text.split("\x1b[?1049l")
    *_, games, memory, killed = text_after.strip().split("\r\n")
    assert games.endswith("choose another place with --db")
    assert "noughts: games are not stored: cannot make the folder" in games
    assert memory.startswith("noughts: the virtual board's memory: cannot use ")
    assert killed == "noughts: the virtual board is no longer running (killed?); start again"
    assert "Traceback" not in text_after


@pytest.mark.long
@pytest.mark.parametrize("is_full", [False, pytest.param(True, marks=LINUX)])
@pytest.mark.parametrize("name", ["TERM", "HUP"])
def test_signal_ends_the_board_too(terminal, name, is_full):
    """Even if the terminal no longer accepts output."""
    program = terminal("play", "--board", "v1")
    program.wait_for("board started")
    (board,) = boards_of(program)
    if is_full:
        program.fill()
    number = signal.Signals["SIG" + name]
    os.kill(program.pid, number)
    if is_full:
        until(program.has_ended, "its end")
    else:
        assert program.end() == 128 + number
        assert not board.is_running() and "\x1b[?1049l" in program.text
    board.wait(120)


@pytest.mark.parametrize(("keys", "status"), [("5\rq\r", 0), ("\x04", 0), ("\x03", 130)])
def test_leaving_a_game_against_an_engine_ends_cleanly(terminal, keys, status):
    """q, Ctrl-D and Ctrl-C print the same; Ctrl-C exits with the status that shells expect."""
    game = terminal("vs", "hard")
    game.wait_for("your cell: ")
    game.wait_for_rest()
    game.type(keys)
    assert game.end() == status
    game.read(0.1)
    assert game.text.endswith("\r\nstopped before the game was over\r\n")
    assert "Traceback" not in game.text
