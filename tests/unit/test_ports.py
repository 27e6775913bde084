"""Serial ports: finding micro:bits, and why a port cannot be opened."""

import errno
import os
import pty
import re
import subprocess
import sys
import termios
from types import SimpleNamespace

import pytest

from noughts.errors import BoardError
from noughts.hardware import probe
from noughts.hardware.boot import wait_for_boot
from noughts.hardware.file_transfer import BoardFiles
from noughts.hardware.ports import Port, choose_port, find_ports, open_port, why_not
from noughts.hardware.probe import ProbedBoard


@pytest.fixture
def plugged(monkeypatch):
    """Says what is plugged in; USB devices cannot be had in a test."""

    def plug(*names, vid=0x0D28, pid=0x0204, usb_id="9900" + "0A" * 22):
        ports = [
            SimpleNamespace(device=name, vid=vid, pid=pid, serial_number=usb_id) for name in names
        ]
        ports.append(SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None, serial_number=None))
        monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)

    return plug


def test_only_micro_bits_are_found(plugged):
    plugged("/dev/ttyACM1", "/dev/ttyACM0")
    assert [port.name for port in find_ports()] == ["/dev/ttyACM0", "/dev/ttyACM1"]
    assert find_ports()[0].usb_id == "9900" + "0a" * 22
    plugged("/dev/ttyACM0", pid=0x0205)
    assert find_ports() == []
    plugged("/dev/ttyACM0", usb_id="0240" + "0" * 44)  # an FRDM-K64F, with the same USB ids
    assert find_ports() == []


@pytest.mark.parametrize("usb_id", [None, ""])
def test_a_system_may_not_tell_the_usb_id(plugged, usb_id):
    plugged("COM3", usb_id=usb_id)
    assert find_ports() == [Port("COM3", None)]


def test_the_port_is_chosen_if_it_is_the_only_one(plugged):
    plugged("COM3")
    assert choose_port(None) == "COM3"
    assert choose_port("COM9") == "COM9"
    assert choose_port("") == ""  # which cannot be opened, and is not the one that is plugged in
    plugged()
    with pytest.raises(BoardError, match=r"no micro:bit was found on a serial port; plug it in"):
        choose_port(None)
    plugged("COM3", "COM4")
    with pytest.raises(BoardError, match=r"2 micro:bits .* \(COM3, COM4\); name one with --port"):
        choose_port(None)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        (
            "/dev/ttyNONE",
            "there is no port /dev/ttyNONE; no micro:bit is plugged in: try another cable",
        ),
        ("/dev/null", "/dev/null is not a port (it is not a serial device); name one such as"),
        ("socket://127.0.0.1:1", "cannot open the port socket://127.0.0.1:1"),
        ("loop://?x", "cannot open the port loop://?x"),
        ("hwgrep://[", "cannot open the port hwgrep://["),
        ("nonsense://x", "cannot open the port nonsense://x (invalid URL, protocol 'nonsense'"),
    ],
)
def test_ports_that_cannot_be_opened(plugged, name, why):
    plugged()
    with pytest.raises(BoardError, match=re.escape(why)) as caught:
        open_port(name)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)


def test_a_port_that_is_not_there_names_those_that_are(plugged):
    plugged("COM3", "COM4")
    with pytest.raises(BoardError, match="there is a micro:bit on COM3 and COM4"):
        open_port("/dev/ttyNONE")


@pytest.fixture
def group(monkeypatch):
    """Says what the group of every file is called."""
    return lambda name: monkeypatch.setattr("grp.getgrgid", lambda _: SimpleNamespace(gr_name=name))


def test_no_permission_names_the_group(tmp_path, group):
    """Root, as which tests may run, is permitted everything; so the system's answer is made up."""
    path = tmp_path / "ttyACM0"
    path.touch()
    path.chmod(0o660)
    denied = PermissionError(errno.EACCES, "Permission denied")
    group("uucp")
    told = why_not(str(path), denied)
    assert re.search(r"no permission to use .*; join its group with `sudo usermod -aG uucp ", told)
    group("root")  # as which nobody should work all day
    assert "; add a udev rule for it (micro:bits are 0d28:0204)" in why_not(str(path), denied)
    group("uucp")
    path.chmod(0o600)  # the group has nothing to say
    assert "; add a udev rule for it" in why_not(str(path), denied)
    assert "ask the administrator of this computer" in why_not("/nowhere/tty", denied)


class HungUp:
    """A port whose far end has hung up: termios.error is no OSError."""

    port = "it"

    def __getattr__(self, name):
        raise termios.error(errno.EIO, "Input/output error")

    def __setattr__(self, name, value):
        raise termios.error(errno.EIO, "Input/output error")


@pytest.mark.parametrize(
    "use", [wait_for_boot, BoardFiles, lambda port: probe._ask(ProbedBoard(), port)]
)
def test_a_line_that_has_hung_up(use):
    with pytest.raises(BoardError, match=r"went away.*; plug it in"):
        use(HungUp())


def test_ctrl_c_leaves_no_board_stopped_that_was_asked():
    def interrupt(until):
        raise KeyboardInterrupt

    written = []
    port = SimpleNamespace(port="it", write=written.append, read_until=interrupt)
    with pytest.raises(KeyboardInterrupt):
        probe._ask(ProbedBoard(), port)
    assert written[-1] == b"\x02\x04"


@pytest.mark.parametrize(("called", "exclusive"), [("ttyACM0", False), ("board", True)])
def test_a_port_in_use_says_by_whom(tmp_path, called, exclusive):
    """By its lock; a tty device also without one."""
    master, slave = pty.openpty()
    path = tmp_path / called
    path.symlink_to(os.ttyname(slave))
    name = str(path)
    code = (
        f"import serial; port = serial.Serial({name!r}, exclusive={exclusive}); "
        "print(1, flush=True); input()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        try:
            assert other.stdout.readline() == b"1\n"
            with pytest.raises(BoardError, match=r"is in use by .*; close it there") as caught:
                open_port(name)
            assert f"process {other.pid}" in str(caught.value)
        finally:
            other.communicate(b"\n")
    open_port(name).close()
    os.close(slave)
    os.close(master)
