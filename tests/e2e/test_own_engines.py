"""Users' own engines: files, packages and programs; their processes always end."""

import ast
import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

import noughts
from needed import POSIX, long
from noughts.engines.built_in import engines
from noughts.engines.own import from_program
from noughts.errors import OwnEngineError
from noughts.game.positions import EMPTY
from own_engines import FIRST_FREE, is_gone
from waiting import until


@POSIX
def test_new_engine_file_plays_and_is_never_overwritten(folder, printed, refused, misused):
    out = printed("new", "engine", "mine.py")
    assert "noughts vs mine.py` plays against it" in out and "noughts prove mine.py`" in out
    text = (folder / "mine.py").read_text()
    assert "mine.py already exists" in refused("new", "engine", "mine.py")
    assert (folder / "mine.py").read_text() == text
    (folder / "link.py").symlink_to("elsewhere.py")
    refused("new", "engine", "link.py")
    assert not (folder / "elsewhere.py").exists()
    assert noughts.engine("./mine.py").reply(noughts.Board()).cells == tuple(range(9))
    for name in ("mine.txt", "c\udce9\x1b[2J.py", "random.py", "noughts.py"):
        error = misused("new", "engine", name)
        assert not (folder / name).exists()
    assert "noughts.py would hide the module noughts" in error


def test_new_engine_file_may_have_a_space_in_its_name(folder, printed):
    printed("new", "engine", "tic tac.py")
    start = ast.get_docstring(ast.parse((folder / "tic tac.py").read_bytes()))
    assert 'noughts vs "./tic tac.py"    ' in start and start.count("tic tac.py") == 3
    assert noughts.engine("tic tac.py").reply(noughts.Board("XX.OO....")).cells == (2,)


def test_engine_file_works_wherever_an_engine_is_named(folder, printed):
    (folder / "mine.py").write_text(FIRST_FREE)
    out = printed("vs", "mine.py", "./mine.py")
    assert "X, mine.py, plays 1\n" in out and out.endswith("X has won\n")
    out = printed("solve", "X...O....", "--engine", folder / "mine.py")
    assert "mine.py        plays 2\n" in out
    (folder / "b").mkdir()
    (folder / "b" / "mine.py").write_text("def choose(board):\n    return board.legal_moves[-1]\n")
    out = printed("duel", "./mine.py", "b/mine.py", "-n", 2)
    assert out.startswith("./mine.py against b/mine.py, 2 games")
    (folder / "MINE.PY").write_text(FIRST_FREE)
    assert noughts.engine("MINE.PY").reply(noughts.Board("X........")).cells == (1,)


def test_unknown_engine_name_gets_a_hint(misused, folder):
    for name, hint in ("rule", "did you mean rules?"), (".", "choose one of random, easy"):
        assert f"{name!r} is not an engine; {hint}" in misused("vs", name)
    (folder / "text.txt").write_text("hello")
    assert "./text.txt is not an engine: its name ends in" in misused("train", "./text.txt")


