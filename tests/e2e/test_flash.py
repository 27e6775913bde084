"""`noughts flash` and the drive: a stand-in takes the hex (`stand_in_drive.py`)."""

import contextlib
import errno
import os
import shutil
from functools import partial
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from serial import serial_for_url

from noughts import brain
from noughts.boards import drive as drives
from noughts.boards.firmware import read_firmware, universal_hex
from noughts.boards.flash import Hex
from noughts.boards.flash import flash as flash_board
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import Port
from slim import slim, slim_hex
from stand_in_drive import CHECKSUM, USB_ID
from stepped_ports import SteppedBoard, Talker

OTHER_ID = "9904" + "0" * 44
FILES = files_for_boards()
OTHER_TABLE = {**FILES, "table.py": brain.source(brain.Table((1,) * 10, ())).encode()}


def fail(number):
    """What raises an error of the system; a folder has no such errors."""
    return Mock(side_effect=OSError(number, os.strerror(number)))


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """A hex with the game, in which there is little of the firmwares."""
    path = tmp_path_factory.mktemp("hex") / "game.hex"
    path.write_text(slim_hex(FILES))
    return path


@pytest.fixture
def flash(game, noughts):
    """Runs the command with that hex, if no other is named."""

    def run(*words, verify=False, command=noughts):
        return command("flash", "--hex", game, *([] if verify else ["--no-verify"]), *words)

    return run


@pytest.fixture
def fails(flash, fails):
    """Runs it where it has to fail; gives the line that says what to do."""
    return partial(flash, command=fails)


def test_the_whole_hex_arrives(drive, plugged, printed):
    one = drive()
    plugged.drives += [one.path]
    output = printed("flash", "--no-verify")
    assert f"flashing {one.path} (micro:bit V1, interface 0249)" in output
    assert "copied; not verified" in output
    (content,) = one.received
    assert list(read_firmware(content.decode(), "it")) == ["V1", "V2"]


def test_no_drive(fails, drive, plugged, tmp_path):
    one = drive(usb_id="0240" + "0" * 44)  # an FRDM-K64F, with the same interface chip
    plugged.drives += [one.path]
    output = fails("--all")
    assert "no micro:bit drive was found" in output and "maintenance mode" in output
    assert "(no DETAILS.TXT)" in fails(tmp_path)
    assert not one.received


@pytest.mark.parametrize(
    ("named", "why", "takes_it"),
    [
        ({"mode": "Bootloader"}, "maintenance mode; unplug it and plug it in again", False),
        (
            {"refuses": CHECKSUM},
            f'could not use the hex (it says "error: {CHECKSUM} type: transient, user"); try again',
            True,
        ),
        ({"returns": False}, "did not come back; plug the board in again", True),
    ],
)
def test_a_drive_that_does_not_take_the_hex(fails, drive, named, why, takes_it):
    one = drive(**named)
    assert why in fails(one.path)
    assert bool(one.received) == takes_it


def test_two_boards_when_one_was_meant(fails, flash, drive, plugged, monkeypatch):
    one, two = drive(), drive(usb_id=OTHER_ID)
    plugged.drives += [one.path, two.path]
    assert f"2 boards are plugged in ({one.path}, {two.path}); name one" in fails()
    assert flash(two.path)[0] == 0
    assert not one.received and len(two.received) == 1
    # In a terminal it asks.
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    prompt = Mock(side_effect=["3", "two", "2", EOFError])
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    status, out, _ = flash()
    assert status == 0 and "'two' is not a valid number" in out
    assert not one.received and len(two.received) == 2
    assert flash()[0] == 130  # Ctrl-D; Ctrl-C too


def test_all_boards_go_on_after_failures(flash, drive, plugged, monkeypatch):
    monkeypatch.setattr("sys.argv", ["clone/bin/noughts"])
    one, two, three = drive(refuses="\x1b[2J no"), drive(usb_id=OTHER_ID), drive(usb_id=OTHER_ID)
    plugged.drives += [one.path, two.path, three.path]
    wait, refuse = drives.wait_until_back, fail(errno.EIO)
    monkeypatch.setattr(
        "noughts.boards.drive.wait_until_back",
        lambda drive: refuse() if drive.path == two.path else wait(drive),
    )
    status, _, output = flash("--all")
    assert status == 1
    refused = 'could not use the hex (it says "error: [2J no type'
    assert f"{one.path}: the interface chip {refused}" in output
    assert "(Input/output error)" in output and "2 of 3 boards failed" in output
    assert one.received and three.received


def test_a_drive_that_is_just_going_away(drive, monkeypatch):
    """A mount gives such an error then."""
    found = drives.look(drive().path)
    monkeypatch.setattr("noughts.boards.drive.Path.exists", fail(errno.EIO))
    assert drives.wait_until_back(found) is None


