"""The game's cost in device time and heap: repeatable, within its targets, and as documented.

The figures are those that `make bench` writes to docs/measurements.md. In our packed files, names
are replaced by names that the firmware already has: they cost no heap.
"""

import io
import keyword
import tokenize
from itertools import islice

import pytest

import bench
import bench_board
import bench_radio
import device_memory
from boards import A, B, Driver
from needed import long
from noughts.boards.packing import NAMES, VARIABLES, files_for_boards
from noughts.boards.radio import OFF, files_with
from noughts.brain.device import device_files, device_sources
from official import stepped


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        (bench_board.heap, 2),  # of a V1, which has little
        (bench_board.start, None),
        (bench_board.press_to_led, 1),
        (bench_board.sizes, None),
        long(bench_board.choice, 1),
        long(bench_board.largest_table, None),
        long(bench_board.press_to_led, None),
        long(bench_radio.radio_heap, None),
        long(bench_radio.radio_room, None),
        long(bench_radio.radio_start, None),
        long(bench_radio.radio_moves, None),
        long(bench_radio.radio_presses, None),
    ],
)
def test_targets_are_met_and_the_document_is_up_to_date(part, rows):
    lines = bench.DOCUMENT.read_text("utf-8").splitlines()
    documented = {line.split(" | ")[0]: line for line in lines}
    for row in islice(part(), rows):
        assert row.met, row
        assert documented.get(f"| {row.what}") == str(row)


@pytest.mark.long
def test_heap_table_in_the_document_is_up_to_date(repository):
    documented = (repository / "device" / "README.md").read_text("utf-8").splitlines()
    assert not [line for line in device_memory.table().splitlines() if line not in documented]


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V1 1.0.1")])
def test_compiling_has_memory_to_spare(firmware):
    """Even with 768 bytes already taken, in small pieces, it starts and plays."""
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


def words_of(sources):
    return set().union(*map(words, sources))


def in_firmware(name, flash):
    """Whether a firmware has interned it: a byte with its length comes first."""
    return bytes([len(name)]) + name.encode() + b"\0" in flash


@pytest.mark.parametrize(
    "firmware", ["V1 1.1.1", "V2 2.1.2", long("V1 1.0.1"), long("V2 2.0.0-beta.5")]
)
def test_replaced_names_are_not_in_the_firmware(firmware):
    """So no program uses one of them to call the firmware."""
    flash = stepped(firmware)({}).flash
    assert not [name for name in NAMES if in_firmware(name, flash)]


@pytest.mark.parametrize("firmware", ["V1 1.1.1", long("V1 1.0.1")])
def test_v1_interns_only_names_of_modules_and_of_its_table(firmware):
    files = files_with(OFF, "V1", files_for_boards())
    flash = stepped(firmware)({}).flash
    names = words_of(files.values()) - {*keyword.kwlist}
    interned = {name for name in names if not in_firmware(name, flash)}
    modules = {name.removesuffix(".py") for name in device_files()}
    assert interned <= modules | words(files["table.py"])


def test_every_name_is_used_and_replacements_are_unique():
    used, replacements = words_of(device_sources().values()), [*NAMES.values(), *VARIABLES]
    assert {*NAMES} <= used and not used & {*NAMES.values()}
    assert len({*replacements}) == len(replacements)
    assert not [name for name in replacements if keyword.iskeyword(name)]