WRONG = [
    ("return [4, -1]", "chose -1; the free cells are 0, 1"),
    ("return 0", "chose 0; the free cells are 1, 2, 3, 4, 5, 6, 7, 8"),
    ("return None", "TypeError: choose returned None; correct it: choose"),
    ("return 'e' * 41", f"TypeError: choose returned '{'e' * 12}...{'e' * 13}'; correct it"),
    ("return []", "TypeError: choose returned []; correct it: choose"),
    ("return board[0] == '.'", "TypeError: choose returned True; correct it"),
    ("x = 1\n    1 / 0", "ZeroDivisionError: division by zero (mine.py, line 3); correct it"),
    ("raise KeyboardInterrupt", "KeyboardInterrupt (mine.py, line 2); correct it"),
    (
        "import helper; helper.pick(board)",
        "IndexError: string index out of range (helper.py, line 2)",
    ),
    ("raise ValueError('x' * 10**6)", f"ValueError: {'x' * 188} (mine.py, line 2); correct it"),
    ("return (", "SyntaxError: '(' was never closed (mine.py, line 2); correct it"),
    ("input()", "EOFError: EOF when reading a line (mine.py, line 2); correct it"),
    ("raise OSError('\\x1b[2J')", "OSError:  [2J (mine.py, line 2); correct it"),
    ("import os; os.abort()", "was killed by signal 6 before it answered; it"),
]
WRONG = [(f"def choose(board):\n    {body}\n", message) for body, message in WRONG] + [
    ("chose = 1\n", "AttributeError: module 'mine' has no attribute 'choose'; correct it"),
    ("choose = len\n", "TypeError: object of type 'Board' has no len(); "),
    ("import sys; sys.exit(3)\n", "SystemExit: 3 (mine.py, line 1); correct it"),
    ("import missing\n", "ModuleNotFoundError: No module named 'missing' (mine.py, line 1);"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_engine_file_error_is_one_line_with_its_location(text, message, folder, fails):
    assert fails("vs", "mine.py", "rules").startswith("noughts: mine.py is not a file; `")
    (folder / "helper.py").write_text("def pick(board):\n    return board[9]\n")
    (folder / "mine.py").write_text(text)
    line = re.sub(r", in [XO.]{9}", "", fails("vs", "mine.py", "mine.py"))
    assert line.startswith(f"noughts: mine.py: {message}")


def test_any_integer_like_object_is_accepted_as_a_cell(folder):
    """Such as numpy's integers, without needing numpy here; the order of a set is arbitrary."""
    (folder / "mine.py").write_text(
        "class Number:\n    def __index__(self): return 4\n"
        "def choose(board):\n    return Number() if 4 in board.legal_moves else [*{8, 1, 5}, 1]\n"
    )
    mine = noughts.engine("mine.py")
    assert mine.reply(noughts.Board()).cells == (4,)
    assert mine.reply(noughts.Board("....X....")).cells == (1, 5, 8)


def test_corrected_engine_file_is_reloaded(folder):
    """As in a notebook, where the engine object stays."""
    (folder / "mine.py").write_text("import os\ndef choose(board):\n    os._exit(3)\n")
    mine = noughts.engine("mine.py")
    with pytest.raises(noughts.OwnEngineError, match="ended with status 3"):
        mine.reply(noughts.Board())
    (folder / "mine.py").write_text(FIRST_FREE)
    assert mine.reply(noughts.Board()).cells == (0,)


def test_engine_file_prints_to_stderr_without_escape_sequences(folder, noughts):
    (folder / "mine.py").write_text(
        "import os\ndef choose(board):\n    print('6 \\x1b]0;caf\\xe9\\x07')\n"
        "    os.write(1, b'7\\x1b[2J\\n')\n    return {board.legal_moves[-1]}\n"
    )
    status, out, err = noughts("vs", "mine.py", "hard")
    assert status == 0 and err.startswith("6  ]0;caf\xe9 \n7 [2J\n6  ]0;")
    assert "X, mine.py, plays 9\n" in out


def test_engine_file_is_a_full_python_module(folder):
    """It knows its path, has dataclasses and an encoding, and reads files next to it."""
    (folder / "own").mkdir()
    (folder / "own" / "cells.txt").write_text("8")
    text = """# coding: latin-1
from dataclasses import dataclass
from pathlib import Path

@dataclass
class Wish:
    letter: "str" = "\xe9"

def choose(board):
    assert __name__ == "mine" and len(Wish().letter) == 1
    assert Path(__file__).with_name("cells.txt").is_file()
    return int(open("cells.txt").read())
"""
    (folder / "own" / "mine.py").write_text(text, encoding="latin-1")
    assert noughts.engine("own/mine.py").reply(noughts.Board()).cells == (8,)


def test_installed_package_provides_engines(folder, monkeypatch, printed, fails):
    monkeypatch.syspath_prepend(folder)
    about = folder / "stars-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: stars\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[noughts.engines]\nstars = stars:choose\nall = stars\nmoons = moons\n"
    )
    (folder / "stars.py").write_text(FIRST_FREE)
    for name in ("stars", "all"):
        assert f"X, {name}, plays 1\n" in printed("vs", name, "rules")
        assert name not in engines()
    error = "noughts: moons, in .........: ModuleNotFoundError: No module named 'moons'; correct it"
    assert fails("vs", "moons", "rules").startswith(error)


def test_endless_loop_is_stopped_at_the_time_limit(folder, fails):
    (folder / "mine.py").write_text("while 1: pass\n")
    children_before = psutil.Process().children()
    assert fails("vs", "mine.py", "hard", "--limit", "0.5") == (
        "noughts: mine.py, in .........: did not answer within 0.5 s; "
        "look for an endless loop, or give it more time with --limit\n"
    )
    assert psutil.Process().children() == children_before


STUBBORN = """
import os, signal, subprocess, sys
def choose(board):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    words = [sys.executable, '-c', 'import signal; signal.alarm(600); signal.pause()']
    sleepers = [subprocess.Popen(words, start_new_session=own) for own in (False, True)]
    with open('numbers', 'w') as numbers:
        print(os.getpid(), *(each.pid for each in sleepers), file=numbers)
    while True: pass
"""


@POSIX
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL", long("SIGTERM")])
def test_engine_and_its_children_end_however_noughts_ends(name, folder):
    os.mkfifo(folder / "numbers")
    (folder / "mine.py").write_text(STUBBORN)
    command = [sys.executable, "-m", "noughts", "vs", "mine.py", "hard", "--limit", "600"]
    pipe = subprocess.PIPE
    started = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=pipe) as ours:
        try:
            numbers = [*map(int, (folder / "numbers").read_text().split())]  # once they run
            started = [psutil.Process(number) for number in numbers]
            ours.send_signal(signal.Signals[name])
            assert ours.communicate()[1] == b""
            assert ours.returncode == (130 if name == "SIGINT" else -signal.Signals[name])
            assert len(numbers) == 3 and all(map(is_gone, numbers))
        finally:
            ours.kill()
            for process in started:
                with suppress(psutil.NoSuchProcess):
                    process.kill()


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
    return subprocess.list2cmdline([sys.executable, str(folder / "talks.txt")])


