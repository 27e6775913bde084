"""The soak's monkey, referee and probe, without a board."""

from collections import Counter
from itertools import islice
from multiprocessing.pool import ThreadPool
from random import Random

import pytest

from button_presser import A, B, ViolationError
from noughts.device_files import device_files
from noughts.protocol.sentences import Boot, Game, write
from soak import monkey, probe
from soak.__main__ import main
from soak.referee import Referee
from soak.result import Result, Task, sections

BOOT = write(Boot("0000AB12", "V1", "0.1.0", "2798"))


def game(moves, end="-", *, seats="PH", number=1, first="A", ms=None, boot="0000AB12"):
    ms = 401 * len(moves) if ms is None else ms
    return write(Game(boot, number, seats, first, tuple(map(int, moves)), ms, end))


def heard(*lines):
    """A referee that hears lines; with the line of a game, what was measured at it."""
    referee = Referee(Result())
    for line in (BOOT, *lines):
        if isinstance(line, int):
            referee.flash_begins(line)
        else:
            said, measured = line if isinstance(line, tuple) else (line, "#2448,17,1")
            referee.hear(said)
            if said.startswith("$NG") and measured:
                referee.hear(measured)
    return referee


def pp(moves, end="-", number=1, first="A"):
    return game(moves, end, seats="PP", number=number, first=first)


WON, LOST = (
    [*(pp("04132"[:count], "-", *of) for count in range(5)), pp("04132", player, *of)]
    for player, of in (("A", (1, "A")), ("B", (2, "B")))
)


def test_the_monkeys_contacts_are_such_as_fingers_make():
    contacts = list(islice(monkey.presses(Random(1)), 50_000))
    times = [contact.at_us for contact in contacts]
    assert times == sorted(times)
    assert max(times) / 1e6 / len(times) < 1  # no long idling on the whole
    since, held_us = {A: None, B: None}, []  # when it was closed; None: it is open
    for at_us, button, closed in contacts:
        assert (since[button] is None) == closed
        if not closed:
            held_us.append(at_us - since[button])
        since[button] = at_us if closed else None
    assert max(held_us) > 60_000_000 and sum(us < 5_000 for us in held_us) > 1000  # bounces


def test_the_referee_follows_games_and_counts_them():
    referee = heard(
        game(""), game("4"), game("40"), game("40", "x"),
        game("", number=2, seats="PP"), game("0", number=2, seats="PP", ms=5),
        game("0", "x", number=2, seats="PP", ms=9), game("", number=3),
    )  # fmt: skip
    assert referee.result.counts == {"ended": 2, "ended Hx": 1, "ended Px": 1}
    assert (referee.result.lowest_free, referee.result.most["gap ms"]) == (2448, 17)
    heard(*WON, *LOST, pp("", number=3))


# While flash is written or erased the CPU waits: that is not the game's. The turn of the loop in
# which the first sentence is said ends after it.
EMPTY, FOUR = game(""), game("4")
SAVED = [22_300, 46, (EMPTY, "#2448,72,0")]
SAVED_LATE = [85_000, (EMPTY, "#2448,7,0"), (FOUR, "#2448,95,0")]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["Traceback (most recent call last):"], "Traceback"),
        (["#2448,17,1"], "not a sentence"),
        ([BOOT], "started again"),
        ([game("", boot="0000FFFF")], "another boot"),
        ([game("", number=2)], "does not begin"),
        ([game("", first="B")], "player B begins"),
        ([game("", seats="EP")], "player A must be a person"),
        ([EMPTY, game("", number=2)], "does not continue"),
        ([EMPTY, game("4", ms=5), game("40", ms=4)], "does not continue"),
        ([EMPTY, FOUR, game("40"), game("40")], "not one move after"),
        ([EMPTY, FOUR, game("50")], "not one move after"),
        ([EMPTY, game("4", "x")], "a move was made in leaving"),
        ([EMPTY, FOUR, game("41")], "level H does not play that"),
        ([EMPTY, FOUR, game("40", ms=450)], "replied after 49 ms"),
        ([*WON, game("", number=2, first="B", seats="PE")], "player B begins"),
        ([*WON, *LOST, pp("", number=3, first="B")], "player B begins"),
        ([(EMPTY, "#2448,51,0")], "stalled for 51 ms"),
        ([*SAVED, (FOUR, "#2448,72,0")], "stalled for 72 ms"),
        ([*SAVED_LATE, (game("40"), "#2448,72,0")], "stalled for 72 ms"),
        # But not for so long that all files are moved.
        ([1_500_000, (EMPTY, "#2448,1507,0")], "flash was written for 1500 ms"),
        ([(EMPTY, "#2448,9,21")], "clock jumped by 21 ms"),
        ([(EMPTY, None), FOUR], "before the measurement"),
    ],
)
def test_the_referee_notices(lines, complaint):
    with pytest.raises(ViolationError, match=complaint):
        heard(*lines)


