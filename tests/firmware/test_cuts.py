"""Power cuts on the real firmware: a few of those of `make soak`."""

from functools import partial

import pytest

from needed import long
from noughts.device_files import device_files
from noughts.virtual.program import program
from soak import cuts, endurance

UNMODELLED = {"V1": 0x4000_B504, "V2": 0x4001_1504}


@pytest.mark.parametrize(("board", "number"), [("V1", 2), long("V1", 100), long("V2", 100)])
def test_it_plays_after_every_cut(board, number):
    result = cuts.Cuts(board, seed=3).run(number)
    assert not result.failure and result.cuts == number


@pytest.mark.parametrize(("board", "number"), [("V1", 1), long("V1", 50), long("V2", 25)])
def test_cuts_come_while_flash_is_written(board, number):
    """On a V2 some 1 of 8 finds no write within its visit."""
    result = cuts.Cuts(board, seed=3, in_writes=True).run(number)
    assert not result.failure and result.cuts == number
    assert result.in_a_write + result.in_an_erase > 0.8 * number
    assert result.repeat.endswith("--in-writes")


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


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_firmware_that_cannot_go_on_is_a_failure(monkeypatch, board):
    """Here it polls a register that is not modelled: it would hang without end."""
    files = device_files()
    hang = b"    from machine import mem32\n    while not mem32[%d]: pass\n" % UNMODELLED[board]
    files["game.py"] = files["game.py"].replace(b"    marks = [0] * 9\n", hang)
    monkeypatch.setattr(cuts, "program", partial(program, files=files))
    result = cuts.Cuts(board, seed=3).run(14)
    assert f"polls the register at {UNMODELLED[board]:#010x}" in result.failure


@pytest.mark.parametrize(("board", "wait_ms"), [("V1", 30), long("V2", 100)])
def test_games_and_choices_hardly_wear_the_flash(monkeypatch, board, wait_ms):
    monkeypatch.setattr(endurance, "GAMES", 20)
    result = endurance.count(board, 6)
    assert not result.failure
    for wear, times in ((result.games, 20), (result.others, 6)):
        assert wear.times == times
        assert wear.lasting(board) > 100_000
        assert wear.writes // times < 60
        assert wear.longest_ms < wait_ms
    assert bool(result.games.erases) == (board == "V1")
