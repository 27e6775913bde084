"""What `make play` and `make test` say while they set everything up."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

import set_up
from needed import POSIX

TOOL = Path(set_up.__file__)


NO_CONNECTION = "noughts: the packages cannot be fetched, for there is no connection"


@POSIX
def test_an_environment_that_works_stays_without_a_connection(folder, monkeypatch, capsys):
    """Its Python stands in for one with pip."""
    python = folder / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(
        '#!/bin/sh\ncase "$*" in *--version) exit 0 ;; esac\n'
        "echo 'Failed to establish a new connection: Connection refused'\nexit 1\n"
    )
    python.chmod(0o755)
    monkeypatch.setattr("sys.argv", ["set_up.py", "env", "the game", "."])
    assert set_up.main() == 1
    out, err = capsys.readouterr()
    assert out == "Installing the game into env\n"
    assert err.startswith(NO_CONNECTION) and err.count("\n") == 1
    assert python.exists()


def test_half_an_environment_is_none(tmp_path):
    assert not set_up.works(tmp_path)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to("/nowhere")
    assert not set_up.works(tmp_path)


def test_an_older_python_is_told(monkeypatch, tmp_path):
    monkeypatch.setattr("sys.version_info", (3, 9, 18))
    assert "Python 3.9.18 is too old; install Python 3.10 or later" in set_up.make(tmp_path)


def test_a_python_without_venv_is_told(monkeypatch, tmp_path):
    failed = subprocess.CompletedProcess([], 1, "", "ensurepip is not available")
    monkeypatch.setattr("subprocess.run", lambda *_, **__: failed)
    assert "sudo apt install python3-venv" in set_up.make(tmp_path / "env")


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
def test_in_a_terminal_the_line_says_how_far_it_is(tmp_path):
    """Its Python stands in for one with pip."""
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho Collecting rich\necho Collecting 'textual>=1 (from x)'\n")
    python.chmod(0o755)
    ours, theirs = pty.openpty()
    command = [sys.executable, TOOL, "env", "the game", "."]
    subprocess.run(command, stdout=theirs, cwd=tmp_path, check=True, timeout=120)
    os.close(theirs)
    shown = os.read(ours, 1000).decode()
    os.close(ours)
    assert "\r\x1b[KInstalling the game into env: 2 packages, textual" in shown
    assert shown.endswith("\r\x1b[KInstalling the game into env\r\n")
