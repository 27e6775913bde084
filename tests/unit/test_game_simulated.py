"""The game on the simulated board: the same cases as on the real firmware, and tilt for real."""

import pytest

import game_cases
from boards import Driver
from noughts.device_files import device_files


@pytest.mark.parametrize("case", game_cases.CASES, ids=lambda case: case.__name__)
def test_game(simulated, case):
    case(simulated)


@pytest.mark.parametrize("case", game_cases.CASES_WITH_FILES, ids=lambda case: case.__name__)
def test_game_with_other_files(simulated, case):
    case(simulated, device_files())


def test_tilt(simulated):
    def lean(driver: Driver, x: int, y: int) -> None:
        driver.board.tilt(x, y)

    game_cases.tilt_moves_the_cursor(simulated, device_files(), lean)
