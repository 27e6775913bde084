"""`noughts hex`: what it builds, lists and extracts."""

import json
from functools import cache

import pytest
import uflash

from noughts.boards.firmware import bundled_for, firmware_for_boards, universal_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import OFF, files_with
from slim import slim, slim_hex


def files_of(board):
    return files_with(OFF, board, files_for_boards())


@cache
def whole():
    """The game with the official firmwares."""
    return universal_hex(
        {
            board_id: firmware.with_files(files_of(firmware.board_model))
            for board_id, firmware in firmware_for_boards().items()
        }
    )


def hex_with(path, files):
    path.write_text(slim_hex(files))
    return path


def test_hex_prints_and_lists_the_packed_files(folder, printed):
    output = printed("hex")
    assert "noughts.hex written, 1,9" in output
    assert "micro:bit V1, MicroPython 1.9.2 (firmware 1.1.1)" in output
    assert "micro:bit V2, MicroPython 1.18 (firmware 2.1.2)" in output
    assert " of 28,672 bytes used, " in output and " of 20,480 bytes used, " in output
    assert output.count("table id: 2798") == 2
    for name, content in {**files_of("V1"), **files_of("V2")}.items():
        assert f"    {name:<14} {len(content):>6,} bytes" in output
    is_whole = (folder / "noughts.hex").read_text() == whole()
    assert is_whole  # pytest would compare two megabytes line by line
    assert printed("hex", "--list", "noughts.hex").splitlines() == output.splitlines()[1:]
    facts = json.loads(printed("hex", "--list", "noughts.hex", "--json"))
    for (board, listed), model in zip(facts.items(), ("V1", "V2"), strict=True):
        sizes = {name: len(content) for name, content in files_of(model).items()}
        assert listed["files"] == sizes, board
    totals = [board["used_bytes"] + board["free_bytes"] for board in facts.values()]
    assert totals == [28_672, 20_480]


def test_hex_with_radio_and_for_a_gateway(tmp_path, printed):
    path = tmp_path / "radio.hex"
    firmware = hex_with(tmp_path / "firmware.hex", {})  # quick to read
    output = printed("hex", "--radio", 7, "-o", path, "--firmware", firmware)
    assert "a micro:bit V1 has too little memory for radio; the game plays without it" in output
    assert output.count("radio: sends in group 7") == 1
    facts = json.loads(printed("hex", "--list", path, "--json"))
    assert [board["radio_group"] for board in facts.values()] == [None, 7]
    assert facts["V1"]["files"].keys() == files_of("V1").keys()
    output = printed("hex", "--gateway", 0, "-o", path, "--firmware", firmware)
    assert "drag it onto the micro:bit that will be the gateway" in output
    assert output.count("radio: gateway of group 0") == 2 and "table" not in output
    facts = json.loads(printed("hex", "--list", path, "--json"))
    assert [board["gateway_group"] for board in facts.values()] == [0, 0]


def test_extract_restores_files_without_overwriting_others(tmp_path, printed, refused):
    folder, path = tmp_path / "new" / "files", hex_with(tmp_path / "it.hex", files_for_boards())
    for _ in range(2):  # the second time, they are there already
        printed("hex", "--extract", folder, path)
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == files_for_boards()
    (folder / "rules.py").write_text("mine")
    (folder / "ai.py").unlink()
    output = refused("hex", "--extract", folder, path)
    assert "rules.py exists, with other contents; choose an empty" in output
    assert (folder / "rules.py").read_text() == "mine"
    assert not (folder / "ai.py").exists()


def test_boards_with_different_files_get_separate_folders(tmp_path, printed):
    mixed = {board: slim(board).with_files({"main.py": board.encode()}) for board in ("V1", "V2")}
    path = tmp_path / "mixed.hex"
    path.write_text(universal_hex(mixed))
    printed("hex", "--extract", tmp_path / "out", path)
    assert (tmp_path / "out" / "V1" / "main.py").read_text() == "V1"
    assert (tmp_path / "out" / "V2" / "main.py").read_text() == "V2"


@pytest.mark.parametrize("name", ["../up.py", "/tmp/x", "..", "\x1b[2J"])
def test_unsafe_file_names_in_a_hex_are_not_extracted(tmp_path, printed, refused, name):
    path = hex_with(tmp_path / "bad.hex", {"good.py": b"x", name: b"x"})
    assert "\x1b" not in printed("hex", "--list", path)
    assert "it is not safe to write" in refused("hex", "--extract", tmp_path / "out", path)
    assert not (tmp_path / "out").exists()


def test_hex_accepts_other_firmware(tmp_path, printed):
    v1 = tmp_path / "v1.hex"
    bundled_for("V1").memory.write_hex_file(str(v1))
    other = tmp_path / "other.hex"
    printed("hex", "-o", other, "--firmware", v1)
    is_whole = other.read_text() == whole()
    assert is_whole
    # Our files replace those already in a hex, even too many.
    full = hex_with(tmp_path / "full.hex", {"big": bytes(20_000)})
    printed("hex", "-o", other, "--firmware", full)
    ours = {board: slim(board).with_files(files_of(board)) for board in ("V1", "V2")}
    assert other.read_text() == universal_hex(ours)


def test_unreliable_v2_firmware_gets_a_warning(tmp_path, printed):
    older = tmp_path / "older.hex"
    older.write_text(uflash._RUNTIME)
    path = tmp_path / "noughts.hex"
    out = printed("hex", "-o", path, "--firmware", older)
    assert "(firmware 1.0.1)" in out and out.count("use 2.1 or later") == 1
    assert "(firmware 2.0.0-beta.5)\n  it may stop saving the settings, and freeze when" in out
