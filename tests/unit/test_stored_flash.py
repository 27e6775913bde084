"""A virtual board's flash from one run to the next."""

from dataclasses import replace

import pytest

from noughts.virtual.program import Program, StoredFlash, choice_in

PROGRAM = Program("V1", "micro:bit V1, MicroPython 1.9.2 (firmware 1.1.1)", b"\xff" * 4096, b"uicr")


def chunk(name, content, marker=0xFE):
    end = 2 + len(name) + len(content)
    return (bytes([marker, end, len(name)]) + name + content).ljust(128, b"\xff")


PLAYED = (
    chunk(b"settings", b"Mb", marker=0) + chunk(b"9", b"100033$NG,") + chunk(b"settings", b"Ht")
).ljust(4096, b"\xff")


def test_a_board_goes_on_with_what_was_kept(tmp_path):
    stored = StoredFlash(tmp_path / "new" / "folder", PROGRAM)
    assert stored.program() == PROGRAM
    stored.keep(PROGRAM.flash)
    assert not stored.path.exists()  # what has not changed is not written
    stored.keep(PLAYED)
    again = StoredFlash(tmp_path / "new" / "folder", PROGRAM)
    assert again.program() == replace(PROGRAM, flash=PLAYED)
    again.forget()
    assert StoredFlash(tmp_path / "new" / "folder", PROGRAM).program() == PROGRAM
    assert stored.error == again.error == ""


def test_the_choice_is_found_in_it():
    assert choice_in(PLAYED) == "Ht"
    assert choice_in(PROGRAM.flash) == "Pb"
    assert choice_in(b"\xff" * 60 + PLAYED[256:384] + b"\xff" * 68) == "Pb"  # no chunk begins there


@pytest.mark.parametrize("newer", [{"flash": b"\xfe" * 4096}, {"board": "V2", "firmware": "2.1.2"}])
def test_another_release_or_board_begins_anew(tmp_path, newer):
    StoredFlash(tmp_path, PROGRAM).keep(PLAYED)
    stored = StoredFlash(tmp_path, replace(PROGRAM, **newer))
    assert stored.program() == replace(PROGRAM, **newer)
    assert stored.error == ""


@pytest.mark.parametrize("flipped", [0, 1])
def test_a_damaged_file_is_a_new_board_with_a_word(tmp_path, flipped):
    stored = StoredFlash(tmp_path, PROGRAM)
    stored.keep(PLAYED)
    content = stored.path.read_bytes()
    stored.path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) * flipped)
    again = StoredFlash(tmp_path, PROGRAM)
    assert again.program() == PROGRAM
    assert again.error == f"{stored.path} is damaged; the board is a new one"
    again.keep(PLAYED)
    assert StoredFlash(tmp_path, PROGRAM).program().flash == PLAYED


def test_a_place_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    stored = StoredFlash(tmp_path / "file", PROGRAM)
    assert stored.program() == PROGRAM
    stored.keep(PLAYED)
    assert "file" in stored.error and "\n" not in stored.error
