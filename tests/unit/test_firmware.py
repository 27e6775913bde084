"""Firmware files and the flash file system."""

import contextlib
import io
import itertools
from dataclasses import replace
from functools import cache
from random import Random

import intelhex
import pytest
import uflash
from hypothesis import given, settings
from hypothesis import strategies as st
from micropython_microbit_fs.filesystem import CHUNK_DATA_SIZE, CHUNK_SIZE
from micropython_microbit_fs.uicr import UicrAddress

from microbit_emulator.firmware import layout_of
from needed import long
from noughts.device_files import files_for_boards
from noughts.errors import FirmwareError
from noughts.firmware import image, universal_hex
from noughts.virtual.program import firmware_for
from slim import SAYS, V2_TABLE, slim

NAMES = st.text("abcdefghijklmnopqrstuvwxyz_.", min_size=1, max_size=20)


@cache
def older():
    """Of 2018 and 2021, as uflash carries them."""
    return image.read(uflash._RUNTIME, "the firmware in uflash")


def changed(board, bytes_at):
    """The firmware for a board, its bytes changed, as a plain hex; its checksums are right."""
    memory = intelhex.IntelHex(slim(board).memory)
    for address, content in bytes_at.items():
        memory.puts(address, content)
    return universal_hex._text(memory)


def holding(firmware, memory):
    """The firmware with other memory."""
    return replace(firmware, memory=memory)


@settings(max_examples=30)
@given(st.dictionaries(NAMES, st.binary(min_size=1, max_size=600), max_size=8))
def test_files_survive_the_round_trip(files):
    for board in ("V1", "V2"):
        firmware = slim(board)
        assert holding(firmware, firmware.with_files(files)).files() == files


@settings(max_examples=50)
@given(st.lists(st.binary(min_size=CHUNK_SIZE, max_size=CHUNK_SIZE), max_size=6), st.data())
def test_a_damaged_file_system_is_an_expected_failure(chunks, data):
    firmware = slim("V1")
    memory = firmware.with_files({})
    for number, chunk in enumerate(chunks):
        tail = data.draw(st.sampled_from([0, 1, number + 2, 200, 255]))
        start = firmware.layout.start + number * CHUNK_SIZE
        memory.puts(start, b"\xfe" + chunk[1:-1] + bytes([tail]))
    with contextlib.suppress(FirmwareError):
        holding(firmware, memory).files()


def test_a_name_that_is_longer_than_its_file_is_damage():
    firmware = image.bundled_for("V1")
    memory = firmware.with_files({"main.py": b"pass"})
    memory[firmware.layout.start + 2] = 100
    with pytest.raises(FirmwareError, match=r"system for V1 is damaged \(.*; build the hex again"):
        holding(firmware, memory).files()


