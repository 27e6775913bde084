"""Button timing, with a fake clock and fake pins: a stand-in for the `microbit` module."""

from types import ModuleType

import pytest

from noughts.device_files import load_device


class Bench:
    """The device's `buttons` on a clock that only moves when it waits (6 ms a turn)."""

    def __init__(self):
        self.now_ms = 1000
        self.levels = {"a": 1, "b": 1}
        self.plan = []  # (ms, button, level)
        microbit = ModuleType("microbit")
        microbit.__dict__.update(
            sleep=self.sleep,
            running_time=lambda: self.now_ms,
            pin5=Pin(self, "a"),
            pin11=Pin(self, "b"),
            button_a=None,
            button_b=None,
        )
        microbit.button_a = microbit.button_b = type("Button", (), {"is_pressed": None})
        self.buttons = load_device("buttons", others={"microbit": microbit})
        self.run(60)  # let it see that nothing is pressed

    def sleep(self, ms):
        self.now_ms += 6

    def run(self, ms, *plan):
        """The events of so many ms in which contacts change at these (ms, button, level)."""
        start = self.now_ms
        self.plan = sorted(plan)
        events = []
        while self.now_ms < start + ms:
            while self.plan and start + self.plan[0][0] <= self.now_ms + 6:
                _, button, level = self.plan.pop(0)
                self.levels[button] = level
            event = self.buttons.wait()
            if event:
                events.append((event, self.now_ms - start))
        return events


class Pin:
    def __init__(self, bench, button):
        self.bench, self.button = bench, button

    def read_digital(self):
        return self.bench.levels[self.button]


@pytest.fixture
def bench():
    return Bench()


def kinds(events):
    return [event for event, _ in events]


@pytest.mark.parametrize(("button", "event"), [("a", 1), ("b", 2)])
def test_a_press_is_pending_at_once_and_decided_after_100_ms(bench, button, event):
    assert bench.run(30, (10, button, 0)) == []
    assert bench.buttons.pending == event
    events = bench.run(300, (40, button, 1))
    assert kinds(events) == [event]
    assert 80 <= events[0][1] <= 110
    assert bench.buttons.pending == 0


@pytest.mark.parametrize("gap_ms", [0, 1, 50, 99, 100])
@pytest.mark.parametrize("order", ["ab", "ba"])
def test_both_within_100_ms_are_both_and_never_single(bench, gap_ms, order):
    first, second = order
    events = bench.run(600, (20, first, 0), (20 + gap_ms, second, 0), (300, "a", 1), (310, "b", 1))
    assert kinds(events) == [3]


def test_a_quick_tap_before_the_other_button_still_makes_both(bench):
    events = bench.run(600, (20, "a", 0), (60, "a", 1), (90, "b", 0), (200, "b", 1))
    assert kinds(events) == [3]


def test_presses_further_apart_are_two(bench):
    events = bench.run(800, (20, "a", 0), (100, "a", 1), (180, "b", 0), (300, "b", 1))
    assert kinds(events) == [1, 2]


def test_a_contact_that_bounces_is_one_press(bench):
    bounce = [(20 + ms, "a", ms % 2) for ms in range(6)]
    release = [(200 + ms, "a", 1 - ms % 2) for ms in range(6)]
    assert kinds(bench.run(600, *bounce[:-1], (26, "a", 0), *release, (207, "a", 1))) == [1]


def test_a_slow_bounce_that_every_poll_sees_is_one_press(bench):
    """The contact opens for one turn of the loop, twice, both when pressed and when let go."""
    levels = [(20, 0), (26, 1), (32, 0), (38, 1), (44, 0), (200, 1), (206, 0), (212, 1)]
    assert kinds(bench.run(600, *((ms, "a", level) for ms, level in levels))) == [1]


def test_a_button_held_for_minutes_does_nothing_twice(bench):
    assert kinds(bench.run(300_000, (20, "b", 0))) == [2]


def test_fast_taps_of_one_button_all_count(bench):
    plan = [(20 + 80 * i + (40 if up else 0), "a", up) for i in range(5) for up in (0, 1)]
    assert kinds(bench.run(1000, *plan)) == [1] * 5


def test_a_button_held_since_boot_is_no_press(bench):
    bench.levels["a"] = 0
    fresh = load_device("buttons", others={"microbit": bench.buttons.__dict__["microbit"]})
    bench.buttons = fresh
    assert bench.run(300) == []
    assert kinds(bench.run(600, (10, "a", 1), (200, "a", 0), (400, "a", 1))) == [1]
