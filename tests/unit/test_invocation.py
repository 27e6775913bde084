"""Messages name commands as they can be typed where they are read."""

import os
import sys
from pathlib import Path

import pytest

from needed import POSIX
from noughts import cli
from noughts.commands import put
from noughts.hardware.probe import ProbedBoard
from noughts.invocation import as_typed, installing
from noughts.watch.events import StoreGone, in_words

ADVICE = "stops; run `noughts put`, then `noughts watch`"


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A clone whose `.venv/bin/noughts` runs, of which the shell knows nothing."""
    program = tmp_path / "clone" / ".venv" / "bin" / "noughts"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.chdir(tmp_path / "clone")
    monkeypatch.setattr(sys, "argv", [str(Path(".venv", "bin", "noughts")), "put"])
    monkeypatch.setenv("PATH", str(tmp_path))
    return program


def in_path(monkeypatch, *folders):
    monkeypatch.setenv("PATH", os.pathsep.join(map(str, folders)))


def test_in_a_clone_by_its_path(clone):
    program = Path(".venv", "bin", "noughts")
    assert as_typed(ADVICE) == f"stops; run `{program} put`, then `{program} watch`"
    assert as_typed("as it is") == "as it is"


@POSIX
def test_where_the_shell_finds_it_by_its_name(clone, tmp_path, monkeypatch):
    in_path(monkeypatch, clone.parent)
    assert as_typed(ADVICE) == ADVICE
    # As uv and pipx install it: a link in a folder of programs.
    link = tmp_path / "noughts"
    link.symlink_to(clone)
    in_path(monkeypatch, tmp_path)
    for started in (clone, link):
        monkeypatch.setattr(sys, "argv", [str(started)])
        assert as_typed(ADVICE) == ADVICE


def test_another_installation_is_not_named(clone, tmp_path, monkeypatch):
    other = tmp_path / "noughts"
    other.write_text("#!/bin/sh\n")
    other.chmod(0o755)
    in_path(monkeypatch, tmp_path)
    assert as_typed("`noughts put`") == f"`{Path('.venv', 'bin', 'noughts')} put`"


def test_a_path_with_a_space_is_quoted(clone, monkeypatch):
    monkeypatch.setattr(sys, "argv", ["my games/noughts"])
    assert as_typed("`noughts put`") == '`"my games/noughts" put`'


def test_other_programs_give_its_name(clone, monkeypatch):
    for started in ("noughts/__main__.py", "notebook", ""):
        monkeypatch.setattr(sys, "argv", [started])
        assert as_typed(ADVICE) == ADVICE


def test_all_that_prints_advice(clone, tmp_path, monkeypatch, capsys):
    program = Path(".venv", "bin", "noughts")
    assert cli.main(["games", "--db", str(tmp_path / "none.db")]) == 1
    assert f"fill it with `{program} watch --db FILE`" in capsys.readouterr().err

    found = [ProbedBoard(board="V2", firmware="2.0.0", micropython="1.13")]
    monkeypatch.setattr("noughts.commands.doctor.inspect", lambda *_: found)
    assert cli.main(["doctor"]) == 1
    assert f"freeze when tilted; run `{program} flash`" in capsys.readouterr().out

    assert f"`{program} watch --from FILE` reads" in in_words(StoreGone("games.db", "other.db"))

    with pytest.raises(KeyboardInterrupt), put._interruptible(0):
        raise KeyboardInterrupt
    assert f"run `{program} put` again" in capsys.readouterr().err


def test_a_package_is_added_as_this_program_was_installed(tmp_path, monkeypatch):
    python = str(tmp_path / "bin" / "python")
    monkeypatch.setattr(sys, "executable", python)
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    assert installing("matplotlib") == f"{python} -m pip install matplotlib"
    (tmp_path / "pipx_metadata.json").write_text("{}")
    assert installing("matplotlib") == "pipx inject noughts matplotlib"
    (tmp_path / "pipx_metadata.json").unlink()
    (tmp_path / "uv-receipt.toml").write_text("[tool]\n")
    assert installing("matplotlib") == f"uv pip install --python {python} matplotlib"
    monkeypatch.setattr(sys, "executable", "/my games/python")
    assert installing("x") == 'uv pip install --python "/my games/python" x'
