"""`noughts flash` onto a stand-in for the drive (`stand_in_drive.py`)."""

import contextlib
import errno
import io
import os
import shutil
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import intelhex
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
from stand_in_drive import BOOTLOADER_DETAILS, CHECKSUM, TRANSIENT, USB_ID
from stepped_ports import SteppedBoard, Talker

OTHER_ID = "9904" + "0" * 44
FILES = files_for_boards()
OTHER_TABLE = {**FILES, "table.py": brain.source(brain.Table((1,) * 10, ())).encode()}


def fail(number):
    """A function that raises a system error, which a mere folder would not."""
    return Mock(side_effect=OSError(number, os.strerror(number)))


@pytest.fixture(scope="module")
def game(tmp_path_factory):
    """A hex with the game and very little of the firmwares."""
    path = tmp_path_factory.mktemp("hex") / "game.hex"
    path.write_text(slim_hex(FILES))
    return path


@pytest.fixture
def flash(game, noughts):
    """Runs the command with that hex, unless the test names another."""

    def run(*words, verify=False, command=noughts):
        return command("flash", "--hex", game, *([] if verify else ["--no-verify"]), *words)

    return run


@pytest.fixture
def fails(flash, fails):
    """Runs the command, which must fail; returns the line that says what to do."""
    return partial(flash, command=fails)


def test_whole_hex_reaches_the_drive(drive, plugged, printed):
    board_drive = drive()
    plugged.drives += [board_drive.path]
    output = printed("flash", "--no-verify")
    assert f"flashing {board_drive.path} (micro:bit V1, interface 0249)" in output
    assert "copied; not verified" in output
    (content,) = board_drive.received
    assert list(read_firmware(content.decode(), "it")) == ["V1", "V2"]


def test_missing_drive_is_reported(fails, drive, plugged, tmp_path):
    board_drive = drive(usb_id="0240" + "0" * 44)  # an FRDM-K64F: its interface chip is the same
    plugged.drives += [board_drive.path]
    output = fails("--all")
    assert "no micro:bit drive was found" in output and "or give its path" in output
    assert "(no DETAILS.TXT)" in fails(tmp_path)
    assert not board_drive.received


@pytest.mark.parametrize(
    ("named", "why", "takes_it"),
    [
        (
            {"details": BOOTLOADER_DETAILS},
            "maintenance mode; unplug it and plug it in again without holding reset. If it stays",
            False,
        ),
        (
            {"refuses": TRANSIENT},
            f'could not use the hex (it says "error: {CHECKSUM} type: transient, user"); try again',
            True,
        ),
        (
            {"refuses": "bad format\r\ntype: user"},
            "; it is not a hex for this board:",
            True,
        ),
        ({"refuses": "locked\r\ntype: target"}, "; unplug the board, plug it in and try", True),
        ({"returns": False}, "did not come back; plug the board in again", True),
    ],
)
def test_drive_failure_is_reported(fails, drive, named, why, takes_it):
    board_drive = drive(**named)
    assert why in fails(board_drive.path)
    assert bool(board_drive.received) == takes_it


def test_one_of_two_boards_must_be_chosen(fails, flash, drive, plugged, monkeypatch):
    board_drive, chosen_drive = drive(), drive(usb_id=OTHER_ID)
    plugged.drives += [board_drive.path, chosen_drive.path]
    assert f"2 boards are plugged in ({board_drive.path}, {chosen_drive.path}); name one" in fails()
    assert flash(chosen_drive.path)[0] == 0
    assert not board_drive.received and len(chosen_drive.received) == 1
    # In a terminal, it asks.
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    prompt = Mock(side_effect=["3", "two", "2", EOFError])
    monkeypatch.setattr("click.termui.visible_prompt_func", prompt)
    status, out, _ = flash()
    assert status == 0 and "'two' is not a valid number" in out
    assert "3 is not in the range 1 to 2" in out
    assert not board_drive.received and len(chosen_drive.received) == 2
    assert flash()[0] == 130  # Ctrl-D, and the same for Ctrl-C


