"""Values that stand in Python and in a page's script or stylesheet are the same."""

import re

import pytest

from microbit_emulator.chip import EDGE_PINS, FLASH_SIZE, RAM_SIZE
from noughts.markup import O_COLOUR, X_COLOUR
from noughts.protocol.data_log import MAX_SIZE
from noughts.protocol.describe import RESULTS
from noughts.protocol.sentences import MAX_LENGTH
from noughts.virtual.board import NUDGE_US

STATIC, PAGE = "host/noughts/web/static/", "host/page/"
MICROBIT = "host/microbit_emulator/core/microbit.js"


@pytest.mark.parametrize(
    ("file", "pattern", "expected"),
    [
        (f"{PAGE}data_log.js", r"MAX_SIZE = (\w+);", MAX_SIZE),
        (f"{STATIC}boards.js", r"MAX_BYTES = (\w+);", MAX_SIZE + 1),  # so the server sees it
        (f"{PAGE}sentences.js", r"MAX_LENGTH = (\w+);", MAX_LENGTH),
        (f"{PAGE}sentences.js", r"FRAME = .*{0,(\d+)}", MAX_LENGTH - len("$*hh")),
        (f"{STATIC}microbit.js", r"NUDGE_MS = (\w+);", NUDGE_US // 1000),
        (f"{PAGE}screen_board.js", r"NUDGE_US = (\w+);", NUDGE_US),
        (f"{STATIC}colours.css", r"^  --x: (#\w{6});.*--x-ground: #f", X_COLOUR),
        (f"{STATIC}colours.css", r"--o: (#\w{6});.*--x-ground: #f", O_COLOUR),
        (f"{PAGE}csv.js", r"RESULTS = {(.*)};", RESULTS),
        (MICROBIT, r"^  V1: \[(.*)\],", EDGE_PINS["V1"]),
        (MICROBIT, r"^  V2: \[(.*)\],", EDGE_PINS["V2"]),
        (MICROBIT, r"FLASH = { V1: \w+, V2: (\w+) }", FLASH_SIZE["V2"]),
        (MICROBIT, r"RAM = { V1: \w+, V2: (\w+) }", RAM_SIZE["V2"]),
    ],
)
def test_value_is_the_one_of_python(repository, file, pattern, expected):
    text = (repository / file).read_text(encoding="utf-8")
    (value,) = re.findall(pattern, text, re.MULTILINE)
    match expected:
        case int():
            assert int(value, 0) == expected
        case tuple():
            assert tuple(int(number, 0) for number in value.split(", ")) == expected
        case dict():
            assert dict(re.findall(r"'?([^ ',]+)'?: '(\w+)'", value)) == expected
        case _:
            assert value == expected
