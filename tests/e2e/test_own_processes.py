"""Engines of one's own are programs in real processes, which always end."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import suppress

import psutil
import pytest

from needed import LINUX, POSIX
from noughts.engines.own.line_process import LineProcess
from noughts.errors import BoardError
from noughts.virtual.board import VirtualBoard
from own_engines import FIRST_FREE, is_gone


@pytest.mark.parametrize("text", ["def choose(board):\n    while 1: pass\n", "while 1: pass\n"])
def test_an_endless_loop_is_ended_at_the_limit(text, folder, vs_fails):
    (folder / "mine.py").write_text(text)
    before = psutil.Process().children()
    told = (
        r"noughts: mine.py: did not answer within 0.5 s(, in \.{9})?; "
        "look for a loop that does not end, or give it more time with --limit\n"
    )
    assert re.fullmatch(told, vs_fails("mine.py", "hard", "--limit", "0.5"))
    assert psutil.Process().children() == before


DAEMON = """
import os, signal, subprocess, sys
def start_daemon(run):
    reading, writing = os.pipe()
    if not os.fork():
        if not os.fork():
            os.setsid()
            os.write(writing, str(os.getpid()).encode())
            run()
        os._exit(0)
    os.wait()
    return os.read(reading, 20).decode()
"""
STUBBORN = """
def sleep():
    signal.alarm(600)
    signal.pause()
def choose(board):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    words = [sys.executable, '-c', 'import signal; signal.alarm(600); signal.pause()']
    daemons = [start_daemon(sleep)] if sys.platform == 'linux' else []
    sleepers = [subprocess.Popen(words, start_new_session=own) for own in (False, True)]
    with open('numbers', 'w') as numbers:
        print(os.getpid(), os.getppid(), *(each.pid for each in sleepers), *daemons, file=numbers)
    while True: pass
"""


@POSIX
@pytest.mark.parametrize("name", ["SIGINT", "SIGKILL", "SIGTERM"])
def test_it_ends_with_all_that_it_has_started_however_we_end(name, folder):
    os.mkfifo(folder / "numbers")
    (folder / "mine.py").write_text(DAEMON + STUBBORN)
    command = [sys.executable, "-m", "noughts", "vs", "mine.py", "hard", "--limit", "600"]
    pipe = subprocess.PIPE
    started = []
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=pipe) as ours:
        try:
            numbers = (folder / "numbers").read_text().split()  # once they run
            started = [psutil.Process(int(number)) for number in numbers]
            ours.send_signal(signal.Signals[name])
            assert ours.communicate()[1] == b""
            assert ours.returncode == (130 if name == "SIGINT" else -signal.Signals[name])
            assert len(numbers) == 4 + (sys.platform == "linux")
            assert all(is_gone(int(number)) for number in numbers)
        finally:
            ours.kill()
            for each in started:
                with suppress(psutil.NoSuchProcess):
                    each.kill()


@LINUX
def test_an_ended_daemon_does_not_stay_as_a_zombie(folder, printed):
    text = """
def choose(board):
    daemon = start_daemon(lambda: None)
    while os.path.exists(f'/proc/{daemon}'): pass
    return board.legal_moves
