"""`play`, `replay` and `vs` in a pseudo-terminal that the test controls."""

import os
import re
import signal

import psutil
import pytest

from needed import LINUX, long
from sample_games import A_WINS, filled, stages
from terminal import ESCAPES
from waiting import until


def wait_for_menu(program, board=""):
    """Wait until it reacts: a press in the first 8 ms counts as held since the start."""
    program.wait_for(f"board started: micro:bit {board}")
    start, clock = len(program.text), re.compile(r"clock \d+:\d\d\.\d")
    until(
        lambda: program.read(0.1) and len({*clock.findall(program.text, start)}) > 2,
        "0.1 s of device time",
    )


@pytest.fixture
def started(terminal):
    """A program whose board has started, and the process of the board."""
    program = terminal("play", "--board", "v1")
    program.wait_for("board started")
    (board,) = psutil.Process(program.pid).children()
    return program, board


@pytest.fixture
def db(tmp_path):
    return str(filled(tmp_path / "games.db", stages(A_WINS, step_ms=500)))


@pytest.mark.parametrize("board", ["v1", long("v2")])
def test_board_and_games_are_stored_and_fresh_resets_the_board(terminal, board):
    program = terminal("play", "--board", board)
    wait_for_menu(program, board.upper())
    program.type(" aa")  # tilt; then easy, medium and hard
    program.wait_for("M: the chip, medium")
    program.type("a")
    program.wait_for("H: the chip, hard")
    program.type("b")
    program.wait_for("game 1: A is a person, B is the chip (hard); A begins")
    program.type("a")
    program.wait_for("game 1, move 2: B")
    program.type(" ")
    program.wait_for("game 1: abandoned after 2 moves")
    program.type("q")
    assert program.end() == 0
    assert "\x1b[?1049l" in program.text  # the terminal is restored
    assert "1 game stored; `noughts replay 1` shows the last one" in program.text
    listed = terminal("games")
    assert listed.end() == 0
    assert re.search(r"person +hard +A +2 +\d+ +abandoned +virtual-" + board.upper(), listed.text)

    program = terminal("play", "--board", board)
    program.wait_for("H: the chip, hard")
    program.type("b")
    program.wait_for("mode   tilt")
    program.text = ""
    program.type("r")
    program.wait_for("board started")
    program.type("\x03")  # Ctrl-C
    assert program.end() == 0

    program = terminal("play", "--board", board, "--fresh", NO_COLOR="1")
    wait_for_menu(program, board.upper())
    program.wait_for("2: two people")
    assert not re.search(r"\x1b\[[0-9;]*[34]8;[25];", program.text)
    program.type("q")
    assert program.end() == 0


def test_two_boards_are_played_side_by_side(terminal):
    program = terminal("play", "--two", "--board", "v1")
    boards = ("left", "right")
    for board in boards:
        program.wait_for(f"{board}: board started: micro:bit V1")
    processes = psutil.Process(program.pid).children()
    for board, key in zip(boards, "ah", strict=True):
        program.type(key)
        program.wait_for(f"{board}: menu: the chip (easy), buttons")
    program.type("q")
    assert program.end() == 0
    assert len(processes) == 2 and not psutil.wait_procs(processes, timeout=120)[1]
    program = terminal("play", "--two", "--keys", "A")
    assert program.end() == 2
    assert "--keys presses the buttons of one board; leave out --two" in program.text


@pytest.mark.parametrize(
    "env",
    [
        long({"LC_ALL": "C", "PYTHONUTF8": "0"}),  # where Python writes UTF-8 all the same
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"},
    ],
)
def test_terminal_without_other_characters_gets_ascii(terminal, env):
    program = terminal("play", "--board", "v1", **env)
    program.wait_for("2: two people")
    program.type("q")
    assert program.end() == 0
    assert program.text.isascii() and "\\u" not in program.text


def test_terminal_without_a_full_screen_gets_lines(terminal, db):
    program = terminal("play", TERM="dumb")
    assert program.end() == 1
    assert program.text.startswith("noughts: there is no terminal to play in, or it has no full")
    program = terminal("replay", "last", "--db", db, TERM="dumb")
    assert program.end() == 0
    assert "Move 7 of 7" in program.text and "\x1b" not in program.text


def test_storage_failure_is_reported_at_the_end(terminal, tmp_path):
    (tmp_path / "noughts").write_text("a file where the folder should be")
    program = terminal("play", "--board", "v1")
    wait_for_menu(program)
    program.wait_for("games are stored only until noughts ends")
    program.type("ab")  # which the board stores
    program.wait_for("game 1: A is a person, B is the chip (easy); A begins")
    program.type("q")
    assert program.end() == 0
    *_, text_after = program.text.split("\x1b[?1049l")
    *_, games, memory = text_after.strip().split("\r\n")
    assert games.endswith("choose another place with --db")
    assert "noughts: games are not stored: cannot make the folder" in games
    assert memory.startswith("noughts: the virtual board's memory: cannot use ")


# Only on Linux can a test open the terminal of another process.
@pytest.mark.parametrize(
    "end",
    [
        long("TERM"),
        long("HUP"),
        "KILL",
        "closed",
        pytest.param("full q", marks=LINUX),
        long("full TERM"),
    ],
)
def test_board_process_ends_with_its_program(started, end):
    """Even if the terminal no longer accepts output."""
    program, board = started
    if end.startswith("full"):
        program.fill()
    if end == "closed":
        program.hang_up()
    elif end == "full q":
        program.type("q")
    else:
        number = signal.Signals["SIG" + end.split()[-1]]
        os.kill(program.pid, number)
    if end in ("TERM", "HUP"):
        assert program.end() == 128 + number
        assert not board.is_running() and "\x1b[?1049l" in program.text
    else:
        until(program.has_ended, "its end")
    board.wait(120)


def test_killed_board_prints_one_line_and_exits_with_1(started):
    program, board = started
    board.kill()
    assert program.end() == 1
    *_, text_after = program.text.split("\x1b[?1049l")
    assert (
        "noughts: the virtual board is no longer running (killed?); start again\r\n" in text_after
    )
    assert "Traceback" not in text_after


def test_replay_plays_automatically_and_can_be_stopped(terminal, db):
    program = terminal("replay", "last", "--speed", "0.5", "--db", db)
    program.wait_for("Move 1 of 7")
    program.type(" \x03")
    assert program.end() == 0
    assert "7 of 7" not in ESCAPES.sub("", program.text)


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
