"""Writing whole files, and lines for a reader who may not read."""

import os
import select
import stat
import subprocess
import sys
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from needed import FULL_DISK, POSIX
from noughts.errors import NoughtsError
from noughts.files import atomic_write, atomic_writer
from noughts.terminal.output import Lines
from waiting import until


@POSIX
def test_a_file_is_replaced_and_keeps_its_mode_and_its_link(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    for named, content in ((path, b"new"), (link, b"newer")):
        atomic_write(named, content)
        assert path.read_bytes() == content
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink() and {*tmp_path.iterdir()} == {path, link}


def test_after_an_error_the_old_content_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), atomic_writer(path) as file:
        file.write(b"half of the n")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and [*tmp_path.iterdir()] == [path]


@FULL_DISK
def test_a_device_stays_a_device():
    with pytest.raises(NoughtsError, match=r"cannot write /dev/full \(No space left on device\);"):
        atomic_write(Path("/dev/full"), b"x")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@POSIX
def test_standard_output_can_be_named(tmp_path):
    """It may be a pipe, or a file that cannot be replaced since others have it open."""
    write = "atomic_write(Path('/dev/stdout'), b'text')"
    code = f"from pathlib import Path; from noughts.files import atomic_write; {write}"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert piped.stdout == b"text"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=120)
    assert (tmp_path / "out").read_bytes() == b"text"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(NoughtsError, match=r"\(it is a folder\); name a file in it$"):
        atomic_write(tmp_path, b"x")


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
