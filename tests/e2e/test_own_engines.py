"""Engines of one's own: files, packages and programs, in real processes that always end."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress
from functools import cache

import psutil
import pytest

import noughts
from needed import POSIX
from noughts.cli import main
from noughts.engines.registry import engines
from noughts.game.encounter import encounter

FIRST_FREE = "def choose(board):\n    return board.legal_moves[0]\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(capsys, *words):
    status = main([str(word) for word in words])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_start_plays_and_is_never_written_over(folder, capsys):
    status, out, err = run(capsys, "new", "engine", "mine.py")
    assert (status, err) == (0, "")
    assert "noughts vs mine.py` plays against it" in out and "noughts prove mine.py`" in out
    text = (folder / "mine.py").read_text()
    status, out, err = run(capsys, "new", "engine", "mine.py")
    assert (status, out, err.count("\n")) == (1, "", 1) and "mine.py is there already" in err
    assert (folder / "mine.py").read_text() == text
    assert noughts.engine("./mine.py").reply(noughts.Board("XX.OO....")).cells == (2,)
    status, out, _ = run(capsys, "prove", "./mine.py")  # asks about every position
    assert status == 0 and "mine.py: loses moving second" in out
    for name in ("mine.txt", "random.py"):
        with pytest.raises(SystemExit, match="2"):
            main(["new", "engine", name])
        assert not (folder / name).exists()


def test_a_file_is_named_wherever_an_engine_is(folder, capsys):
    (folder / "mine.py").write_text(FIRST_FREE)
    status, out, _ = run(capsys, "vs", "mine.py", "./mine.py")
    assert status == 0 and "X, mine.py, plays 1\n" in out and out.endswith("X wins\n")
    status, out, _ = run(capsys, "duel", "./mine.py", "hard", "-n", "20")
    assert status == 0 and "mine.py first   0 = 0.0%" in out
    status, out, _ = run(capsys, "solve", "X...O....", "--engine", folder / "mine.py")
    assert status == 0 and "mine.py        plays 2\n" in out
    assert noughts.match("./mine.py", "hard", games=4).total.lost == 4
    (folder / "b").mkdir()
    (folder / "b" / "mine.py").write_text("def choose(board):\n    return board.legal_moves[-1]\n")
    status, out, _ = run(capsys, "duel", "./mine.py", "b/mine.py", "-n", "2")
    assert status == 0 and out.startswith("./mine.py against b/mine.py, 2 games")


WRONG = [
    ("return 0", "mine.py: chose 0, which is taken, in X........; free are 1, 2, 3, 4, 5, 6, 7, 8"),
    ("return 9", "mine.py: chose 9, in .........; cells are 0 to 8"),
    ("return [4, 4]", "mine.py: chose 4 twice, in ........."),
    ("return True", "mine.py: choose returned True, in .........; return a cell"),
    ("return 'centre'", "mine.py: choose returned 'centre', in .........; return a cell"),
    ("return []", "mine.py: choose returned [], with no cell in it, in ........."),
    ("pass", "mine.py: choose returned nothing (None), in ........."),
    ("x = 1\n    1 / 0", "line 3, in choose: ZeroDivisionError: division by zero, in .........; "),
    ("input()", "mine.py: line 2, in choose: EOFError: EOF when reading a line, in ........."),
    ("exit(3)", "mine.py: line 2, in choose: SystemExit: 3, in ........."),
    ("import os; os._exit(3)", "mine.py: has ended with status 3, and did not answer"),
    ("return (", "mine.py: line 2: SyntaxError: '(' was never closed; correct it there"),
    ("raise ValueError('\\x1b[2J')", "ValueError:  [2J, in ........."),
]  # fmt: skip


@pytest.mark.parametrize(("body", "told"), WRONG, ids=[body for body, _ in WRONG])
def test_what_goes_wrong_is_one_line_with_its_position(body, told, folder, capfd):
    (folder / "mine.py").write_text(f"def choose(board):\n    {body}\n")
    assert main(["vs", "mine.py", "mine.py"]) == 1
    err = capfd.readouterr().err
    assert err.startswith("noughts: ") and told in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("chose = 1\n", "mine.py: has no function choose(board); write one"),
        (
            "def choose():\n    return 1\n",
            "mine.py: line 1, in choose: TypeError: choose() ",
        ),
        ("import missing_module\n", "mine.py: line 1: ModuleNotFoundError: No module named"),
        (None, "mine.py is not a file; `"),
    ],
)
def test_what_is_not_an_engine(text, told, folder, capfd):
    if text is not None:
        (folder / "mine.py").write_text(text)
    assert main(["vs", "mine.py", "hard"]) == 1
    err = capfd.readouterr().err
    assert err.startswith(f"noughts: {told}") and err.count("\n") == 1


def test_the_place_of_a_mistake_is_where_people_look_for_it(folder, capfd):
    """In the file or beside it, and not in what it calls; of a package, in the package."""
    (folder / "helper.py").write_text("def pick(board):\n    return board.play(9)\n")
    (folder / "mine.py").write_text("import helper\ndef choose(board):\n    helper.pick(board)\n")
    assert main(["vs", "mine.py", "hard"]) == 1
    told = "mine.py: helper.py, line 2, in pick: IllegalMoveError: 9 is not a cell"
    assert told in capfd.readouterr().err


def test_what_a_file_prints_is_not_its_answer(folder, capfd):
    (folder / "helper.py").write_text("def pick(board):\n    return board.legal_moves[-1]\n")
    text = "import helper\ndef choose(board):\n    print('6'); return {helper.pick(board)}\n"
    (folder / "mine.py").write_text(text)
    assert main(["vs", "mine.py", "hard"]) == 0
    told = capfd.readouterr()
    assert told.err.startswith("6\n6\n") and "X, mine.py, plays 9\n" in told.out


def is_gone(pid):
    """Waits for that: a process that was killed takes a moment to end."""
    with suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        # In a container, nobody may collect what is left of it.
        while process.status() != psutil.STATUS_ZOMBIE:
            with suppress(psutil.TimeoutExpired):
                process.wait(timeout=0.1)
                break
    return True


@pytest.mark.parametrize("text", ["def choose(board):\n    while 1: pass\n", "while 1: pass\n"])
def test_an_endless_loop_is_ended_at_the_limit(text, folder, capfd):
    (folder / "mine.py").write_text(text)
    assert main(["vs", "mine.py", "hard", "--limit", "0.5"]) == 1
    told = (
        r"noughts: mine.py: did not answer within 0.5 s(, in \.{9})?; "
        "look for a loop that does not end, or give it more time with --limit\n"
    )
    assert re.fullmatch(told, capfd.readouterr().err)
    assert all(is_gone(child.pid) for child in psutil.Process().children(recursive=True))


@POSIX
def test_it_ends_even_if_we_are_killed(folder):
    os.mkfifo(folder / "number")
    text = "import os\ndef choose(board):\n    open('number', 'w').write(str(os.getpid()))\n"
    (folder / "mine.py").write_text(f"{text}    while True: pass\n")
    command = [sys.executable, "-m", "noughts", "vs", "mine.py", "hard", "--limit", "600"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as ours:
        try:
            pid = int((folder / "number").read_text())  # once it runs
        finally:
            ours.send_signal(signal.SIGKILL)
    assert is_gone(pid)


PROGRAM = """
import os, pathlib, sys
pathlib.Path('pid').write_text(str(os.getpid()))
for line in sys.stdin:
    position, player = line.split()
    assert position.count('X') - position.count('O') == (player == 'O')
    {answer}
    sys.stdout.flush()
