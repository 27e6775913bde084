"""Progress: a bar in a terminal, lines only elsewhere."""

import os
import pty
import subprocess
import sys

import pytest

from needed import FULL_DISK

CODE = """
from noughts.terminal.output import progress
with progress(2000) as steps:
    steps.doing("ai.py" + chr(0x1B) + "]0;owned" + chr(0x202E))
    steps.advance(1000)
    steps.say("sent [red]ai.py[/red]" + chr(7))
"""


def test_elsewhere_there_are_lines_only():
    done = subprocess.run([sys.executable, "-c", CODE], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("sent [red]ai.py[/red] \n", "")


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("kind", [pytest.param("full", marks=FULL_DISK), "nobody reads"])
def test_output_that_cannot_be_written_does_not_stop_the_task(kind, unbuffered):
    if kind == "full":
        writing = os.open("/dev/full", os.O_WRONLY)
    else:
        reading, writing = os.pipe()
        os.close(reading)
    code = CODE + "import sys\nsys.stderr.write('finished')\nsys.stderr.flush()\n"
    env = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(
        [sys.executable, "-c", code], stdout=writing, stderr=subprocess.PIPE, env=env, timeout=120
    )
    os.close(writing)
    assert done.stderr.startswith(b"finished")


def test_in_a_terminal_there_is_a_bar():
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        environment.pop(name, None)
    process = subprocess.Popen([sys.executable, "-c", CODE], stderr=slave, env=environment)
    os.close(slave)
    shown = b""
    try:
        while data := os.read(master, 4096):
            shown += data
    except OSError:
        pass  # Linux says so of a terminal that nobody has open any more
    finally:
        os.close(master)
        assert process.wait(120) == 0
    assert b"\x1b]0" not in shown and b"\x07" not in shown and "\u202e".encode() not in shown
    assert b"ai.py" in shown and b"1.0/2.0 kB" in shown and b"sent [red]ai.py[/red]" in shown
