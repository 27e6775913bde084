"""`noughts watch` in processes of its own."""

import subprocess
import sys

import pytest


@pytest.fixture
def started():
    """Starts the command, and ends it; the test reads what it prints."""
    running = []

    def start(*words, **named):
        command = [sys.executable, "-m", "noughts", "watch", *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        running.append(subprocess.Popen(command, **pipes, **named))
        return running[-1]

    yield start
    for each in running:
        each.kill()
        each.communicate()
