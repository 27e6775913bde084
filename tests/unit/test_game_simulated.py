"""The game on the simulated board: the same cases as on the real firmware, and tilt for real."""

import pytest

import game_cases
from boards import Driver
from noughts.device_files import device_files


@pytest.mark.parametrize(
    "case",
    [
        game_cases.boots_to_the_menu,
        game_cases.the_menu_goes_round_and_starts_each_kind_of_game,
        game_cases.two_people_reach_all_three_endings,
        game_cases.marks_are_shown_as_they_should_be,
        game_cases.the_cursor_passes_taken_cells,
        game_cases.the_chip_answers_and_the_person_can_leave,
        game_cases.settings_survive_a_reset,
        game_cases.ctrl_c_reaches_the_repl,
    ],
    ids=lambda case: case.__name__,
)
def test_game(simulated, case):
    case(simulated)


@pytest.mark.parametrize(
    "case",
    [
        game_cases.damaged_settings_mean_the_defaults,
        game_cases.a_fault_shows_a_sad_face_and_it_starts_again,
    ],
    ids=lambda case: case.__name__,
)
def test_game_with_other_files(simulated, case):
    case(simulated, device_files())


def test_tilt(simulated):
    def lean(driver: Driver, x: int, y: int) -> None:
        driver.board.tilt(x, y)

    game_cases.tilt_moves_the_cursor(simulated, device_files(), lean)