def test_flash_all_continues_after_failures(flash, drive, plugged, monkeypatch):
    monkeypatch.setattr("sys.argv", ["clone/bin/noughts"])
    refusing, failing, good = (
        drive(refuses="\x1b[2J no"),
        drive(usb_id=OTHER_ID),
        drive(usb_id=OTHER_ID),
    )
    plugged.drives += [refusing.path, failing.path, good.path]
    wait, refuse = drives.wait_until_back, fail(errno.EIO)
    monkeypatch.setattr(
        "noughts.boards.drive.wait_until_back",
        lambda drive, others: refuse() if drive.path == failing.path else wait(drive, others),
    )
    status, _, output = flash("--all")
    assert status == 1
    refused = 'could not use the hex (it says "error: [2J no"); try'
    assert f"{refusing.path}: the interface chip {refused}" in output
    assert "(Input/output error)" in output and "2 of 3 boards failed" in output
    assert refusing.received and good.received


def test_drive_with_io_errors_is_not_taken_as_back(drive, monkeypatch):
    """A mount that is just going away raises such errors."""
    looked_at = drives.look(drive().path)
    monkeypatch.setattr("noughts.boards.drive.Path.exists", fail(errno.EIO))
    assert drives.wait_until_back(looked_at) is None


def test_drive_is_found_when_it_remounts_elsewhere(drive, clock, plugged):
    """The stale old mount still shows the hex."""
    old, new = drive(), drive()
    clock.on_sleep.remove(old.look)
    plugged.drives += [old.path, new.path]
    looked_at = drives.look(old.path)
    assert drives.copy(b":00000001FF\n", looked_at, lambda size: None)
    assert drives.wait_until_back(looked_at).path == new.path


@pytest.mark.parametrize(
    ("usb_id", "files", "why"),
    [
        (USB_ID, {"V1": {"main.py": FILES["main.py"]}}, "does not hold the game, or holds"),
        (USB_ID, {"V1": FILES, "V2": OTHER_TABLE}, "or holds different tables for V1 and V2; make"),
        (USB_ID, {}, "is not a hex file"),
        (OTHER_ID, {"V1": FILES}, "the hex is for the micro:bit V1 only, and the board is a V2; "),
    ],
)
def test_unsuitable_hex_is_refused(fails, drive, tmp_path, usb_id, files, why):
    path = tmp_path / "a.hex"
    path.write_text(universal_hex({kind: slim(kind).with_files(files[kind]) for kind in files}))
    board_drive = drive(usb_id=usb_id)
    assert why in fails(board_drive.path, "--hex", path)
    assert not board_drive.received


def test_failure_of_one_of_two_boards_with_the_same_id_is_reported(fails, drive, plugged):
    """The drive of the other board has no hex either."""
    refusing_drive, other_drive = drive(refuses="no"), drive()
    plugged.drives += [other_drive.path, refusing_drive.path]
    assert 'could not use the hex (it says "error: no")' in fails(refusing_drive.path)


@pytest.mark.parametrize(
    ("file_system", "is_found"),
    [("vfat", True), ("FAT", True), ("", True), ("lifs", True), ("ntfs", False)],
)
def test_drive_is_found_by_its_file_system(flash, drive, plugged, file_system, is_found):
    board_drive = drive()
    plugged.drives += [board_drive.path]
    plugged.file_system = file_system
    assert flash()[0] == (0 if is_found else 1)


def test_drive_that_may_not_be_read_is_named(flash, fails, drive, plugged, monkeypatch, tmp_path):
    """The error is faked: tests may run as root, who can read every file."""
    unreadable, board_drive, read_text = drive(), drive(usb_id=OTHER_ID), Path.read_text
    plugged.drives += [unreadable.path, board_drive.path]

    def refuse(path, *args, **named):
        if path.parent == unreadable.path:
            fail(errno.EACCES)()
        return read_text(path, *args, **named)

    monkeypatch.setattr("pathlib.Path.read_text", refuse)
    why = f"no permission to read {unreadable.path / 'DETAILS.TXT'}; check"
    assert why in fails(unreadable.path)
    assert flash()[0] == 0  # the other
    assert board_drive.received and not unreadable.received
    plugged.drives.remove(board_drive.path)
    assert why in fails()
    partition = tmp_path / "efi"  # of the system, which only root may look into
    unreadable.path.rename(partition)
    unreadable.path, plugged.drives[:] = partition, [partition]
    (partition / "DETAILS.TXT").unlink()
    assert "no micro:bit drive was found" in fails()


def long_records(text):
    """A hex with 64 bytes in a record, which interface chips do not take."""
    lines = io.StringIO()
    intelhex.IntelHex(io.StringIO(text)).write_hex_file(lines, byte_count=64)
    return lines.getvalue()


