"""`noughts put` at ports on which no game is: each failure is one line."""

import contextlib
import errno
from types import SimpleNamespace

import pytest

from noughts.boards.files import BoardFiles
from noughts.boards.ports import open_port
from noughts.errors import BoardError, BoardGoneError
from stepped_ports import Talker


@pytest.fixture
def talker(clock):
    """A port whose far end answers what it hears by a function of bytes; its name."""
    return lambda answer: Talker(clock, answer).port


def test_waiting_for_silence_ends(clock):
    """A port that always has more."""

    class Endless:
        port = "endless"
        timeout = 0.0

        def write(self, data):
            return len(data)

        def read(self, size):
            clock.sleep(0.1)
            return b"x" * size

        def inWaiting(self):
            return 1

    with pytest.raises(BoardError, match="does not answer like MicroPython"):
        BoardFiles(Endless()).survey()


def raw_repl(reply):
    """A raw REPL that answers every command so."""
    restarts = [False]

    def answer(heard):
        told = b""
        for byte in heard:
            if byte == 1:
                restarts[0] = True
                told += b"raw REPL; CTRL-B to exit\r\n>"
            elif byte == 4 and restarts[0]:
                restarts[0] = False
                told += b"OK soft reboot\r\nraw REPL; CTRL-B to exit\r\n>"
            elif byte == 4:
                told += b"OK" + reply + b"\x04>"
        return told

    return answer


@pytest.mark.usefixtures("clock")
def test_ctrl_c_leaves_no_board_stopped():
    written = []
    port = SimpleNamespace(port="it", timeout=0, write=written.append)
    with pytest.raises(KeyboardInterrupt), BoardFiles(port):
        raise KeyboardInterrupt
    assert b"".join(written) == b"\x03\x02\x04"


def test_a_port_that_fails_is_told_from_a_board_that_does(talker):
    def fail(*_):
        raise OSError(errno.EIO, "raised by the system")

    with contextlib.closing(open_port(talker(lambda heard: b""))) as port:
        port.write = fail
        with pytest.raises(BoardGoneError):
            BoardFiles(port).survey()


BIG = b"'micro:bit with nRF51822'\r\n('big.bin', 99999999999999, 1, b'x')\r\n\x04"


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (lambda heard: b"", "does not answer like MicroPython; press its reset button"),
        (lambda heard: b"\x1b[2J garbage \xff\n", "does not answer like MicroPython"),
        (raw_repl(BIG), "remove some of its other files: 'big.bin' (1,048,576 bytes)"),
        (
            raw_repl(b"\x04Traceback:\r\nOSError: \x1b[2J no\r\n"),
            "could not list its files (OSError:  [2J no); reset it",
        ),
    ],
)
def test_a_board_that_does_not_list_its_files(talker, refused, answer, why):
    assert why in refused("put", "--port", talker(answer))


def test_a_file_that_is_no_table(refused, tmp_path):
    binary = tmp_path / "binary.py"
    binary.write_bytes(b"\xff\xfe")
    for name in (__file__, binary):
        told = refused("put", "--port", "/dev/ttyNONE", "--table", name)
        assert "is not a table; make one with" in told
