"""`noughts doctor` asks the V1 firmware; what USB tells is a stand-in, said so where it is."""

import json
from types import SimpleNamespace

import pytest

from boards import B, Driver
from noughts.cli import main
from stand_in_drive import USB_ID, StandInDrive


@pytest.fixture
def drive(tmp_path, monkeypatch):
    """A stand-in drive that the system is said to have mounted."""
    made = StandInDrive(tmp_path / "MICROBIT")
    partition = SimpleNamespace(mountpoint=str(made.path), fstype="vfat")
    monkeypatch.setattr("psutil.disk_partitions", lambda: [partition])
    yield made
    made.close()


def doctor(capsys, *words):
    assert main(["doctor", *words]) == 0
    return capsys.readouterr().out


def test_a_board_with_its_drive_and_its_port(
    emulated, drive, capsys, monkeypatch, tmp_path, v1_firmware
):
    board = emulated(firmware=v1_firmware)
    release = "1.0.1" if v1_firmware else "1.1.1"
    Driver(board).start()
    ports = [SimpleNamespace(device=board.port, vid=0x0D28, pid=0x0204, serial_number=USB_ID)]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)
    page = doctor(capsys).splitlines()
    assert page[0].startswith("✓ Python     3.") and page[2].startswith("✓ QEMU ")
    assert page[3:] == [
        "board 1",
        f"✓ drive      {drive.path}, interface 0249",
        f"✓ port       {board.port}, permitted",
        "✓ board      micro:bit V1",
        f"✓ firmware   MicroPython 1.9.2 (firmware {release})",
        "✓ game       0.1.0, table 2798",
    ]
    # Named too, by itself and by a link to it, the board is still asked once.
    link = tmp_path / "link"
    link.symlink_to(board.port)
    named = ("--port", board.port, "--port", str(link))
    facts = json.loads(doctor(capsys, "--json", *named))
    (found,) = facts["boards"]
    assert (found["board"], found["firmware"], found["micropython"]) == ("V1", release, "1.9.2")
    assert (found["release"], found["table_id"]) == ("0.1.0", "2798")
    assert found["drive"] == str(drive.path)


def test_no_restart_leaves_the_game_alone(emulated, capsys):
    board = emulated()
    driver = Driver(board)
    driver.start()
    driver.press(B)
    driver.says("", "-")
    page = doctor(capsys, "--no-restart", "--port", board.port)
    assert f"✓ port       {board.port}, permitted" in page and "game " not in page
    driver.place(4)
    driver.says("4", "-")
    assert not driver.noise


def test_a_board_without_the_game(emulated, capsys):
    board = emulated({})
    page = doctor(capsys, "--port", board.port)
    assert "✓ firmware   MicroPython 1.9.2" in page
    assert "✗ game       does not start; run `noughts put`" in page


def test_nothing_there(drive, capsys, monkeypatch):
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    monkeypatch.setenv("NOUGHTS_QEMU", "no-such-qemu")
    page = doctor(capsys, "--port", "/dev/ttyNONE")
    assert "✗ QEMU       not installed, so boards are simulated; " in page
    assert "✗ port       there is no port /dev/ttyNONE" in page
    assert f"✓ drive      {drive.path}, interface 0249" in page
    assert "✗ port       its serial port is not there; unplug" in page
    monkeypatch.setattr("psutil.disk_partitions", list)
    assert "✗ boards     none found; plug one in" in doctor(capsys)


def test_a_terminal_without_check_marks(capsys, monkeypatch):
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda ports, restart: [])
    monkeypatch.setattr("sys.stdout", SimpleNamespace(encoding="ascii", write=print, flush=str))
    from noughts.commands.doctor import Check, _print

    printed = []
    monkeypatch.setattr("builtins.print", lambda text: printed.append(text))
    _print(Check("Python", True, "3"))
    _print(Check("QEMU", False, "none"))
    assert [line[0] for line in printed] == ["+", "!"]
