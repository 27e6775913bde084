"""Atomic file writes, text in columns, and printing lines to a reader that may stall."""

import os
import select
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from needed import FULL_DISK, POSIX
from noughts.errors import NoughtsError
from noughts.files import atomic_write, atomic_writer
from noughts.terminal.layout import columns, cut_start
from noughts.terminal.output import Lines
from waiting import LIMIT_S, until


@POSIX
def test_atomic_write_preserves_mode_and_symlink(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    for named, content in ((path, b"new"), (link, b"newer")):
        atomic_write(named, content)
        assert path.read_bytes() == content
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink() and {*tmp_path.iterdir()} == {path, link}


@pytest.mark.parametrize(
    "parent",
    [
        Path(tempfile.gettempdir()),
        pytest.param(
            Path("/dev/shm"),
            marks=pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no /dev/shm"),
        ),
    ],
)
def test_failed_write_leaves_old_content_and_no_temporary_file(parent):
    with tempfile.TemporaryDirectory(dir=parent) as folder:
        path = Path(folder) / "file"
        path.write_text("old")
        with pytest.raises(KeyboardInterrupt), atomic_writer(path) as file:
            file.write(b"half of the n")
            raise KeyboardInterrupt
        assert path.read_text() == "old" and [*path.parent.iterdir()] == [path]


@POSIX
def test_file_name_may_be_as_long_as_the_system_allows(tmp_path):
    path = tmp_path / ("x" * os.pathconf(tmp_path, "PC_NAME_MAX"))
    atomic_write(path, b"content")
    assert path.read_bytes() == b"content"


@FULL_DISK
def test_failed_write_does_not_replace_a_device():
    with pytest.raises(NoughtsError, match=r"cannot write /dev/full \(No space left on device\);"):
        atomic_write(Path("/dev/full"), b"x")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@POSIX
def test_atomic_write_accepts_dev_stdout(tmp_path):
    """It may be a pipe, or a file that is open elsewhere and cannot be replaced."""
    write = "atomic_write(Path('/dev/stdout'), b'text')"
    code = f"from pathlib import Path; from noughts.files import atomic_write; {write}"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert piped.stdout == b"text"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=120)
    assert (tmp_path / "out").read_bytes() == b"text"


def test_folder_as_target_is_refused(tmp_path):
    with pytest.raises(NoughtsError, match=r"\(it is a folder\); name a file in it$"):
        atomic_write(tmp_path, b"x")


def test_columns_align_wide_characters():
    """A Chinese, Japanese or Korean character takes two columns."""
    rows = [("board", "games"), ("蓝桌", "12"), ("é", "4")]
    assert columns(rows, right=[1]) == ["board  games", "蓝桌      12", "é          4"]


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [("/data/games.db", 14, "/data/games.db"), ("/data/games.db", 9, "…games.db"),
     ("蓝蓝蓝", 6, "蓝蓝蓝"), ("蓝蓝蓝", 5, "…蓝蓝"), ("蓝蓝蓝", 4, "…蓝"), ("x", 0, "…")],
)  # fmt: skip
def test_text_is_cut_at_its_start_by_its_width(text, width, expected):
    assert cut_start(text, width) == expected


@pytest.fixture
def pipe():
    """Both ends of a pipe, as files."""
    reading, writing = os.pipe()
    with os.fdopen(reading) as reader, os.fdopen(writing, "w", encoding="ascii") as writer:
        yield reader, writer


@pytest.fixture
def lines(pipe):
    return Lines(pipe[1], "{} dropped".format, print)


@contextmanager
def read_in_background(pipe):
    """Gives a list that has all lines once the block has ended."""
    received = []
    reader = threading.Thread(target=lambda: received.extend(pipe[0]))
    reader.start()
    yield received
    pipe[1].close()
    reader.join()


def test_lines_are_printed_in_order(pipe, lines):
    for number in range(100):
        lines.put([f"{number}", "é"])
    lines.put([])
    assert lines.close(120) == 0
    pipe[1].close()
    assert pipe[0].read() == "".join(f"{number}\n\\xe9\n" for number in range(100))


def test_unread_lines_are_dropped_and_counted(pipe, lines):
    # The pipe and the queue together hold less than half of the lines. How often the count is
    # printed depends on when the printing thread is scheduled.
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
def test_close_times_out_and_returns_unprinted_count(pipe, lines):
    for _ in range(300):
        lines.put(["x" * 999])
    until(lambda: not select.select([], [pipe[1]], [], 0)[1], "a full pipe")
    left = lines.close(0.1)
    assert 0 < left < 300
    with read_in_background(pipe) as received:
        assert lines.close(120) == 0
    assert len(received) == 300


def test_program_with_a_stuck_terminal_ends_well_once_everything_is_stored():
    """Its thread waits in a system call that never returns."""
    program = (
        "import threading, time\n"
        "from noughts.terminal.output import leaving_a_stuck_terminal\n"
        "stop = threading.Event()\n"
        "stop.set()\n"
        "with leaving_a_stuck_terminal(stop, lambda: print('stored', flush=True)):\n"
        "    time.sleep(3600)\n"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=LIMIT_S)
    assert (ended.returncode, ended.stdout.split(), ended.stderr) == (0, [b"stored"], b"")
