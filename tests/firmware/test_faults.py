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
def test_serial_noise_does_not_disturb_games_and_ctrl_d_restarts(board, rounds):
    result = serial_noise.SerialNoise(board, seed=4).run(rounds)
    assert not result.failure
    assert result.counts["interruptions"] == rounds
    assert result.counts["flooded"] > 5_000 * rounds


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_damaged_settings_file_is_repaired(board):
    """For how the menu handles other damage, see test_device.py."""
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
    "truncated table": ("table.py", CUT, b"", b"Error"),
    "huge table": ("table.py", b"WEIGHTS =", HUGE, b""),
    "unknown import in table": ("table.py", b"WEIGHTS =", b"import no\nWEIGHTS =", b"ImportErr"),
    "no loop": ("loop.py", device_files()["loop.py"], None, b"ImportError: no module named 'loop'"),
    "syntax error": ("game.py", b"    while True:\n", b"    while True\n", b"SyntaxError"),
    "error in start": (
        "menu.py",
        b"    sentences.send(sentences.op",
        b"    None + 0\n    (sentences.op",
        b"TypeError",
    ),
    "failing import": ("ai.py", b"import table\n", b"import table, timer\n", b"ImportError"),
    "too big": ("rules.py", b"THROUGH = ", b"ZEROS = [0] * 9000\nTHROUGH = ", b"MemoryError"),
}
"""The file, its old code, its new code (None: no file), and what the board then prints."""


@pytest.mark.parametrize(
    ("board", "fault"),
    [
        *(("V1", name) if "unknown" not in name else long("V1", name) for name in FAULTS),
        long("V2", "syntax error"),
    ],
)
def test_fault_is_shown_on_the_leds_and_the_serial_line(board, fault):
    name, old, new, printed = FAULTS[fault]
    files = device_files()
    assert old in files[name]
    if new is None:
        del files[name]
    else:
        files[name] = files[name].replace(old, new, 1)
    firmware = {"V1": "V1 1.1.1", "V2": "V2 2.1.2"}[board]
    incomplete, mistaken = (scrolled(firmware, text) for text in ("files incomplete", "error"))
    expected, unexpected = mistaken, incomplete
    if new is None or name == "table.py":
        expected, unexpected = incomplete, mistaken
    machine, seen = program(board, files).microbit(), set()

    def shown():
        seen.add(machine.leds())
        return len(seen & (expected - unexpected)) >= 8

    assert machine.run_until(shown, timeout_us=20e6, step_us=20_000)
    assert not seen & (unexpected - expected)
    sent = machine.uart.receive()
    assert b"$" not in sent and b"Traceback (most recent call last):\r\n" in sent
    assert printed in sent
    if expected is mistaken:
        assert b'  File "%s", line ' % name.encode() in sent


def test_error_is_printed_when_the_leds_lack_memory_to_show_it():
    files = device_files()
    full = b"\nkept = [[i] for i in range(40)]\ntabel\n"
    files["sentences.py"] += full
    board = program("V1", files).microbit()
    board.run_for(4e6)
    first, *more = board.uart.receive().split(b"Traceback")[1:]
    assert b"NameError: name 'tabel' is not defined" in first
    assert more and b'"fault.py"' in more[0]


def test_fault_module_lists_every_device_file():
    """Except `main.py` and `fault.py`, which nothing works without, and the table it imports."""
    ours = b"".join(re.findall(rb'"([a-z0-9_ ]+ )"', device_files()["fault.py"]))
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
def test_table_that_breaks_hard_returns_to_the_menu(board, old, new):
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
    machine.run_for(2_500_000)  # then the menu again
    sent = machine.uart.receive()
    assert b"Traceback" in sent and b"Error" in sent
    for _ in range(2):
        player.tap(A)  # past another board, to two people
    assert player.choice() == "Pb"
