"""`noughts flash` onto a stand-in drive, behind which the official firmware runs in device time."""

import contextlib
from dataclasses import replace

import pytest

from boards import Driver
from needed import long
from noughts import __version__, brain
from noughts.boards.files import BoardFiles
from noughts.boards.firmware import firmware_for, firmware_for_boards, universal_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import open_port
from noughts.virtual.program import program
from stepped_ports import SteppedBoard


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_flashed_verified_played(plugged_in, drive, tmp_path, noughts, printed, kind):
    """First a hex that was made before, with a table that can lose; and the game over that."""
    board = plugged_in({"main.py": b"print('something else')\n"}, kind)
    words = "flash", drive(board).path, "--port", board.port
    other = brain.Table((1,) * 10, ())
    files = {**files_for_boards(), "table.py": brain.source(other).encode()}
    path = tmp_path / "other.hex"
    firmwares = {kind: each.with_files(files) for kind, each in firmware_for_boards().items()}
    path.write_text(universal_hex(firmwares))
    status, _, err = noughts(*words, "--hex", path)
    assert status == 1 and f"the table {other.id} can play 5 in X.O......, which" in err
    assert f"game {__version__}, table {other.id}" in printed(*words, "--hex", path, "--unproved")
    told = printed(*words)
    assert "interface 0249)" in told
    assert f"started on micro:bit {kind}: game {__version__}, table 2798" in told
    driver = Driver(board.microbit)
    driver.rest(60)  # it has just said that it starts
    driver.start_game()


def test_a_v1_whose_files_cannot_be_listed_is_repaired(clock, drive, printed, refused):
    """The power went while the head of a file was written: after its marker, before its name."""
    made = program("V1")
    chunks = firmware_for("V1").layout[::128]
    at = next(at for at in chunks if made.flash[at] == 0xFF)
    torn = made.flash[:at] + b"\xfe" + made.flash[at + 1 :]
    board = SteppedBoard(clock, replace(made, flash=torn).microbit())
    told = refused("put", "--port", board.port)
    assert "could not list its files (OSError: file not found); reset it and run" in told
    assert told.endswith("; if that fails too, repair it with `noughts flash`\n")
    printed("flash", drive(board).path, "--port", board.port)
    with contextlib.closing(open_port(board.port)) as port:
        assert set(BoardFiles(port).survey()[1]) == {*files_for_boards()}


@pytest.mark.parametrize(
    ("kind", "words", "told"),
    [
        ("V1", ("--gateway", "7"), f"micro:bit V1: gateway of group 7, release {__version__}"),
        long(
            "V2",
            ("--radio", "7"),
            f"micro:bit V2: game {__version__}, table 2798, sends in group 7 as ",
        ),
    ],
)
def test_with_radio_and_as_a_gateway(plugged_in, drive, tmp_path, printed, kind, words, told):
    board = plugged_in({}, kind)
    stand_in = drive(board)
    path = tmp_path / "radio.hex"  # the same by way of a file
    printed("hex", "-o", path, *words)
    for way in words, ("--hex", path):
        assert f"started on {told}" in printed("flash", stand_in.path, "--port", board.port, *way)
