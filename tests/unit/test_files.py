"""Writing whole files."""

import stat
import subprocess
import sys
from pathlib import Path

import pytest

from needed import FULL_DISK, POSIX
from noughts.errors import NoughtsError
from noughts.files import whole_file, write_whole


@POSIX
def test_a_file_is_replaced_and_keeps_its_mode_and_its_link(tmp_path):
    path, link = tmp_path / "file", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    for named, content in ((path, b"new"), (link, b"newer")):
        write_whole(named, content)
        assert path.read_bytes() == content
        assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert link.is_symlink() and {*tmp_path.iterdir()} == {path, link}


def test_after_an_error_the_old_content_is_there_and_nothing_else(tmp_path):
    path = tmp_path / "file"
    path.write_text("old")
    with pytest.raises(KeyboardInterrupt), whole_file(path) as file:
        file.write(b"half of the n")
        raise KeyboardInterrupt
    assert path.read_text() == "old" and [*tmp_path.iterdir()] == [path]


@FULL_DISK
def test_a_device_stays_a_device():
    with pytest.raises(NoughtsError, match=r"cannot write /dev/full \(No space left on device\);"):
        write_whole(Path("/dev/full"), b"x")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


@POSIX
def test_standard_output_can_be_named(tmp_path):
    """It may be a pipe, or a file that cannot be replaced since others have it open."""
    write = "write_whole(Path('/dev/stdout'), b'text')"
    code = f"from pathlib import Path; from noughts.files import write_whole; {write}"
    piped = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=120)
    assert piped.stdout == b"text"
    with (tmp_path / "out").open("wb") as out:
        subprocess.run([sys.executable, "-c", code], stdout=out, check=True, timeout=120)
    assert (tmp_path / "out").read_bytes() == b"text"


def test_a_folder_is_refused(tmp_path):
    with pytest.raises(NoughtsError, match=r"\(it is a folder\); name a file in it$"):
        write_whole(tmp_path, b"x")
