"""What the game costs in device time and heap, which repeats: it is as it should be, and as we say.

The figures are those of `make bench`, which puts them into docs/measurements.md.
"""

from itertools import islice

import pytest

import bench
import bench_board
import device_memory
from boards import A, B, Driver
from needed import long
from noughts.device_files import device_files
from official import stepped


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
