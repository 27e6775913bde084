"""`noughts doctor` asks the official firmware; what USB tells is a stand-in, and said to be one."""

import json
from types import SimpleNamespace

import pytest
import uflash

from boards import B, PortDriver
from noughts import __version__
from noughts.cli import main
from noughts.hardware import boot, probe
from official import NEWEST, stepped
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
    status = main(["doctor", *words])
    told = capsys.readouterr().out
    assert status == ("✗" in told or '"good": false' in told)
    return told


LATER = "saving the settings, and freeze when tilted; run `noughts flash`"


@pytest.mark.parametrize(
    ("kind", "release", "micropython"),
    [("V1", "1.1.1", "1.9.2"), ("V1", "1.0.1", "1.9.2"), ("V2", "2.0.0-beta.5", "1.13")],
)
def test_a_board_with_its_drive_and_its_port(
    virtual, drive, capsys, monkeypatch, tmp_path, kind, release, micropython
):
    older = tmp_path / "older.hex"
    older.write_text(uflash._RUNTIME)
    board = virtual(board=kind, firmware=None if release == "1.1.1" else older, speed=2)
    PortDriver(board).start()
    ports = [SimpleNamespace(device=board.port, vid=0x0D28, pid=0x0204, serial_number=USB_ID)]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)
    page = doctor(capsys).splitlines()
    assert page[0].startswith("✓ Python     3.") and page[2].startswith("✓ emulator   Unicorn 2.")
    assert page[3:] == [
        "board 1",
        f"✓ drive      {drive.path}, interface 0249",
        f"✓ port       {board.port}, accessible",
        f"✓ board      micro:bit {kind}",
        f"{'✓✗'[kind == 'V2']} firmware   MicroPython {micropython} (firmware {release})"
        + {"1.0.1": "; `noughts flash` brings 1.1.1", "1.1.1": ""}.get(
            release, f": it may stop {LATER}"
        ),
        f"✓ game       {__version__}, table 2798",
    ]
    # Named too, by itself and by a link to it, the board is still asked once.
    link = tmp_path / "link"
    link.symlink_to(board.port)
    named = ("--port", board.port, "--port", str(link))
    facts = json.loads(doctor(capsys, "--json", *named))
    (found,) = facts["boards"]
    assert (found["board"], found["firmware"], found["micropython"]) == (kind, release, micropython)
    assert (found["release"], found["table_id"]) == (__version__, "2798")
    assert found["drive"] == str(drive.path)


def test_no_restart_leaves_the_game_alone(virtual, capsys):
    board = virtual()
    driver = PortDriver(board)
    driver.start()
    driver.press(B)
    driver.says("", "-")
    page = doctor(capsys, "--no-restart", "--port", board.port)
    assert f"✓ port       {board.port}, accessible" in page and "game " not in page
    driver.place(4)
    driver.says("4", "-")
    assert not driver.noise


def test_a_board_without_the_game(virtual, capsys):
    board = virtual({})
    PortDriver(board).rest(1000)
    page = doctor(capsys, "--port", board.port)
    assert "✓ firmware   MicroPython 1.9.2" in page
    assert "✗ game       does not start; run `noughts put`" in page


def test_nothing_there(drive, capsys, monkeypatch):
    monkeypatch.setattr("serial.tools.list_ports.comports", list)
    page = doctor(capsys, "--port", "/dev/ttyNONE")
    assert "✗ port       there is no port /dev/ttyNONE" in page
    assert f"✓ drive      {drive.path}, interface 0249" in page
    assert "✗ port       its serial port is missing; unplug" in page
    monkeypatch.setattr("psutil.disk_partitions", list)
    assert "✗ boards     none found; plug one in" in doctor(capsys)


def test_a_terminal_without_check_marks(capsys, monkeypatch):
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda ports, restart: [])
    monkeypatch.setattr("sys.stdout", SimpleNamespace(encoding="ascii", write=print, flush=str))
    from noughts.commands.doctor import _print
    from noughts.findings import Check

    printed = []
    monkeypatch.setattr("builtins.print", lambda text: printed.append(text))
    _print(Check("Python", True, "3"))
    _print(Check("boards", False, "none"))
    assert [line[0] for line in printed] == ["+", "!"]


class SteppedPort:
    """The port of a stepped board, as far as it is used here; its time is the board's."""

    port = "it"

    def __init__(self, board):
        self.board = board
        self.write = board.uart.send

    def read_until(self, _):
        self.board.run_for(self.timeout * 1e6)
        return self.board.uart.receive()

    def monotonic(self):
        return self.board.clock_us / 1e6


@pytest.mark.parametrize("firmware", NEWEST)
def test_a_board_that_has_just_been_started_again(monkeypatch, firmware):
    """What comes before its program runs does not interrupt that."""
    port = SteppedPort(stepped(firmware)())
    for module in (boot, probe):
        monkeypatch.setattr(module, "time", port)
    port.board.run_for(3e6)
    port.write(b"\x03\x02\x04")
    port.board.run_until(lambda: b"soft reboot" in port.board.uart.received, timeout_us=1e6)
    assert b"soft reboot" in port.board.uart.receive()
    board = probe.ProbedBoard()
    probe._ask(board, port)
    assert board.firmware == firmware.split()[1] and board.boot.release == __version__
