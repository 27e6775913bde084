"""`noughts play` in a real terminal: a pseudo-terminal that this test holds the other end of."""

import fcntl
import os
import pty
import re
import select
import shutil
import signal
import struct
import sys
import termios
import time

import pytest

ESCAPES = re.compile(r"\x1b(\[[0-9;?>=$]*[A-Za-z]|[=>])")


class Terminal:
    """A program in a terminal of 100 by 30."""

    def __init__(self, *words, size=(30, 100), **env):
        self.pid, self.master = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", *size, 0, 0))
            for size in ("COLUMNS", "LINES"):
                os.environ.pop(size, None)
            os.environ.update(TERM="xterm-256color", PYTHONUTF8="1", **env)
            os.execv(sys.executable, [sys.executable, "-m", "noughts", *words])
        self.text = ""
        self.status = None

    def read(self, seconds):
        ready, _, _ = select.select([self.master], [], [], seconds)
        if ready:
            try:
                self.text += os.read(self.master, 65536).decode("utf-8", "replace")
            except OSError:  # the program has ended
                time.sleep(0.05)

    def wait_for(self, wanted, seconds=30):
        end = time.monotonic() + seconds
        while wanted not in ESCAPES.sub("", self.text):
            assert time.monotonic() < end, f"no {wanted!r} in {ESCAPES.sub('', self.text)[-2000:]}"
            self.read(0.1)

    def type(self, keys):
        os.write(self.master, keys.encode())

    def end(self, seconds=20):
        end = time.monotonic() + seconds
        while self.status is None and time.monotonic() < end:
            self.read(0.05)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                self.status = os.waitstatus_to_exitcode(status)
        assert self.status is not None, "the program does not end"
        return self.status

    def close(self):
        if self.status is None:
            os.kill(self.pid, signal.SIGKILL)
            os.waitpid(self.pid, 0)
        os.close(self.master)


@pytest.fixture
def terminal():
    opened = []

    def start(*words, **env):
        opened.append(Terminal(*words, **env))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.mark.parametrize("board", ["simulated", "emulated"])
def test_a_game_is_played_and_left(terminal, board):
    if board == "emulated" and not shutil.which("qemu-system-arm") and "CI" not in os.environ:
        pytest.skip("QEMU is not installed")
    program = terminal("play", "--board", board)
    program.wait_for("board started: micro:bit V1")
    time.sleep(0.5)
    program.type("b")
    program.wait_for("game 1: A is a person, B is a person; A begins")
    time.sleep(0.3)
    program.type("b")
    program.wait_for("move 1: A in the centre")
    program.type("q")
    assert program.end() == 0
    assert "\x1b[?1049l" in program.text  # the terminal is as it was


def test_without_colour(terminal):
    program = terminal("play", "--board", "simulated", NO_COLOR="1")
    program.wait_for("board started")
    assert not re.search(r"\x1b\[[0-9;]*38;2;255", program.text)
    program.type("q")
    assert program.end() == 0


def test_a_closed_terminal_ends_the_board(terminal):
    program = terminal("play", "--board", "simulated")
    program.wait_for("board started")
    os.kill(program.pid, signal.SIGHUP)
    program.end()


@pytest.mark.parametrize("size", [(16, 100), (30, 39)])
def test_a_terminal_that_is_too_small_is_told_before_anything_starts(terminal, size):
    program = terminal("play", "--board", "simulated", size=size)
    assert program.end() == 1
    assert program.text.replace("\r\n", "\n") == (
        f"noughts: the terminal is too small ({size[1]} x {size[0]}); make it 40 x 17 or larger\n"
    )