@pytest.mark.parametrize("size", [1, *range(CHUNK_DATA_SIZE - 12, CHUNK_DATA_SIZE + 3), 243, 1000])
def test_one_file_is_packed_as_uflash_packs_it(size):
    """uflash leaves out what stays erased; so the records it writes must be ours."""
    script = bytes(i % 90 + 32 for i in range(size))
    records = uflash.script_to_fs(script, uflash._MICROBIT_ID_V1)
    theirs = intelhex.IntelHex()
    theirs.loadhex(io.StringIO(records.replace("\n\n", "\n") + ":00000001FF\n"))
    firmware = older()["V1"]
    start, end = firmware.layout.start, firmware.layout.stop
    ours = firmware.with_files({"main.py": script}).tobinstr(start, end - 1)
    length = max(address for address in theirs.addresses() if address < end) + 1 - start
    assert theirs.tobinstr(start=start, size=length) == ours[:length]
    assert set(ours[length:]) <= {0xFF}
    assert image.size_on_board("main.py", size) == -(-length // CHUNK_SIZE) * CHUNK_SIZE


@pytest.mark.parametrize(
    ("board", "release", "micropython", "layout"),
    [("V1", "1.1.1", "1.9.2", (0x38800, 0x3F800)), ("V2", "2.1.2", "1.18", (0x6D000, 0x72000))],
)
def test_the_bundled_firmware_and_our_files(board, release, micropython, layout):
    firmware = image.bundled()[board]
    assert (firmware.board, firmware.release) == (board, release)
    assert firmware.micropython == micropython
    assert firmware.layout == range(*layout)
    memory = firmware.with_files(files_for_boards())
    assert memory[firmware.layout.stop] == 0xFD  # as the firmware would write it
    assert str(firmware.usage(files_for_boards())).startswith("10,112 of ")


def test_the_firmware_of_most_boards():
    v1, v2 = older().values()
    assert (v1.release, v1.micropython, v1.layout) == ("1.0.1", "1.9.2", range(0x38C00, 0x3F800))
    assert (v2.release, v2.micropython) == ("2.0.0-beta.5", "1.13")
    # uflash packs V2's files here too.
    assert v2.layout == range(uflash._FS_START_ADDR_V2, uflash._FS_END_ADDR_V2)


@pytest.mark.parametrize("board", ["V1", "V2"])
def test_a_plain_hex_is_the_same(tmp_path, board):
    path = tmp_path / "plain.hex"
    bundled = image.bundled()[board]
    bundled.memory.write_hex_file(str(path))
    (loaded,) = image.load(path).values()
    assert loaded.memory.todict() == bundled.memory.todict()
    assert (loaded.board, loaded.layout) == (board, bundled.layout)


def test_a_layout_elsewhere_is_found():
    """Both firmwares with their file system moved: V1's to where the firmware starts it at most."""
    (v1,) = image.read(changed("V1", {UicrAddress["PAGES_USED"]: b"\xa0\0"}), "it").values()
    assert v1.layout == range(0x38000, 0x3F800)
    (v2,) = image.read(changed("V2", {V2_TABLE + 0x22: b"\x6e"}), "it").values()
    assert v2.layout == range(0x6E000, 0x73000)


@pytest.mark.parametrize(
    ("board", "bytes_at"),
    [
        ("V1", {UicrAddress["MAGIC"]: bytes(4)}),
        ("V1", {UicrAddress["PAGE_SIZE"]: b"\xff\xff\xff\xff"}),
        ("V1", {UicrAddress["PAGE_SIZE"]: b"\x0b"}),
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
        image.read(changed(board, bytes_at), "it")


def test_one_that_says_it_is_for_the_other_board():
    memories = {"V1": slim("V2").memory, "V2": slim("V2").memory}
    with pytest.raises(FirmwareError, match="it holds no MicroPython for the micro:bit V1; use"):
        image.read(universal_hex.join(memories), "it")


@pytest.mark.parametrize("count", [8, long(25)])
def test_damaged_hexes_are_expected_failures(count):
    """With checksums that are right, so that only what they say is wrong."""
    random = Random(1)
    for board, says in SAYS.items():
        firmware = slim(board)
        for _ in range(count):
            memory = intelhex.IntelHex(firmware.memory)
            for _ in range(random.randrange(1, 4)):
                at = random.choice(random.choice([says, firmware.layout]))
                memory[at] = random.randrange(256)
            with contextlib.suppress(FirmwareError):
                found = image._firmware(board, memory, layout_of(memory), "it")
                found.files()
                found.with_files(files_for_boards())


@pytest.mark.parametrize(
    ("board", "release", "sound"),
    [
        ("V1", "1.0.1", True),
        ("V1", "1.1.1", True),
        ("V2", "2.0.0-beta.5", False),
        ("V2", "2.0.0", False),
        ("V2", "2.1.0-beta.1", True),
        ("V2", "2.1.2", True),
        ("V2", "2.10.0", True),
        ("V2", "3.0.0", True),
    ],
)
def test_which_firmware_is_sound(board, release, sound):
    assert image.is_sound(board, release) == sound


def test_the_official_universal_hex_is_written_as_it_was():
    text = universal()
    assert universal_hex.join(universal_hex.split(text, "it")) == text


def test_files_in_both_parts_of_a_universal_hex():
    files = files_for_boards()
    memories = {board: slim(board).with_files(files) for board in ("V1", "V2")}
    text = universal_hex.join(memories)
    for board, firmware in image.read(text, "ours").items():
        assert firmware.files() == files
        assert firmware.memory.todict() == memories[board].todict()
    lengths = [len(line) + 1 for line in text.splitlines()]
    for number, line in enumerate(text.splitlines()):
        if line.startswith(":0400000A"):  # the section begins a record earlier
            assert sum(lengths[: number - 1]) % 512 == 0
    assert "\r" not in text and text.endswith("\n:00000001FF\n")


def test_new_files_replace_those_that_came_with_the_hex():
    firmware = image.bundled_for("V1")
    once = holding(firmware, firmware.with_files(files_for_boards()))
    again = once.with_files({"main.py": b"pass"})
    assert again.todict() == firmware.with_files({"main.py": b"pass"}).todict()


@pytest.mark.parametrize("board", ["V1", "V2"])
def test_the_flash_with_files_is_what_a_hex_with_them_holds(board):
    firmware = firmware_for(board)
    flash = firmware.flash_with_files(files_for_boards())
    assert len(flash) == len(firmware.flash)
    assert flash == firmware.with_files(files_for_boards()).tobinstr(0, len(flash) - 1)


def test_too_big_for_a_board_says_which_and_by_how_much():
    with pytest.raises(FirmwareError, match=r"micro:bit V2: .* 128 bytes too big .* 20,480"):
        image.bundled()["V2"].with_files({"a": bytes(160 * CHUNK_DATA_SIZE)})


@pytest.mark.parametrize("files", [{"a": b""}, {"": b"a"}, {"a" * 121: b"a"}])
def test_a_file_that_cannot_be(files):
    with pytest.raises(FirmwareError, match=r"micro:bit V1: .*; rename or fill it"):
        image.bundled_for("V1").with_files(files)


def test_one_firmware_for_each_board(tmp_path):
    path = tmp_path / "v1.hex"
    image.bundled_for("V1").memory.write_hex_file(str(path))
    assert list(image.for_boards([path])) == ["V1", "V2"]
    with pytest.raises(FirmwareError, match="second firmware for V1"):
        image.for_boards([path, path])


def universal():
    return uflash._RUNTIME.strip() + "\n"


def only_v2():
    text = universal()
    start = text.index(":0400000A9903")
    return ":020000040000FA\n" + text[start:]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "not a hex file"),
        ("print('hello')\n", "not a hex file"),
        ("\x89PNG", "not a hex file"),
        (universal().replace(":10", ":11", 1), "damaged in line 3"),
        (universal().replace("C0DEBB", "C0DEBC", 1), "damaged in line 2"),
        (universal()[:100_000].rsplit("\n", 1)[0] + "\n", "cut short"),
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
        image.load(path)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)


def test_a_missing_firmware_file(tmp_path):
    with pytest.raises(FirmwareError, match="cannot read"):
        image.load(tmp_path / "none.hex")


def test_a_hex_for_the_other_board_only(tmp_path):
    path = tmp_path / "v2.hex"
    path.write_text(only_v2())
    with pytest.raises(FirmwareError, match="is for the micro:bit V2 only; choose that with"):
        firmware_for("V1", path)
