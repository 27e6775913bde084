"""A hostile serial line and damaged files, on the real firmware."""

import time

import pytest
from noughts.simulator.picture import scrolled

from boards import Driver
from noughts.boards import emulated as emulated_board
from noughts.boards import flash_memory
from noughts.device_files import device_files
from noughts.firmware import image
from soak import shouts
from soak.machine import Machine
from soak.player import A, B, Player

pytestmark = pytest.mark.usefixtures("qemu")


def test_shouting_changes_no_game_and_ctrl_d_starts_another():
    result = shouts.Shouts(seed=4).run(3)
    assert not result.failure
    assert result.interruptions == 3
    assert result.flooded > 5_000


def test_a_game_that_listens_to_what_is_shouted_is_noticed(monkeypatch):
    files = device_files()
    answer = b"    if microbit.uart.any():\n        return microbit.uart.read(1)[0] & 1\n"
    listening = files["buttons.py"].replace(b"    button = 0\n", b"    button = 0\n" + answer)
    assert listening != files["buttons.py"]
    monkeypatch.setattr("soak.machine.files_for_boards", lambda: {**files, "buttons.py": listening})
    assert "in a flood says" in shouts.Shouts(seed=4).run(3).failure


def machine_with(name, content):
    """The game on a machine, with this file among its files, or without any of this name."""
    files = {**device_files(), name: content or b"\xff"}
    if content is None:
        del files[name]
    if content != b"":
        return Machine(files=files)
    # The library that packs files takes no empty ones; the firmware does.
    memory = image.for_v1().with_files(files)
    flash = bytearray(memory.tobinstr(0, flash_memory.SIZE - 1))
    header = bytes([0xFE, 2 + len(name) + 1, len(name)]) + name.encode()
    flash[flash.index(header) + 1] -= 1  # where the file ends
    return Machine(flash=bytes(flash))


SETTINGS = {
    "empty": b"",
    "one letter": b"H",
    "a level of no kind": b"Zb",
    "controls of no kind": b"Hq",
    "no text": b"\xff\xfe",
    "half of a letter": b"\xc3",
    "more than there should be": b"Hb and more",
    "zeros": bytes(2),
    "huge": b"Hb" * 4_000,
    "another program's": b'{"volume": 11, "name": "robot"}\n',
}


@pytest.mark.parametrize("damage", SETTINGS)
def test_damaged_settings_mean_the_defaults_and_are_mended(damage):
    with machine_with("settings", SETTINGS[damage]) as machine:
        player = Player(machine)
        player.boots()
        assert player.choice() == "Pb"
        player.tap(A)  # E
        player.start()
        player.leave()
        machine.reset()
        player.boots()
        assert player.choice() == "Eb"


GOOD = device_files()["table.py"]
TABLES = {
    "missing": None,
    "empty": b"",
    "cut short before its id": GOOD[: GOOD.index(b"ID =")],
    "cut short in its weights": GOOD[: GOOD.index(b"WEIGHTS =") + 20],
    "no text": bytes(range(128, 256)) * 4,
    "zeros": bytes(500),
    "another program's": b"from microbit import *\nrows = [1, 2, 3]\n",
    "an unknown import": b"import nothing\n" + GOOD,
    "huge": b"ROWS = (" + b"123456, " * 1_100 + b")\n" + GOOD,
}


@pytest.mark.parametrize("damage", TABLES)
def test_a_damaged_table_is_told_on_the_leds(damage):
    assert b"Traceback" in fails("table.py", TABLES[damage], "files incomplete")


def fails(name, content, text):
    """What a board says that does not start with this file; on its LEDs it scrolls the text."""
    display = emulated_board.find_display(image.for_v1()) + emulated_board.FRAME_BUFFER
    pictures = [frozenset(scrolled(each)) for each in ("files incomplete", "error")]
    seen = set()
    with machine_with(name, content) as machine:
        machine.rest(2_000)
        for _ in range(200):
            machine.rest(100)
            columns = machine.memory(display, 25)
            seen.add(bytes(columns[x * 5 + y] for y in range(5) for x in range(5)))
        heard = machine.heard()
    assert b"$" not in heard
    incomplete, error = (len(seen & each) / len(each) for each in pictures)
    assert incomplete > 0.9 > error if text == "files incomplete" else error > 0.9 > incomplete
    return heard


