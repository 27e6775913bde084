"""What `make play` and `make test` say while they set everything up."""

import os
import pty
import subprocess
import sys

import pytest

import set_up
from needed import POSIX


def python(folder, script):
    """A shell script that stands in for the Python of the environment `env`, with pip."""
    path = folder / "env" / "bin" / "python"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


@POSIX
def test_an_environment_that_works_stays_without_a_connection(folder, monkeypatch, capsys):
    refused = "echo 'Failed to establish a new connection: Connection refused'\nexit 1"
    path = python(folder, f'case "$*" in *--version) exit 0 ;; esac\n{refused}')
    monkeypatch.setattr("sys.argv", ["set_up.py", "env", "the game", "."])
    assert set_up.main() == 1
    out, err = capsys.readouterr()
    assert out == "Installing the game into env\n"
    assert err.startswith("noughts: the packages cannot be fetched, for there is no connection")
    assert err.count("\n") == 1 and path.exists()


def test_why_an_environment_cannot_be_made(monkeypatch, tmp_path):
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to("/nowhere")
    assert not set_up.works(tmp_path)
    failed = subprocess.CompletedProcess([], 1, "", "ensurepip is not available")
    with monkeypatch.context() as patched:
        patched.setattr("subprocess.run", lambda *_, **__: failed)
        assert "sudo apt install python3-venv" in set_up.make(tmp_path / "env")
    monkeypatch.setattr("sys.version_info", (3, 9, 18))
    assert "Python 3.9.18 is too old; install Python 3.10 or later" in set_up.make(tmp_path)


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (["x", "ERROR: Could not find a version that satisfies y"], "(Could not find a version"),
        (["OSError: [Errno 28] No space left on device"], "there is no room on the disk"),
        (["Failed to establish a new connection: Network is unreachable"], "no connection"),
        (["pip failed"], "(pip failed)"),
    ],
)
def test_what_pip_says_comes_to_one_line(said, told):
    assert told in set_up.why(said) and "\n" not in set_up.why(said)


@POSIX
def test_in_a_terminal_the_line_says_how_far_it_is(folder):
    python(folder, "echo Collecting rich\necho Collecting 'textual>=1 (from x)'")
    ours, theirs = pty.openpty()
    command = [sys.executable, set_up.__file__, "env", "the game", "."]
    subprocess.run(command, stdout=theirs, check=True, timeout=120)
    os.close(theirs)
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    assert "\r\x1b[KInstalling the game into env: 2 packages, textual" in shown
    assert shown.endswith("\r\x1b[KInstalling the game into env\r\n")
