"""`noughts vs` in a terminal, and with input that is not text."""

import os
import subprocess
import sys

import pytest

STOPPED = "stopped; the game is not over"


@pytest.mark.parametrize(("keys", "status"), [("5\rq\r", 0), ("\x04", 0), ("\x03", 130)])
def test_leaving_in_a_terminal(terminal, keys, status):
    """The words are the same for q, Ctrl-D and Ctrl-C; the last has the status that shells know."""
    game = terminal("vs", "hard")
    game.wait_for("your cell: ")
    game.wait_for_rest()
    game.type(keys)
    assert game.end() == status
    game.read(0.1)
    assert game.text.endswith(f"\r\n{STOPPED}\r\n") and "Traceback" not in game.text


@pytest.mark.parametrize("env", [{}, {"PYTHONIOENCODING": "utf-8:strict", "LC_ALL": "C.UTF-8"}])
def test_input_that_is_not_text(env):
    done = subprocess.run(
        [sys.executable, "-m", "noughts", "vs", "hard"],
        input="\udcff\x1b[2J\x00\n",
        capture_output=True,
        text=True,
        errors="surrogateescape",
        timeout=120,
        env=os.environ | env,
    )
    assert done.stdout.endswith(f"{STOPPED}\n") and done.returncode == 0
    assert "is not a cell; type 1 to 9" in done.stderr and "\x1b" not in done.stderr
    assert done.stderr.count("\n") == 1