"""
CENTRE = "print(4 if position[4] == '.' else position.index('.'))"


def program(folder, answer):
    (folder / "talks.txt").write_text(PROGRAM.format(answer=answer))
    words = (sys.executable, str(folder / "talks.txt"))
    return subprocess.list2cmdline(words) if os.name != "posix" else " ".join(words)


def test_a_program_speaks_in_lines_and_ends_with_us(folder, capsys):
    command = program(folder, CENTRE)
    status, out, _ = run(capsys, "vs", "hard", "--program", command)
    assert status == 0 and re.search(r"O, python[\w.]*, plays 5\n", out)
    assert is_gone(int((folder / "pid").read_text()))
    status, out, _ = run(capsys, "prove", "--program", command, "--json")
    ((name, facts),) = json.loads(out).items()
    assert status == 0 and name.startswith("python") and facts["second"]["lost"] > 0


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("print('e5')", "said 'e5', in .........; answer with a cell, a number from 0 to 8"),
        ("print()", "said '', in ........."),
        ("print(9)", "chose 9, in ........."),
        ("sys.exit(7)", "has ended with status 7, and did not answer, in .........; it has to run"),
        ("pass", "did not answer within 0.5 s, in .........; flush its output, or"),
    ],
)
def test_what_goes_wrong_with_a_program(answer, told, folder, capfd):
    limit = ["--limit", "0.5"] if answer == "pass" else []
    assert main(["vs", "--program", program(folder, answer), *limit, "--first", "it"]) == 1
    err = capfd.readouterr().err
    assert told in err and err.count("\n") == 1


@POSIX
def test_what_is_not_a_program(folder, capfd):
    (folder / "mine").write_text("no program\n")
    for mode, told in (
        (0o644, "'./mine' is not a program here; check its path"),
        (0o755, "mine: "),
    ):
        (folder / "mine").chmod(mode)
        (folder / "mine").write_bytes(b"\x7fELF nothing")
        assert main(["vs", "rules", "--program", "./mine"]) == 1
        err = capfd.readouterr().err
        assert err.startswith(f"noughts: {told}") and err.count("\n") == 1
    assert "cannot be run (Exec format error), in ....X....; check that it is a program" in err


def test_a_package_brings_an_engine(folder, capsys, monkeypatch):
    (folder / "stars.py").write_text("def choose(board):\n    return [board.legal_moves[0]]\n")
    about = folder / "stars-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stars\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[noughts.engines]\nstars = stars:choose\n")
    monkeypatch.syspath_prepend(folder)
    status, out, _ = run(capsys, "vs", "stars", "rules")
    assert status == 0 and "X, stars, plays 1\n" in out
    (folder / "stars.py").write_text("def choose(board):\n    a = 0\n    return 1 / a\n")
    status, _, err = run(capsys, "vs", "stars", "rules")
    assert status == 1 and "stars: line 3, in choose: ZeroDivisionError" in err
    with pytest.raises(SystemExit, match="2"):
        main(["vs", "star"])
    assert "'star' is not an engine; did you mean stars?" in capsys.readouterr().err
    assert "stars" not in engines()


RULES = {
    "first": FIRST_FREE,
    "several": "def choose(board):\n    return board.legal_moves[:2]\n",
}


def outcomes(choose, first, board=None):
    """Every game of a function: what follows from each of its choices, and of the other's moves."""
    board = board or noughts.Board()
    if board.is_over:
        yield board.winner
        return
    mine = (board.turn == "X") == first
    for cell in choose(board) if mine else board.legal_moves:
        yield from outcomes(choose, first, board.play(cell))


