"""A device-minute of `make soak`, and that it notices what it is there to notice.

The seeds are those that come to the point soon: each second of a V2 costs one fifth of a second.
"""

import pytest

from needed import long
from noughts.device_files import device_files
from soak import monkey, probe
from soak.player import A, B
from soak.session import Session


def session(board, seed, seconds, game=None):
    trace = []
    result = Session(board, seed, seconds, trace.append, trace.append).run(game=game)
    return result, trace


def changed(name, old, new):
    files = device_files()
    assert old in files[name]
    return {**files, name: files[name].replace(old, new)}


@pytest.mark.long
def test_forty_device_seconds_on_a_v1():
    result, _ = session("V1", seed=10, seconds=40)
    assert not result.failure
    assert result.device_s >= 40
    assert {choice[0] for choice in result.games} == set("EMH")
    assert {choice[1] for choice in result.games} == set("bt")
    assert {end[1] for end in result.ends} > {"x"}
    assert 1_700 < result.lowest_free < 3_000
    assert 5 < result.longest_gap_ms <= 50


@pytest.mark.long
def test_sixteen_device_seconds_on_a_v2():
    result, _ = session("V2", seed=3, seconds=16)
    assert not result.failure
    assert result.games.total() > 3
    assert 50_000 < result.lowest_free < 60_000
    assert 5 < result.longest_gap_ms <= 50


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_a_seed_repeats_to_the_microsecond(board):
    first, trace = session(board, seed=9, seconds=3)
    assert len(trace) > 5
    assert (first, trace) == session(board, seed=9, seconds=3)


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_leaning_moves_the_cursor(monkeypatch, board):
    """By tilt, the mark goes where the board leans; else it would go to the centre."""

    def movements(seed):
        yield monkey.Lean(0, 400, 0)
        for at_ms, buttons in ((100, (A, B)), (1000, (B,)), (2000, (A,))):
            for after_ms, closed in ((0, True), (80, False)):
                for button in buttons:
                    yield monkey.Contact((at_ms + after_ms) * 1000, button, closed)
        yield monkey.Lean(10_000_000, 0, 0)

    monkeypatch.setattr(monkey, "movements", movements)
    result, trace = session(board, seed=1, seconds=5)
    assert not result.failure
    assert result.games == {"Pt": 1}
    assert any(",PP,A,5," in line for line in trace)


@pytest.mark.parametrize(("jump", "complaint"), [(65, ""), (40, "clock jumped by")])
def test_a_clock_that_jumps_is_no_stall(monkeypatch, jump, complaint):
    """For the module on the board, the clock jumps after two seconds."""
    step = b"    step = "
    module = probe.MODULE.replace(step, f"    time += (time > 2000) * {jump}\n".encode() + step)
    monkeypatch.setattr(probe, "MODULE", module)
    result, _ = session("V1", seed=3, seconds=4)
    assert complaint in result.failure
    assert (result.clock_jumps, bool(result.failure)) == ((0, True) if complaint else (1, False))


KEEP_48_BYTES = b"    leds.kept = (getattr(leds, 'kept', 0),) * 8\n    start = "
HANG = b"    while result:\n        pass\n    start = "
FAULTS = {
    "level": ("ai.py", b'"H" else', b'"X" else'),  # hard plays as easy
    "stall": ("chip.py", b"    until = ", b"    buttons.microbit.sleep(60)\n    until = "),
    "noise": ("ending.py", b"    start = ", b"    print(result)\n    start = "),
    "leak": ("ending.py", b"    start = ", KEEP_48_BYTES),
    "hang": ("ending.py", b"    start = ", HANG),
}
SEEDS = {"level": 5, "stall": 5, "noise": 5, "leak": 4, "hang": 3}
SOON_NOTICED = ("stall", "noise")
COMPLAINTS = {
    "level": "does not play that",
    "stall": "the loop stalled for",
    "noise": "on the serial line",
    "leak": "free heap sank",
    "hang": "no longer says a sentence",
}


ON_BOARDS = [
    *(("V1", fault) if fault in SOON_NOTICED else long("V1", fault) for fault in FAULTS),
    *(long("V2", fault) for fault in SOON_NOTICED),
]


@pytest.mark.parametrize(("board", "fault"), ON_BOARDS)
def test_it_notices_a_fault_of_the_game(monkeypatch, board, fault):
    monkeypatch.setattr("soak.session.SILENT_CONTACTS", 40)
    result, _ = session(board, SEEDS[fault], seconds=20, game=changed(*FAULTS[fault]))
    assert COMPLAINTS[fault] in result.failure