def test_program_answers_in_lines_and_ends_with_noughts(folder, printed):
    command = program(folder, CENTRE)
    out = printed("vs", "hard", "--program", command)
    assert re.search(r"O, python[\w.]*, plays 5\n", out)
    assert is_gone(int((folder / "pid").read_text()))
    ((name, facts),) = json.loads(printed("prove", "--program", command, "--json")).items()
    assert name.startswith("python") and facts["second"]["lost"] > 0


@POSIX
def test_program_named_like_an_engine_is_listed_by_its_path(folder, printed):
    (folder / "hard").write_text("#!/bin/sh\nwhile read line; do echo 8; done\n")
    (folder / "hard").chmod(0o755)
    answers = ("solve", "X...O....", "--program", "./hard", "--json")
    played = json.loads(printed(*answers))["plays"]
    assert (played["hard"], played["./hard"]) == ([2, 4], [9])


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("print('e5')", "in .........: answered 'e5'; answer with a cell, 0 to 8"),
        ("print('9' * 5000)", "answered '99999999999999999999'; answer with a cell"),
        ("while True: sys.stdout.write('x' * 1000)", "answered 'xxxxxxxxxxxxxxxxxxxx'; answer"),
        ("pass", "did not answer within 0.5 s; make it flush its output, or"),
        ("print(0); break", "in O.X.X....: ended with status 0 before it answered; it must"),
    ],
)
def test_program_failure_is_reported_with_its_cause(answer, message, folder, fails):
    limit = ["--limit", "0.5"] if answer == "pass" else []
    first = ["rules"] if "break" in answer else ["--first", "it"]
    assert message in fails("vs", *first, "--program", program(folder, answer), *limit)


def test_unasked_line_is_not_taken_as_an_answer(folder):
    engine = from_program(program(folder, "print(4); print(8)"), 20)
    assert engine.reply(EMPTY).cells == (4,)
    until(lambda: engine.has_unasked_line, "the second line")
    with pytest.raises(OwnEngineError, match="printed '8' unasked; print one line per question"):
        engine.reply(EMPTY.play(4))


@POSIX
def test_invalid_program_command_is_reported(folder, fails):
    file = folder / "mine"
    file.write_bytes(b"\x7fELF nothing")
    for command, mode, message in (
        ("", 0, "'' is not a command; check its quotes"),
        ("'", 0, '"\'" is not a command; check its quotes'),
        ("./mine", 0o644, "mine, in ....X....: cannot be started (Permission denied); check its"),
        ("./mine", 0o755, "mine, in ....X....: cannot be started (Exec format error); check its"),
    ):
        file.chmod(mode)
        assert fails("vs", "rules", "--program", command).startswith(f"noughts: {message}")
