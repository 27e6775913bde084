"""What the README shows can be run as it is written."""

import os
import re
import shlex
import subprocess
from pathlib import Path

import pytest

from command import noughts
from needed import long
from sample_games import filled, stages

REPOSITORY = Path(__file__).resolve().parents[2]
PROGRAM = ".venv/bin/noughts "
SLOW = ["prove", 'play --keys "A A A B 500 B 1000"']  # test_play_keys plays so, too
TARGETS = "help play web test test-long check format bench table hex flash put watch dist clean"


def shown():
    """The indented commands, without those that set up or test everything, or do not end."""
    return [
        line.removeprefix(PROGRAM)
        for document in ("README.md", "docs/architecture.md")
        for line in re.findall(r"^    (\S.*)$", (REPOSITORY / document).read_text("utf-8"), re.M)
        if line.startswith(PROGRAM)
    ]


def test_every_command_is_found():
    assert len(shown()) == 11


@pytest.mark.parametrize(
    "command", [long(each) if each in SLOW else each for each in dict.fromkeys(shown())]
)
def test_every_command_runs(command, folder, monkeypatch):
    """The games are those of whoever runs it: here, of a pupil who has played one."""
    monkeypatch.setenv("XDG_DATA_HOME", str(folder))
    monkeypatch.setenv("HOME", str(folder))
    (folder / "noughts").mkdir()
    filled(folder / "noughts" / "games.db", stages([4, 0, 2, 6, 3, 5, 1, 7, 8]))
    words = shlex.split(command)
    done = noughts(*words)
    wrong = command == "doctor" and "✗" in done.stdout  # such as no board
    assert done.returncode == wrong, done.stderr
    assert done.stdout
    if "-o" in words:
        assert Path(words[words.index("-o") + 1]).stat().st_size


def test_make_knows_its_targets():
    environment = {name: os.environ[name] for name in os.environ if name != "MAKEFLAGS"}
    make = ["make", "-n", *TARGETS.split()]
    done = subprocess.run(make, cwd=REPOSITORY, capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
