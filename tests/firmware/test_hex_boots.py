"""The hex that `noughts hex` makes, run on the firmware of both boards as it is."""

import pytest

from boards import B, Driver
from noughts.brain import make
from noughts.cli import main
from noughts.virtual.program import flashed


@pytest.fixture(scope="module")
def hex_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("hex") / "noughts.hex"
    assert main(["hex", "-o", str(path)]) == 0
    return path


@pytest.mark.parametrize("board", ["V1", "V2"])
def test_the_hex_boots_and_plays_from_its_own_file_system(hex_file, board):
    driver = Driver(flashed(hex_file, board).microbit())
    driver.start()
    assert (driver.boots[0].board, driver.boots[0].table_id) == (board, make().id)
    driver.shows("2")
    driver.press(B)
    driver.says("", "-")
    driver.play_out("04132", "A")
    assert not driver.noise
