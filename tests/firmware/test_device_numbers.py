"""What the game costs in device time and heap, which repeats: it is as it should be, and as we say.

The figures are those of `make bench`, which puts them into docs/measurements.md. The names that our
packed files have on a board are those of its firmware: they cost no heap.
"""

import io
import keyword
import tokenize
from itertools import islice

import pytest

import bench
import bench_board
import device_memory
from boards import A, B, Driver
from needed import long
from noughts.boards.packing import NAMES
from noughts.brain.device import device_dir, device_files
from official import stepped

NOT_ON_V1 = {"v2.py", "air.py", "gateway.py"}


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        (bench_board.heap, 2),  # of V1, which has little
        (bench_board.start, None),
        (bench_board.press_to_led, 1),
        (bench_board.sizes, None),
        long(bench_board.choice, 1),
        long(bench_board.largest_table, None),
        long(bench_board.press_to_led, None),
    ],
)
def test_targets_are_met_and_the_document_is_up_to_date(part, rows):
    document = bench.DOCUMENT.read_text("utf-8").splitlines()
    for row in islice(part(), rows):
        assert row.met, row
        assert str(row) in document


@pytest.mark.long
def test_the_table_of_the_heap_is_measured(repository):
    assert device_memory.table() in (repository / "device" / "README.md").read_text("utf-8")


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V1 1.0.1")])
def test_compiling_has_memory_to_spare(firmware):
    """Where 768 bytes are taken in small pieces before, it starts and plays all the same."""
    files = device_files()
    taken = b"taken = [bytearray(48) for i in range(12)]\n"
    files["main.py"] = files["main.py"].replace(b"try:\n", taken + b"try:\n", 1)
    driver = Driver(stepped(firmware)(files))
    driver.start()
    for button in (A, B):
        driver.press(button, up_ms=700)
    assert len(driver.games) == 1 and not driver.noise


def words(source):
    tokens = tokenize.generate_tokens(io.StringIO(source.decode()).readline)
    return {token.string for token in tokens if token.type == tokenize.NAME}


def used(but=()):
    files = (path for path in device_dir().glob("*.py") if path.name not in but)
    return set().union(*(words(path.read_bytes()) for path in files))


def in_firmware(name, flash):
    """Whether a firmware has interned it: its length stands before it, in one byte."""
    return bytes([len(name)]) + name.encode() + b"\0" in flash


@pytest.mark.parametrize(
    "firmware", ["V1 1.1.1", "V2 2.1.2", long("V1 1.0.1"), long("V2 2.0.0-beta.5")]
)
def test_a_name_that_is_replaced_is_not_the_firmwares(firmware):
    """So no program calls anything of the firmware's by it."""
    flash = stepped(firmware)({}).flash
    assert not [name for name in NAMES if in_firmware(name, flash)]


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V1 1.0.1")])
def test_a_v1_has_the_names_that_it_gets(firmware):
    flash = stepped(firmware)({}).flash
    names = used(NOT_ON_V1) & set(NAMES)
    assert not [name for name in names if not in_firmware(NAMES[name], flash)]


def test_all_names_are_used_and_no_two_become_one():
    assert set(NAMES) <= used() and not used() & set(NAMES.values())
    assert len(set(NAMES.values())) == len(NAMES)
    assert not [name for name in NAMES.values() if keyword.iskeyword(name)]