def test_the_referee_measures():
    result = heard(EMPTY, (FOUR, "#2400,9,1"), (game("40"), "#2432,11,1")).result
    assert (result.lowest_free, result.most["gap ms"]) == (2400, 17)
    most = heard(*SAVED_LATE).result.most
    assert (most["gap ms"], most["gap ms while saving"]) == (0, 95)
    assert heard((EMPTY, "#2448,9,65")).result.counts["jumps"] == 1


def test_the_table_has_a_section_for_each_board():
    seen = "games with another choice"
    wear = Counter({seen: 200, f"{seen}: writes": 9_000, f"{seen}: erases": 25})
    counts = [
        (Task("V2", "changes", 1, 2), Counter({"games": 2})),
        (Task("V1", "cuts", 1, 25), Counter({"cuts": 25, "in a write": 4})),
        (Task("V1", "cuts-in-writes", 2, 25), Counter({"cuts": 25, "in an erase": 2})),
        (Task("V1", "session", 1, 100), Counter({"device ms": 100_000})),
        (Task("V1", "changes", 1, 200), wear),
    ]
    found = [(task, Result("its firmware", count, cpu_s=15)) for task, count in counts]
    found[2][1].failure = "it broke"
    found[4][1].most[f"{seen}: erases of a page"] = 25
    v1, v2 = map(dict, sections(found))
    assert (v1["power cuts"], v1["failures"]) == ("50", "1")
    assert (v1["  while flash was written"], v1["  while a page was erased"]) == ("4", "2")
    assert v1["flash writes in 200 games with another choice"] == "45 each"
    assert v1["  until a page was erased 20,000 times"] == "160,000: 9 years at 50 a day"
    assert v1["  CPU of the computer for a second"] == "0.150 s"
    assert (v2["measured on"], v2["failures"]) == ("its firmware", "0")
    assert not any("inf" in value for value in v2.values())


@pytest.mark.parametrize("kind", ["session", "cuts", "cuts-in-writes", "noise", "changes"])
def test_what_failed_says_how_to_repeat_it(monkeypatch, capsys, kind):
    """The options name the board and the seed, and ask for nothing else."""
    task, asked = Task("V1", kind, 7, 3), []

    def run(task, **options):
        asked.append(task)
        return Result(counts=Counter({"device ms": 1}), failure="it broke")

    monkeypatch.setattr("soak.__main__.run", run)
    monkeypatch.setattr("multiprocessing.Pool", ThreadPool)
    monkeypatch.setattr("sys.argv", ["soak", *task.repeat.split()])
    assert main() == 1
    assert asked == [task]
    assert task.repeat in capsys.readouterr().out


def test_a_result_that_is_there_is_not_made_again(monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr("soak.__main__.run", lambda task: made.append(task) or Result("its"))
    monkeypatch.setattr("multiprocessing.Pool", ThreadPool)
    words = f"--board v1 --cuts 20 --hours 0 --noise 0 --changes 0 --keep {tmp_path}".split()
    monkeypatch.setattr("sys.argv", ["soak", *words])
    assert main() == main() == 0
    assert sorted(made) == [Task("V1", "cuts", seed, 10) for seed in (1, 2)]


@pytest.mark.parametrize("board", ["V1", "V2"])
def test_the_probe_changes_none_of_the_games_files_but_main(board):
    changed = probe.files(device_files(), board).items() - device_files().items()
    assert {name for name, _ in changed} == {"probe.py", "main.py"}
    assert probe.read("#2448,17,1") == (2448, 17, 1)
    assert probe.read("$NG") is None
