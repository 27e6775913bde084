"""What the game costs in device time and heap, which repeats: it is as it should be, and as we say.

The figures are those of `make bench`, which puts them into docs/measurements.md.
"""

from itertools import islice

import pytest

import bench
import bench_board

MISSED = "reset to the menu's first answer, V1 1.1.1"


@pytest.mark.parametrize(
    ("part", "rows"),
    [
        (bench_board.heap, 2),  # of V1, which has little
        (bench_board.start, None),
        (bench_board.press_to_led, None),
        (bench.sizes, None),
    ],
)
def test_targets_are_met_and_the_document_is_up_to_date(part, rows):
    document = bench.DOCUMENT.read_text().splitlines()
    for row in islice(part(), rows):
        assert row.met is (row.what != MISSED), row
        assert str(row) in document
