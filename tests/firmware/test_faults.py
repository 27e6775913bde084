"""A hostile serial line and damaged files, on the real firmware."""

import re
from functools import partial
from pathlib import Path

import pytest

from boards import scrolled, text
from button_presser import A, B, Machine, Player
from needed import long
from noughts.device_files import device_files
from soak import serial_noise


@pytest.mark.parametrize(("board", "rounds"), [("V1", 1), long("V1", 2), long("V2", 2)])
def test_serial_noise_changes_no_game_and_ctrl_d_starts_another(board, rounds):
    result = serial_noise.SerialNoise(board, seed=4).run(rounds)
    assert not result.failure
    assert result.counts["interruptions"] == rounds
    assert result.counts["flooded"] > 5_000 * rounds


def test_a_game_that_listens_to_serial_noise_is_noticed(monkeypatch):
    files = device_files()
    answer = b"    if microbit.uart.any():\n        return microbit.uart.read(1)[0] & 1\n"
    listening = files["buttons.py"].replace(b"    button = 0\n", b"    button = 0\n" + answer)
    assert listening != files["buttons.py"]
    files = {**files, "buttons.py": listening}
    monkeypatch.setattr(serial_noise, "Machine", partial(Machine, files=files))
    assert "in a flood says" in serial_noise.SerialNoise("V1", seed=4).run(3).failure


def machine_with(name, content, board="V1"):
    """The game on a machine, with this file among its files, or without any of this name."""
    files = {**device_files(), name: content}
    if content is None:
        del files[name]
    return Machine(board, files=files)


@pytest.mark.parametrize("board", ["V1", long("V2")])
def test_a_damaged_choice_is_mended(board):
    """What the menu makes of other damage is in test_device_modules.py."""
    machine = machine_with("settings", b"\xff\xfe", board)
    player = Player(machine)
    player.boots()
    assert player.choice() == "Pb"
    player.tap(A)  # E
    player.start()
    player.leave()
    machine.cut_power()
    player.boots()
    assert player.choice() == "Eb"


GOOD = device_files()["table.py"]
TABLES = {
    "missing": None,
    "cut short before its id": GOOD[: GOOD.index(b"ID =")],
    "an unknown import": b"import nothing\n" + GOOD,
    "huge": b"ROWS = (" + b"123456, " * 1_100 + b")\n" + GOOD,
}


@pytest.mark.parametrize(
    "damage", ["missing", "cut short before its id", "huge", long("an unknown import")]
)
def test_a_damaged_table_is_told_on_the_leds(damage):
    assert b"Traceback" in fails("table.py", TABLES[damage], "files incomplete")


def fails(name, content, text, board="V1"):
    """What a board says that does not start with this file; on its LEDs it scrolls the text."""
    firmware = {"V1": "V1 1.1.1", "V2": "V2 2.1.2"}[board]
    other = "error" if text == "files incomplete" else "files incomplete"
    expected, unexpected = scrolled(firmware, text), scrolled(firmware, other)
    machine = machine_with(name, content, board)
    seen = set()

    def told():
        seen.add(machine.microbit.leds())
        return len(seen & (expected - unexpected)) >= 8

    assert machine.microbit.run_until(told, timeout_us=20e6, step_us=20_000)
    assert not seen & (unexpected - expected)
    heard = machine.heard()
    assert b"$" not in heard
    return heard


MISTAKES = {
    "syntax": ("game.py", b"    while True:\n", b"    while True\n", b"SyntaxError"),
    "in the loop": (
        "loop.py",
        b"    sentences.send(",
        b"    None + 0\n    sentences.send(",
        b"TypeError",
    ),
    "an import of nothing": ("ai.py", b"import table\n", b"import table, timer\n", b"ImportError"),
    "too much": ("rules.py", b"THROUGH = (", b"ZEROS = [0] * 9000\nTHROUGH = (", b"MemoryError"),
}


@pytest.mark.parametrize(
    ("board", "mistake"), [*(("V1", mistake) for mistake in MISTAKES), long("V2", "syntax")]
)
def test_a_mistake_is_told_on_the_leds_and_on_the_serial_line(board, mistake):
    name, old, new, error = MISTAKES[mistake]
    files = device_files()
    assert old in files[name]
    heard = fails(name, files[name].replace(old, new, 1), "error", board)
    assert b"Traceback (most recent call last):\r\n" in heard
    assert b'  File "%s", line ' % name.encode() in heard
    assert b"\r\n" + error in heard


def test_a_mistake_is_printed_where_no_memory_is_left_for_the_leds():
    files = device_files()
    full = b"\nkept = [[i] for i in range(40)]\ntabel\n"
    machine = Machine("V1", files={**files, "sentences.py": files["sentences.py"] + full})
    machine.rest(4000)
    first, *more = machine.heard().split(b"Traceback")[1:]
    assert b"NameError: name 'tabel' is not defined" in first
    assert more and b'"fault.py"' in more[0]


def test_the_files_that_may_be_missing_are_ours():
    """Nothing works without `main.py` and `fault.py`; of the table, its being there is seen."""
    ours = b"".join(re.findall(rb'"([a-z0-9 ]+ )"', device_files()["fault.py"]))
    others = {"main", "fault", "table"}
    assert {*ours.decode().split(), *others} == {Path(name).stem for name in device_files()}


@pytest.mark.parametrize("name", ["loop.py", long("game.py"), "tilt.py"])
def test_a_missing_file_is_told_on_the_leds(name):
    module = name.removesuffix(".py").encode()
    assert b"ImportError: no module named '%s'" % module in fails(name, None, "files incomplete")


WRONG_VALUES = {
    "no book": GOOD.replace(b"BOOK = ", b"BOOKS = "),
    "weights of too few lines": GOOD.replace(b"WEIGHTS = ", b"WEIGHTS = b'123'\nOTHERS = "),
}


@pytest.mark.parametrize(
    ("board", "damage"),
    [("V1", "no book"), long("V1", "weights of too few lines"), long("V2", "no book")],
)
def test_a_table_that_hard_fails_over_leaves_the_other_levels(board, damage):
    assert WRONG_VALUES[damage] != GOOD
    machine = Machine(board, files={**device_files(), "table.py": WRONG_VALUES[damage]})
    player = Player(machine)
    player.boots()
    for _ in range(3):
        player.tap(A)
    player.start()  # hard
    machine.contact(B, True)
    machine.rest(80)
    machine.contact(B, False)
    sad_face = "..... .9.9. ..... .999. 9...9"
    assert machine.microbit.run_until(lambda: text(machine.microbit.leds()) == sad_face)
    machine.rest(2_500)  # and the menu again
    heard = machine.heard()
    assert b"Traceback" in heard and b"Error" in heard
    player.tap(A)  # two people
    assert player.choice() == "Pb"
