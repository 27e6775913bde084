"""The port of a virtual board, and its flash, which is stored between runs."""

import os
import pickle
import random
import threading
from dataclasses import replace
from types import SimpleNamespace

import pytest
import serial

from needed import POSIX
from noughts.errors import BoardGoneError, NoughtsError
from noughts.virtual.board import VirtualBoard, opening
from noughts.virtual.process import Pty, Tcp
from noughts.virtual.program import Program, StoredFlash, program
from noughts.virtual.virtual_boards import RestartableBoard
from waiting import until


def read(line, size):
    """Wait for this many bytes from programs, and return them."""
    received = bytearray()
    until(lambda: received.extend(line.read()) or len(received) >= size, "bytes")
    return bytes(received)


@pytest.mark.parametrize("kind", [pytest.param(Pty, marks=POSIX), Tcp])
def test_bytes_pass_unchanged_in_both_directions(kind):
    line, every = kind(), bytes(range(256))
    with serial.serial_for_url(line.port, 115200, timeout=60) as port:
        port.write(every)
        assert read(line, 256) == every
        line.write(every)
        assert port.read(256) == every


@pytest.mark.parametrize("kind", [pytest.param(Pty, marks=POSIX), Tcp])
def test_unread_output_does_not_block_the_board(kind):
    line = kind()
    with serial.serial_for_url(line.port, 115200) as port:
        port.write(b"x")
        read(line, 1)
        for _ in range(2000):
            line.write(b"x" * 1000)


@POSIX
def test_slow_reader_receives_everything():
    line, received = Pty(), bytearray()
    with serial.serial_for_url(line.port, timeout=0) as port:
        line.write(b"x" * 10_000)

        def has_all():
            line.write(b"")
            received.extend(port.read(4096))
            return len(received) == 10_000

        until(has_all, "all bytes")


def test_two_tcp_programs_receive_the_output():
    """`noughts watch --emulated` needs this on Windows: the board's owner has the port open too."""
    line = Tcp()
    with (
        serial.serial_for_url(line.port, timeout=120) as one,
        serial.serial_for_url(line.port, timeout=120) as two,
    ):
        for port in (one, two):
            port.write(b"x")
        read(line, 2)
        line.write(b"both")
        assert (one.read(4), two.read(4)) == (b"both", b"both")
        one.close()
        two.write(b"y")
        assert read(line, 1) == b"y"
        line.write(b"more")
        assert two.read(4) == b"more"


def test_end_of_a_board_is_not_that_of_its_successor():
    """A browser may have looked at the old board while another one restarted it."""
    board = RestartableBoard("virtual-1", "V2", device="new")
    board.note_end("old", "it was killed")
    assert board.error == ""
    board.note_end("new", "it was killed")
    board.note_end("new", "its port is gone")
    assert board.error == "it was killed"


def test_boards_that_play_by_themselves_begin_in_each_way():
    """The first four alone; then two by radio, if both are there, each pair on its channel."""
    alone = ["B", "AB", "AAB", "AAAB"]
    assert [opening(number, 12) for number in range(12)] == [
        *alone, "AAAABB", "AAAABB", *alone, "AAAABAB", "AAAABAB",
    ]  # fmt: skip
    assert opening(4, 5) == "B"


PROGRAM = Program("V1", "micro:bit V1, MicroPython 1.9.2 (firmware 1.1.1)", b"\xff" * 4096, b"uicr")


def chunk(name, content, marker=0xFE):
    end = 2 + len(name) + len(content)
    return (bytes([marker, end, len(name)]) + name + content).ljust(128, b"\xff")


PLAYED = (
    chunk(b"settings", b"Mb", marker=0) + chunk(b"9", b"100033$NG,") + chunk(b"settings", b"Ht")
).ljust(4096, b"\xff")


def test_reason_why_a_board_has_stopped_may_come_after_its_input_has_closed(monkeypatch):
    reading, writing = os.pipe()
    messages = os.fdopen(writing, "wb")  # from the board's process
    is_closed = False

    def send(name, value):
        pickle.dump((name, value), messages)
        messages.flush()

    def receive(_):
        if is_closed:
            raise BrokenPipeError

    class Waiting(threading.Condition):
        def wait_for(self, *words):
            if is_closed:
                send("failed", "its flash is worn out")
                messages.close()
            return super().wait_for(*words)

    process = SimpleNamespace(
        pid=1,
        stdin=SimpleNamespace(write=receive, flush=lambda: None),
        stdout=os.fdopen(reading, "rb"),
        kill=messages.close,
        communicate=lambda: process.stdout.close(),
    )
    monkeypatch.setattr("noughts.virtual.board.start_process", lambda _: process)
    monkeypatch.setattr("noughts.virtual.board.threading.Condition", Waiting)
    send("port", "loop://")
    send("state", (0, bytes(25), 0))
    with VirtualBoard(PROGRAM) as board:
        is_closed = True
        with pytest.raises(BoardGoneError, match="has stopped: its flash is worn out"):
            board.tap("A")


def test_files_that_do_not_fit_are_refused():
    noise = random.Random(1).randbytes(60_000)
    with pytest.raises(NoughtsError, match=r"micro:bit V1: the program does not fit .*smaller$"):
        program("V1", {"main.py": b"main = 1", "data": noise})


def test_stored_flash_is_restored(tmp_path):
    stored = StoredFlash(tmp_path / "new" / "folder", PROGRAM)
    assert stored.program() == PROGRAM
    stored.keep(PLAYED)
    again = StoredFlash(tmp_path / "new" / "folder", PROGRAM)
    assert again.program() == replace(PROGRAM, flash=PLAYED)
    assert stored.error == again.error == ""


@pytest.mark.parametrize("newer", [{"flash": b"\xfe" * 4096}, {"board": "V2", "firmware": "2.1.2"}])
def test_other_release_or_board_ignores_stored_flash(tmp_path, newer):
    StoredFlash(tmp_path, PROGRAM).keep(PLAYED)
    stored = StoredFlash(tmp_path, replace(PROGRAM, **newer))
    assert stored.program() == replace(PROGRAM, **newer)
    assert stored.error == ""


@pytest.mark.parametrize("flipped", [0, 1])
def test_damaged_flash_file_is_reported_and_replaced(tmp_path, flipped):
    stored = StoredFlash(tmp_path, PROGRAM)
    stored.keep(PLAYED)
    content = stored.path.read_bytes()
    stored.path.write_bytes(content[:-1] + bytes([content[-1] ^ 1]) * flipped)
    again = StoredFlash(tmp_path, PROGRAM)
    assert again.program() == PROGRAM
    assert again.error.startswith(f"cannot use {stored.path} (Error -")
    again.keep(PLAYED)
    assert StoredFlash(tmp_path, PROGRAM).program().flash == PLAYED


def test_unwritable_folder_is_reported(tmp_path):
    (tmp_path / "file").write_text("not a folder")
    stored = StoredFlash(tmp_path / "file", PROGRAM)
    assert stored.program() == PROGRAM
    stored.keep(PLAYED)
    assert "file" in stored.error and "\n" not in stored.error
