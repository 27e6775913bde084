"""`noughts flash` and `doctor`: official firmware, in device time, behind a stand-in drive."""

import contextlib
import json
from dataclasses import replace

import pytest

from boards import Driver
from needed import long
from noughts import __version__, brain
from noughts.boards.files import BoardFiles
from noughts.boards.firmware import firmware_for, firmware_for_boards, universal_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import open_port
from noughts.boards.radio import OFF, files_with
from noughts.virtual.program import program
from official import stepped
from stand_in_drive import USB_ID
from stepped_ports import SteppedBoard


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_flashed_board_is_verified_and_plays(plugged_in, drive, tmp_path, noughts, printed, kind):
    """First a hex that was built before, with a table that can lose; then the game over it."""
    board = plugged_in({"main.py": b"print('something else')\n"}, kind)
    words = "flash", drive(board).path, "--port", board.port
    other = brain.Table((1,) * 10, ())
    files = {**files_for_boards(), "table.py": brain.source(other).encode()}
    path = tmp_path / "other.hex"
    firmwares = {
        kind: firmware.with_files(files) for kind, firmware in firmware_for_boards().items()
    }
    path.write_text(universal_hex(firmwares))
    status, _, err = noughts(*words, "--hex", path)
    assert status == 1 and f"the table {other.id} gives away value by playing 5 in X.O......" in err
    assert f"({__version__}, table {other.id})." in printed(*words, "--hex", path, "--unproved")
    out = printed(*words)
    assert "interface 0249)" in out
    assert f"Done: the game is running ({__version__}, table 2798)." in out
    driver = Driver(board.microbit)
    driver.rest(60)  # it has only just sent its boot sentence
    driver.start_game()


def test_flash_repairs_a_v1_whose_files_cannot_be_listed(clock, drive, printed, refused):
    """Power was cut while the head of a file was written: after its marker, before its name."""
    made = program("V1")
    chunks = firmware_for("V1").layout[::128]
    at = next(at for at in chunks if made.flash[at] == 0xFF)
    torn = made.flash[:at] + b"\xfe" + made.flash[at + 1 :]
    board = SteppedBoard(clock, replace(made, flash=torn).microbit())
    error = refused("put", "--port", board.port)
    assert "could not list its files (OSError: file not found); reset it and run" in error
    assert error.endswith("; if that fails too, repair it with `noughts flash`\n")
    printed("flash", drive(board).path, "--port", board.port)
    with contextlib.closing(open_port(board.port)) as port:
        assert set(BoardFiles(port).survey()) == {*files_with(OFF, "V1", files_for_boards())}


@pytest.mark.parametrize(
    ("kind", "words", "line"),
    [
        ("V1", ("--gateway", "7"), f"the gateway of group 7 is running ({__version__})."),
        long(
            "V2",
            ("--radio", "7"),
            f"the game is running ({__version__}, table 2798, sends in group 7 as ",
        ),
    ],
)
def test_flash_with_radio_or_as_gateway(plugged_in, drive, tmp_path, printed, kind, words, line):
    board = plugged_in({}, kind)
    stand_in = drive(board)
    path = tmp_path / "radio.hex"  # the same through a file
    printed("hex", "-o", path, *words)
    for way in words, ("--hex", path):
        assert f"Done: {line}" in printed("flash", stand_in.path, "--port", board.port, *way)


@pytest.fixture
def mounted(drive, plugged):
    """A stand-in drive that the system reports as mounted."""
    made = drive()
    plugged.drives.append(made.path)
    return made


@pytest.fixture
def doctor(noughts, tmp_path):
    """Runs the command; returns its page. It fails if there is something to fix."""

    def run(*words):
        status, page, _ = noughts("doctor", *words, db=tmp_path / "none.db")
        assert status == ("✗" in page or '"good": false' in page)
        return page

    return run


def test_doctor_reports_a_board_with_its_drive_and_port(plugged_in, mounted, doctor, plugged):
    board = plugged_in()
    plugged.ports[USB_ID] = board.port
    page = doctor().splitlines()
    assert page[0].startswith("✓ Python     3.") and page[2].startswith("✓ emulator   wasmtime ")
    assert page[3:] == [
        "board 1",
        f"✓ drive      {mounted.path}, interface 0249",
        f"✓ port       {board.port}, accessible",
        "✓ board      micro:bit V1",
        "✓ firmware   MicroPython 1.9.2 (firmware 1.1.1)",
        f"✓ game       {__version__}, table 2798",
    ]
    facts = json.loads(doctor("--json"))
    (board_facts,) = facts["boards"]
    assert (board_facts["board"], board_facts["firmware"], board_facts["micropython"]) == (
        "V1",
        "1.1.1",
        "1.9.2",
    )
    assert (board_facts["release"], board_facts["table_id"]) == (__version__, "2798")
    assert board_facts["drive"] == str(mounted.path)


def test_doctor_counts_a_port_that_is_named_too_as_one_board(virtual, tmp_path, doctor, plugged):
    """Named directly and by a link; the only test here with a real serial port."""
    board = virtual()
    plugged.ports[USB_ID] = board.port
    link = tmp_path / "link"
    link.symlink_to(board.port)
    named = ("--port", board.port, "--port", str(link))
    (board_facts,) = json.loads(doctor("--json", *named))["boards"]
    assert (board_facts["port"], board_facts["release"]) == (board.port, __version__)


def test_no_restart_does_not_disturb_the_game(plugged_in, doctor):
    board = plugged_in()
    driver = Driver(board.microbit)
    driver.start()
    driver.start_game()
    page = doctor("--no-restart", "--port", board.port)
    assert f"✓ port       {board.port}, accessible" in page and "game " not in page
    driver.place(4)
    driver.says("4", "-")
    assert not driver.noise


def test_doctor_reports_missing_ports_and_boards(mounted, doctor, noughts, plugged, monkeypatch):
    page = doctor("--port", "/dev/ttyNONE")
    assert "✗ port       there is no port /dev/ttyNONE" in page
    assert f"✓ drive      {mounted.path}, interface 0249" in page
    assert "✗ port       its serial port is missing; unplug" in page
    plugged.drives.clear()
    monkeypatch.setenv("LC_ALL", "C")  # a terminal without check marks
    status, page, _ = noughts("doctor")
    assert status == 1 and page.startswith("+ Python     3.")
    assert "! boards     none found; plug one in" in page


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V2 2.1.2")])
def test_doctor_reads_a_board_that_has_just_restarted(clock, doctor, firmware):
    """Bytes that arrive before its program runs do not interrupt it."""
    board = SteppedBoard(clock, stepped(firmware)())
    clock.sleep(3)
    uart = board.microbit.uart
    uart.send(b"\x03\x02\x04")
    clock.wait(lambda: b"soft reboot" in uart.received, 1)
    assert b"soft reboot" in uart.receive()
    page = doctor("--port", board.port)
    assert f"(firmware {firmware.split()[1]})" in page and f"✓ game       {__version__}" in page
