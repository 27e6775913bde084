"""Commands whose standard streams are full or closed; progress as a bar or as lines."""

import io
import os
import pty
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import launcher
from needed import FULL_DISK, long
from noughts.cli import main
from noughts.terminal.output import progress
from sample_games import filled, stages, wire
from waiting import until


@pytest.fixture
def noughts(folder):
    """Runs the command in an empty folder, with standard streams redirected by a shell."""

    def run(*words, streams="", through=(), **named):
        env = {**os.environ, "PYTHONUNBUFFERED": ""}
        redirect = f'exec "$0" -m noughts "$@" {streams}'
        command = [*through, shutil.which("sh"), "-c", redirect, sys.executable, *words]
        named = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **named}
        return subprocess.run(command, text=True, env=env, timeout=120, **named)

    return run


NO_SPACE = "noughts: cannot use the output or a device (No space left on device); check it and "
FULL = (1, f"{NO_SPACE}try again\n")


@FULL_DISK
@pytest.mark.parametrize(
    "line",
    [
        "--help",
        "games --db games.db",
        "export --db games.db",
        "solve .........",
        "play --board v1 --keys A",
        "watch --plain --from capture.log --db other.db",
    ],
)
def test_full_disk_is_reported_on_one_line(line, folder, monkeypatch, capsys):
    """Each command has its own way of printing."""
    filled(folder / "games.db", stages([4, 0, 2, 6, 3, 5, 1, 7, 8]))
    (folder / "capture.log").write_bytes(wire(*stages([4])))
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr("sys.stdout", full)
        status = main(line.split())
        sys.stdout.flush()  # drops what the command could not write
    assert (status, capsys.readouterr().err) == FULL


def test_unwritable_output_sets_the_exit_status(noughts, tmp_path):
    """A reader that has gone, and a closed output."""
    filled(tmp_path / "games.db", stages([4], "x"))
    words = ("games", "--db", "games.db")
    reading, writing = os.pipe()
    os.close(reading)
    done = noughts(*words, stdout=writing)
    assert (done.returncode, done.stderr) == (1, "")
    os.close(writing)
    done = noughts(*words, streams=">&-")
    assert (done.returncode, done.stderr) == (0, "")


def test_partly_written_output_is_reported(noughts, tmp_path):
    """The system limits files to 100 bytes: it writes those, then refuses the rest."""
    with (tmp_path / "out").open("wb") as file:
        done = noughts("prove", "hard", stdout=file, through=launcher.with_file_limit(100))
    assert done.returncode == 1
    assert done.stderr == FULL[1].replace("No space left on device", "File too large")
    assert (tmp_path / "out").stat().st_size == 100


def test_closed_stderr_does_not_change_the_exit_status(noughts, tmp_path, monkeypatch):
    for words, status in (("table", "--unknown"), 2), (("hex", "--list", "missing.hex"), 1):
        with monkeypatch.context() as patched:
            patched.setattr("sys.stderr", None)  # as Python starts where it is closed
            assert main(words) == status
    filled(tmp_path / "games.db", stages([4], "x"), stages([0], "x"))
    done = noughts("games", "-n", "1", "--db", "games.db", streams="2>&-")  # drops "1 more"
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 2)


def test_closed_stdin_is_read_as_empty(noughts):
    done = noughts("watch", "--from", "-", streams="<&-")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("noughts: stdin has no sentences of noughts; ")


def read_until(process, text):
    """What a command in another process prints, as soon as it has printed this."""
    printed = b""
    while text not in printed:
        until(lambda: select.select([process.stdout], [], [], 0)[0], text)
        printed += (chunk := os.read(process.stdout.fileno(), 4096))
        assert chunk, "it has ended"
    return printed


BUFFERED = {**os.environ, "PYTHONUNBUFFERED": ""}


@pytest.mark.parametrize("number", [signal.SIGINT, long(signal.SIGTERM)])
def test_keys_are_shown_as_the_board_plays_them_until_a_signal(started, number):
    """The last one takes longer than this test."""
    program = started("play", "--board", "v1", "--keys", "A 3600000", env=BUFFERED)
    read_until(program, b"$NB,")
    program.send_signal(number)
    assert program.wait(120) == -number
    assert program.stderr.read() == b""


def test_steps_of_a_replay_are_shown_at_their_time(started, folder):
    """Between two of them is more time than this test takes."""
    filled(folder / "games.db", stages([4, 0, 2], "x", step_ms=10_000_000))
    words = "replay", "1", "--text", "--speed", "0.1", "--db", folder / "games.db"
    read_until(started(*words, env=BUFFERED), b"A begins.")


def test_moves_are_shown_before_an_engine_answers(started, folder):
    """The engine waits for a file, which is only made once the first move has been read."""
    go, engine = folder / "go", folder / "waiting.py"
    engine.write_text(
        f"import pathlib, time\n\ndef choose(board):\n"
        f"    while not pathlib.Path({str(go)!r}).exists():\n        time.sleep(0.01)\n"
        f"    return board.legal_moves[0]\n"
    )
    process = started("vs", "hard", engine, env=BUFFERED)
    read_until(process, b"[X]")
    go.touch()
    errors = process.communicate()[1]
    assert (process.returncode, errors) == (0, b"")


def run_task():
    with progress(2000) as steps:
        steps.describe("ai.py\x1b]0;owned\u202e")
        steps.advance(1000)
        steps.say("sent [red]ai.py[/red]\x07")


def test_progress_outside_a_terminal_prints_only_lines(capsys):
    run_task()
    assert capsys.readouterr() == ("sent [red]ai.py[/red] \n", "")


@FULL_DISK
def test_unwritable_output_does_not_stop_the_task(monkeypatch):
    with Path("/dev/full").open("wb", buffering=0) as full:
        monkeypatch.setattr("sys.stdout", io.TextIOWrapper(full, write_through=True))
        run_task()


def test_progress_in_a_terminal_shows_a_bar(monkeypatch, capsys):
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
