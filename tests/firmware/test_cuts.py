"""Power cuts on the real firmware: a few of those of `make soak`."""

from functools import partial

import pytest

from needed import long
from noughts.device_files import device_files
from noughts.virtual.program import program
from soak import changes, cuts
from soak.result import ERASES


@pytest.mark.parametrize(
    ("board", "number", "in_writes"),
    [
        *(("V1", 2, False), long("V1", 100, False), long("V2", 100, False)),
        *(("V1", 1, True), long("V1", 50, True), long("V2", 25, True)),
    ],
)
def test_it_plays_after_every_cut(board, number, in_writes):
    """While flash is written, too; on a V2 some 1 of 8 finds no write within its visit."""
    result = cuts.Cuts(board, seed=3, in_writes=in_writes).run(number)
    assert not result.failure and result.counts["cuts"] == number
    if in_writes:
        assert result.counts["in a write"] + result.counts["in an erase"] > 0.8 * number


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        ("menu.py", b"file.write(chosen)", b"file.write('Pb')", "the menu offers Pb"),
        ("kept.py", b"number % 24", b"number % 2", "games are lost"),
    ],
)
def test_what_is_not_stored_is_noticed(monkeypatch, name, old, new, complaint):
    files = device_files()
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    monkeypatch.setattr(cuts, "program", partial(program, files=files))
    assert complaint in cuts.Cuts("V1", seed=3).run(14).failure


@pytest.mark.parametrize(("board", "wait_ms"), [("V1", 30), long("V2", 100)])
def test_games_and_choices_hardly_wear_the_flash(monkeypatch, board, wait_ms):
    monkeypatch.setattr(changes, "GAMES", 20)
    result = changes.play_changes(board, 6)
    assert not result.failure
    for what, games in (("games", 20), ("games with another choice", 6)):
        assert result.counts[what] == games
        erases = result.most[f"{what}: erases of a page"]
        assert ERASES[board] * games > 100_000 * erases
        assert result.counts[f"{what}: writes"] // games < 60
        assert result.most[f"{what}: us"] < wait_ms * 1000
    assert bool(result.counts["games: erases"]) == (board == "V1")
