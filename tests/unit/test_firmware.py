"""Firmware files and the flash file system."""

import contextlib
import io

import intelhex
import pytest
import uflash
from hypothesis import given
from hypothesis import strategies as st

from noughts.device_files import device_files
from noughts.errors import FirmwareError
from noughts.firmware import flash_map, image, universal_hex
from noughts.firmware.filesystem import CHUNK, DATA, Layout, pack, unpack

LAYOUT = Layout(0x38C00, 0x3F800)
NAMES = st.text("abcdefghijklmnopqrstuvwxyz_.", min_size=1, max_size=20)


@given(st.dictionaries(NAMES, st.binary(max_size=600), max_size=8))
def test_files_survive_the_round_trip(files):
    assert unpack(pack(files, LAYOUT)) == files


@given(st.lists(st.binary(min_size=CHUNK, max_size=CHUNK), max_size=6), st.data())
def test_a_damaged_file_system_is_an_expected_failure(chunks, data):
    for number, chunk in enumerate(chunks):
        tail = data.draw(st.sampled_from([0, 1, number + 2, 200, 255]))
        chunks[number] = b"\xfe" + chunk[1:-1] + bytes([tail])
    with contextlib.suppress(FirmwareError):
        unpack(b"".join(chunks))


def test_a_name_that_is_longer_than_its_file_is_damage():
    image = bytearray(pack({"main.py": b"pass"}, LAYOUT))
    image[2] = 100
    with pytest.raises(FirmwareError, match="a file's name is cut short; flash the board again"):
        unpack(bytes(image))


@pytest.mark.parametrize("size", [0, 1, *range(DATA - 12, DATA + 3), 2 * DATA - 9, 1000])
def test_one_file_is_packed_as_uflash_packs_it(size):
    """uflash leaves out what stays erased; so the records it writes must be ours."""
    script = bytes(i % 90 + 32 for i in range(size)) or b"\n"
    records = uflash.script_to_fs(script, uflash._MICROBIT_ID_V1)
    theirs = intelhex.IntelHex()
    theirs.loadhex(io.StringIO(records.replace("\n\n", "\n") + ":00000001FF\n"))
    ours = pack({"main.py": script}, LAYOUT)
    length = max(address for address in theirs.addresses() if address < LAYOUT.end) + 1
    length -= LAYOUT.start
    assert theirs.tobinstr(start=LAYOUT.start, size=length) == ours[:length]
    assert set(ours[length:]) <= {0xFF}


def test_too_big_says_by_how_much():
    files = {"a": bytes(LAYOUT.chunks * DATA)}
    with pytest.raises(FirmwareError, match=f"{CHUNK} bytes too big"):
        pack(files, LAYOUT)


def test_the_bundled_firmware_and_our_files():
    firmware = image.for_v1()
    assert (firmware.release, firmware.micropython) == ("1.0.1", "1.9.2")
    assert firmware.layout == LAYOUT
    memory = firmware.with_files(device_files())
    flash = memory.tobinstr(start=LAYOUT.start, end=LAYOUT.end - 1)
    assert unpack(flash) == device_files()
    assert memory[LAYOUT.end] == 0xFD  # as the firmware would write it


def test_the_bundled_v2_firmware():
    firmware = image.bundled()["V2"]
    assert (firmware.release, firmware.micropython) == ("2.0.0-beta.5", "1.13")
    # uflash packs V2's files here too.
    assert firmware.layout == Layout(uflash._FS_START_ADDR_V2, uflash._FS_END_ADDR_V2)


@pytest.mark.parametrize("board", ["V1", "V2"])
def test_a_plain_hex_is_the_same(tmp_path, board):
    path = tmp_path / "plain.hex"
    bundled = image.bundled()[board]
    bundled.memory.write_hex_file(str(path))
    (loaded,) = image.load(path).values()
    assert loaded.memory.todict() == bundled.memory.todict()
    assert (loaded.board, loaded.layout) == (board, bundled.layout)


def test_a_firmware_that_tells_no_layout_has_the_usual_one():
    for firmware in image.bundled().values():
        memory = intelhex.IntelHex(firmware.memory)
        del memory[0x65FC0:0x66000]
        del memory[0x100010C0:0x10001100]
        assert flash_map.board_of(memory) is None
        assert flash_map.layout(memory, firmware.board) == firmware.layout


def test_a_layout_elsewhere_is_found():
    """Both firmwares with their file system moved up by a page."""
    v1, v2 = (intelhex.IntelHex(image.bundled()[board].memory) for board in ("V1", "V2"))
    v1[0x100010CE] += 1  # the pages that MicroPython uses
    v2[0x65FE2] += 1  # the file system's first page
    assert flash_map.layout(v1, "V1") == Layout(0x39000, 0x3F800)
    assert flash_map.layout(v2, "V2") == Layout(0x6E000, 0x73000)


def test_the_official_universal_hex_is_written_as_it_was():
    text = universal()
    assert universal_hex.join(universal_hex.split(text, "it")) == text


def test_files_in_both_parts_of_a_universal_hex():
    files = device_files()
    memories = {board: f.with_files(files) for board, f in image.bundled().items()}
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
    firmware = image.for_v1()
    once = image.Firmware(**{**vars(firmware), "memory": firmware.with_files(device_files())})
    again = once.with_files({"main.py": b"pass"})
    assert again.todict() == firmware.with_files({"main.py": b"pass"}).todict()


def test_too_big_for_a_board_says_which_and_by_how_much():
    with pytest.raises(FirmwareError, match=r"micro:bit V2: .* 128 bytes too big .* 20,480"):
        image.bundled()["V2"].with_files({"a": bytes(160 * DATA)})


def test_one_firmware_for_each_board(tmp_path):
    path = tmp_path / "v1.hex"
    image.for_v1().memory.write_hex_file(str(path))
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
        (only_v2(), "V2 only"),
        (":0400000000000000FC\n:00000001FF\n", "no MicroPython"),
    ],
)
def test_bad_firmware_files(tmp_path, content, why):
    path = tmp_path / "firmware.hex"
    path.write_text(content, "latin-1")
    with pytest.raises(FirmwareError, match=why) as caught:
        image.for_v1(path)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)


def test_a_missing_firmware_file(tmp_path):
    with pytest.raises(FirmwareError, match="cannot read"):
        image.load(tmp_path / "none.hex")
