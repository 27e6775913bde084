"""`noughts hex`: what it builds, lists and takes out."""

import json
from functools import cache

import pytest
import uflash

from noughts.cli import main
from noughts.device_files import files_for_boards
from noughts.firmware import image, universal_hex
from slim import slim


@cache
def whole():
    """The game with the bundled firmwares."""
    return image.universal(image.bundled(), files_for_boards())


@pytest.fixture
def built(tmp_path):
    """The path of a hex as `noughts hex` builds it."""
    path = tmp_path / "noughts.hex"
    path.write_text(whole())
    return path


def hex_with(path, files, boards=("V1", "V2")):
    path.write_text(image.universal({board: slim(board) for board in boards}, files))
    return path


def test_what_was_packed_is_printed_and_listed(folder, capsys):
    assert main(["hex"]) == 0
    told, err = capsys.readouterr()
    assert not err
    assert "noughts.hex written, 1,9" in told
    assert "micro:bit V1, MicroPython 1.9.2 (firmware 1.1.1)" in told
    assert "micro:bit V2, MicroPython 1.18 (firmware 2.1.2)" in told
    assert " of 28,672 bytes used, " in told and " of 20,480 bytes used, " in told
    assert told.count("table id: 2798") == 2
    for name, content in files_for_boards().items():
        assert f"    {name:<14} {len(content):>6,} bytes" in told
    assert (folder / "noughts.hex").read_text() == whole()
    assert main(["hex", "--list", "noughts.hex"]) == 0
    assert capsys.readouterr().out.splitlines() == told.splitlines()[1:]
    assert main(["hex", "--list", "noughts.hex", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    sizes = {name: len(content) for name, content in files_for_boards().items()}
    assert [board["files"] for board in facts.values()] == [sizes, sizes]
    totals = [board["used_bytes"] + board["free_bytes"] for board in facts.values()]
    assert totals == [28_672, 20_480]


def test_with_radio_and_as_a_gateway(tmp_path, capsys):
    path = str(tmp_path / "radio.hex")
    assert main(["hex", "--radio", "7", "-o", path]) == 0
    told = capsys.readouterr().out
    assert "a micro:bit V1 has no memory for radio: there the game plays without it" in told
    assert told.count("radio: sends in group 7") == 1
    assert main(["hex", "--list", path, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [board["radio_group"] for board in facts.values()] == [None, 7]
    assert facts["V1"]["files"].keys() == files_for_boards().keys()
    assert main(["hex", "--gateway", "0", "-o", path]) == 0
    told = capsys.readouterr().out
    assert "drag it onto the micro:bit that is the gateway" in told
    assert told.count("radio: gateway of group 0") == 2 and "table" not in told
    assert main(["hex", "--list", path, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert [board["gateway_group"] for board in facts.values()] == [0, 0]


def test_extract_gives_the_files_back(built, tmp_path, capsys):
    folder = tmp_path / "new" / "files"
    for _ in range(2):  # the second time finds them as they are
        assert main(["hex", "--extract", str(folder), str(built)]) == 0
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == files_for_boards()
    (folder / "rules.py").write_text("mine")
    (folder / "ai.py").unlink()
    assert main(["hex", "--extract", str(folder), str(built)]) == 1
    assert "rules.py is there already, and differs; choose an empty" in capsys.readouterr().err
    assert (folder / "rules.py").read_text() == "mine"
    assert not (folder / "ai.py").exists()


def test_boards_with_different_files_get_folders(tmp_path):
    memories = {
        board: slim(board).with_files({"main.py": board.encode()}) for board in ("V1", "V2")
    }
    path = tmp_path / "mixed.hex"
    path.write_text(universal_hex.join(memories))
    assert main(["hex", "--extract", str(tmp_path / "out"), str(path)]) == 0
    assert (tmp_path / "out" / "V1" / "main.py").read_text() == "V1"
    assert (tmp_path / "out" / "V2" / "main.py").read_text() == "V2"


@pytest.mark.parametrize("name", ["../up.py", "/tmp/x", "..", "\x1b[2J"])
def test_names_from_a_hex_lead_nowhere_else(tmp_path, capsys, name):
    path = hex_with(tmp_path / "bad.hex", {"good.py": b"x", name: b"x"})
    assert main(["hex", "--list", str(path)]) == 0
    assert "\x1b" not in capsys.readouterr().out
    assert main(["hex", "--extract", str(tmp_path / "out"), str(path)]) == 1
    assert "it is not safe to write" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_other_firmware(tmp_path, built, capsys):
    v1 = tmp_path / "v1.hex"
    image.bundled_for("V1").memory.write_hex_file(str(v1))
    other = tmp_path / "other.hex"
    assert main(["hex", "-o", str(other), "--firmware", str(v1)]) == 0
    assert other.read_bytes() == built.read_bytes()
    # A hex that has files already, even too many, gets ours instead.
    full = hex_with(tmp_path / "full.hex", {"big": bytes(20_000)})
    assert main(["hex", "-o", str(other), "--firmware", str(full)]) == 0
    ours = hex_with(tmp_path / "ours.hex", files_for_boards())
    assert other.read_bytes() == ours.read_bytes()
    capsys.readouterr()
    assert main(["hex", "-o", str(other), "--firmware", str(v1), "--firmware", str(v1)]) == 1
    assert "a second firmware for V1" in capsys.readouterr().err


def test_a_v2_firmware_that_fails_in_time_is_warned_of(tmp_path, capsys):
    older = tmp_path / "older.hex"
    older.write_text(uflash._RUNTIME)
    path = tmp_path / "noughts.hex"
    assert main(["hex", "-o", str(path), "--firmware", str(older)]) == 0
    told = capsys.readouterr()
    assert "(firmware 1.0.1)" in told.out and "(firmware 2.0.0-beta.5)" in told.out
    assert told.err == (
        "noughts: V2 firmware 2.0.0-beta.5 may stop saving the settings, and freeze when the "
        "board is tilted; use 2.1 or later\n"
    )
