"""The host's end of a virtual serial line."""

import pytest
import serial

from noughts.virtual.serial_line import SerialLine, _Tcp
from waiting import until


@pytest.fixture(params=["pty", "tcp"])
def line(request, monkeypatch):
    if request.param == "tcp":
        monkeypatch.setattr("noughts.virtual.serial_line._Pty", _Tcp)
    heard = []
    line = SerialLine(heard.append)
    yield line, heard
    line.close()


def test_bytes_pass_both_ways_as_they_are(line):
    line, heard = line
    every = bytes(range(256))
    with serial.serial_for_url(line.port, 115200, timeout=60) as port:
        port.write(every)
        until(lambda: b"".join(heard) == every, "all bytes")
        line.feed(every)
        assert port.read(256) == every


def test_what_nobody_reads_is_dropped_and_holds_nothing_up(line):
    line, _ = line
    for _ in range(2000):
        line.feed(b"x" * 1000)
    line.close()
    line.close()
    line.feed(b"late")


def test_over_tcp_two_programs_hear_the_board(monkeypatch):
    """As `noughts watch --emulated` needs it on Windows: the board itself has its port open."""
    monkeypatch.setattr("noughts.virtual.serial_line._Pty", _Tcp)
    heard = []
    line = SerialLine(heard.append)
    with (
        serial.serial_for_url(line.port, timeout=120) as one,
        serial.serial_for_url(line.port, timeout=120) as two,
    ):
        for port in (one, two):
            port.write(b"x")
        until(lambda: len(b"".join(heard)) == 2, "both")
        line.feed(b"said")
        assert (one.read(4), two.read(4)) == (b"said", b"said")
        one.close()
        two.write(b"y")
        until(lambda: b"y" in heard, "the other")
        line.feed(b"more")
        assert two.read(4) == b"more"
        line.close()
