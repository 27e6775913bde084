"""A device-minute of `make soak`, and that it notices what it is there to notice.

The seeds are those that come to the point soon: each second of a V2 costs one fifth of a second.
"""

import pytest

from needed import long
from noughts.device_files import device_files
from soak import probe
from soak.session import Session


def session(board, seed, seconds, game=None):
    return Session(board, seed, seconds, lambda line: None, game).run()


@pytest.mark.long
@pytest.mark.parametrize(
    ("board", "seed", "seconds", "free"), [("V1", 10, 40, 1_700), ("V2", 3, 16, 50_000)]
)
def test_a_device_minute(board, seed, seconds, free):
    result = session(board, seed, seconds)
    assert not result.failure
    assert result.counts["device ms"] >= seconds * 1000
    assert result.counts["begun"] > 3
    assert free < result.lowest_free < 1.8 * free
    assert 5 < result.most["gap ms"] <= 50
    if board == "V1":
        choices = "".join(name.split()[1] for name in result.counts if name.startswith("begun "))
        assert set(choices) >= set("EMHbt")
        assert {"x"} < {name[-1] for name in result.counts if name.startswith("ended ")}


@pytest.mark.parametrize(("jump", "complaint"), [(65, ""), (40, "clock jumped by")])
def test_a_clock_that_jumps_is_no_stall(monkeypatch, jump, complaint):
    """For the module on the board, the clock jumps after two seconds."""
    step = b"    step = "
    module = probe.MODULE.replace(step, f"    time += (time > 2000) * {jump}\n".encode() + step)
    monkeypatch.setattr(probe, "MODULE", module)
    result = session("V1", seed=3, seconds=4)
    assert complaint in result.failure and bool(result.failure) == bool(complaint)
    assert result.counts["jumps"] == (not complaint)


KEEP_48_BYTES = b"    leds.kept = (getattr(leds, 'kept', 0),) * 8\n    start = "
HANG = b"    while result:\n        pass\n    start = "
NOISE = b"    print(result)\n    start = "
# In a file of the game, this in the place of that; with a seed, soon this complaint.
FAULTS = {
    "noise": ("ending.py", b"    start = ", NOISE, 5, "on the serial line"),
    "leak": ("ending.py", b"    start = ", KEEP_48_BYTES, 4, "free heap sank"),
    "hang": ("ending.py", b"    start = ", HANG, 3, "no longer sends sentences"),
}


@pytest.mark.parametrize(
    ("board", "fault"),
    [("V1", "noise"), long("V1", "leak"), long("V1", "hang")],
)
def test_it_notices_a_fault_of_the_game(monkeypatch, board, fault):
    monkeypatch.setattr("soak.session.SILENT_CONTACTS", 40)
    name, old, new, seed, complaint = FAULTS[fault]
    files = device_files()
    assert old in files[name]
    game = {**files, name: files[name].replace(old, new)}
    assert complaint in session(board, seed, seconds=20, game=game).failure
