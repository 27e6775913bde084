"""What the game costs in device time, which repeats: so it is held to what it should cost."""

import pytest

from device_time import lowest_heap, presses, start


@pytest.mark.parametrize("firmware", ["V1 1.1.1", "V1 1.0.1"])
def test_free_heap_at_the_worst_moment_of_a_game(firmware):
    assert lowest_heap(firmware) >= 2560


@pytest.mark.parametrize("firmware", ["V1 1.1.1", "V2 2.1.2"])
def test_a_press_changes_the_leds_within_30_ms(firmware):
    assert 0 < max(presses(firmware)) <= 30_000


def test_the_menu_shows_itself_within_400_ms_of_a_reset():
    assert start("V1 1.1.1").menu_us <= 400_000
