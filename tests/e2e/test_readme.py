"""What the README shows can be run as it is written."""

import os
import re
import subprocess
import sys

import pytest


def shown(repository):
    """The indented commands, without those that set up or test everything."""
    lines = re.findall(r"^    (\S.*)$", (repository / "README.md").read_text("utf-8"), re.MULTILINE)
    return [line for line in lines if not line.startswith("make ")]


def test_every_command_runs(repository, tmp_path):
    commands = shown(repository)
    assert len(commands) == 9
    # The commands find the device files and the package wherever they are run.
    environment = {**os.environ, "PYTHONPATH": str(repository / "host")}
    for command in commands:
        runnable = command.replace(".venv/bin/noughts", f"{sys.executable} -m noughts")
        done = subprocess.run(
            runnable, shell=True, cwd=tmp_path, capture_output=True, text=True, timeout=120,
            env=environment,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert done.stdout


@pytest.mark.parametrize(
    "target",
    ["play", "test", "check", "format", "bench", "table", "hex", "flash", "put", "watch", "clean"],
)
def test_make_knows_its_targets(repository, target):
    environment = {name: os.environ[name] for name in os.environ if name != "MAKEFLAGS"}
    done = subprocess.run(
        ["make", "-n", target], cwd=repository, capture_output=True, text=True, env=environment
    )
    assert done.returncode == 0, done.stderr


def test_links_lead_somewhere(repository):
    text = (repository / "README.md").read_text("utf-8")
    for path in re.findall(r"\]\(([^)#]+)\)|`((?:device|host|tools)/[\w/.]+)`", text):
        assert (repository / "".join(path)).exists(), path
