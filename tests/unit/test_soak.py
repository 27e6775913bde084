"""The soak test's monkey and referee, without a board, and its report."""

from collections import Counter
from dataclasses import replace
from itertools import islice
from multiprocessing.pool import ThreadPool
from random import Random

import pytest

from boards import A, B, ViolationError
from sample_games import BOOT, stages, write
from soak import monkey
from soak.__main__ import main
from soak.referee import Referee
from soak.result import Result, Task, sections


def sentences(moves, *end, step_ms=401, **named):
    return [write(game) for game in stages(map(int, moves), *end, step_ms=step_ms, **named)]


def game(moves, *end, **named):
    """The last sentence of a game after these moves."""
    return sentences(moves, *end, **named)[-1]


def judged(*lines, hardware="V1"):
    """A referee's result; a line may come with its measurement, a number is flash time in µs."""
    referee = Referee(Result())
    for line in (write(replace(BOOT, hardware=hardware)), *lines):
        if isinstance(line, int):
            referee.flash_begins(line)
        else:
            text, measured = line if isinstance(line, tuple) else (line, "#2448,17,1")
            referee.receive(text)
            if text.startswith("$NG") and measured:
                referee.receive(measured)
    return referee.result


WON = sentences("04132", seats="PP")
LOST = sentences("04132", seats="PP", number=2, first="B")


def test_monkey_presses_buttons_as_fingers_do():
    contacts = list(islice(monkey.presses(Random(1)), 50_000))
    times = [contact.at_us for contact in contacts]
    assert times == sorted(times)
    assert max(times) / 1e6 / len(times) < 1  # pauses are short on average
    since, held_us = {A: None, B: None}, []  # when each was closed; None: open
    for at_us, button, closed in contacts:
        assert (since[button] is None) == closed
        if not closed:
            held_us.append(at_us - since[button])
        since[button] = at_us if closed else None
    assert max(held_us) > 60_000_000 and sum(us < 5_000 for us in held_us) > 1000  # bounces


# While flash is written or erased the CPU waits, which is not the game's fault. The pass of the
# loop that sends the first sentence ends later.
EMPTY, FOUR = game(""), game("4")
SAVED = [22_300, 46, (EMPTY, "#2448,72,0")]
SAVED_LATE = [85_000, (EMPTY, "#2448,7,0"), (FOUR, "#2448,95,0")]


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        (["Traceback (most recent call last):"], "Traceback"),
        (["#2448,17,1"], "not a sentence"),
        ([write(BOOT)], "started again"),
        ([game("", boot="0000FFFF")], "another boot"),
        ([game("", number=2)], "does not begin"),
        ([game("", first="B")], "player B begins"),
        ([game("", seats="EP")], "player A must be a person"),
        ([EMPTY, game("", number=2)], "does not continue"),
        ([EMPTY, FOUR, game("40", step_ms=200)], "does not continue"),
        ([EMPTY, FOUR, game("50")], "not one move after"),
        ([EMPTY, game("4", "x")], "a move was made in leaving"),
        ([EMPTY, FOUR, game("41")], "level H does not play that"),
        ([EMPTY, FOUR, game("40", step_ms=225)], "replied after 49 ms"),
        ([*WON, *LOST, game("", seats="PP", number=3, first="B")], "player B begins"),
        ([(EMPTY, "#2448,51,0")], "stalled for 51 ms"),
        ([*SAVED, (FOUR, "#2448,72,0")], "stalled for 72 ms"),
        ([*SAVED_LATE, (game("40"), "#2448,72,0")], "stalled for 72 ms"),
        # This time is excused, but not as long as moving all files takes.
        ([1_500_000, (EMPTY, "#2448,1507,0")], "flash was written for 1500 ms"),
        ([(EMPTY, "#2448,9,21")], "clock jumped by 21 ms"),
        ([(EMPTY, None), FOUR], "before the measurement"),
    ],
)
def test_referee_reports_violations(lines, complaint):
    with pytest.raises(ViolationError, match=complaint):
        judged(*lines)


def test_referee_counts_games_and_records_measurements():
    result = judged(
        game(""), game("4"), game("40"), game("40", "x"),
        game("", number=2, seats="PP"), game("0", number=2, seats="PP"),
        game("0", "x", number=2, seats="PP"), game("", number=3),
    )  # fmt: skip
    assert result.counts == {"ended": 2, "ended Hx": 1, "ended Px": 1}
    judged(*WON, *LOST, game("", seats="PP", number=3))
    result = judged(EMPTY, (FOUR, "#2400,9,1"), (game("40"), "#2432,11,1"))
    assert (result.lowest_free, result.most["gap ms"]) == (2400, 17)
    most = judged(*SAVED_LATE).most
    assert (most["gap ms"], most["gap ms while saving"]) == (0, 95)
    assert judged((EMPTY, "#2448,9,65")).counts["jumps"] == 1


def test_v2_may_need_155_ms_to_add_a_game_to_its_data_log():
    def result(gap_ms, hardware):
        following = game("", seats="PP", number=2, first="B")
        return judged(*WON, (following, f"#2448,{gap_ms},0"), hardware=hardware)

    assert result(155, "V2").most["gap ms while saving"] == 155
    for gap_ms, hardware in ((156, "V2"), (51, "V1")):
        with pytest.raises(ViolationError, match=f"stalled for {gap_ms} ms"):
            result(gap_ms, hardware)


@pytest.mark.parametrize("kind", ["session", "cuts", "cuts-in-writes", "noise", "changes"])
def test_failure_report_says_how_to_repeat_it(monkeypatch, capsys, kind):
    """The printed options select this task, and no other."""
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


def test_report_adds_up_the_runs_of_each_board():
    """Power cuts at any time, and those while flash is written, are one row."""
    results = [
        (Task(board, kind, seed, cuts), Result(f"of {board}", Counter(cuts=cuts)))
        for board, kind, seed, cuts in (
            ("V2", "cuts", 1, 10), ("V1", "cuts", 2, 20), ("V1", "cuts-in-writes", 5, 400),
        )
    ]  # fmt: skip
    of_v1, of_v2 = sections(results)
    assert of_v1[:3] == [("measured on", "of V1"), ("power cuts", "420"), ("  seeds", "2 to 5")]
    assert of_v2[:3] == [("measured on", "of V2"), ("power cuts", "10"), ("  seeds", "1 to 1")]
    assert of_v1[-1] == of_v2[-1] == ("failures", "0")


def test_report_has_the_longest_stalls_with_and_without_flash():
    stalls = Counter({"gap ms": 17, "gap ms while saving": 95})
    result = Result("of V1", Counter({"device ms": 1000}), stalls)
    ((*rows, _),) = sections([(Task("V1", "session", 1, 1), result)])
    assert ("longest stall of the loop, flash aside", "17 ms") in rows
    assert ("  while flash was written", "95 ms") in rows


def test_existing_results_are_not_computed_again(monkeypatch, tmp_path):
    made = []
    monkeypatch.setattr("soak.__main__.run", lambda task: made.append(task) or Result("its"))
    monkeypatch.setattr("multiprocessing.Pool", ThreadPool)
    words = f"--board v1 --cuts 20 --hours 0 --noise 0 --changes 0 --keep {tmp_path}".split()
    monkeypatch.setattr("sys.argv", ["soak", *words])
    assert main() == main() == 0
    assert sorted(made) == [Task("V1", "cuts", seed, 10) for seed in (1, 2)]
