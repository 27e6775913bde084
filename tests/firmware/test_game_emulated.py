"""The game on the real V1 firmware, in QEMU."""

import pytest

import game_cases
from boards import Driver
from noughts.device_files import device_files

# QEMU's accelerometer is a constant stub; this stands in for it, and only for it. What it says is
# typed in over the serial line.
STUB = b"""
import microbit
def get_x():
    read = microbit.uart.any() and microbit.uart.read(1)
    if read:
        global lean
        lean = {108: -400, 114: 400, 48: 0}[read[0]]
    return lean
def get_y():
    return 0
lean = 0
"""


@pytest.mark.parametrize("case", game_cases.CASES, ids=lambda case: case.__name__)
def test_game(emulated, case):
    case(emulated)


@pytest.mark.parametrize("case", game_cases.CASES_WITH_FILES, ids=lambda case: case.__name__)
def test_game_with_other_files(emulated, case):
    case(emulated, device_files())


def test_tilt_on_the_firmware_with_a_stand_in_accelerometer(emulated):
    files = device_files()
    files["stub.py"] = STUB
    files["person.py"] = files["person.py"].replace(
        b"from microbit import Image, accelerometer, display",
        b"from microbit import Image, display\nimport stub as accelerometer",
    )

    # Compiled while person.py is, it would need more memory than there is.
    files["loop.py"] = files["loop.py"].replace(b"import tilt,", b"import stub, tilt,")

    def lean(driver: Driver, x: int, y: int) -> None:
        driver.board.serial.write({-400: b"l", 400: b"r", 0: b"0"}[x])

    game_cases.tilt_moves_the_cursor(emulated, files, lean)
