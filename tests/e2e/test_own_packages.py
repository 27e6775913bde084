"""Engines that installed packages bring, by their entry points."""

import pytest

from noughts.cli import main
from noughts.engines.own.engine import packaged
from noughts.engines.registry import engines
from own_engines import FIRST_FREE, run


@pytest.fixture
def stars(folder, monkeypatch):
    """Installs a package: its entry point, and the text of its module."""
    monkeypatch.syspath_prepend(folder)
    about = folder / "stars-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stars\nVersion: 1.0\n")

    def install(entry, text):
        (about / "entry_points.txt").write_text(f"[noughts.engines]\nstars = {entry}\n")
        (folder / "stars.py").write_text(text)

    return install


@pytest.mark.parametrize("entry", ["stars:choose", "stars"])
def test_a_package_brings_an_engine(entry, stars, capsys):
    stars(entry, FIRST_FREE)
    status, out, _ = run(capsys, "vs", "stars", "rules")
    assert status == 0 and "X, stars, plays 1\n" in out
    with pytest.raises(SystemExit, match="2"):
        main(["vs", "star"])
    assert "'star' is not an engine; did you mean stars?" in capsys.readouterr().err
    assert "stars" not in engines()


def test_an_engine_whose_name_could_act_on_the_terminal_is_left_out(stars):
    stars("stars\n\x1b]0;x = stars", FIRST_FREE)
    assert packaged() == ["stars"]


@pytest.mark.parametrize(
    ("entry", "text", "told"),
    [
        (
            "stars:choose",
            "def choose(board):\n    return 1 / 0\n",
            "line 2, in choose: ZeroDivisionError: division by zero, in .........; ",
        ),
        (
            "stars",
            "import missing\n",
            "line 1: ModuleNotFoundError: No module named 'missing'; correct it there",
        ),
        ("moons:choose", "", "ModuleNotFoundError: No module named 'moons'; correct it"),
        (
            "stars:choose",
            "choose = 4\n",
            "is stars:choose, which is not a function choose(board); correct it",
        ),
        (
            "stars",
            "while True: pass\n",
            "did not answer within 0.5 s; look for a loop that does not end, or give it more time",
        ),
    ],
)
def test_what_goes_wrong_in_a_package_is_one_line(entry, text, told, stars, capsys):
    stars(entry, text)
    limit = ("--limit", "0.5") if "while" in text else ()
    err = run(capsys, "vs", "stars", "rules", *limit)[2]
    assert err.startswith(f"noughts: stars: {told}") and err.count("\n") == 1