def plain_hex(firmware):
    text = io.StringIO()
    firmware.memory.write_hex_file(text)
    return text.getvalue()


@pytest.mark.parametrize(
    "change",
    [
        lambda universal: universal,
        lambda universal: universal.replace("\n", "\r\n"),
        lambda universal: "".join(
            line for line in universal.splitlines(keepends=True) if line[7:9] != "0C"
        ),
        lambda universal: " \n" + universal.lower(),
    ],
    ids=["unchanged", "CRLF", "no padding", "leading blank, lower case"],
)
def test_interface_chip_gets_a_hex_that_it_can_use(flash, drive, tmp_path, game, change):
    board_drive, path = drive(), tmp_path / "it.hex"
    path.write_bytes(change(game.read_text()).encode())
    assert flash(board_drive.path, "--hex", path)[0] == 0
    assert board_drive.received == [game.read_bytes()]


def test_plain_hex_with_long_records_is_written_anew(flash, drive, tmp_path):
    board_drive, path, firmware = drive(), tmp_path / "it.hex", slim("V1").with_files(FILES)
    path.write_text(long_records(plain_hex(firmware)))
    assert flash(board_drive.path, "--hex", path)[0] == 0
    (content,) = board_drive.received
    assert max(map(len, content.splitlines())) <= 11 + 2 * 32
    (received,) = read_firmware(content.decode(), "it").values()
    assert received.memory.todict() == firmware.memory.todict()


def test_progress_covers_the_whole_hex_and_names_the_drive(drive):
    board_drive = drive()
    shown, counts = [], []
    steps = SimpleNamespace(describe=shown.append, advance=counts.append)

    def progress(size):
        shown.append(size)
        return contextlib.nullcontext(steps)

    content = b"\n" * 70_000 + b":00000001FF\n"
    what = Hex(content, {"V1": slim("V1")}, brain.make_table())
    flash_board(drives.look(board_drive.path), what, shown.append, progress, verify=False)
    assert shown[1:] == [
        len(content),
        str(board_drive.path),
        f"{board_drive.path}: copied; not verified",
    ]
    assert sum(counts) == len(content) and len(counts) > 1


def test_port_is_found_by_usb_id_and_retried(fails, drive, clock, plugged, monkeypatch):
    """Windows reports the id in capitals, and may refuse a port that has just come back."""
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
def test_interrupted_copy_is_reported(fails, drive, clock, monkeypatch, failure, why):
    """The cable is pulled or the interface chip gives up; the drive comes back later."""
    board_drive = drive()
    clock.on_sleep[:] = [lambda: board_drive.path.exists() or board_drive.mount(failure)]

    def break_off(handle):
        shutil.rmtree(board_drive.path)
        fail(errno.EIO)()

    monkeypatch.setattr("noughts.boards.drive.os.fsync", break_off)
    assert why in fails(board_drive.path)


def test_unwritable_drive_is_reported(fails, drive):
    board_drive = drive()
    (board_drive.path / drives.HEX_NAME).mkdir()
    why = f"cannot write to the drive {board_drive.path} (Is a directory)"
    assert f"{why}; unplug the board, plug it in" in fails(board_drive.path)


def test_named_port_is_tried_though_the_drive_stays_away(flash, drive):
    board_drive = drive(returns=False)
    status, out, err = flash(board_drive.path, "--port", "/dev/ttyNONE", verify=True)
    assert out.startswith(f"flashing {board_drive.path}")
    assert status == 1 and "there is no port /dev/ttyNONE" in err


@pytest.mark.parametrize(
    ("drive_id", "ids", "why"),
    [
        (USB_ID, [None], "there is no port /dev/tty0NE"),  # some systems report no port ids
        (USB_ID, [OTHER_ID], "no serial port was found"),
        ("", [OTHER_ID], "there is no port /dev/tty0NE"),  # a chip of 2015 has no id
        ("", [None, OTHER_ID], "no serial port was found"),
        ("", [], "no serial port was found"),
    ],
)
def test_only_port_is_used_unless_another_boards(fails, drive, monkeypatch, drive_id, ids, why):
    """Used when no port has the USB id of the drive."""
    ports = [Port(f"/dev/tty{index}NE", serial_number) for index, serial_number in enumerate(ids)]
    monkeypatch.setattr("noughts.boards.flash.find_ports", lambda: ports)
    assert why in fails(drive(usb_id=drive_id).path, verify=True)
