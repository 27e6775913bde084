"""`noughts flash` and `doctor`: the official firmware in device time behind a stand-in drive."""

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
from noughts.virtual.program import program
from official import stepped
from stand_in_drive import USB_ID
from stepped_ports import SteppedBoard


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_flashed_verified_played(plugged_in, drive, tmp_path, noughts, printed, kind):
    """First a hex that was made before, with a table that can lose; and the game over that."""
    board = plugged_in({"main.py": b"print('something else')\n"}, kind)
    words = "flash", drive(board).path, "--port", board.port
    other = brain.Table((1,) * 10, ())
    files = {**files_for_boards(), "table.py": brain.source(other).encode()}
    path = tmp_path / "other.hex"
    firmwares = {kind: each.with_files(files) for kind, each in firmware_for_boards().items()}
    path.write_text(universal_hex(firmwares))
    status, _, err = noughts(*words, "--hex", path)
    assert status == 1 and f"the table {other.id} gives away value by playing 5 in X.O......" in err
    assert f"game {__version__}, table {other.id}" in printed(*words, "--hex", path, "--unproved")
    told = printed(*words)
    assert "interface 0249)" in told
    assert f"started on micro:bit {kind}: game {__version__}, table 2798" in told
    driver = Driver(board.microbit)
    driver.rest(60)  # it has just said that it starts
    driver.start_game()


def test_a_v1_whose_files_cannot_be_listed_is_repaired(clock, drive, printed, refused):
    """The power went while the head of a file was written: after its marker, before its name."""
    made = program("V1")
    chunks = firmware_for("V1").layout[::128]
    at = next(at for at in chunks if made.flash[at] == 0xFF)
    torn = made.flash[:at] + b"\xfe" + made.flash[at + 1 :]
    board = SteppedBoard(clock, replace(made, flash=torn).microbit())
    told = refused("put", "--port", board.port)
    assert "could not list its files (OSError: file not found); reset it and run" in told
    assert told.endswith("; if that fails too, repair it with `noughts flash`\n")
    printed("flash", drive(board).path, "--port", board.port)
    with contextlib.closing(open_port(board.port)) as port:
        assert set(BoardFiles(port).survey()) == {*files_for_boards()}


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        ("V1", ("--gateway", "7"), f"micro:bit V1: gateway of group 7, release {__version__}"),
        long(
            "V2",
            ("--radio", "7"),
            f"micro:bit V2: game {__version__}, table 2798, sends in group 7 as ",
        ),
    ],
)
def test_with_radio_and_as_a_gateway(plugged_in, drive, tmp_path, printed, kind, words, told):
    board = plugged_in({}, kind)
    stand_in = drive(board)
    path = tmp_path / "radio.hex"  # the same by way of a file
    printed("hex", "-o", path, *words)
    for way in words, ("--hex", path):
        assert f"started on {told}" in printed("flash", stand_in.path, "--port", board.port, *way)


@pytest.fixture
def mounted(drive, plugged):
    """A stand-in drive that the system is said to have mounted."""
    made = drive()
    plugged.drives.append(made.path)
    return made


@pytest.fixture
def doctor(noughts, tmp_path):
    """Its page; it fails where there is something to do."""

    def run(*words):
        status, told, _ = noughts("doctor", *words, db=tmp_path / "none.db")
        assert status == ("✗" in told or '"good": false' in told)
        return told

    return run


def test_a_board_with_its_drive_and_its_port(plugged_in, mounted, doctor, plugged):
    board = plugged_in()
    plugged.ports[USB_ID] = board.port
    page = doctor().splitlines()
    assert page[0].startswith("✓ Python     3.") and page[2].startswith("✓ emulator   Unicorn 2.")
    assert page[3:] == [
        "board 1",
        f"✓ drive      {mounted.path}, interface 0249",
        f"✓ port       {board.port}, accessible",
        "✓ board      micro:bit V1",
        "✓ firmware   MicroPython 1.9.2 (firmware 1.1.1)",
        f"✓ game       {__version__}, table 2798",
    ]
    facts = json.loads(doctor("--json"))
    (found,) = facts["boards"]
    assert (found["board"], found["firmware"], found["micropython"]) == ("V1", "1.1.1", "1.9.2")
    assert (found["release"], found["table_id"]) == (__version__, "2798")
    assert found["drive"] == str(mounted.path)


def test_a_port_that_is_named_too_is_one_board(virtual, tmp_path, doctor, plugged):
    """By itself and by a link to it; this is the one test with a real serial port."""
    board = virtual()
    plugged.ports[USB_ID] = board.port
    link = tmp_path / "link"
    link.symlink_to(board.port)
    named = ("--port", board.port, "--port", str(link))
    (found,) = json.loads(doctor("--json", *named))["boards"]
    assert (found["port"], found["release"]) == (board.port, __version__)


def test_no_restart_leaves_the_game_alone(plugged_in, doctor):
    board = plugged_in()
    driver = Driver(board.microbit)
    driver.start()
    driver.start_game()
    page = doctor("--no-restart", "--port", board.port)
    assert f"✓ port       {board.port}, accessible" in page and "game " not in page
    driver.place(4)
    driver.says("4", "-")
    assert not driver.noise


def test_nothing_there(mounted, doctor, noughts, plugged, monkeypatch):
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
def test_a_board_that_has_just_been_started_again(clock, doctor, firmware):
    """What comes before its program runs does not interrupt that."""
    board = SteppedBoard(clock, stepped(firmware)())
    clock.sleep(3)
    uart = board.microbit.uart
    uart.send(b"\x03\x02\x04")
    clock.wait(lambda: b"soft reboot" in uart.received, 1)
    assert b"soft reboot" in uart.receive()
    page = doctor("--port", board.port)
    assert f"(firmware {firmware.split()[1]})" in page and f"✓ game       {__version__}" in page
