"""What a computer lacks that the tests of the page need is named."""

import pytest

from browser import open_chromium
from needed import POSIX


def program(path, script):
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


@POSIX
@pytest.mark.parametrize(
    ("chromium", "ci", "says"),
    [
        (False, "", "Chromium is missing; sh tools/get_test_programs.sh"),
        (True, "", "libatomic.so.1: .*sh tools/get_test_programs.sh installs libatomic1"),
        (True, "true", "installs libatomic1"),
    ],
)
def test_a_browser_that_does_not_start_names_what_is_missing(
    tmp_path, monkeypatch, chromium, ci, says
):
    """Playwright's node is as it is where Debian has not installed libatomic1."""
    lacks = "error while loading shared libraries: libatomic.so.1: cannot open shared object file"
    program(tmp_path / "node", f"echo 'node: {lacks}' >&2\nexit 127")
    if chromium:
        program(tmp_path / "chromium", "")
    monkeypatch.setenv("PLAYWRIGHT_NODEJS_PATH", str(tmp_path / "node"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("CI", ci)
    raised = pytest.fail.Exception if ci else pytest.skip.Exception
    with pytest.raises(raised, match=f"(?s){says}"), open_chromium():
        pass