"""
    (folder / "mine.py").write_text(DAEMON + text)
    printed("vs", "mine.py", "hard")


def test_escape_sequences_that_an_engine_prints_do_not_reach_the_terminal(folder, noughts):
    (folder / "mine.py").write_text(
        "import os\ndef choose(board):\n"
        "    print('\\x1b]0;caf\\xe9\\x07')\n"
        "    os.write(2, b'\\x1b[2J')\n"
        "    os._exit(3)\n"
    )
    shown = noughts("vs", "mine.py", "hard")[2]
    assert shown.startswith(" ]0;caf\xe9 \n [2J\nnoughts: mine.py: has ended with status 3")


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


def test_a_program_speaks_in_lines_and_ends_with_us(folder, printed):
    command = program(folder, CENTRE)
    told = printed("vs", "hard", "--program", command)
    assert re.search(r"O, python[\w.]*, plays 5\n", told)
    assert is_gone(int((folder / "pid").read_text()))
    ((name, facts),) = json.loads(printed("prove", "--program", command, "--json")).items()
    assert name.startswith("python") and facts["second"]["lost"] > 0


@POSIX
def test_a_program_with_the_name_of_an_engine_is_called_by_its_path(folder, printed):
    (folder / "hard").write_text("#!/bin/sh\nwhile read line; do echo 8; done\n")
    (folder / "hard").chmod(0o755)
    answers = ("solve", "X...O....", "--program", "./hard", "--json")
    played = json.loads(printed(*answers))["plays"]
    assert (played["hard"], played["./hard"]) == ([2, 4], [9])


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("print('e5')", "said 'e5', in .........; answer with a cell, a number from 0 to 8"),
        ("print()", "said '', in ........."),
        ("print('\u0664'.encode())", "said \"b'\\\\xd9\\\\xa4'\", in .........; answer with"),
        ("print('9' * 5000)", "said '99999999999999999999', in .........; answer with a cell"),
        ("print('0 ' * 50_000)", "chose 0 twice, in ........."),
        ("sys.stdout.buffer.write(b'\\xff\\n')", "said '\ufffd', in .........; answer with a cell"),
        ("sys.exit(7)", "has ended with status 7, and did not answer, in .........; it has to run"),
        ("while True: sys.stdout.write('x' * 1000)", "said 'xxxxxxxxxxxxxxxxxxxx', in ........."),
        ("pass", "did not answer within 0.5 s, in .........; flush its output, or"),
    ],
)
def test_what_goes_wrong_with_a_program(answer, told, folder, vs_fails):
    limit = ["--limit", "0.5"] if answer == "pass" else []
    assert told in vs_fails("--program", program(folder, answer), *limit, "--first", "it")


def test_a_program_that_ends_between_two_questions(folder, vs_fails):
    told = "has ended with status 0, and did not answer, in O.X.X....; it has to run"
    assert told in vs_fails("rules", "--program", program(folder, "print(0); break"))


def test_a_computer_that_starts_no_more_processes(folder, vs_fails, monkeypatch):
    (folder / "mine.py").write_text(FIRST_FREE)
    monkeypatch.setattr(sys, "executable", str(folder / "none"))
    told = "(No such file or directory); close some programs"
    started = vs_fails("mine.py", "hard")
    assert started == f"noughts: cannot start Python for mine.py {told}\n"
    with pytest.raises(BoardError, match=re.escape(f"Python for the virtual board {told}")):
        VirtualBoard(lambda: pytest.fail("there is no board to program"))


def test_a_line_that_nobody_asked_for(folder, vs_fails, monkeypatch):
    """Once it is there: what is said while we wait for an answer is taken for one."""

    class Patient(LineProcess):
        def ask(self, line, limit_s):
            answer = super().ask(line, limit_s)
            while not self.has_spoken:
                pass
            return answer

    monkeypatch.setattr("noughts.engines.own.engine.LineProcess", Patient)
    command = program(folder, "print(position.index('.')); print('think' * 5)")
    told = "said 'thinkthinkthinkthink' without being asked, in O.X.X....; say one line for each"
    assert told in vs_fails("rules", "--program", command)


@POSIX
@pytest.mark.parametrize(
    ("command", "mode", "told"),
    [
        ("", 0, "'' is not a program here"),
        ("'", 0, '"\'" is not a command (No closing quotation); check its quotes'),
        ("./mine", 0o644, "'./mine' is not a program here; check its path"),
        ("./mine", 0o755, "mine: cannot be run (Exec format error), in ....X....; check"),
    ],
)
def test_what_is_not_a_program(command, mode, told, folder, vs_fails):
    (folder / "mine").write_bytes(b"\x7fELF nothing")
    (folder / "mine").chmod(mode)
    assert vs_fails("rules", "--program", command).startswith(f"noughts: {told}")
