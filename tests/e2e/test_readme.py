"""What the README shows can be run as it is written."""

import os
import re
import shlex
import subprocess
import sys

import pytest

from noughts.protocol.sentences import write
from sample_games import stages


def shown(repository):
    """The indented commands, without those that set up or test everything, or do not end."""
    documents = repository / "README.md", repository / "docs" / "architecture.md"
    lines = [
        line
        for document in documents
        for line in re.findall(r"^    (\S.*)$", document.read_text("utf-8"), re.MULTILINE)
    ]
    return [line for line in lines if line.startswith(".venv/bin/")]


def test_every_command_runs(repository, tmp_path):
    commands = shown(repository)
    assert len(commands) == 11
    # The commands find the device files and the package wherever they are run.
    environment = {**os.environ, "PYTHONPATH": str(repository / "host")}
    # They look at the games of whoever runs them: here, of a pupil who has played one.
    environment |= {"XDG_DATA_HOME": str(tmp_path), "HOME": str(tmp_path)}
    log = "".join(f"{write(sentence)}\r\n" for sentence in stages([4, 0, 2, 6, 3, 5, 1, 7, 8]))
    watch = [sys.executable, "-m", "noughts", "watch", "--from", "-"]
    subprocess.run(watch, input=log, text=True, env=environment, check=True)
    for command in commands:
        runnable = command.replace(".venv/bin/noughts", f"{shlex.quote(sys.executable)} -m noughts")
        done = subprocess.run(
            runnable, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120,
            env=environment,
        )  # fmt: skip
        wrong = command.endswith(" doctor") and "✗" in done.stdout  # such as no board
        assert done.returncode == wrong, done.stderr
        assert done.stdout
    assert {path.name for path in tmp_path.iterdir()} >= {
        "noughts.hex",
        "class.html",
        "games.csv",
        "table.py",
    }


@pytest.mark.parametrize(
    "target",
    [
        "help",
        "play",
        "web",
        "test",
        "check",
        "format",
        "bench",
        "table",
        "hex",
        "flash",
        "put",
        "watch",
        "dist",
        "clean",
    ],
)
def test_make_knows_its_targets(repository, target):
    environment = {name: os.environ[name] for name in os.environ if name != "MAKEFLAGS"}
    done = subprocess.run(
        ["make", "-n", target], cwd=repository, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr
