"""`noughts watch` in processes of its own, whose streams a test holds, and what it reads."""

import subprocess
import sys

import pytest

from noughts.protocol.sentences import write


@pytest.fixture
def started():
    """Starts the command, and ends it; the test reads what it prints."""
    running = []

    def start(*words, program=("-m", "noughts"), **named):
        command = [sys.executable, *program, "watch", *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        running.append(subprocess.Popen(command, **pipes, **named))
        return running[-1]

    yield start
    for each in running:
        each.kill()
        each.communicate()


@pytest.fixture
def capture(tmp_path):
    """Writes what a serial program has written down: these sentences."""
    log = tmp_path / "class.log"

    def write_log(*sentences):
        log.write_bytes(b"".join(write(each).encode() + b"\r\n" for each in sentences))
        return log

    return write_log