def test_a_drive_that_comes_back_elsewhere(drive, clock, plugged):
    """What is left of the old mount still shows the hex."""
    old, new = drive(), drive()
    clock.on_sleep.remove(old.look)
    plugged.drives += [old.path, new.path]
    found = drives.look(old.path)
    assert drives.copy(b":00000001FF\n", found, lambda size: None)
    assert drives.wait_until_back(found).path == new.path


@pytest.mark.parametrize(
    ("usb_id", "files", "why"),
    [
        (USB_ID, {"V1": {"main.py": FILES["main.py"]}}, "does not hold the game, or not the same"),
        (USB_ID, {"V1": FILES, "V2": OTHER_TABLE}, "or not the same for each board; make one"),
        (USB_ID, {}, "is not a hex file"),
    ],
)
def test_a_hex_that_is_not_for_this_board_or_not_the_game(
    fails, drive, tmp_path, usb_id, files, why
):
    path = tmp_path / "a.hex"
    path.write_text(universal_hex({kind: slim(kind).with_files(files[kind]) for kind in files}))
    one = drive(usb_id=usb_id)
    assert why in fails(one.path, "--hex", path)
    assert not one.received


def test_the_progress_is_that_of_the_whole_hex_and_names_the_drive(drive):
    one = drive()
    shown, counts = [], []
    steps = SimpleNamespace(doing=shown.append, advance=counts.append)

    def progress(size):
        shown.append(size)
        return contextlib.nullcontext(steps)

    content = b"\n" * 70_000 + b":00000001FF\n"
    what = Hex(content, {}, brain.make())
    flash_board(drives.look(one.path), what, shown.append, progress, verify=False)
    assert shown[1:] == [len(content), str(one.path), f"{one.path}: copied; not verified"]
    assert sum(counts) == len(content) and len(counts) > 1


def test_the_port_is_found_by_its_usb_id_and_waited_for(fails, drive, clock, plugged, monkeypatch):
    """Windows tells the id in capitals, and a port that has just come back may be refused."""
    name = SteppedBoard(clock, Talker(lambda received: b"")).port
    plugged.ports |= {OTHER_ID: "COM1", USB_ID.upper(): name}
    opens = iter([fail(errno.EACCES)] * 2)
    monkeypatch.setattr(
        "serial.serial_for_url", lambda *args, **named: next(opens, serial_for_url)(*args, **named)
    )
    output = fails(drive().path, verify=True)
    assert f"the device on {name} does not answer like MicroPython" in output


@pytest.mark.parametrize(
    ("failure", "why"),
    [
        ("", "went away before all of the hex was copied; try again"),
        (f"error: {CHECKSUM}", "could not use the hex (it says "),
    ],
)
def test_copying_breaks_off_in_the_middle(fails, drive, clock, monkeypatch, failure, why):
    """The cable was pulled, or the interface chip gave up; the drive is back later."""
    one = drive()
    clock.on_sleep[:] = [lambda: one.path.exists() or one.mount(failure)]

    def break_off(handle):
        shutil.rmtree(one.path)
        fail(errno.EIO)()

    monkeypatch.setattr("noughts.boards.drive.os.fsync", break_off)
    assert why in fails(one.path)


def test_a_drive_that_cannot_be_written(fails, drive):
    one = drive()
    (one.path / drives.HEX_NAME).mkdir()
    why = f"cannot write to the drive {one.path} (Is a directory); unplug the board, plug it in"
    assert why in fails(one.path)


def test_a_drive_that_does_not_come_back_and_a_board_that_may_have_started(flash, drive):
    one = drive(returns=False)
    status, out, err = flash(one.path, "--port", "/dev/ttyNONE", verify=True)
    assert out.startswith(f"flashing {one.path}")
    assert status == 1 and "there is no port /dev/ttyNONE" in err


@pytest.mark.parametrize(
    ("drive_id", "ids", "why"),
    [
        (USB_ID, [None], "there is no port /dev/tty0NE"),  # some systems do not tell a port's id
        (USB_ID, [OTHER_ID], "no serial port was found"),
        ("", [None, OTHER_ID], "no serial port was found"),
        ("", [], "no serial port was found"),
    ],
)
def test_a_port_that_cannot_be_told_by_its_id(fails, drive, monkeypatch, drive_id, ids, why):
    """The only one is taken, unless it is that of another board."""
    ports = [Port(f"/dev/tty{index}NE", each) for index, each in enumerate(ids)]
    monkeypatch.setattr("noughts.boards.flash.find_ports", lambda: ports)
    assert why in fails(drive(usb_id=drive_id).path, verify=True)
