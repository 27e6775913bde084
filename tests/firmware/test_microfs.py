"""microfs's own command line, as a witness, reads and writes a board that we wrote."""

import subprocess
import sys

import pytest

from noughts.boards.packing import files_for_boards

UFS = """\
import sys, microfs
from serial import Serial
port = sys.argv.pop()
microfs.get_serial = lambda: Serial(port, 115200, timeout=10)
microfs.main()
"""
"""It looks for a USB device, which no test can have; all else is its own."""


@pytest.mark.long
def test_microfs_reads_and_writes_what_we_wrote(virtual, tmp_path, printed):
    board = virtual({}, speed=4)
    printed("put", "--port", board.port)

    def ufs(*words):
        command = [sys.executable, "-c", UFS, *words, board.port]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    assert set(ufs("ls").split()) == set(files_for_boards())
    ufs("get", "table.py")
    assert (tmp_path / "table.py").read_bytes() == files_for_boards()["table.py"]
    (tmp_path / "mine.txt").write_bytes(b"theirs")
    ufs("put", "mine.txt")
    ufs("rm", "ai.py")
    board.reset()
    said = printed("put", "--port", board.port)
    assert "2 of 16 files to send" in said  # a table is sent last, whenever others are
    assert set(ufs("ls").split()) == {*files_for_boards(), "mine.txt"}
