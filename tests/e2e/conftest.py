"""Commands in processes of their own."""

import subprocess
import sys

import pytest


@pytest.fixture
def started():
    """Starts a command, and ends it; the test reads what it prints."""
    running = []

    def start(*words, **named):
        command = [sys.executable, "-m", "noughts", *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        running.append(subprocess.Popen(command, **pipes, **named))
        return running[-1]

    yield start
    for each in running:
        each.kill()
        each.communicate()
