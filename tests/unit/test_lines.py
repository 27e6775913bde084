"""Lines for a reader who may not read."""

import os
import select
import threading
from contextlib import contextmanager

import pytest

from needed import POSIX
from noughts.terminal.output import Lines
from waiting import until


class Pipe:
    """A stream into a pipe, and its other end."""

    encoding = "ascii"

    def __init__(self):
        self.reading, self._writing = os.pipe()

    def fileno(self):
        return self._writing

    def flush(self):
        pass

    def close_writing(self):
        os.close(self._writing)

    def is_full(self):
        return not select.select([], [self._writing], [], 0)[1]

    def read_all(self):
        """All that comes until the far end is closed."""
        with open(self.reading, "rb", closefd=False) as file:
            return file.read().decode()


@pytest.fixture
def pipe():
    made = Pipe()
    yield made
    os.close(made.reading)


@pytest.fixture
def lines(pipe):
    return Lines(pipe, dropped, nothing)


@contextmanager
def read_meanwhile(pipe):
    """Reads in a thread of its own; gives the lines that came, once they all have."""
    heard = []
    reader = threading.Thread(target=lambda: heard.extend(pipe.read_all().splitlines()))
    reader.start()
    yield heard
    pipe.close_writing()
    reader.join()


def dropped(count):
    return f"{count} dropped"


def nothing():
    pass


def test_all_is_printed_in_order(pipe, lines):
    for number in range(100):
        lines.put([f"{number}", "é"])
    lines.put([])
    assert lines.close(120) == 0
    pipe.close_writing()
    assert pipe.read_all() == "".join(f"{number}\n\\xe9\n" for number in range(100))


def test_unread_lines_are_dropped_and_counted(pipe, lines):
    # A pipe, what is being printed and what waits are less than half of it. How often it is told
    # depends on when the thread that prints has its turn.
    for _ in range(5000):
        lines.put(["x" * 1000])
    with read_meanwhile(pipe) as heard:
        assert lines.close(120) == 0
    told = [line for line in heard if line.endswith(" dropped")]
    shown = [line for line in heard if line not in told]
    assert set(shown) == {"x" * 1000}
    assert sum(int(line.split()[0]) for line in told) == 5000 - len(shown)
    assert 300 < len(shown) < 2500


@POSIX
def test_the_end_waits_for_nobody_and_says_what_is_not_printed(pipe, lines):
    for _ in range(300):
        lines.put(["x" * 999])
    until(pipe.is_full, "a full pipe")
    left = lines.close(0.1)
    assert 0 < left < 300
    with read_meanwhile(pipe) as heard:
        assert lines.close(120) == 0
    assert len(heard) == 300


def test_a_reader_that_has_gone():
    failed = threading.Event()
    pipe = Pipe()
    os.close(pipe.reading)
    lines = Lines(pipe, dropped, failed.set)
    lines.put(["x"])
    assert failed.wait(120)
    with pytest.raises(BrokenPipeError):
        lines.close(120)
    pipe.close_writing()
