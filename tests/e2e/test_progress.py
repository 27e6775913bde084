"""Progress: a bar in a terminal, lines only elsewhere."""

import io
import os
import pty
import select
from pathlib import Path

from needed import FULL_DISK
from noughts.terminal.output import progress


def run_task():
    with progress(2000) as steps:
        steps.doing("ai.py\x1b]0;owned\u202e")
        steps.advance(1000)
        steps.say("sent [red]ai.py[/red]\x07")


def test_elsewhere_there_are_lines_only(capsys):
    run_task()
    assert capsys.readouterr() == ("sent [red]ai.py[/red] \n", "")


@FULL_DISK
def test_output_that_cannot_be_written_does_not_stop_the_task(monkeypatch):
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(full, write_through=True))
        run_task()


def test_in_a_terminal_there_is_a_bar(monkeypatch, capsys):
    monkeypatch.setenv("TERM", "xterm")
    for name in ("COLUMNS", "LINES", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    master, slave = pty.openpty()
    with os.fdopen(slave, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        run_task()
        shown = b""
        while select.select([master], [], [], 0)[0]:
            shown += os.read(master, 65536)
    os.close(master)
    assert b"\x1b]0" not in shown and b"\x07" not in shown and "\u202e".encode() not in shown
    assert b"ai.py" in shown and b"1.0/2.0 kB" in shown
    assert b"sent [red]ai.py[/red]" in shown
