"""The port of a virtual board."""

import pytest
import serial

from needed import POSIX
from noughts.virtual.process import Pty, Tcp
from waiting import until


def read(line, size):
    """What programs have sent, when so much has come."""
    received = bytearray()
    until(lambda: received.extend(line.read()) or len(received) >= size, "bytes")
    return bytes(received)


@pytest.mark.parametrize("kind", [pytest.param(Pty, marks=POSIX), Tcp])
def test_bytes_pass_both_ways_as_they_are(kind):
    line, every = kind(), bytes(range(256))
    with serial.serial_for_url(line.port, 115200, timeout=60) as port:
        port.write(every)
        assert read(line, 256) == every
        line.write(every)
        assert port.read(256) == every


@pytest.mark.parametrize("kind", [pytest.param(Pty, marks=POSIX), Tcp])
def test_what_nobody_reads_is_dropped_and_holds_nothing_up(kind):
    line = kind()
    with serial.serial_for_url(line.port, 115200) as port:
        port.write(b"x")
        read(line, 1)
        for _ in range(2000):
            line.write(b"x" * 1000)


@POSIX
def test_a_slow_reader_receives_everything():
    line, received = Pty(), bytearray()
    with serial.serial_for_url(line.port, timeout=0) as port:
        line.write(b"x" * 10_000)

        def has_all():
            line.write(b"")
            received.extend(port.read(4096))
            return len(received) == 10_000

        until(has_all, "all bytes")


def test_over_tcp_two_programs_receive_the_output():
    """As `noughts watch --emulated` needs it on Windows: the board's owner has its port open."""
    line = Tcp()
    with (
        serial.serial_for_url(line.port, timeout=120) as one,
        serial.serial_for_url(line.port, timeout=120) as two,
    ):
        for port in (one, two):
            port.write(b"x")
        read(line, 2)
        line.write(b"said")
        assert (one.read(4), two.read(4)) == (b"said", b"said")
        one.close()
        two.write(b"y")
        assert read(line, 1) == b"y"
        line.write(b"more")
        assert two.read(4) == b"more"
