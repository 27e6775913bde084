"""`noughts doctor` asks the official firmware; what USB tells is a stand-in, and said to be one."""

import json

import pytest

from boards import Driver
from needed import long
from noughts import __version__
from official import stepped
from stand_in_drive import USB_ID
from stepped_ports import SteppedBoard


@pytest.fixture
def drive(drive, plugged):
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


def test_a_board_with_its_drive_and_its_port(plugged_in, drive, doctor, plugged):
    board = plugged_in()
    plugged.ports[USB_ID] = board.port
    page = doctor().splitlines()
    assert page[0].startswith("✓ Python     3.") and page[2].startswith("✓ emulator   Unicorn 2.")
    assert page[3:] == [
        "board 1",
        f"✓ drive      {drive.path}, interface 0249",
        f"✓ port       {board.port}, accessible",
        "✓ board      micro:bit V1",
        "✓ firmware   MicroPython 1.9.2 (firmware 1.1.1)",
        f"✓ game       {__version__}, table 2798",
    ]
    facts = json.loads(doctor("--json"))
    (found,) = facts["boards"]
    assert (found["board"], found["firmware"], found["micropython"]) == ("V1", "1.1.1", "1.9.2")
    assert (found["release"], found["table_id"]) == (__version__, "2798")
    assert found["drive"] == str(drive.path)


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


def test_nothing_there(drive, doctor, noughts, plugged, monkeypatch):
    page = doctor("--port", "/dev/ttyNONE")
    assert "✗ port       there is no port /dev/ttyNONE" in page
    assert f"✓ drive      {drive.path}, interface 0249" in page
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
