"""A few device-minutes of `make soak`, and that it notices what it is there to notice."""

import os
from pathlib import Path

import pytest

from noughts.device_files import device_files
from soak import probe
from soak.machine import Machine
from soak.stretch import Stretch

pytestmark = pytest.mark.usefixtures("qemu")


def stretch(seed, seconds, game=None):
    trace = []
    result = Stretch(seed, seconds, trace.append, trace.append).run(game=game)
    return result, trace


def changed(name, old, new):
    files = device_files()
    assert old in files[name]
    return {**files, name: files[name].replace(old, new)}


def test_two_device_minutes_of_everything():
    result, _ = stretch(seed=2, seconds=120)
    assert not result.failure
    assert result.device_s >= 120
    assert {choice[0] for choice in result.games} == set("PEMH")
    assert {choice[1] for choice in result.games} == set("bt")
    assert {end[1] for end in result.ends} > {"x", "B"}
    assert 2_000 < result.lowest_free < 3_000
    assert 5 < result.longest_gap_ms <= 50


def test_qemu_has_one_processor_for_all_its_threads():
    """Else seeds do not repeat, see `soak.machine`."""
    ours = os.sched_getaffinity(0)
    with Machine() as machine:
        threads = [int(each.name) for each in Path(f"/proc/{machine.pid}/task").iterdir()]
        processors = [os.sched_getaffinity(thread) for thread in threads]
    assert len(threads) > 1 and len(processors[0]) == 1
    assert processors == [processors[0]] * len(threads)
    assert os.sched_getaffinity(0) == ours


def test_a_seed_repeats_to_the_microsecond():
    """On a busy computer QEMU seldom does not, see `soak.machine`: another try then."""
    first, trace = stretch(seed=9, seconds=30)
    assert len(trace) > 40
    assert (first, trace) in (stretch(seed=9, seconds=30) for _ in range(3))


@pytest.mark.parametrize(("jump", "complaint"), [(65, ""), (40, "clock jumped by 4")])
def test_a_clock_that_jumps_is_no_stall(monkeypatch, jump, complaint):
    """The module on the board asks a clock that jumps after ten seconds."""
    jumping = f"lambda: time() + (time() > 10000) * {jump}"
    clock = f"from microbit import running_time as time\nrunning_time = {jumping}\n".encode()
    module = probe.MODULE.replace(b"from microbit import running_time\n", clock)
    monkeypatch.setattr(probe, "MODULE", module)
    result, _ = stretch(seed=2, seconds=20)
    assert complaint in result.failure
    assert (result.clock_jumps, bool(result.failure)) == ((0, True) if complaint else (1, False))


KEEP_48_BYTES = b"    leds.kept = (getattr(leds, 'kept', 0),) * 8\n    start = "
HANG = b"            while index > 1:\n                pass\n            rules.place"
FAULTS = {
    "level": ("ai.py", b"return cells", b"return [marks.index(0)]"),
    "stall": ("chip.py", b"    stop = ", b"    buttons.microbit.sleep(60)\n    stop = "),
    "noise": ("ending.py", b"    start = ", b"    print(end)\n    start = "),
    "leak": ("ending.py", b"    start = ", KEEP_48_BYTES),
    "hang": ("game.py", b"            rules.place", HANG),
}
COMPLAINTS = {
    "level": "does not play that",
    "stall": "the loop stalled for",
    "noise": "on the serial line",
    "leak": "free heap sank",
    "hang": "no sentence any more",
}


@pytest.mark.parametrize("fault", FAULTS)
def test_it_notices_a_fault_of_the_game(fault):
    result, _ = stretch(seed=2, seconds=120, game=changed(*FAULTS[fault]))
    assert COMPLAINTS[fault] in result.failure
