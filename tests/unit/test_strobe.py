"""LED levels from samples of the pins, made here as the firmware drives them."""

import random

import pytest

from noughts.boards.strobe import _MAP, ON_FROM_US, ON_US, SLOT_US, Strobe


def pins(picture, row, since_us):
    """GPIO OUT at a moment of a row's slot."""
    out = 1 << 13 + row
    for column, place in enumerate(_MAP[row]):
        level = picture[place[1] * 5 + place[0]] if place else 0
        lit = level == 9 or (level and ON_FROM_US <= since_us < ON_FROM_US + ON_US[level])
        if not lit:
            out |= 1 << 4 + column
    return out


def samples(picture, every_us, jitter, frames=3):
    now = 0.0
    while now < frames * 3 * SLOT_US:
        row, since_us = divmod(now % (3 * SLOT_US), SLOT_US)
        yield int(now), pins(picture, int(row), since_us)
        now += every_us * (1 + jitter.random())


@pytest.mark.parametrize("level", [0, 4, 5, 6, 7, 8, 9])
def test_each_led_at_each_level(level):
    for led in range(25):
        picture = bytearray(25)
        picture[led] = level
        strobe = Strobe()
        strobe.feed(samples(picture, 20, random.Random(led)))
        assert strobe.complete
        assert strobe.picture() == picture


def test_pictures_of_many_levels():
    for seed in range(30):
        chance = random.Random(seed)
        picture = bytes(chance.choice([0, 4, 5, 6, 7, 8, 9]) for _ in range(25))
        strobe = Strobe()
        strobe.feed(samples(picture, 15, chance, frames=5))
        assert strobe.complete
        assert strobe.picture() == picture


def test_too_few_samples_are_not_guessed_from():
    strobe = Strobe()
    strobe.feed(samples(bytes([4] * 25), 5000, random.Random(1)))
    assert not strobe.complete
