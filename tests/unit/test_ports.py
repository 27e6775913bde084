"""Serial ports: finding micro:bits, why one cannot be opened, and following those that come."""

import errno
import io
import os
import re
import subprocess
import sys
import termios
from contextlib import ExitStack, closing
from types import SimpleNamespace

import pytest

from noughts.boards.files import BoardFiles
from noughts.boards.ports import Port, choose_port, find_ports, open_port, read_port, why_not
from noughts.boards.start import wait_for_start
from noughts.errors import BoardError
from noughts.recording.events import PortClosed, PortOpened, PortUnavailable
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.sources import DataReceived
from noughts.store.timestamps import now
from sample_games import BOOT
from waiting import until


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
    for usb_id in None, "":  # a system may not tell it
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
        ("/dev/ttyNONE", "there is no port /dev/ttyNONE; no micro:bit is plugged in: try another"),
        ("/dev/null", "/dev/null is not a serial device; name one such as /dev/ttyACM0"),
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
    plugged("COM3", "COM4")
    if "there is no port" in why:
        with pytest.raises(BoardError, match="there is a micro:bit on COM3 and COM4"):
            open_port(name)


@pytest.mark.parametrize(
    ("group", "todo"),
    [
        ("uucp", "; join its group with `sudo usermod -aG uucp "),
        ("root", "; add a udev rule for it (micro:bits are 0d28:0204)"),  # not for people
    ],
)
def test_no_permission_names_the_group(monkeypatch, group, todo):
    """Root, as which tests may run, is permitted everything; so the system's answer is made up."""
    monkeypatch.setattr("pathlib.Path.group", lambda _: group)
    denied = PermissionError(errno.EACCES, "Permission denied")
    assert why_not("/dev/ttyACM0", denied).startswith(f"no permission to use /dev/ttyACM0{todo}")


class HungUp:
    """A port whose far end has hung up: termios.error is no OSError."""

    port = "it"

    def __getattr__(self, name, *value):
        raise termios.error(errno.EIO, "Input/output error")

    __setattr__ = __getattr__


@pytest.mark.parametrize(
    "use",
    [
        wait_for_start,
        lambda port: BoardFiles(port).survey(),
    ],
)
def test_a_line_that_has_hung_up(use):
    with pytest.raises(BoardError, match=r"went away.*; plug it in"):
        use(HungUp())


@pytest.mark.parametrize(("called", "exclusive"), [("ttyACM0", False), ("board", True)])
def test_a_port_in_use_says_by_whom(port, called, exclusive):
    """By its lock; a tty device also without one."""
    name = port(called).path
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


class Monitor(PortMonitor):
    """Follows ports; `there` is what the system lists, and `asked` how often it was asked."""

    def __init__(self, *wanted, there=()):
        self.there, self.asked = there, 0
        super().__init__(wanted, find=self.find)

    def find(self):
        self.asked += 1
        return list(self.there)

    def looked(self, times):
        """Wait until the system was asked so often; a look that has begun may be an older one."""
        asked, changes = self.asked + times, []
        until(lambda: changes.extend(self.poll()) or self.asked >= asked, "a look")
        return changes

    def changes(self, count):
        """So many changes, when they have come; bytes that follow each other count once."""
        changes = []

        def enough():
            for change in self.poll():
                if isinstance(change, DataReceived):
                    assert abs(change.at - now()) < 60_000
                    if not change.data:  # its port was opened
                        continue
                    before = b""
                    if changes and isinstance(changes[-1], DataReceived):
                        before = changes.pop().data
                    change = DataReceived(change.board, before + change.data, None)
                changes.append(change)
            return len(changes) >= count

        until(enough, f"{count} changes")
        return changes


@pytest.fixture
def follow(monkeypatch):
    monkeypatch.setattr("noughts.recording.port_monitor._LOOK_S", 0.02)
    with ExitStack() as started:
        yield lambda *words, **named: started.enter_context(closing(Monitor(*words, **named)))


def test_boards_are_named_by_their_usb_ids(port, follow):
    one, two = port("one"), port("two")
    name, other = (os.path.realpath(each.path) for each in (one, two))
    follower = follow()
    assert follower.poll() == []
    follower.there = [Port(name, "9900aa"), Port(other, None)]
    assert set(follower.changes(2)) == {
        PortOpened("usb-9900aa", name),
        PortOpened(other, other),
    }
    for far, board in (one, "usb-9900aa"), (two, other):
        far.send(b"hello")
        assert follower.changes(1) == [DataReceived(board, b"hello", None)]
    follower.close()
    # A port that was named by a link is the board behind it; the others are not followed.
    assert follow(one.path, there=follower.there).changes(1) == [PortOpened("usb-9900aa", one.path)]


def test_a_refusal_is_told_once_and_a_port_named_twice_is_read_once(port, follow):
    follower = follow("/dev/nowhere")
    (refused,) = follower.changes(1)
    assert isinstance(refused, PortUnavailable)
    assert refused.port == "/dev/nowhere"
    assert follower.looked(3) == []
    far = port("one")
    name = far.path
    follower = follow(name, name)
    assert follower.changes(1) == [PortOpened(name, name)]
    far.send(b"once")
    assert follower.changes(1) == [DataReceived(name, b"once", None)]
    assert follower.looked(3) == []


def test_one_that_talks_without_end_does_not_keep_the_others_waiting(port, follow):
    loud, quiet = port("loud"), port("quiet")
    follower = follow(loud.path, quiet.path)
    follower.changes(2)
    quiet.send(b"me too")
    received = []

    def has_other():
        loud.offer(*[BOOT] * 200)
        changes = [each for each in follower.poll() if isinstance(each, DataReceived)]
        assert all(len(each.data) <= 4096 for each in changes)
        received.extend(each.data for each in changes if each.board == quiet.path)
        return b"".join(received) == b"me too"

    until(has_other, "the other's bytes", step_s=0)


def test_a_port_is_released_and_taken_again(port, follow):
    far = port("one")
    name = far.path
    follower = follow(name)
    follower.changes(1)
    with follower.released(name), closing(open_port(name)) as taken:
        taken.timeout = 120
        far.send(b"for us")
        assert taken.read(6) == b"for us"
        released = PortClosed(name, name, "in use for a moment")
        assert follower.changes(1) == [released]
    assert follower.changes(1) == [PortOpened(name, name)]


def test_a_far_hosts_port_which_gives_a_byte_at_a_time_is_read_in_one_go():
    far = io.BytesIO(b"0123456789")
    port = SimpleNamespace(port="rfc2217://pi:1", read=lambda size: far.read(1))
    assert [read_port(port, 8), read_port(port, 8), read_port(port, 8)] == [b"01234567", b"89", b""]
