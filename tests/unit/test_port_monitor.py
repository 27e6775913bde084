"""Ports that come and go. Finding boards is a stand-in here; the ports are pseudo-terminals."""

import contextlib
import os
import queue
import socket
import threading
import time
import tty
from types import SimpleNamespace

import pytest
import serial
from serial import rfc2217

from noughts.hardware.ports import Port, close_port, open_port, read_port
from noughts.watch.port_monitor import (
    DataReceived,
    LineOpened,
    PortClosed,
    PortMonitor,
    PortOpened,
    PortUnavailable,
)


class Boards:
    """What the system lists, and how often it was asked."""

    def __init__(self):
        self.there = []
        self.asked = 0

    def find(self):
        self.asked += 1
        return list(self.there)


@pytest.fixture
def boards():
    return Boards()


@pytest.fixture
def pty():
    made = []

    def make():
        far, near = os.openpty()
        tty.setraw(near)
        made.append((far, near))
        return far, os.ttyname(near)

    yield make
    for pair in made:
        for each in pair:
            with contextlib.suppress(OSError):
                os.close(each)


@pytest.fixture
def follow(boards):
    made = []

    def start(*wanted):
        made.append(PortMonitor(wanted, find=boards.find))
        return made[-1]

    yield start
    for each in made:
        each.close()


def until(follower, count):
    """So many changes, when they have come; bytes that follow each other count once."""
    changes = []
    end = time.monotonic() + 120
    while len(changes) < count:
        assert time.monotonic() < end, changes
        for change in follower.poll():
            last = changes[-1] if changes else None
            if isinstance(change, LineOpened):
                continue
            if isinstance(last, DataReceived) and isinstance(change, DataReceived):
                changes[-1] = DataReceived(last.board, last.data + change.data)
            else:
                changes.append(change)
        time.sleep(0.005)
    return changes


def test_boards_are_named_by_their_usb_ids(boards, pty, follow):
    (one, name), (two, other) = pty(), pty()
    follower = follow()
    assert follower.poll() == []
    boards.there = [Port(name, "9900aa"), Port(other, None)]
    assert set(until(follower, 2)) == {PortOpened("usb-9900aa", name), PortOpened(other, other)}
    os.write(one, b"hello")
    assert until(follower, 1) == [DataReceived("usb-9900aa", b"hello")]
    os.write(two, b"there")
    assert until(follower, 1) == [DataReceived(other, b"there")]


def test_a_port_that_was_named_is_the_board_that_is_behind_it(boards, pty, follow, tmp_path):
    _, name = pty()
    link = tmp_path / "microbit"
    link.symlink_to(name)
    boards.there = [Port(name, "9900aa"), Port("/dev/other", "9900bb")]
    assert until(follow(str(link)), 1) == [PortOpened("usb-9900aa", str(link))]


def test_the_same_board_at_another_port(boards, pty, follow):
    far, name = pty()
    follower = follow()
    boards.there = [Port(name, "9900aa")]
    until(follower, 1)
    boards.there = []
    asked = boards.asked
    while boards.asked == asked:  # a look that has begun may still find it
        follower.look()
        time.sleep(0.005)
    os.close(far)
    (gone,) = until(follower, 1)
    assert isinstance(gone, PortClosed)
    assert gone.board == "usb-9900aa"
    _, other = pty()
    boards.there = [Port(other, "9900aa")]
    changes = until(follower, 1)
    assert changes[-1] == PortOpened("usb-9900aa", other)


def test_why_a_port_cannot_be_opened_is_told_once(boards, follow):
    follower = follow("/dev/nowhere")
    (refused,) = until(follower, 1)
    assert isinstance(refused, PortUnavailable)
    assert refused.port == "/dev/nowhere"
    asked = boards.asked
    while boards.asked < asked + 3:
        assert follower.poll() == []
        time.sleep(0.05)


def test_a_port_named_twice_is_read_once(pty, follow):
    far, name = pty()
    follower = follow(name, name)
    assert until(follower, 1) == [PortOpened(name, name)]
    os.write(far, b"once")
    assert until(follower, 1) == [DataReceived(name, b"once")]
    time.sleep(1.2)
    assert follower.poll() == []


