"""Firmware files and the flash file system."""

import contextlib
import io
import itertools

import intelhex
import pytest
import uflash
from hypothesis import given, settings
from hypothesis import strategies as st
from micropython_microbit_fs.filesystem import CHUNK_DATA_SIZE, CHUNK_SIZE
from micropython_microbit_fs.uicr import UicrAddress

from noughts.boards.firmware import (
    firmware_for,
    firmware_for_boards,
    load_firmware,
    read_firmware,
    size_on_board,
    universal_hex,
)
from noughts.boards.packing import files_for_boards
from noughts.errors import FirmwareError
from slim import V2_TABLE, slim

UNIVERSAL = uflash._RUNTIME.strip() + "\n"
"""Of 2018 and 2021."""
NAMES = st.text("abcdefghijklmnopqrstuvwxyz_.", min_size=1, max_size=20)


def changed(board, bytes_at):
    """The firmware for a board, its bytes changed, as a plain hex; its checksums are right."""
    memory, text = intelhex.IntelHex(slim(board).memory), io.StringIO()
    for address, content in bytes_at.items():
        memory.puts(address, content)
    memory.write_hex_file(text)
    return text.getvalue()


@settings(max_examples=30)
@given(st.dictionaries(NAMES, st.binary(min_size=1, max_size=600), max_size=8))
def test_files_survive_the_round_trip(files):
    for board in ("V1", "V2"):
        firmware = slim(board)
        assert firmware.with_files(files).files() == files


@settings(max_examples=30)
@given(st.lists(st.binary(min_size=CHUNK_SIZE, max_size=CHUNK_SIZE), max_size=6), st.data())
def test_a_damaged_file_system_is_an_expected_failure(chunks, data):
    firmware = slim("V1").with_files({})
    for number, chunk in enumerate(chunks):
        tail = data.draw(st.sampled_from([0, 1, number + 2, 200, 255]))
        start = firmware.layout.start + number * CHUNK_SIZE
        firmware.memory.puts(start, b"\xfe" + chunk[1:-1] + bytes([tail]))
    with contextlib.suppress(FirmwareError):
        firmware.files()


def test_the_firmware_of_most_boards_and_the_bundled_one():
    found = [
        (each.board, each.release, each.micropython, each.layout)
        for each in (*read_firmware(UNIVERSAL, "it").values(), *firmware_for_boards().values())
    ]
    # uflash packs V2's files where it finds room for them.
    of_uflash = range(uflash._FS_START_ADDR_V2, uflash._FS_END_ADDR_V2)
    assert found == [
        ("V1", "1.0.1", "1.9.2", range(0x38C00, 0x3F800)),
        ("V2", "2.0.0-beta.5", "1.13", of_uflash),
        ("V1", "1.1.1", "1.9.2", range(0x38800, 0x3F800)),
        ("V2", "2.1.2", "1.18", range(0x6D000, 0x72000)),
    ]


def test_our_files_fill_chunks():
    files = files_for_boards()
    for firmware in firmware_for_boards().values():
        packed = firmware.with_files(files)
        assert packed.memory[firmware.layout.stop] == 0xFD  # as the firmware would write it
    assert [size_on_board("main.py", size) for size in (1, 116, 117)] == [128, 128, 256]


@pytest.mark.parametrize(
    ("board", "bytes_at", "layout"),
    [
        *((board, {}, slim(board).layout) for board in ("V1", "V2")),  # a plain hex
        ("V1", {UicrAddress["PAGES_USED"]: b"\xa0\0"}, range(0x38000, 0x3F800)),
        ("V2", {V2_TABLE + 0x22: b"\x6e"}, range(0x6E000, 0x73000)),
    ],
)
def test_a_layout_elsewhere_is_found(board, bytes_at, layout):
    (found,) = read_firmware(changed(board, bytes_at), "it").values()
    assert (found.board, found.layout) == (board, layout)
    assert bytes_at or found.memory.todict() == slim(board).memory.todict()


@pytest.mark.parametrize(
    ("board", "bytes_at"),
    [
        ("V1", {UicrAddress["MAGIC"]: bytes(4)}),
        ("V1", {UicrAddress["PAGE_SIZE"]: b"\xff\xff\xff\xff"}),
        ("V1", {UicrAddress["PAGES_USED"]: b"\xff\xff"}),
        ("V1", {UicrAddress["VERSION_LOC"]: b"\xff\xff\xff\xff"}),
        ("V2", {V2_TABLE + 0x30: bytes(4)}),
        ("V2", {V2_TABLE + 0x38: b"\xff\xff"}),  # rows, beyond the beginning of memory
        ("V2", {V2_TABLE + 0x3A: b"\x20\0"}),  # pages of 4 GB
        ("V2", {V2_TABLE + 0x24: b"\xff\xff\xff\xff"}),  # the file system's length
        ("V1", {0x2000_0000: b"beyond"}),
    ],
)
def test_a_firmware_that_says_what_cannot_be(board, bytes_at):
    with pytest.raises(FirmwareError, match=r"it holds no MicroPython.*; use an official"):
        read_firmware(changed(board, bytes_at), "it")


def test_the_official_universal_hex_is_written_as_it_was():
    assert universal_hex(read_firmware(UNIVERSAL, "it")) == UNIVERSAL


@pytest.mark.parametrize(
    ("files", "why"),
    [
        ({"a": b""}, r"micro:bit V2: .*; rename or fill it"),
        ({"a" * 121: b"a"}, r"micro:bit V2: .*; rename or fill it"),
        ({"a": bytes(160 * CHUNK_DATA_SIZE)}, r"V2: .* 128 bytes too big .* 20,480"),
    ],
)
def test_files_that_cannot_be(files, why):
    with pytest.raises(FirmwareError, match=why):
        slim("V2").with_files(files)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("print('hello')\n", "not a hex file"),
        (UNIVERSAL.replace(":10", ":11", 1), "damaged in line 3"),
        (UNIVERSAL.replace("C0DEBB", "C0DEBC", 1), "damaged in line 2"),
        (UNIVERSAL[:100_000].rsplit("\n", 1)[0] + "\n", "cut short"),
        (":0400000000000000FC\n:00000001FF\n", "no MicroPython"),
        (":0400000000000000FC\n:0400030000000000F9\n:00000001FF\n", "its data overlap"),
        (":03000004000000F9\n:0400000000000000FC\n:00000001FF\n", "a wrong address"),
    ],
    ids=itertools.count(1),
)
def test_bad_firmware_files(tmp_path, content, why):
    path = tmp_path / "firmware.hex"
    path.write_text(content, "latin-1")
    with pytest.raises(FirmwareError, match=why) as caught:
        load_firmware(path)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)


def test_firmware_for_the_other_board(tmp_path):
    path = tmp_path / "v2.hex"
    path.write_text(":020000040000FA\n" + UNIVERSAL[UNIVERSAL.index(":0400000A9903") :])
    with pytest.raises(FirmwareError, match="is for the micro:bit V2 only; choose that with"):
        firmware_for("V1", path)
    with pytest.raises(FirmwareError, match="it holds no MicroPython for the micro:bit V1; use"):
        read_firmware(universal_hex({"V1": slim("V2")}), "it")
