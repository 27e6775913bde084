"""Firmware files and the flash file system."""

import pytest
import uflash
from hypothesis import given
from hypothesis import strategies as st

from noughts.device_files import device_files
from noughts.errors import FirmwareError
from noughts.firmware import image
from noughts.firmware.filesystem import CHUNK, DATA, Layout, pack, unpack

LAYOUT = Layout(0x38C00, 0x3F800)
NAMES = st.text("abcdefghijklmnopqrstuvwxyz_.", min_size=1, max_size=20)


@given(st.dictionaries(NAMES, st.binary(max_size=600), max_size=8))
def test_files_survive_the_round_trip(files):
    assert unpack(pack(files, LAYOUT)) == files


@pytest.mark.parametrize("size", [0, 1, *range(DATA - 12, DATA + 3), 2 * DATA - 9, 1000])
def test_one_file_is_packed_as_uflash_packs_it(size):
    """uflash leaves out what stays erased; so the records it writes must be ours."""
    script = bytes(i % 90 + 32 for i in range(size)) or b"\n"
    records = uflash.script_to_fs(script, uflash._MICROBIT_ID_V1)
    theirs = image.intelhex.IntelHex()
    theirs.loadhex(image.io.StringIO(records.replace("\n\n", "\n") + ":00000001FF\n"))
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
    firmware = image.bundled()
    assert (firmware.release, firmware.micropython) == ("1.0.1", "1.9.2")
    assert firmware.layout == LAYOUT
    memory = firmware.with_files(device_files())
    flash = memory.tobinstr(start=LAYOUT.start, end=LAYOUT.end - 1)
    assert unpack(flash) == device_files()


def test_a_plain_v1_hex_is_the_same(tmp_path):
    path = tmp_path / "v1.hex"
    image.bundled().memory.write_hex_file(str(path))
    assert image.load(path).memory.todict() == image.bundled().memory.todict()


def universal():
    return uflash._RUNTIME.strip() + "\n"


def only_v2():
    text = universal()
    start = text.index(":0400000A9903")
    return ":020000040000FA\n" + text[start:]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "cut short"),
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
        image.load(path)
    assert "\n" not in str(caught.value) and ";" in str(caught.value)


def test_a_missing_firmware_file(tmp_path):
    with pytest.raises(FirmwareError, match="cannot read"):
        image.load(tmp_path / "none.hex")
