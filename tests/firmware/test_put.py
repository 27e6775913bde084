"""`noughts put`, with microfs, to boards with the official firmware, in device time."""

import contextlib
import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import replace

import pytest

from boards import A, B, Driver, Player
from needed import long
from noughts import __version__, brain
from noughts.boards.files import BoardFiles
from noughts.boards.firmware import firmware_for
from noughts.boards.packing import NAMES, files_for_boards
from noughts.boards.ports import open_port
from noughts.boards.radio import OFF, files_with
from noughts.brain.device import device_dir
from noughts.virtual.program import program
from stepped_ports import SteppedBoard

OTHER = brain.Table(brain.WEIGHTS, (*brain.make_table().book, 65535))
"""It plays the same as ours."""


@pytest.fixture
def run(noughts):
    """Runs a command on a board; returns its status, its lines except `sent …`, and its errors."""

    def run(command, board, *words):
        status, out, err = noughts(command, "--port", board.port, *words)
        return status, [line for line in out.splitlines() if not line.startswith("sent ")], err

    return run


@pytest.fixture
def other_table(tmp_path):
    """A file with the other table."""
    path = tmp_path / "other.py"
    path.write_text(brain.source(OTHER))
    return str(path)


def on_board(board):
    """The board's files, by name."""
    with contextlib.closing(open_port(board.port)) as port:
        return BoardFiles(port).survey()


def game_of(board):
    """The files of the game that a board of this kind has."""
    return files_with(OFF, board.microbit.board, files_for_boards())


def holds_the_game(board):
    files = on_board(board)
    return all(files[name].holds(content) for name, content in game_of(board).items())


def older(names):
    """The game, with these files from another version."""
    files = files_for_boards()
    return {name: files[name] + b"pass\n" * (name in names) for name in files}


@pytest.mark.parametrize(
    ("kind", "files_before"), [("V1", older(files_for_boards())), long("V2", {})]
)
def test_put_sends_all_files_then_only_changed_ones(
    plugged_in, tmp_path, printed, kind, files_before
):
    """Over a game whose files all differ, and onto MicroPython alone."""
    # Two files that the game once had.
    retired = dict.fromkeys(["once.py", "don't.py"], b"# noughts:\nonce = 1\n")
    theirs = "it's mine.txt"  # whose name needs quoting
    board = plugged_in({**files_before, **retired, theirs: b"keep me"}, kind)
    # A pipe can be read only once; and put recognises its table on the board as ours.
    other = tmp_path / "other.py"
    os.mkfifo(other)
    writer = threading.Thread(target=other.write_text, args=["# mine\n" + brain.source(OTHER)])
    writer.start()
    lines = printed("put", "--port", board.port, "--table", other).splitlines()
    writer.join()
    count = len(game_of(board))
    assert (
        lines[0].endswith(f": {count} of {count} files to send") and lines[1] == "removed don't.py"
    )
    assert lines[2] == "removed once.py"
    assert [line.split(" (")[0] for line in lines[3:5]] == ["sent fault.py", "sent main.py"]
    assert lines[2 + count].startswith("sent table.py (")
    assert lines[-1] == f"Done: the game is running ({__version__}, table {OTHER.id})."

    lines = printed("put", "--port", board.port).splitlines()
    assert lines[0].endswith(f": 1 of {count} files to send")
    assert lines[1].startswith("sent table.py (")
    assert lines[-1] == f"Done: the game is running ({__version__}, table 2798)."
    driver = Driver(board.microbit)
    driver.rest(60)  # it has only just sent its boot sentence
    driver.start_game()
    assert holds_the_game(board)
    files = on_board(board)
    assert set(files) == {*game_of(board), theirs}
    assert (files[theirs].size, files[theirs].start) == (7, b"keep me")


def test_put_updates_the_table_of_a_v2(plugged_in, run):
    board = plugged_in({**files_for_boards(), "table.py": brain.source(OTHER).encode()}, "V2")
    status, lines, _ = run("put", board)
    assert status == 0 and lines[0].endswith(": 1 of 20 files to send")
    assert lines[-1] == f"Done: the game is running ({__version__}, table 2798)."


