"""Power cuts on the real firmware: a few of those of `make soak`."""

import pytest

from noughts.device_files import device_files
from soak import cuts, endurance, flash_watch
from soak.machine import Machine
from soak.player import Player

pytestmark = pytest.mark.usefixtures("qemu")


def test_it_plays_after_every_cut(v1_firmware):
    result = cuts.Cuts(seed=3, firmware=v1_firmware).run(14)
    assert not result.failure
    assert result.cuts == 14
    assert result.while_writing >= 5


def test_every_cut_comes_while_flash_is_written():
    result = cuts.Cuts(seed=1, in_writes=True).run(5)
    assert not result.failure
    assert (result.cuts, result.while_writing) == (5, 5)
    assert result.repeat.endswith("--in-writes")


def test_a_game_may_begin_late():
    """As it does when a page is moved for the settings, and each step of that is stopped at."""
    files = device_files()
    shown = b'    display.show(" ")\n'
    assert shown in files["game.py"]
    files["game.py"] = files["game.py"].replace(shown, b"    buttons.microbit.sleep(1500)\n")
    with Machine(files=files) as machine:
        player = Player(machine)
        player.boots()
        player.start()
        assert player.games[-1].number == 1


def test_a_choice_that_is_not_kept_is_noticed(monkeypatch):
    files = device_files()
    assert b"f.write(choice)" in files["menu.py"]
    files["menu.py"] = files["menu.py"].replace(b"f.write(choice)", b"pass")
    monkeypatch.setattr(cuts, "files_for_boards", lambda: files)
    result = cuts.Cuts(seed=3).run(14)
    assert "it offers Pb, which is none of" in result.failure


def test_the_watch_sees_what_changes_in_flash(v1_firmware):
    """What the operations say is what a comparison of the flash before and after says."""
    operations = []
    with Machine(
        files={"main.py": b"with open('kept', 'w') as f:\n    f.write('x' * 300)"},
        firmware=v1_firmware,
    ) as board:
        before = board.flash()
        flash_watch.watch_flash(board, operations.append)
        board.rest(3000)
        after = board.flash()
    changed = {at for at in range(len(before)) if before[at] != after[at]}
    seen = {operation.address for operation in operations if operation.kind == "byte"}
    words = {operation.address for operation in operations if operation.kind == "word"}
    pages = {operation.address for operation in operations if operation.kind == "erase"}
    seen |= {word + byte for word in words for byte in range(4)}
    seen |= {page + byte for page in pages for byte in range(flash_watch.PAGE)}
    assert len(changed) > 300
    assert changed <= seen
    assert b"x" * 100 in after and b"x" * 100 not in before


def test_games_write_no_flash_and_a_change_of_settings_hardly_wears_it(v1_firmware):
    result = endurance.count(24, firmware=v1_firmware)
    assert not result.failure
    assert (result.games, result.game_operations, result.changes) == (20, 0, 24)
    assert 0 < result.erases.total() <= 4
    assert result.lasting_changes > 100_000
    assert 2 <= result.writes / result.changes < 200
