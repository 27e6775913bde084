"""Reading the data log of a V2: whole, cut short, damaged, and shared with other programs."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_logs import HEADING, data_log, log_on_drive, row
from noughts.errors import DataLogError
from noughts.protocol.data_log import MAX_SIZE, games
from official import stepped
from sample_games import stages
from soak.machine import Machine
from soak.player import B, Player

ONE = replace(stages([4, 0, 8, 2, 1], "x")[-1], boot="3E5A5FD2")
TWO = replace(stages([0, 3, 1, 4, 2], number=2)[-1], boot="3E5A5FD2")


def test_the_games_of_an_emulated_v2():
    machine = Machine("V2", 3)
    player = Player(machine)
    player.boots()
    for _ in range(2):
        player.start()
        player.tap(B)
        player.leave()
    ended = [game for game in player.games if game.end != "-"]
    assert len(ended) == 2 and games(log_on_drive(machine.microbit)) == ended


def test_rows_beside_the_columns_of_another_program():
    """As the firmware writes them, where a program has used the same log before and between."""
    program = f"""
import log
log.set_labels('temp', timestamp=log.SECONDS)
log.add(temp=1)
ours = '{HEADING}'.split(',')
log.set_labels(*ours, timestamp=None)
log.add(dict(zip(ours, '{row(ONE)}'.split(','))))
log.add(late=5)
log.add(dict(zip(ours, '{row(TWO)}'.split(','))))
print('done')
"""
    board = stepped("V2 2.1.2")({"main.py": program.encode()})
    assert board.run_until(lambda: b"done" in board.uart.received, 60e6, step_us=20_000)
    assert games(log_on_drive(board)) == [ONE, TWO]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([HEADING], []),
        ([HEADING, row(ONE), row(TWO)], [ONE, TWO]),
        ([row(ONE), row(TWO)], [ONE, TWO]),  # the first start was cut
        ([HEADING, row(ONE)[:-3], row(TWO)], [TWO]),  # so was a row
        ([HEADING, "21.5,3", row(TWO), "ä,\x1b[2J"], [TWO]),
        ([HEADING, row(replace(ONE, end="-")), row(ONE)], [ONE]),
    ],
)
def test_rows(rows, expected):
    assert games(data_log(*rows)) == expected


WHOLE = data_log(HEADING, row(ONE))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a micro:bit's data log"),
        (b"<!doctype html><title>micro:bit</title>", "not a micro:bit's data log"),
        (WHOLE[:2040], "not a micro:bit's data log"),
        (WHOLE[:2060], "not a micro:bit's data log"),
        (WHOLE[:9000], "cut short at 9,000 bytes"),
        (WHOLE[:0x1EFFB], "cut short"),
        (data_log(row(ONE), end=0xFFFFFFFF), "cut short"),
        (data_log(row(ONE), start=0x1F000), "damaged"),
        (data_log(row(ONE), start=0), "damaged"),
        (data_log(row(ONE), row(TWO) + "\0\0\0"), "damaged"),
        (WHOLE.ljust(MAX_SIZE + 1), "too large"),
        (data_log("Time (seconds),temp", "1.03,21"), "holds no games of noughts"),
        (data_log("1.03,21"), "holds no games of noughts"),
    ],
    ids=lambda value: value if isinstance(value, str) else "log",
)
def test_a_file_without_a_whole_log_of_ours(content, why):
    with pytest.raises(DataLogError, match=r"^pupil\.htm (is|holds) .*; ") as raised:
        games(content, "pupil.htm")
    assert why in str(raised.value) and "\n" not in str(raised.value)


@given(st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255))), st.integers(0))
def test_any_damage_is_an_error_or_leaves_legal_games(changes, length):
    content = bytearray(WHOLE)
    for at, byte in changes:
        content[at % 9000] = byte  # where there is something to damage
    try:
        found = games(bytes(content[: len(WHOLE) - length % 3000]))
    except DataLogError:
        return
    assert all(game.end != "-" for game in found)