MISTAKES = {
    "a name that is unknown": ("ai.py", b"import table\n", b"import table\ntabel\n", b"NameError"),
    "syntax": ("game.py", b"    while True:\n", b"    while True\n", b"SyntaxError"),
    "an indent": ("person.py", b"    pending = 0\n", b"   pending = 0\n", b"IndentationError"),
    "in the loop": (
        "loop.py",
        b"    sentences.send(",
        b"    None + 0\n    sentences.send(",
        b"TypeError",
    ),
    "too much": ("rules.py", b"THROUGH = (", b"ZEROS = [0] * 9000\nTHROUGH = (", b"MemoryError"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_told_on_the_leds_and_on_the_serial_line(mistake):
    name, old, new, error = MISTAKES[mistake]
    files = device_files()
    assert old in files[name]
    heard = fails(name, files[name].replace(old, new, 1), "error")
    assert b"Traceback (most recent call last):\r\n" in heard
    assert b'  File "%s", line ' % name.encode() in heard
    assert b"\r\n" + error in heard


def test_a_mistake_is_printed_where_no_memory_is_left_for_the_leds():
    files = device_files()
    full = b"\nkept = [[i] for i in range(40)]\ntabel\n"
    with Machine(files={**files, "sentences.py": files["sentences.py"] + full}) as machine:
        for _ in range(20):  # some hundred bytes are heard at each stop
            machine.rest(200)
        first, *more = machine.heard().split(b"Traceback")[1:]
    assert b"NameError: name 'tabel' is not defined" in first
    assert more and b'"fault.py"' in more[0]


@pytest.mark.parametrize("name", ["loop.py", "game.py", "tilt.py"])
def test_a_missing_file_is_told_on_the_leds(name):
    module = name.removesuffix(".py").encode()
    assert b"ImportError: no module named '%s'" % module in fails(name, None, "files incomplete")


WRONG_VALUES = {
    "weights of too few lines": GOOD.replace(b"WEIGHTS = ", b"WEIGHTS = b'123'\nOTHERS = "),
    "weights that are none": GOOD.replace(b"WEIGHTS = ", b"WEIGHTS = None\nOTHERS = "),
    "no book": GOOD.replace(b"BOOK = ", b"BOOKS = "),
}


@pytest.mark.parametrize("damage", WRONG_VALUES)
def test_a_table_that_hard_fails_over_leaves_the_other_levels(damage):
    assert WRONG_VALUES[damage] != GOOD
    with Machine(files={**device_files(), "table.py": WRONG_VALUES[damage]}) as machine:
        player = Player(machine)
        player.boots()
        for _ in range(3):
            player.tap(A)
        player.start()  # hard
        machine.contact(B, True)
        machine.rest(80)
        machine.contact(B, False)
        machine.rest(4_000)  # a sad face, and the menu again
        heard = machine.heard()
        assert b"Traceback" in heard and b"Error" in heard
        player.tap(A)  # two people
        assert player.choice() == "Pb"


def test_a_host_that_never_reads_holds_nothing_up(emulated):
    """The line is full, and stays so while a game begins and a mark is placed."""
    board = emulated()
    driver = Driver(board)
    driver.start()
    board._line.feed(b"#" * 100_000)  # far more than the system keeps for a reader
    for picture in (set(), {12}):
        board.press(B)
        unread(board, 250)
        board.release(B)
        unread(board, 400)
        lit = [board.leds() for _ in range(20) if not unread(board, 37)]
        steady = {led for led in range(25) if all(leds[led] == 9 for leds in lit)}
        assert steady == picture
        assert len(set(lit)) > 1  # the cursor blinks
    driver.press(B)
    assert driver.says("41", "-").number == 1


def unread(board, ms):
    """Wait for device time, without reading a byte."""
    end = board.clock_us() + ms * 1000
    while board.clock_us() < end:
        time.sleep(0.002)
