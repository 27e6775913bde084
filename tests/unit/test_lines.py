"""Lines for a reader who may not read."""

import os
import select
import threading
from contextlib import contextmanager

import pytest

from needed import POSIX
from noughts.terminal.output import Lines
from waiting import until


@pytest.fixture
def pipe():
    """The two ends of a pipe, as files."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as there, os.fdopen(writing, "w", encoding="ascii") as here:
        yield there, here


@pytest.fixture
def lines(pipe):
    return Lines(pipe[1], "{} dropped".format, print)


@contextmanager
def read_in_background(pipe):
    """Gives the lines that came, once they all have."""
    received = []
    reader = threading.Thread(target=lambda: received.extend(pipe[0]))
    reader.start()
    yield received
    pipe[1].close()
    reader.join()


def test_all_is_printed_in_order(pipe, lines):
    for number in range(100):
        lines.put([f"{number}", "é"])
    lines.put([])
    assert lines.close(120) == 0
    pipe[1].close()
    assert pipe[0].read() == "".join(f"{number}\n\\xe9\n" for number in range(100))


def test_unread_lines_are_dropped_and_counted(pipe, lines):
    # A pipe, what is being printed and what waits are less than half of it. How often it is told
    # depends on when the thread that prints has its turn.
    for _ in range(5000):
        lines.put(["x" * 1000])
    with read_in_background(pipe) as received:
        assert lines.close(120) == 0
    counts = [int(line.split()[0]) for line in received if line.endswith(" dropped\n")]
    assert received.count("x" * 1000 + "\n") + len(counts) == len(received)
    shown = len(received) - len(counts)
    assert sum(counts) == 5000 - shown
    assert 300 < shown < 2500


@POSIX
def test_the_end_waits_for_nobody_and_says_what_is_not_printed(pipe, lines):
    for _ in range(300):
        lines.put(["x" * 999])
    until(lambda: not select.select([], [pipe[1]], [], 0)[1], "a full pipe")
    left = lines.close(0.1)
    assert 0 < left < 300
    with read_in_background(pipe) as received:
        assert lines.close(120) == 0
    assert len(received) == 300