@pytest.mark.parametrize("kind", RULES)
def test_what_is_proved_is_what_playing_every_game_gives(kind, folder, capsys):
    (folder / "mine.py").write_text(RULES[kind])
    count = 1 if kind == "first" else 2

    def choose(board):
        return board.legal_moves[:count]

    status, out, _ = run(capsys, "prove", "mine.py", "--json")
    facts = json.loads(out)["mine.py"]
    for seat, first in (("first", True), ("second", False)):
        ends = list(outcomes(choose, first))
        us, them = "XO" if first else "OX"
        found = [ends.count(us), ends.count(None), ends.count(them)]
        assert [facts[seat][kind] for kind in ("won", "drawn", "lost")] == found
    assert status == 0 and facts["varies"] is False

    @cache
    def chance(board, first, other):
        """That X, or O if it is not first, wins for `choose`, from this board."""
        if board.is_over:
            return float(board.winner == ("X" if first else "O"))
        mine = (board.turn == "X") == first
        cells = choose(board) if mine else other.reply(board).cells
        return sum(chance(board.play(cell), first, other) for cell in cells) / len(cells)

    for name in ("random", "medium", "kind"):
        for seat, first in (("first", True), ("second", False)):
            top, _, bottom = facts["against"][name][seat]["won"].partition("/")
            expected = chance(noughts.Board(), first, noughts.engine(name))
            assert int(top) / int(bottom or 1) == pytest.approx(expected)
            shares = [facts["against"][name][seat][kind] for kind in ("won", "drawn", "lost")]
            parts = [part.partition("/") for part in shares]
            assert sum(int(top) / int(low or 1) for top, _, low in parts) == pytest.approx(1)


def test_chances_of_our_own_engines_are_known():
    assert [str(seat.won) for seat in encounter(engines()["hard"], engines()["random"])] == [
        "191/192", "866/945",
    ]  # fmt: skip


def test_the_losing_game_is_shown_and_who_wins_against_it(folder, capsys):
    (folder / "mine.py").write_text(FIRST_FREE)
    status, out, _ = run(capsys, "prove", "mine.py")
    assert status == 0 and "mine.py, as O, loses this game (? and ?? are its mistakes):" in out
    heads = re.findall(r"^X \d.*$", out, re.MULTILINE)
    shown = re.findall(r"([XO]) (\d)( \?+)?", "   ".join(heads))
    assert [mark for mark, _, _ in shown] == list("XOXOX")
    board = noughts.Board()
    for mark, cell, mistake in shown:
        assert not mistake or mark == "O"
        before = board.value()
        board = board.play(int(cell) - 1)
        if mark == "O":
            assert bool(mistake) == (-board.value() < before)
    assert board.winner == "X" and max(map(len, out.split("loses this game")[1].splitlines())) < 81
    assert re.search(r"^hard +0\.0% +0\.0%  100\.0%$", out, re.MULTILINE)


def test_answers_that_vary_prove_nothing(folder, capsys):
    text = "from noughts import engine\nfrom random import Random\nhard, chance = engine('hard'), "
    text += "Random(1)\ndef choose(board):\n    return hard.choose(board, chance)\n"
    (folder / "mine.py").write_text(text)
    status, out, _ = run(capsys, "prove", "mine.py")
    assert status == 0 and "never loses" not in out
    assert "mine.py: lost no game with its answers to 10 calls, which is not a proof" in out
    assert re.search(r"mine.py: its answers vary: in \S{9} it played \d, and another time \d", out)