def test_one_that_talks_without_end_does_not_keep_the_others_waiting(pty, follow):
    (loud, name), (quiet, other) = pty(), pty()
    follower = follow(name, other)
    until(follower, 2)
    os.set_blocking(loud, False)
    os.write(quiet, b"me too")
    heard = b""
    end = time.monotonic() + 120
    while heard != b"me too":
        assert time.monotonic() < end
        with contextlib.suppress(BlockingIOError):
            os.write(loud, b"x" * 4096)
        changes = [each for each in follower.poll() if isinstance(each, DataReceived)]
        assert all(len(each.data) <= 4096 for each in changes)
        heard += b"".join(each.data for each in changes if each.board == other)


def test_a_port_is_lent_and_taken_again(pty, follow):
    far, name = pty()
    follower = follow(name)
    until(follower, 1)
    seen = []
    stop = threading.Event()

    def watch():
        while not stop.is_set():
            seen.extend(each for each in follower.poll() if not isinstance(each, LineOpened))
            time.sleep(0.005)

    def until_seen(count):
        end = time.monotonic() + 120
        while len(seen) < count:
            assert time.monotonic() < end
            time.sleep(0.005)
        assert len(seen) == count

    watching = threading.Thread(target=watch)
    watching.start()
    try:
        with follower.lent(name), contextlib.closing(open_port(name, timeout_s=120)) as port:
            os.write(far, b"for us")
            assert port.read(6) == b"for us"
            until_seen(1)  # it was let go a moment before that is told
        until_seen(2)
    finally:
        stop.set()
        watching.join()
    assert seen == [PortClosed(name, name, "in use for a moment"), PortOpened(name, name)]


@pytest.mark.parametrize("named", [False, True])
def test_ports_that_are_followed_besides_and_who_listens_is_told(boards, pty, named):
    """A virtual board begins to talk when its port is open, or after ten seconds."""
    (_, virtual), (_, other) = pty(), pty()
    told = queue.SimpleQueue()
    wanted = [other] * named
    monitor = PortMonitor(wanted, boards.find, lambda: [virtual], {virtual: "virtual-1"}, told.put)
    try:
        opened = {change.board for change in until(monitor, 1 + named)}
        assert opened == {told.get(timeout=120) for _ in opened} == {"virtual-1", *wanted}
    finally:
        monitor.close()


def test_nothing_is_written_to_a_board(pty, follow):
    far, name = pty()
    follower = follow(name)
    until(follower, 1)
    follower.close()
    os.set_blocking(far, False)
    with pytest.raises(BlockingIOError):
        os.read(far, 1)


def test_a_far_host_that_floods_us_has_to_wait(boards, follow):
    """Pyserial's queue for `rfc2217://` has no end of its own; a pseudo-terminal of the system and
    a socket have."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        serial.serial_for_url("loop://") as near,
    ):
        begin = threading.Event()
        threading.Thread(target=flood, args=(server, near, begin), daemon=True).start()
        # The server may have no turn within the three seconds that pyserial gives it.
        port = open_port(f"rfc2217://127.0.0.1:{server.getsockname()[1]}?timeout=120")
        begin.set()
        try:
            end = time.monotonic() + 120
            while port.in_waiting < 65_536:
                assert time.monotonic() < end
                time.sleep(0.01)
            for _ in range(20):  # it has had time for megabytes by then
                assert port.in_waiting == 65_536
                time.sleep(0.02)
            heard = b""
            while len(heard) < 100_000:
                assert time.monotonic() < end
                more = read_port(port, 4096)
                assert len(more) <= 4096
                heard += more
            assert (b"0123456789abcdef" * (len(heard) // 16 + 1)).startswith(heard)
        finally:
            close_port(port)
        assert not port.is_open


def flood(server, near, begin):
    far, _ = server.accept()
    with far, contextlib.suppress(OSError):
        manager = rfc2217.PortManager(near, SimpleNamespace(write=far.sendall))
        far.settimeout(0.02)
        while not begin.is_set():
            with contextlib.suppress(TimeoutError):
                list(manager.filter(far.recv(1024)))
        far.settimeout(None)
        while True:
            far.sendall(b"0123456789abcdef" * 256)
