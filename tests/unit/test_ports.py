"""Serial ports: finding micro:bits, explaining failed opens, and following ports."""

import errno
import io
import os
import re
import subprocess
import sys
import termios
import threading
from contextlib import ExitStack, closing
from types import SimpleNamespace

import pytest

from noughts.boards.files import BoardFiles
from noughts.boards.ports import Port, choose_port, find_ports, open_port, read_port, why_not
from noughts.boards.wait_for_start import wait_for_start
from noughts.errors import BoardError
from noughts.recording.events import (
    RELEASED,
    PortClosed,
    PortOpened,
    PortUnavailable,
    PortUnplugged,
)
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.sources import DataReceived
from noughts.store.timestamps import now
from sample_games import BOOT
from waiting import until


@pytest.fixture
def plug_in(monkeypatch):
    """Sets which ports the system lists, because tests have no USB devices."""

    def plug(*names, vid=0x0D28, pid=0x0204, usb_id="9900" + "0A" * 22):
        ports = [
            SimpleNamespace(device=name, vid=vid, pid=pid, serial_number=usb_id) for name in names
        ]
        ports.append(SimpleNamespace(device="/dev/ttyS0", vid=None, pid=None, serial_number=None))
        monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)

    return plug


def test_find_ports_lists_only_micro_bits(plug_in):
    plug_in("/dev/ttyACM1", "/dev/ttyACM0")
    assert [port.name for port in find_ports()] == ["/dev/ttyACM0", "/dev/ttyACM1"]
    assert find_ports()[0].usb_id == "9900" + "0a" * 22
    plug_in("/dev/ttyACM0", pid=0x0205)
    assert find_ports() == []
    for usb_id in None, "", "8":  # some systems do not report it, or give another number
        plug_in("COM3", usb_id=usb_id)
        assert find_ports() == [Port("COM3", None)]


def test_choose_port_takes_the_named_or_only_port(plug_in):
    plug_in("COM3")
    assert choose_port(None) == "COM3"
    assert choose_port("COM9") == "COM9"
    assert choose_port("") == ""  # cannot be opened, and does not mean the only port
    plug_in()
    with pytest.raises(BoardError, match=r"no micro:bit was found on a serial port; plug it in"):
        choose_port(None)
    plug_in("COM3", "COM4")
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
def test_open_port_explains_failure_in_one_line(plug_in, name, why):
    plug_in()
    with pytest.raises(BoardError, match=re.escape(why)) as caught:
        open_port(name)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)
    plug_in("COM3", "COM4")
    if "there is no port" in why:
        with pytest.raises(BoardError, match="there is a micro:bit on COM3 and COM4"):
            open_port(name)


@pytest.mark.parametrize(
    ("group", "todo"),
    [
        ("uucp", "; join its group with `sudo usermod -aG uucp "),
        ("root", "; add a udev rule for it (micro:bits are 0d28:0204)"),  # not a group for people
    ],
)
def test_permission_error_suggests_group_or_udev_rule(monkeypatch, group, todo):
    """The error is faked: tests may run as root, who can open every port."""
    monkeypatch.setattr("pathlib.Path.group", lambda _: group)
    denied = PermissionError(errno.EACCES, "Permission denied")
    assert why_not("/dev/ttyACM0", denied).startswith(f"no permission to use /dev/ttyACM0{todo}")


class HungUp:
    """A port whose far end has hung up: termios.error is not an OSError."""

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
def test_hung_up_port_raises_board_error(use):
    with pytest.raises(BoardError, match=r"went away.*; plug it in"):
        use(HungUp())


@pytest.mark.parametrize(("name_part", "exclusive"), [("ttyACM0", False), ("board", True)])
def test_port_in_use_error_names_the_process(port, name_part, exclusive):
    """It is found by its lock; on a tty device, even without one."""
    name = port(name_part).path
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
    """Follows ports; `ports` is what the system lists, and `scans` counts how often it did."""

    def __init__(self, *names, ports=()):
        self.ports, self.scans = ports, 0
        super().__init__(names, find=self.find)

    def find(self):
        self.scans += 1
        return list(self.ports)

    def changes_during(self, scans):
        """Poll until this many more scans have begun; give the changes."""
        last, changes = self.scans + scans, []
        until(lambda: changes.extend(self.poll()) or self.scans >= last, "a scan")
        return changes

    def changes(self, count):
        """Wait for this many changes; consecutive bytes from a board count as one."""
        changes = []

        def enough():
            for change in self.poll():
                if isinstance(change, DataReceived):
                    assert abs(change.at - now()) < 60_000
                    if not change.data:  # its port was opened
                        continue
                    data_before = b""
                    if changes and isinstance(changes[-1], DataReceived):
                        data_before = changes.pop().data
                    change = DataReceived(change.board, data_before + change.data, None)
                changes.append(change)
            return len(changes) >= count

        until(enough, f"{count} changes")
        return changes


@pytest.fixture
def follow(monkeypatch):
    monkeypatch.setattr("noughts.recording.port_monitor.LOOK_S", 0.02)
    with ExitStack() as started:
        yield lambda *words, **named: started.enter_context(closing(Monitor(*words, **named)))


