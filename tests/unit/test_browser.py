"""What a computer lacks that the tests of the page need is named."""

import pytest

from browser import open_chromium
from needed import POSIX

pytestmark = POSIX


@pytest.fixture(autouse=True)
def broken_node(tmp_path, monkeypatch):
    """Playwright's node as it is where Debian has not installed libatomic1; no Chromium."""
    node = tmp_path / "node"
    said = "error while loading shared libraries: libatomic.so.1: cannot open shared object file"
    node.write_text(f"#!/bin/sh\necho '{node}: {said}' >&2\nexit 127\n")
    node.chmod(0o755)
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(node))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CI", raising=False)


@pytest.fixture
def chromium(tmp_path):
    path = tmp_path / "chromium"
    path.touch()
    path.chmod(0o755)


def open_and_close():
    with open_chromium():
        pass


def test_chromium_is_looked_for_before_the_driver_starts():
    with pytest.raises(pytest.skip.Exception, match="Chromium is missing; sh tools/get_test_pro"):
        open_and_close()


def test_a_driver_that_does_not_start_names_the_missing_package(chromium):
    with pytest.raises(pytest.skip.Exception) as skipped:
        open_and_close()
    assert "node: error while loading shared libraries: libatomic.so.1: " in str(skipped.value)
    assert "sh tools/get_test_programs.sh installs libatomic1" in str(skipped.value)


def test_in_ci_a_driver_that_does_not_start_is_a_failure(chromium, monkeypatch):
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="installs libatomic1"):
        open_and_close()
