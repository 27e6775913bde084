"""What a board gets that is to send by radio, or to be a gateway, and what its files tell of it."""

import pytest

from noughts.device_files import files_for_boards
from noughts.errors import BoardError
from noughts.firmware import image
from noughts.hardware.file_commands import MARK, checksum
from noughts.hardware.file_transfer import BoardFile
from noughts.hardware.update import plan
from noughts.radio_files import OFF, Radio, files_with, radio_of

GAME = files_for_boards()
PARTS = (OFF, *(Radio(sends=group) for group in (0, 7, 255)), Radio(gateway=0), Radio(gateway=255))


def on_board(files):
    return {name: BoardFile(len(c), checksum(c), c[: len(MARK)]) for name, c in files.items()}


@pytest.mark.parametrize("radio", PARTS, ids=str)
def test_files_tell_what_they_were_made_for(radio):
    files = files_with(radio, "V2", GAME)
    assert radio_of(files) == radio
    assert all(content.startswith(MARK) for content in files.values())
    if radio.gateway is not None:
        assert set(files) == {"main.py", "gateway.py"}
    else:
        assert set(files) - set(GAME) == ({"air.py", "group.py"} if radio != OFF else set())


def test_a_v1_plays_without_radio_and_a_v2_has_room_to_spare():
    assert files_with(Radio(sends=7), "V1", GAME) == GAME
    sends = image.bundled_for("V2").usage(files_with(Radio(sends=255), "V2", GAME))
    assert sends.used <= 100 * 128


def test_a_group_that_was_edited_is_said():
    files = {**files_with(Radio(sends=7), "V2", GAME), "group.py": b"# noughts:\nGROUP = 300\n"}
    with pytest.raises(BoardError, match=r"group\.py is not as it was made; name its group"):
        radio_of(files)


@pytest.mark.parametrize("before", PARTS, ids=str)
@pytest.mark.parametrize("after", PARTS, ids=str)
def test_a_board_is_brought_from_each_part_to_each_other(before, after):
    old, new = files_with(before, "V2", GAME), files_with(after, "V2", GAME)
    update = plan("V2", on_board(old), new, False)
    left = {name: content for name, content in old.items() if name not in update.remove}
    assert {**left, **{name: new[name] for name in update.send}} == new
    assert bool(update) == (before != after)
    # A game is without its table until all else is there, and says that it is incomplete.
    if before != after and "table.py" in old:
        assert update.remove[0] == "table.py"
    if before != after and "table.py" in new:
        assert update.send[-1] == "table.py"