def stored(board):
    """The games that a board has stored; a V1 sends them when it starts."""
    player = Player(board.microbit)
    if board.board == "V2":
        return player.logged
    board.microbit.reset()
    player.start()
    player.rest(500)
    return player.resent


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_put_keeps_stored_games_unless_forget_is_given(plugged_in, other_table, printed, kind):
    board = plugged_in(None, kind)
    driver = Driver(board.microbit)
    driver.start()
    driver.start_game()
    driver.press(A, B)
    driver.says("", "x")
    printed("put", "--port", board.port, "--table", other_table)
    assert stored(board) == driver.games[-1:]
    out = printed("put", "--port", board.port, "--forget")
    assert "removed the board's stored games and the menu's choice" in out
    assert not stored(board)


def test_foreign_program_is_not_overwritten(plugged_in, noughts, printed):
    theirs = b"print('mine')\n"
    board = plugged_in({**files_for_boards(), "main.py": theirs})
    status, _, err = noughts("put", "--port", board.port)
    assert status == 1
    assert "the board has another program's main.py; save a copy if you need it, then" in err
    driver = Driver(board.microbit)  # it runs as before
    driver.wait(lambda: "mine" in [getattr(item, "text", "") for item in driver.items], "mine")
    printed("put", "--port", board.port, "--replace")
    assert holds_the_game(board)


def test_put_ignores_a_file_length_left_by_a_power_cut(clock, printed):
    """If it leads beyond the file system, a V1 that follows it stops."""
    made = program("V1")
    layout = firmware_for("V1").layout
    at = next(at for at in layout[::128] if made.flash[at : at + 128] == b"\xff" * 128)
    file = b"\xfe\xa7\x0217100017$NG,"  # a marker, the length, the length of the name
    flash = made.flash[:at] + file + made.flash[at + len(file) :]
    board = SteppedBoard(clock, replace(made, flash=flash).microbit())
    assert on_board(board)["17"].start.startswith(b"100017$NG,")
    printed("put", "--port", board.port)


def test_interrupted_put_shows_on_the_leds_and_can_be_repaired(
    plugged_in, monkeypatch, fails, printed
):
    board = plugged_in(older(["ai.py", "buttons.py"]))
    send = BoardFiles.send

    def send_until_ai(files, name, content):
        send(files, name, content)
        board.plugged = name != "ai.py"

    monkeypatch.setattr(BoardFiles, "send", send_until_ai)
    error = fails("put", "--port", board.port)
    assert "went away; plug it in and run the same command again" in error
    board.plugged = True
    board.microbit.reset()
    Driver(board.microbit).scrolls("files incomplete")
    monkeypatch.setattr(BoardFiles, "send", send)
    printed("put", "--port", board.port)
    assert holds_the_game(board)


def test_put_notices_lost_bytes_and_the_next_put_repairs_them(
    plugged_in, monkeypatch, fails, printed
):
    """Files of other programs survive, even if a name loses its first letters."""
    theirs = {"i.py": b"theirs", "ble.py": b"theirs", "a.py": b"theirs"}
    board = plugged_in({**older(["ai.py", "buttons.py"]), **theirs, "once.py": b"# noughts:\n"})
    uart, writes = board.microbit.uart, itertools.count(1)
    send = uart.send
    monkeypatch.setattr(uart, "send", lambda data: send(data if next(writes) % 70 else data[1:]))
    error = fails("put", "--port", board.port)
    assert "reset it and run the same command again; if that fails too, repair it with" in error
    monkeypatch.undo()
    printed("put", "--port", board.port)
    assert holds_the_game(board)
    assert set(on_board(board)) == {*game_of(board), *theirs}


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_put_reports_the_line_of_an_error(plugged_in, tmp_path, monkeypatch, run, kind):
    """In a copy of `device/` that somebody has edited."""
    copy = shutil.copytree(device_dir(), tmp_path / "device")
    monkeypatch.setattr("noughts.brain.device.device_dir", lambda: copy)
    board = plugged_in(board=kind)
    text = (copy / "ai.py").read_text()
    edited = text.replace("import table\n", "import table\npending = number\n")
    (copy / "ai.py").write_text(edited)
    number = edited.splitlines().index("pending = number") + 1
    status, _, err = run("put", board)
    # On the board, it has another name, and stands in one line with the imports before it.
    assert NAMES["number"] != "number"
    numbers = (number - 2, number - 1, number)
    *traceback, error = err.splitlines()[:-4]
    *lines, message = err.splitlines()[-4:]
    assert status == 1 and traceback[0] == "Traceback (most recent call last):"
    assert error.startswith("NameError: name 'number' is")
    starts = [f"device/ai.py, line {number}: " for number in numbers]
    assert all(line.startswith(start) for line, start in zip(lines, starts, strict=True))
    assert lines[-1] == f"{starts[-1]}pending = number"
    assert message.startswith(f"noughts: the game on {board.port} stops with {error}; ")
    either = " or ".join(map(str, numbers))
    assert message.endswith(f"correct device/ai.py, line {either} and run `noughts put`")


