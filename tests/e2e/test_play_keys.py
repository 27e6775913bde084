"""`noughts play --keys`: the whole program, without a terminal, on both boards."""

import os
import signal
import subprocess
import sys

import pytest

from boards import LETTERS
from noughts.log.sentences import Boot, Game
from noughts.log.stream import Heard, Stream

# A game between two people that A wins, the end skipped, the next begun by B and left.
KEYS = "B 300 B 300 B 300 B 300 A B 300 B 300 B 300 B 300 AB 300"


@pytest.fixture(params=["simulated", "emulated"])
def board(request):
    if request.param == "emulated":
        request.getfixturevalue("qemu")
    return request.param


# The boards run in real time: a busy machine would let shorter presses pass unseen.
PATIENT = """
import sys
from noughts import cli
from noughts.commands import keys
keys.DOWN_MS = keys.UP_MS = 200
sys.exit(cli.main())
"""


def play(board, keys, **named):
    command = [sys.executable, "-c", PATIENT, "play", "--board", board, "--keys", keys]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, **named)


def sentences(output):
    lines = "".join(
        line.split(" ms  ")[-1] + "\r\n" for line in output.splitlines() if "$N" in line
    )
    return [item.sentence for item in Stream().feed(lines.encode()) if isinstance(item, Heard)]


def test_pictures_and_sentences_as_text(board):
    done = play(board, "A 100 B 200")
    assert (done.returncode, done.stderr) == (0, "")
    told = [block.split() for block in done.stdout.split(" ms  ")[1:]]
    pictures = [" ".join(words[1:6]) for words in told if words[0] == "LEDs"]
    # The menu's 2, then E at the press of A, then, after the press of B, the cursor of A.
    assert pictures[0] == LETTERS["2"]
    assert pictures.index(LETTERS["E"]) < pictures.index("..... ..... ..9.. ..... .....")
    heard = sentences(done.stdout)
    assert isinstance(heard[0], Boot)
    assert (heard[1].seats, heard[1].moves) == ("PE", ())


def test_the_same_game_gives_the_same_sentences_on_both_boards(qemu):
    told = []
    for board in ("simulated", "emulated"):
        games = [s for s in sentences(play(board, KEYS).stdout) if isinstance(s, Game)]
        told.append([(g.number, g.seats, g.first, g.moves, g.end) for g in games])
    assert told[0] == told[1]
    assert [game[-1] for game in told[0]] == ["-"] * 5 + ["A", "-", "-", "x"]


def test_an_interrupt_ends_the_board_too(board):
    command = [sys.executable, "-m", "noughts", "play", "--board", board, "--keys", "A 100000"]
    program = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert "$NB" in program.stdout.readline()
        program.send_signal(signal.SIGTERM)
        assert program.wait(120) == 128 + signal.SIGTERM
    finally:
        program.kill()
        program.wait()
        program.stdout.close()


def test_a_killed_qemu_is_one_line_and_exit_1(qemu, tmp_path):
    wrapper = tmp_path / "qemu"
    wrapper.write_text(f'#!/bin/sh\necho $$ > "{tmp_path}/pid"\nexec qemu-system-arm "$@"\n')
    wrapper.chmod(0o755)
    command = [sys.executable, "-m", "noughts", "play", "--board", "emulated", "--keys", "A 100000"]
    program = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "NOUGHTS_QEMU": str(wrapper)},
    )
    try:
        assert "$NB" in program.stdout.readline()
        os.kill(int((tmp_path / "pid").read_text()), signal.SIGKILL)
        assert program.wait(120) == 1
        error = program.stderr.read()
        assert error.startswith("noughts: QEMU is not running any more") and error.count("\n") == 1
    finally:
        program.kill()
        program.wait()
        program.stdout.close()
        program.stderr.close()


def test_no_qemu_falls_back_to_the_simulated_board():
    env = {**os.environ, "NOUGHTS_QEMU": "no-such-qemu"}
    command = [sys.executable, "-m", "noughts", "play", "--keys", "A"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, env=env)
    assert done.returncode == 0
    assert "playing on the simulated board" in done.stderr and done.stderr.count("\n") == 1
    assert "$NB" in done.stdout
