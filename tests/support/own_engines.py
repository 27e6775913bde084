"""Engines of one's own in tests: commands that name them, and whether their processes end."""

from __future__ import annotations

from contextlib import suppress

import psutil
import pytest

from noughts.cli import main

FIRST_FREE = "def choose(board):\n    return board.legal_moves[0]\n"


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """A command's status, output and errors."""
    status = main([str(word) for word in words])
    told = capsys.readouterr()
    return status, told.out, told.err


def is_gone(pid: int) -> bool:
    """Waits for that: a process that was killed takes a moment to end."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        # In a container, nobody may collect what is left of it.
        while process.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.TimeoutExpired):
                process.wait(timeout=0.1)
                break
    return True