def test_board_stays_a_gateway_until_put_ends_that(plugged_in, other_table, run):
    board = plugged_in()
    status, lines, err = run("put", board, "--radio", "7")
    assert status == 1 and not lines
    assert "a micro:bit V1 has too little memory for radio; the game plays without it; use" in err

    status, lines, _ = run("put", board, "--gateway", "7")
    assert status == 0 and lines[0].endswith(": 2 of 2 files to send")
    start_line = f"Done: the gateway of group 7 is running ({__version__})."
    assert lines[-1] == start_line
    status, lines, _ = run("put", board)
    assert status == 0 and lines[0].endswith(": 0 of 2 files to send")
    assert lines[1].startswith("radio unchanged: gateway of group 7; ") and lines[2] == start_line
    assert lines[1].endswith("put --radio off` turns it off")
    status, _, err = run("put", board, "--table", other_table)
    assert status == 1 and "the board is a gateway, which has no table; choose another" in err

    _, lines, _ = run("doctor", board, "--json")
    (board_facts,) = json.loads(lines[0])["boards"]
    assert (board_facts["gateway_group"], board_facts["radio_group"], board_facts["board"]) == (
        7,
        None,
        "V1",
    )

    _, lines, _ = run("put", board, "--radio", "off")
    assert "removed gateway.py" in lines
    assert lines[-1] == f"Done: the game is running ({__version__}, table 2798)."


UFS = """\
import sys, microfs
from serial import Serial
port = sys.argv.pop()
microfs.get_serial = lambda: Serial(port, 115200, timeout=10)
microfs.main()
"""
"""microfs's own command, except for its search for a USB device, which no test can have."""


@pytest.mark.long
def test_microfs_reads_and_writes_the_file_system_that_put_made(virtual, tmp_path, printed):
    """Its own command line, through a real serial port."""
    board = virtual({}, "V1", speed=4)
    game = files_with(OFF, "V1", files_for_boards())
    printed("put", "--port", board.port)

    def ufs(*words):
        command = [sys.executable, "-c", UFS, *words, board.port]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert set(ufs("ls").split()) == set(game)
    ufs("get", "table.py")
    assert (tmp_path / "table.py").read_bytes() == game["table.py"]
    (tmp_path / "mine.txt").write_bytes(b"theirs")
    ufs("put", "mine.txt")
    ufs("rm", "ai.py")
    board.reset()
    out = printed("put", "--port", board.port)
    assert (
        f"2 of {len(game)} files to send" in out
    )  # if any file is sent, the table follows as the last
    assert set(ufs("ls").split()) == {*game, "mine.txt"}


def test_put_checks_for_space_before_it_sends_anything(plugged_in, refused):
    board = plugged_in({"big.txt": b"x" * 20_000})
    assert "bytes short of space" in refused("put", "--port", board.port)
    assert set(on_board(board)) == {"big.txt"}
