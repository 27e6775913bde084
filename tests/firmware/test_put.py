"""`noughts put` with microfs onto the official firmware, in device time."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import threading
from dataclasses import replace

import microfs
import pytest

from boards import A, B, Driver, PortDriver, scrolled
from needed import long
from noughts import __version__, brain
from noughts.cli import main
from noughts.device_files import device_dir, files_for_boards
from noughts.hardware.file_transfer import BoardFiles
from noughts.hardware.ports import open_port
from noughts.protocol import data_log
from noughts.virtual.program import firmware_for, program
from stepped_ports import SteppedBoard

OTHER = brain.Table(brain.WEIGHTS, (*brain.make().book, 65535))
"""It plays as ours does."""


def put(board, *words):
    return main(["put", "--port", board.port, *words])


def on_board(board):
    """What the board holds, by name."""
    with contextlib.closing(open_port(board.port)) as port:
        return BoardFiles(port).survey()[1]


def all_hold(files, contents):
    return all(files[name].holds(content) for name, content in contents.items())


def holds_the_game(board):
    return all_hold(on_board(board), files_for_boards())


def says_incomplete(driver):
    # How V1 shows a text that scrolls, in most of its first pictures.
    pictures = scrolled("V1 1.1.1", "files incomplete")
    seen = set()

    def enough():
        seen.add(driver.board.leds())
        return len(seen & pictures) > len(pictures) // 2

    driver.wait(enough, "the scrolling text", 600)


def plays(driver):
    """A move can be made; it has just said that it starts."""
    driver.rest(60)
    driver.press(B)
    driver.says("", "-")
    driver.place(4)
    driver.says("4", "-")


def older(names):
    """The game, of which these files are of another version."""
    files = files_for_boards()
    return {name: files[name] + b"pass\n" * (name in names) for name in files}


@pytest.mark.parametrize(("kind", "before"), [("V1", older(files_for_boards())), ("V2", {})])
def test_all_files_one_file_none(plugged_in, tmp_path, capsys, kind, before):
    """From a game of which each file differs, and from MicroPython alone."""
    # And a file of somebody else's whose name needs quoting.
    theirs = "it's mine.txt"
    board = plugged_in({**before, theirs: b"keep me"}, kind)
    # A pipe can be read only once; and on the board the table is known for ours.
    other = tmp_path / "other.py"
    os.mkfifo(other)
    text = "# mine\n" + brain.source(OTHER)
    writer = threading.Thread(target=other.write_text, args=[text])
    writer.start()
    assert put(board, "--table", str(other)) == 0
    writer.join()
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(": 16 of 16 files to send")
    assert [line.split(" (")[0] for line in told[1:3]] == ["sent fault.py", "sent main.py"]
    assert told[16].startswith("sent table.py (")
    assert told[-1] == f"started on micro:bit {kind}: game {__version__}, table {OTHER.id}"

    assert put(board) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(": 1 of 16 files to send")
    assert told[1].startswith("sent table.py (")
    assert told[-1] == f"started on micro:bit {kind}: game {__version__}, table 2798"

    assert put(board) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].endswith(": 0 of 16 files to send") and len(told) == 2
    plays(Driver(board.microbit))
    files = on_board(board)
    assert all_hold(files, files_for_boards())
    assert (files[theirs].size, files[theirs].start) == (7, b"keep me")


def stored(board):
    """The games that a board has stored; a V1 sends them when it starts."""
    if board.board == "V2":
        return list(data_log.games(board.microbit.my_data()))
    board.reset()
    driver = Driver(board.microbit)
    driver.start()
    driver.rest(500)
    return [game for game in driver.games if game.boot != driver.boots[-1].boot]


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_a_board_stores_games_over_updates_until_it_is_to_forget_them(
    plugged_in, tmp_path, capsys, kind
):
    board = plugged_in(None, kind)
    driver = Driver(board.microbit)
    driver.start()
    for _ in range(3):
        driver.press(B)
        driver.says("", "-")
        driver.press(A, B)
        driver.says("", "x")
    other = tmp_path / "other.py"
    other.write_text(brain.source(OTHER))
    assert put(board, "--table", str(other)) == 0
    assert stored(board) == [game for game in driver.games if game.end == "x"]
    assert put(board, "--forget") == 0
    assert "the board has forgotten its games and the menu's choice" in capsys.readouterr().out
    assert not stored(board)


def test_another_version_is_replaced(plugged_in, capsys):
    files = older(["main.py", "game.py", "tilt.py"])
    del files["tilt.py"]
    # One that we had once, and one with our mark whose name microfs could not be given.
    kept = "don't.py"
    board = plugged_in({**files, "once.py": b"# noughts:\nonce = 1\n", kept: b"# noughts\n"})
    assert put(board) == 0
    assert "removed once.py" in capsys.readouterr().out
    files = on_board(board)
    assert all_hold(files, files_for_boards())
    assert set(files) == {*files_for_boards(), kept}


def test_a_program_of_somebody_elses_is_not_overwritten(plugged_in, capsys):
    theirs = b"print('mine')\n"
    board = plugged_in({**files_for_boards(), "main.py": theirs})
    assert put(board) == 1
    told = capsys.readouterr().err
    assert "the board has another program's main.py; save a copy if you need it, then" in told
    driver = Driver(board.microbit)  # it runs as before
    driver.wait(lambda: "mine" in [getattr(item, "text", "") for item in driver.items], "mine")
    file = on_board(board)["main.py"]
    assert (file.size, file.start) == (len(theirs), theirs[: len(file.start)])
    assert put(board, "--replace") == 0
    assert holds_the_game(board)


def test_too_little_room_is_said_before_anything_is_done(plugged_in, capsys):
    older = {**files_for_boards(), "ai.py": b"# noughts:\nolder=1\n"}
    board = plugged_in({**older, "big.txt": bytes(18_400)})
    assert put(board) == 1
    told = capsys.readouterr().err
    assert "bytes short of room; remove some of its other files: 'big.txt' (18,400" in told
    Driver(board.microbit).start()  # it plays as before
    files = on_board(board)
    assert all_hold(files, older) and set(files) == {*older, "big.txt"}
    assert files["big.txt"].size == 18_400


def test_a_length_that_a_power_cut_left_is_not_followed(clock):
    """Where it leads beyond the file system, a V1 that reads on there ends."""
    made = program("V1")
    layout = firmware_for("V1", None).layout
    at = next(at for at in layout[::128] if made.flash[at : at + 128] == b"\xff" * 128)
    file = b"\xfe\xa7\x0242100012Hb"  # a marker, the length, that of the name
    flash = made.flash[:at] + file + made.flash[at + len(file) :]
    board = SteppedBoard(clock, replace(made, flash=flash).microbit())
    assert on_board(board)["42"].start.startswith(b"100012Hb")
    assert put(board) == 0


def pull_the_cable(board):
    board.unplug()


def press_ctrl_c(board):
    raise KeyboardInterrupt


@pytest.mark.parametrize(
    ("interrupt", "status", "told"),
    [
        (pull_the_cable, 1, "went away; plug it in and run the same command again"),
        (press_ctrl_c, 130, "may be incomplete; run `noughts put` again"),
    ],
)
def test_interrupted_it_says_so_on_the_leds_and_is_repaired(
    plugged_in, monkeypatch, capsys, interrupt, status, told
):
    board = plugged_in(older(["ai.py", "buttons.py"]))
    send = BoardFiles.send

    def send_until_buttons(files, name, content):
        send(files, name, content)
        if name == "buttons.py":
            interrupt(board)

    with monkeypatch.context() as patch:
        patch.setattr(BoardFiles, "send", send_until_buttons)
        assert put(board) == status
    err = capsys.readouterr().err
    assert told in err and err.count("\n") == 1
    board.plug()
    board.reset()
    says_incomplete(Driver(board.microbit))
    assert put(board) == 0
    assert holds_the_game(board)


def test_killed_it_is_repaired(virtual):
    """Through a real serial port, by a process of its own."""
    board = virtual(older(["ai.py", "buttons.py"]))
    command = [sys.executable, "-u", "-m", "noughts", "put", "--port", board.port]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        while not process.stdout.readline().startswith("sent ai.py"):
            assert process.poll() is None
        process.kill()
    assert process.returncode == -signal.SIGKILL
    board.reset()
    says_incomplete(PortDriver(board))
    assert put(board) == 0
    assert holds_the_game(board)


def test_a_table_cut_short_is_repaired(plugged_in):
    """Of the one file that is sent, only some bytes have arrived."""
    board = plugged_in()
    driver = Driver(board.microbit)
    driver.start()
    for size in 0, 100, 215:
        arrived = files_for_boards()["table.py"][:size]
        commands = [
            f"f = open('table.py', 'wb')\nf.write({arrived[:50]!r})",
            f"f.write({arrived[50:]!r})",
        ]
        with contextlib.closing(open_port(board.port, 5)) as port:
            assert microfs.execute(commands, port)[1] == b""
        board.reset()
        says_incomplete(driver)
        assert put(board) == 0
        assert holds_the_game(board)


@pytest.fixture
def edited(tmp_path, monkeypatch):
    """Edits a file in a copy of `device/`, which is the one from then on."""
    copy = shutil.copytree(device_dir(), tmp_path / "device")
    monkeypatch.setattr("noughts.device_files.device_dir", lambda: copy)
    monkeypatch.setattr("noughts.hardware.tracebacks.device_dir", lambda: copy)

    def edit(name, old, new):
        path = copy / name
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return edit


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_a_mistake_in_a_file_is_told_with_its_line(plugged_in, edited, capsys, kind):
    board = plugged_in(board=kind)
    edited("ai.py", "import table\n", "import table\nlevels = {'E': easy}\n")
    assert put(board) == 1
    said = capsys.readouterr()
    *traceback, line, message = said.err.splitlines()
    assert traceback[0] == "Traceback (most recent call last):"
    assert traceback[-1].startswith("NameError: name 'easy' is")
    assert line == "device/ai.py, line 11: levels = {'E': easy}"
    assert message.startswith(f"noughts: the game on {board.port} stops with {traceback[-1]}; ")
    assert message.endswith("correct device/ai.py, line 11 and run `noughts put`")
    assert main(["doctor", "--port", board.port]) == 1
    page = capsys.readouterr().out
    assert f"✗ game       {message.removeprefix('noughts: ')}\n" in page
    assert all(f"    {each}\n" in page for each in (*traceback, line))


def test_a_syntax_error_is_told_with_its_line(plugged_in, edited, capsys):
    board = plugged_in()
    edited("game.py", "    while True:\n", "    while True\n")
    assert put(board) == 1
    said = capsys.readouterr().err
    assert "\nSyntaxError: invalid syntax\ndevice/game.py, line 20: while True\n" in said
    assert "; correct device/game.py, line 20 or 21 and run `noughts put`\n" in said

    edited("game.py", "    while True\n", "    while True:\n")
    assert put(board) == 0  # what was corrected starts


def test_what_is_missing_is_told_by_the_doctor_and_repaired(plugged_in, capsys):
    files = files_for_boards()
    del files["tilt.py"]
    board = plugged_in(files)
    driver = Driver(board.microbit)
    driver.wait(lambda: "ImportError" in str(driver.noise), "the traceback")
    assert main(["doctor", "--port", board.port]) == 1
    advice = "is incomplete (ImportError: no module named 'tilt'); run `noughts put`\n"
    assert f"✗ game       the game on {board.port} {advice}" in capsys.readouterr().out
    assert put(board) == 0
