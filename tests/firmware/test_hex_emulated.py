"""The hex that `noughts hex` builds, run on the V1 firmware as it is."""

from boards import B, Driver
from noughts.cli import main
from noughts.table import make


def test_the_hex_boots_and_plays_from_its_own_file_system(emulated, tmp_path, v1_firmware):
    path = tmp_path / "noughts.hex"
    firmware = ["--firmware", str(v1_firmware)] if v1_firmware else []
    assert main(["hex", "-o", str(path), *firmware]) == 0
    driver = Driver(emulated(flashed=path))
    driver.start()
    assert driver.boots[0].table_id == make().id
    driver.shows("2")
    driver.press(B)
    driver.says("", "-")
    driver.play_out("04132", "A")
    assert not driver.noise
