"""A hostile serial line and damaged files, on the real firmware."""

import re
from pathlib import Path

import pytest

from boards import A, B, Player, scrolled, text
from needed import long
from noughts.brain.device import device_files
from noughts.virtual.program import program
from soak import serial_noise


@pytest.mark.parametrize(("board", "rounds"), [("V1", 1), long("V1", 2), long("V2", 2)])
def test_serial_noise_changes_no_game_and_ctrl_d_starts_another(board, rounds):
    result = serial_noise.SerialNoise(board, seed=4).run(rounds)
    assert not result.failure
    assert result.counts["interruptions"] == rounds
    assert result.counts["flooded"] > 5_000 * rounds


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_a_damaged_choice_is_mended(board):
    """What the menu makes of other damage is in test_device.py."""
    player = Player(program(board, {**device_files(), "settings": b"\xff\xfe"}).microbit())
    player.start()
    assert player.choice() == "Pb"
    player.tap(A)  # E
    player.begin()
    player.leave()
    player.cut_power()
    player.start()
    assert player.choice() == "Eb"


TABLE = device_files()["table.py"]
CUT, HUGE = TABLE[TABLE.index(b"ID =") :], b"ROWS = (%s)\nWEIGHTS =" % (b"123456, " * 1_100)
FAULTS = {
    "no table": ("table.py", TABLE, None, b"ImportError: no module named 'table'"),
    "a table cut short": ("table.py", CUT, b"", b"Error"),
    "a huge table": ("table.py", b"WEIGHTS =", HUGE, b""),
    "a table's unknown import": ("table.py", b"WEIGHTS =", b"import no\nWEIGHTS =", b"ImportErr"),
    "no loop": ("loop.py", device_files()["loop.py"], None, b"ImportError: no module named 'loop'"),
    "syntax": ("game.py", b"    while True:\n", b"    while True\n", b"SyntaxError"),
    "in the loop": ("loop.py", b"    sentences.send(", b"    None + 0\n    (", b"TypeError"),
    "an import of nothing": ("ai.py", b"import table\n", b"import table, timer\n", b"ImportError"),
    "too much": ("rules.py", b"THROUGH = (", b"ZEROS = [0] * 9000\nTHROUGH = (", b"MemoryError"),
}
"""In a file of the game this in the place of that, or no file; and what the board then says."""


@pytest.mark.parametrize(
    ("board", "fault"),
    [
        *(("V1", name) if "unknown" not in name else long("V1", name) for name in FAULTS),
        long("V2", "syntax"),
    ],
)
def test_a_fault_is_told_on_the_leds_and_on_the_serial_line(board, fault):
    name, old, new, said = FAULTS[fault]
    files = device_files()
    assert old in files[name]
    if new is None:
        del files[name]
    else:
        files[name] = files[name].replace(old, new, 1)
    firmware = {"V1": "V1 1.1.1", "V2": "V2 2.1.2"}[board]
    incomplete, mistaken = (scrolled(firmware, each) for each in ("files incomplete", "error"))
    expected, unexpected = mistaken, incomplete
    if new is None or name == "table.py":
        expected, unexpected = incomplete, mistaken
    machine, seen = program(board, files).microbit(), set()

    def told():
        seen.add(machine.leds())
        return len(seen & (expected - unexpected)) >= 8

    assert machine.run_until(told, timeout_us=20e6, step_us=20_000)
    assert not seen & (unexpected - expected)
    sent = machine.uart.receive()
    assert b"$" not in sent and b"Traceback (most recent call last):\r\n" in sent
    assert said in sent
    if expected is mistaken:
        assert b'  File "%s", line ' % name.encode() in sent


def test_a_mistake_is_printed_where_no_memory_is_left_for_the_leds():
    files = device_files()
    full = b"\nkept = [[i] for i in range(40)]\ntabel\n"
    files["sentences.py"] += full
    board = program("V1", files).microbit()
    board.run_for(4e6)
    first, *more = board.uart.receive().split(b"Traceback")[1:]
    assert b"NameError: name 'tabel' is not defined" in first
    assert more and b'"fault.py"' in more[0]


def test_the_files_that_may_be_missing_are_ours():
    """Nothing works without `main.py` and `fault.py`; of the table, its being there is seen."""
    ours = b"".join(re.findall(rb'"([a-z0-9 ]+ )"', device_files()["fault.py"]))
    others = {"main", "fault", "table"}
    assert {*ours.decode().split(), *others} == {Path(name).stem for name in device_files()}


@pytest.mark.parametrize(
    ("board", "old", "new"),
    [
        ("V1", b"BOOK = ", b"BOOKS = "),
        long("V1", b"WEIGHTS = ", b"WEIGHTS = b'123'\nOTHERS = "),
        long("V2", b"BOOK = ", b"BOOKS = "),
    ],
)
def test_a_table_that_hard_fails_over_leaves_the_other_levels(board, old, new):
    assert old in TABLE
    files = {**device_files(), "table.py": TABLE.replace(old, new)}
    machine = program(board, files).microbit()
    player = Player(machine)
    player.start()
    for _ in range(3):
        player.tap(A)
    player.begin()  # hard
    machine.tap(B)
    sad_face = "..... .9.9. ..... .999. 9...9"
    assert machine.run_until(lambda: text(machine.leds()) == sad_face)
    machine.run_for(2_500_000)  # and the menu again
    sent = machine.uart.receive()
    assert b"Traceback" in sent and b"Error" in sent
    player.tap(A)  # two people
    assert player.choice() == "Pb"
