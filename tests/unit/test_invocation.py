"""Messages name commands as they can be typed where they are read."""

import sys
from pathlib import Path

import pytest

from needed import POSIX
from noughts.commands import put
from noughts.hardware.probe import ProbedBoard
from noughts.invocation import as_typed, installing
from noughts.watch.events import StoreGone, in_words

PROGRAM = Path(".venv", "bin", "noughts")
ADVICE = "stops; run `noughts put`, then `noughts watch`"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone whose `.venv/bin/noughts` runs, of which the shell knows nothing."""
    program = tmp_path / "clone" / PROGRAM
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setattr(sys, "argv", [str(PROGRAM), "put"])
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def test_in_a_clone_by_its_path(clone, tmp_path):
    """Also where the shell finds another installation."""
    other = tmp_path / "noughts"
    for there in (False, True):
        if there:
            other.write_text("#!/bin/sh\n")
            other.chmod(0o755)
        assert as_typed(ADVICE) == f"stops; run `{PROGRAM} put`, then `{PROGRAM} watch`"
        assert as_typed("as it is") == "as it is"


@POSIX
def test_by_its_name_where_the_shell_finds_it_or_another_program_has_started_it(
    clone, tmp_path, monkeypatch
):
    monkeypatch.setenv("PATH", str(clone.parent))
    assert as_typed(ADVICE) == ADVICE
    # As uv and pipx install it: a link in a folder of programs.
    link = tmp_path / "noughts"
    link.symlink_to(clone)
    monkeypatch.setenv("PATH", str(tmp_path))
    for started in (str(clone), str(link), "noughts/__main__.py", "notebook", ""):
        monkeypatch.setattr(sys, "argv", [started])
        assert as_typed(ADVICE) == ADVICE


def test_a_path_with_a_space_is_quoted(clone, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["my games/noughts"])
    assert as_typed("`noughts put`") == '`"my games/noughts" put`'


def test_all_that_prints_advice(clone, monkeypatch, noughts, refused, capsys):
    assert f"fill it with `{PROGRAM} watch --db FILE`" in refused("games", db=clone / "none.db")
    found = [ProbedBoard(board="V2", firmware="2.0.0", micropython="1.13")]
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda *_: found)
    assert f"freeze when tilted; run `{PROGRAM} flash`" in noughts("doctor")[1]
    assert f"`{PROGRAM} watch --from FILE` reads" in in_words(StoreGone("games.db", "other.db"))
    with pytest.raises(KeyboardInterrupt), put._interruptible(0):
        raise KeyboardInterrupt
    assert f"run `{PROGRAM} put` again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("python", "receipt", "command"),
    [
        ("bin/python", None, "bin/python -m pip install matplotlib"),
        ("bin/python", "pipx_metadata.json", "pipx inject noughts matplotlib"),
        ("bin/python", "uv-receipt.toml", "uv pip install --python bin/python matplotlib"),
        ("my games/py", "uv-receipt.toml", 'uv pip install --python "my games/py" matplotlib'),
    ],
)
def test_a_package_is_added_as_this_program_was_installed(
    python, receipt, command, tmp_path, monkeypatch
):
    if receipt:
        (tmp_path / receipt).touch()
    monkeypatch.setattr(sys, "executable", python)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert installing("matplotlib") == command
