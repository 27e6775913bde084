"""A monkey at the board: what it does follows from its random numbers alone, not from the game.

It has moods, so that games of every kind are finished, abandoned, and left alone for minutes. All
the while it leans the board another way every second or so.
"""

import heapq
from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from boards import A, B
from microbit_emulator import Button


class Contact(NamedTuple):
    at_us: int
    button: Button
    closed: bool


class Lean(NamedTuple):
    """The board is leaned this many milli-g to the right and down."""

    at_us: int
    x_mg: int
    y_mg: int


# Mood: how likely it comes, how many gestures it lasts at most, and what they are.
_MOODS: dict[str, tuple[float, int, dict[str, float]]] = {
    "player": (8, 60, {"tap_a": 40, "tap_b": 50, "both": 0.7, "burst": 1, "roll": 1, "rest": 1}),
    "shopper": (3, 8, {"tap_a": 6, "tap_b": 1, "both": 2}),
    "leaver": (3, 3, {"both": 1}),
    "masher": (1, 5, {"burst": 3, "roll": 1, "both": 1}),
    "sleeper": (0.4, 3, {"hold": 3, "rest": 2, "doze": 0.8, "cling": 0.8}),
}
_RESTS_MS = {"rest": (500, 4_000), "doze": (20_000, 180_000)}
_HOLDS_MS = {"hold": (300, 6_000), "cling": (20_000, 240_000)}
_BOUNCING = 0.15
"""The share of the presses whose contacts bounce."""
_LEANS_MG = (-600, -400, -200, 0, 0, 200, 400, 600)
"""From 300 on, it moves the cursor."""


def movements(seed: int) -> Iterator[Contact | Lean]:
    """Endless contacts and leans, in the order of their times, from 0 on."""
    return heapq.merge(
        presses(Random(seed)), leans(Random(f"lean {seed}")), key=lambda movement: movement.at_us
    )


def leans(random: Random) -> Iterator[Lean]:
    now_us = 0
    while True:
        now_us += random.randint(200_000, 2_000_000)
        yield Lean(now_us, random.choice(_LEANS_MG), random.choice(_LEANS_MG))


def presses(random: Random) -> Iterator[Contact]:
    """Endless contacts, in the order of their times, from 0 on."""
    now_us = 0
    while True:
        names = list(_MOODS)
        mood = random.choices(names, [_MOODS[name][0] for name in names])[0]
        _, longest, gestures = _MOODS[mood]
        for _ in range(random.randint(1, longest)):
            gesture = random.choices(list(gestures), list(gestures.values()))[0]
            contacts, length_us = _gesture(random, gesture)
            for contact in sorted(contacts, key=lambda contact: contact.at_us):
                yield contact._replace(at_us=now_us + contact.at_us)
            now_us += length_us


def _gesture(random: Random, name: str) -> tuple[list[Contact], int]:
    """The contacts of a gesture, timed from 0, and its duration with the pause after it."""
    finger = _Finger(random)
    if name in _RESTS_MS:
        return finger.contacts, finger.us(*_RESTS_MS[name])
    if name in ("tap_a", "tap_b"):
        tapped = A if name == "tap_a" else B
        return finger.contacts, finger.press(tapped, 0, finger.us(30, 180)) + finger.us(30, 450)
    one, other = random.choice(((A, B), (B, A)))
    if name in _HOLDS_MS:
        held_us = finger.us(*_HOLDS_MS[name])
        return finger.contacts, finger.press(one, 0, held_us) + finger.us(50, 400)
    perform = {"both": finger.both, "burst": finger.burst}.get(name, finger.roll)
    return finger.contacts, perform(one, other)


class _Finger:
    """Presses buttons, at times from 0, and notes the contacts. Its gestures return their end."""

    def __init__(self, random: Random) -> None:
        self.contacts: list[Contact] = []
        self._random = random

    def us(self, low_ms: int, high_ms: int) -> int:
        return self._random.randint(low_ms * 1000, high_ms * 1000)

    def press(self, button: Button, start_us: int, length_us: int) -> int:
        """Add a press, perhaps with bounces of up to 5 ms. Returns when it ends."""
        for at_us, closed in ((start_us, True), (start_us + length_us, False)):
            self.contacts.append(Contact(at_us, button, closed))
            if self._random.random() < _BOUNCING:
                self.contacts.extend(bounces(self._random, at_us, button, closed))
        return start_us + length_us + 5_000

    def both(self, one: Button, other: Button) -> int:
        """Within 100 ms of each other, in either order."""
        apart_us = self.us(0, 95)
        end_us = self.press(one, 0, self.us(100, 250))
        other_end_us = self.press(other, apart_us, self.us(30, 250))
        return max(end_us, other_end_us) + self.us(150, 450)

    def burst(self, one: Button, _: Button) -> int:
        """As fast as a finger can, and faster."""
        now_us = 0
        for _number in range(self._random.randint(3, 12)):
            now_us = self.press(one, now_us, self.us(8, 60)) + self.us(8, 60)
        return now_us + self.us(50, 400)

    def roll(self, one: Button, other: Button) -> int:
        """The other button again and again while one is held."""
        now_us = self.us(50, 400)
        for _ in range(self._random.randint(1, 4)):
            now_us = self.press(other, now_us, self.us(30, 150)) + self.us(30, 250)
        return self.press(one, 0, now_us) + self.us(50, 400)


def bounces(random: Random, at_us: int, button: Button, closed: bool) -> list[Contact]:
    """Bounces in the 5 ms after a contact has closed or opened."""
    times = sorted(random.sample(range(100, 5_000, 100), 2 * random.randint(1, 4)))
    return [
        Contact(at_us + time_us, button, closed ^ (number % 2 == 0))
        for number, time_us in enumerate(times)
    ]