def test_boards_are_named_by_usb_id_or_port(port, follow):
    one, two = port("one"), port("two")
    name, other = (os.path.realpath(port_end.path) for port_end in (one, two))
    follower = follow()
    assert follower.poll() == []
    follower.ports = [Port(name, "9900aa"), Port(other, None)]
    assert set(follower.changes(2)) == {
        PortOpened("usb-9900aa", name),
        PortOpened(other, other),
    }
    for far, board in (one, "usb-9900aa"), (two, other):
        far.send(b"hello")
        assert follower.changes(1) == [DataReceived(board, b"hello", None)]
    follower.close()
    # A link to a port names the board behind it; other ports are not followed.
    assert follow(one.path, ports=follower.ports).changes(1) == [PortOpened("usb-9900aa", one.path)]


def test_unavailable_port_is_reported_once_and_duplicate_is_read_once(port, follow):
    follower = follow("/dev/nowhere")
    (refused,) = follower.changes(1)
    assert isinstance(refused, PortUnavailable)
    assert refused.port == "/dev/nowhere"
    assert follower.changes_during(3) == []
    far = port("one")
    name = far.path
    follower = follow(name, name)
    assert follower.changes(1) == [PortOpened(name, name)]
    far.send(b"once")
    assert follower.changes(1) == [DataReceived(name, b"once", None)]
    assert follower.changes_during(3) == []


def test_port_that_was_found_and_is_unplugged_waits_no_longer(follow):
    port = Port("/dev/nowhere", "9900aa")
    follower = follow(ports=[port])
    assert isinstance(follower.changes(1)[0], PortUnavailable)
    follower.ports = []
    assert follower.changes(1) == [PortUnplugged(port.name)]
    assert follower.changes_during(3) == []
    follower.ports = [port]
    assert isinstance(follower.changes(1)[0], PortUnavailable)


def test_port_that_was_open_is_reported_again_when_it_cannot_be_opened(port, follow):
    far = port("one")
    far.pull()
    follower = follow(far.path)
    (refused,) = follower.changes(1)
    far.plug()
    assert follower.changes(1) == [PortOpened(far.path, far.path)]
    far.pull()
    closed, again = follower.changes(2)
    assert isinstance(closed, PortClosed) and again == refused


@pytest.mark.parametrize("late", [OSError("unplugged"), None])
def test_named_port_has_its_boards_name_even_if_the_system_lists_it_late(port, follow, late):
    name = port("one").path
    listed = Port(os.path.realpath(name), "9900aa")
    listings = [late or [], [listed]]

    class Late(Monitor):
        def find(self):
            listing = listings.pop(0) if len(listings) > 1 else listings[0]
            if isinstance(listing, OSError):
                raise listing
            return listing

    with closing(Late(name)) as follower:
        assert follower.changes(1) == [PortOpened("usb-9900aa", name)]


def test_poll_during_close_reads_no_port_that_is_closed():
    """A watch that is closed with a time limit may still poll."""
    closed, faults = threading.Event(), []
    polling = threading.Event()

    class Slow:
        def read(self, size):
            polling.set()
            assert closed.wait(120)
            return b""

        def close(self):
            if is_first.acquire(blocking=False):  # two ports close in two threads
                poller.start()
                until(lambda: polling.is_set() or not poller.is_alive(), "the poll")

    def poll():
        try:
            monitor.poll()
        except KeyError as error:
            faults.append(error)

    monitor, poller = PortMonitor(find=list), threading.Thread(target=poll)
    is_first = threading.Lock()
    monitor.follow("one", "one", Slow())
    monitor.follow("two", "two", Slow())
    monitor.close()
    closed.set()
    poller.join(120)
    assert not faults


def test_port_that_never_stops_sending_does_not_delay_others(port, follow):
    loud, quiet = port("loud"), port("quiet")
    follower = follow(loud.path, quiet.path)
    follower.changes(2)
    quiet.send(b"me too")
    received = []

    def has_other():
        loud.offer(*[BOOT] * 200)
        changes = [change for change in follower.poll() if isinstance(change, DataReceived)]
        assert all(len(change.data) <= 4096 for change in changes)
        received.extend(change.data for change in changes if change.board == quiet.path)
        return b"".join(received) == b"me too"

    until(has_other, "the other's bytes", step_s=0)


def test_port_is_released_and_reopened(port, follow):
    far = port("one")
    name = far.path
    follower = follow(name)
    follower.changes(1)
    with follower.released(name), closing(open_port(name)) as taken:
        taken.timeout = 120
        far.send(b"for us")
        assert taken.read(6) == b"for us"
        released = PortClosed(name, name, RELEASED)
        assert follower.changes(1) == [released]
    assert follower.changes(1) == [PortOpened(name, name)]


def test_read_port_joins_single_bytes_from_a_remote_port():
    far = io.BytesIO(b"0123456789")
    port = SimpleNamespace(port="rfc2217://pi:1", read=lambda size: far.read(1))
    assert [read_port(port, 8), read_port(port, 8), read_port(port, 8)] == [b"01234567", b"89", b""]
