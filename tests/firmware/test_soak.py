"""A part of `make soak`: a device-minute, power cuts, and the faults that it must notice.

The seeds are chosen to reach the point soon: a second of a V2 takes a fifth of a second.
"""

import pytest

from needed import long
from noughts.brain.device import device_files
from soak import changes, cuts, probe
from soak.result import ERASES
from soak.session import Session


@pytest.mark.parametrize(
    ("board", "number", "in_writes"),
    [
        *(("V1", 2, False), long("V1", 100, False), long("V2", 100, False)),
        *(("V1", 1, True), long("V1", 50, True), long("V2", 25, True)),
    ],
)
def test_board_plays_after_every_power_cut(board, number, in_writes):
    """Also during flash writes; on a V2, about 1 cut in 8 finds no write to interrupt."""
    result = cuts.Cuts(board, seed=3, in_writes=in_writes).run(number)
    assert not result.failure and result.counts["cuts"] == number
    if in_writes:
        assert result.counts["in a write"] + result.counts["in an erase"] > 0.8 * number


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "old", "new", "complaint"),
    [
        ("menu.py", b"file.write(chosen)", b"file.write('Pb')", "the menu offers Pb"),
        ("games_v1.py", b"number % 24", b"number % 2", "games are lost"),
    ],
)
def test_soak_notices_lost_choices_and_games(monkeypatch, name, old, new, complaint):
    files = device_files()
    assert old in files[name]
    files[name] = files[name].replace(old, new)
    monkeypatch.setattr(cuts, "device_files", lambda: files)
    assert complaint in cuts.Cuts("V1", seed=3).run(14).failure


@pytest.mark.parametrize(
    ("board", "choices", "wait_ms"),
    [("V1", 6, 30), long("V2", 40, 100)],  # a V2 erases a page in the first 6, and one later
)
def test_games_and_menu_choices_hardly_wear_the_flash(monkeypatch, board, choices, wait_ms):
    monkeypatch.setattr(changes, "GAMES", 20)
    result = changes.play_changes(board, choices)
    assert not result.failure
    for what, games in (("games", 20), ("games with another choice", choices)):
        assert result.counts[what] == games
        erases = result.most[f"{what}: erases of a page"]
        assert ERASES[board] * games > 100_000 * erases
        assert result.counts[f"{what}: writes"] // games < 60
        assert result.most[f"{what}: us"] < wait_ms * 1000
    assert bool(result.counts["games: erases"]) == (board == "V1")


def session(board, seed, seconds, game=None):
    return Session(board, seed, seconds, lambda line: None, game).run()


@pytest.mark.long
@pytest.mark.parametrize(
    ("board", "seed", "seconds", "free"), [("V1", 10, 40, 1_700), ("V2", 3, 16, 50_000)]
)
def test_device_minute_meets_the_limits(board, seed, seconds, free):
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
def test_clock_jump_is_not_taken_for_a_stall(monkeypatch, jump, complaint):
    """The clock that the module on the board reads jumps after two seconds."""
    step = b"    step = "
    module = probe.MODULE.replace(step, f"    time += (time > 2000) * {jump}\n".encode() + step)
    monkeypatch.setattr(probe, "MODULE", module)
    result = session("V1", seed=3, seconds=4)
    assert complaint in result.failure and bool(result.failure) == bool(complaint)
    assert result.counts["jumps"] == (not complaint)


KEEP_48_BYTES = b"    leds.kept = (getattr(leds, 'kept', 0),) * 8\n    began = "
HANG = b"    while result:\n        pass\n    began = "
NOISE = b"    print(result)\n    began = "
# The file, its old code, its new code, a seed, and the complaint that follows soon.
FAULTS = {
    "noise": ("ending.py", b"    began = ", NOISE, 5, "on the serial line"),
    "leak": ("ending.py", b"    began = ", KEEP_48_BYTES, 4, "free heap sank"),
    "hang": ("ending.py", b"    began = ", HANG, 3, "no longer sends sentences"),
}


@pytest.mark.parametrize(
    ("board", "fault"),
    [("V1", "noise"), long("V1", "leak"), long("V1", "hang")],
)
def test_soak_notices_faults_of_the_game(monkeypatch, board, fault):
    monkeypatch.setattr("soak.session.SILENT_CONTACTS", 40)
    name, old, new, seed, complaint = FAULTS[fault]
    files = device_files()
    assert old in files[name]
    game = {**files, name: files[name].replace(old, new)}
    assert complaint in session(board, seed, seconds=20, game=game).failure
