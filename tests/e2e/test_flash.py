"""`noughts flash` and the drive: a stand-in takes the hex (`stand_in_drive.py`)."""

import contextlib
import errno
import os
import pty
import shutil
from functools import cache
from pathlib import Path
from types import SimpleNamespace

import pytest
from serial import serial_for_url

from needed import FULL_DISK
from noughts import brain
from noughts.cli import main
from noughts.device_files import files_for_boards
from noughts.firmware import image, universal_hex
from noughts.hardware import drive as drives
from noughts.hardware import flashing
from noughts.hardware.boot import reset_by_break
from noughts.hardware.ports import Port, open_port
from slim import slim
from stand_in_drive import CHECKSUM, USB_ID, StandInDrive
from stepped_ports import Talker

UNIVERSAL_OF = image.universal_of


@cache
def built():
    """The hex that every flash without one of its own builds."""
    return image.universal(image.bundled(), files_for_boards())


@pytest.fixture(autouse=True)
def built_once(monkeypatch):
    """Building it takes longer than all else that `noughts flash` does."""
    text, build, ours = built(), image.universal_of, files_for_boards()

    def universal_of(firmwares, contents):
        alike = all(files == ours for files in contents.values()) and firmwares == image.bundled()
        return text if alike else build(firmwares, contents)

    monkeypatch.setattr("noughts.hardware.flashing.image.universal_of", universal_of)


@pytest.fixture
def drive(tmp_path, clock):
    """Makes stand-in drives, in a time that passes only while they are waited for."""
    made = []

    def make(**named):
        path = tmp_path / f"MICROBIT{len(made) or ''}"
        made.append(StandInDrive(path, clock=clock, **named))
        return made[-1]

    return make


@pytest.fixture
def mounted(monkeypatch):
    """Says which drives the system has mounted; no FAT drive can be mounted in a test."""

    def mount(*made):
        partitions = [SimpleNamespace(mountpoint="/", fstype="ext4")]
        partitions += [SimpleNamespace(mountpoint=str(each.path), fstype="vfat") for each in made]
        monkeypatch.setattr("psutil.disk_partitions", lambda: partitions)

    return mount


def flash(*words):
    return main(["flash", "--no-verify", *map(str, words)])


def failure(capsys):
    told = capsys.readouterr().err
    assert told.startswith("noughts: ") and told.count("\n") == 1 and ";" in told
    return told


def test_the_whole_hex_arrives(drive, mounted, capsys, monkeypatch):
    monkeypatch.setattr("noughts.hardware.flashing.image.universal_of", UNIVERSAL_OF)
    one = drive()
    mounted(one)
    assert flash() == 0
    told = capsys.readouterr().out
    assert f"flashing {one.path} (micro:bit V1, interface 0249)" in told
    assert "copied; not verified" in told
    (content,) = one.received
    assert list(universal_hex.split(content.decode(), "it")) == ["V1", "V2"]


def test_no_drive(mounted, capsys):
    mounted()
    assert flash() == 1
    told = failure(capsys)
    assert "data lines" in told and "mounted" in told and "maintenance mode" in told


def test_a_folder_that_is_no_drive(tmp_path, capsys):
    assert flash(tmp_path) == 1
    assert "has no DETAILS.TXT" in failure(capsys)


def test_a_board_of_another_maker(drive, mounted, capsys):
    one = drive(usb_id="0240" + "0" * 44)  # an FRDM-K64F, with the same interface chip
    mounted(one)
    assert flash("--all") == 1
    assert "no micro:bit drive was found" in failure(capsys)
    assert not one.received


@pytest.mark.parametrize(
    "text", ["error:\r\ntype: target\r\n", "it failed\r\nbadly\r\n", "error: \r\n"]
)
def test_an_odd_fail_txt_is_still_a_failure(text):
    told = drives.failure(text)
    assert told and "\n" not in told and "\r" not in told and ";" in told


def test_an_empty_fail_txt_is_none():
    assert drives.failure(" \r\n") is None


def test_maintenance_mode(drive, capsys):
    one = drive(mode="Bootloader")
    assert flash(one.path) == 1
    assert "maintenance mode; unplug it and plug it in again" in failure(capsys)
    assert not one.received


def test_two_boards_when_one_was_meant(drive, mounted, capsys):
    one, two = drive(), drive(usb_id="9904" + "0" * 44)
    mounted(one, two)
    assert flash() == 1
    assert f"2 boards are plugged in ({one.path}, {two.path}); name a drive" in failure(capsys)
    assert flash(two.path) == 0
    assert not one.received and two.received


def test_two_boards_in_a_terminal_it_asks(drive, mounted, capsys, monkeypatch):
    one, two = drive(), drive(usb_id="9904" + "0" * 44)
    mounted(one, two)
    monkeypatch.setattr("sys.stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    answers = iter(["3", "two", "2"])
    monkeypatch.setattr("builtins.input", lambda prompt: next(answers))
    assert flash() == 0
    assert "'two' is not a number from 1 to 2" in capsys.readouterr().out
    assert not one.received and two.received


def test_all_boards_go_on_after_a_failure(drive, mounted, capsys, monkeypatch):
    monkeypatch.setattr("sys.argv", ["clone/bin/noughts"])
    refuses = "The hex file is incompatible with this board."
    one, two = drive(refuses=refuses), drive(usb_id="9904" + "0" * 44)
    mounted(one, two)
    assert flash("--all") == 1
    told = capsys.readouterr().err
    assert f"{one.path}: the hex is not for this board" in told
    assert "; build it anew with `clone/bin/noughts hex`\n" in told
    assert "1 of 2 boards failed" in told
    assert one.received and two.received


def test_all_boards_go_on_after_what_the_system_refuses(drive, mounted, capsys, monkeypatch):
    one, two = drive(), drive(usb_id="9904" + "0" * 44)
    mounted(one, two)
    wait = drives.wait_until_back

    def refuse(drive):
        if drive.path == one.path:
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(one.path))
        return wait(drive)

    monkeypatch.setattr("noughts.hardware.drive.wait_until_back", refuse)
    assert flash("--all") == 1
    told = capsys.readouterr().err
    assert f"cannot use {one.path} (Input/output error)" in told and "1 of 2 boards failed" in told
    assert two.received


def test_fail_txt_is_put_into_words(drive, capsys):
    one = drive(refuses=CHECKSUM)
    assert flash(one.path) == 1
    told = failure(capsys)
    assert f'the hex arrived damaged (it says "{CHECKSUM[:-1]}"); try again' in told


@pytest.mark.parametrize(
    ("said", "meaning"),
    [
        ("The transfer timed out.\r\ntype: user, transient", "did not arrive in time"),
        ("Are you in MAINTENANCE mode? not compatible with this mode or device", "not for this"),
        ("Programming aborted: image would lock target MCU", "would lock the main chip"),
        ("Failed to reset/halt the target MCU\r\ntype: target", "cannot reach the main chip"),
        ("Flash algorithm write command FAILURE", "cannot reach the main chip"),
        ("In application programming write failed.\r\ntype: interface", "update its firmware"),
        ("Something new\r\ntype: user", 'could not use the hex (it says "Something new")'),
        ("\x1b[2J", 'it says "[2J"'),
    ],
)
def test_what_the_interface_chip_may_say(tmp_path, said, meaning):
    (tmp_path / "FAIL.TXT").write_bytes(f"error: {said}\r\n".encode())
    told = drives.failure(drives._text(tmp_path / "FAIL.TXT"))
    assert meaning in told and ";" in told and "\n" not in told and "\x1b" not in told


def test_a_drive_that_does_not_come_back(drive, capsys):
    one = drive(returns=False)
    assert flash(one.path) == 1
    assert "did not come back; plug the board in again" in failure(capsys)


def test_a_drive_that_is_just_going_away(drive, monkeypatch):
    """A mount gives such an error then; no folder does."""
    found = drives.look(drive().path)

    def refuse(path):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr("noughts.hardware.drive.Path.exists", refuse)
    assert drives.wait_until_back(found) is None


def test_a_drive_that_goes_away_in_the_middle(drive, capsys):
    one = drive(drops=True)
    assert flash(one.path) == 1
    assert 'the transfer failed (it says "An error has occurred")' in failure(capsys)


@pytest.fixture
def breaks_off(monkeypatch):
    """Copying breaks off with an I/O error, and the drive stays; a folder has no such errors."""

    def start(then):
        calls = []

        def sync(handle):
            calls.append(handle)
            if len(calls) == 3:
                then()
                raise OSError(errno.EIO, os.strerror(errno.EIO))

        monkeypatch.setattr("noughts.hardware.drive.os.fsync", sync)

    return start


def test_fail_txt_is_read_after_a_write_error_too(drive, clock, capsys, breaks_off):
    one = drive()
    one.close()
    text = f"error: {CHECKSUM}\n"
    breaks_off(lambda: clock.on_sleep.append(lambda: (one.path / "FAIL.TXT").write_text(text)))
    assert flash(one.path) == 1
    assert "the hex arrived damaged" in failure(capsys)


def test_an_old_fail_txt_says_nothing_of_a_write_error(drive, capsys, breaks_off):
    one = drive()
    one.close()
    (one.path / "FAIL.TXT").write_text(f"error: {CHECKSUM}\n")
    breaks_off(lambda: None)
    assert flash(one.path) == 1
    assert f"copying to {one.path} failed (Input/output error); try again" in failure(capsys)


def test_a_drive_that_comes_back_elsewhere(drive, mounted):
    """What is left of the old mount still shows the hex."""
    old, new = drive(), drive()
    old.close()
    mounted(old, new)
    found = drives.look(old.path)
    assert drives.copy(b":00000001FF\n", found, lambda size: None)
    assert drives.wait_until_back(found).path == new.path


@pytest.mark.parametrize(
    ("hex_for", "board", "usb_id"), [("V1", "V2", "9904"), ("V2", "V1", "9900")]
)
def test_a_hex_for_other_boards(drive, tmp_path, capsys, hex_for, board, usb_id):
    path = tmp_path / "one.hex"
    path.write_text(universal_hex.join({hex_for: slim(hex_for).memory}))
    one = drive(usb_id=usb_id + "0" * 44)
    assert flash(one.path, "--hex", path) == 1
    assert f"is a micro:bit {board}, and the hex is for the {hex_for} only" in failure(capsys)
    assert not one.received


def test_what_has_arrived_is_counted(drive, monkeypatch):
    """The system may take less at a time than it is given."""
    write = os.write
    monkeypatch.setattr("noughts.hardware.drive.os.write", lambda to, part: write(to, part[:1000]))
    one = drive()
    one.close()
    content = bytes(5500)
    counts = []
    assert drives.copy(content, drives.look(one.path), counts.append)
    assert sum(counts) == len(content)


def test_the_progress_is_that_of_the_whole_hex_and_names_the_drive(drive):
    one = drive()
    shown, counts = [], []
    steps = SimpleNamespace(doing=shown.append, advance=counts.append)

    @contextlib.contextmanager
    def progress(size):
        shown.append(size)
        yield steps

    content = b"\n" * 70_000 + b":00000001FF\n"
    what = flashing.Hex(content, brain.make(), frozenset({"V1"}))
    found, keep = drives.look(one.path), shown.append
    flashing.flash(found, what, shown.append, progress, verify=False, keep=keep)
    assert shown[1:] == [len(content), str(one.path), f"{one.path}: copied; not verified"]
    assert sum(counts) == len(content) and len(counts) > 1


def test_the_port_is_found_by_its_usb_id_and_waited_for(drive, clock, capsys, monkeypatch):
    """Windows tells the id in capitals, and a port that has just come back may be refused."""
    name = Talker(clock, lambda heard: b"").port
    told = {"vid": 0x0D28, "pid": 0x0204}
    ports = [
        SimpleNamespace(device="COM1", serial_number="9904" + "0" * 44, **told),
        SimpleNamespace(device=name, serial_number=USB_ID.upper(), **told),
    ]
    monkeypatch.setattr("serial.tools.list_ports.comports", lambda: ports)
    refusals = [PermissionError(errno.EACCES, "Permission denied")] * 2

    def opened(*args, **named):
        if refusals:
            raise refusals.pop()
        return serial_for_url(*args, **named)

    monkeypatch.setattr("serial.serial_for_url", opened)
    assert main(["flash", str(drive().path)]) == 1
    assert f"the game on {name} did not start" in failure(capsys)


def test_a_cable_that_is_pulled_in_the_middle(drive, capsys, monkeypatch):
    """The drive is back later, and knows nothing of a failure."""
    one = drive()
    one.close()
    calls = []

    def sync(handle):
        calls.append(handle)
        if len(calls) == 3:
            shutil.rmtree(one.path)
            raise OSError(errno.ENODEV, os.strerror(errno.ENODEV))

    def is_waited_for(found):
        one._mount("")
        return wait_until_back(found)

    monkeypatch.setattr("noughts.hardware.drive.os.fsync", sync)
    wait_until_back = drives.wait_until_back
    monkeypatch.setattr(drives, "wait_until_back", is_waited_for)
    assert flash(one.path) == 1
    assert "went away before all of the hex was copied; try again" in failure(capsys)


@FULL_DISK
def test_a_full_drive(drive, capsys):
    one = drive()
    one.close()  # nobody takes the hex
    (one.path / "noughts.hex").symlink_to("/dev/full")  # it says what a full disk says
    assert flash(one.path) == 1
    assert f"the drive {one.path} is full" in failure(capsys)


def test_a_drive_that_cannot_be_written(drive, capsys, monkeypatch):
    """Root, as which tests may run, can write everywhere; so the system's answer is a stand-in."""
    one = drive()

    def refuse(*_):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("noughts.hardware.drive.os.open", refuse)
    assert flash(one.path) == 1
    told = failure(capsys)
    assert "cannot write to the drive" in told and "(Read-only file system)" in told


def test_a_hex_that_is_not_the_game(drive, tmp_path, capsys):
    one = drive()
    path = tmp_path / "plain.hex"
    path.write_text(universal_hex.join({"V1": slim("V1").with_files({})}))
    assert flash(one.path, "--hex", path) == 1
    assert "does not hold the game; make one with `noughts hex`" in failure(capsys)
    assert flash(one.path, "--hex", Path(__file__)) == 1
    assert "is not a hex file" in failure(capsys)
    assert not one.received


@pytest.mark.parametrize("name", ["main.py", "table.py"])
def test_a_hex_with_half_the_game(drive, tmp_path, capsys, name):
    files = {each: text for each, text in files_for_boards().items() if each != name}
    path = tmp_path / "half.hex"
    path.write_text(universal_hex.join({"V1": slim("V1").with_files(files)}))
    assert flash(drive().path, "--hex", path) == 1
    assert "does not hold the game; make one with `noughts hex`" in failure(capsys)


def test_a_hex_with_another_table_for_each_board(drive, tmp_path, capsys):
    other = brain.source(brain.Table((1,) * 10, ())).encode()
    tables = {"V1": files_for_boards(), "V2": {**files_for_boards(), "table.py": other}}
    path = tmp_path / "two.hex"
    parts = {board: slim(board).with_files(files) for board, files in tables.items()}
    path.write_text(universal_hex.join(parts))
    one = drive()
    assert flash(one.path, "--hex", path) == 1
    assert "has a different table for each board; make a new hex" in failure(capsys)
    assert not one.received


def test_a_break_on_a_line_that_has_hung_up():
    master, slave = pty.openpty()
    port = open_port(os.ttyname(slave))
    os.close(slave)
    os.close(master)
    with pytest.raises(OSError):
        reset_by_break(port)
    port.close()


def test_no_serial_port_to_verify_on(drive, capsys, monkeypatch):
    monkeypatch.setattr("noughts.hardware.flashing.find_ports", list)
    one = drive()
    assert main(["flash", str(one.path)]) == 1
    assert "no serial port was found on which to see the game start" in failure(capsys)


def test_a_drive_that_does_not_come_back_and_a_board_that_may_have_started(drive, capsys):
    one = drive(returns=False)
    assert main(["flash", str(one.path), "--port", "/dev/ttyNONE"]) == 1
    told = capsys.readouterr()
    assert f"{one.path} did not come back; listening on the serial port anyway\n" in told.out
    assert "there is no port /dev/ttyNONE" in told.err


OTHER_ID = "9904" + "0" * 44


@pytest.mark.parametrize(
    ("drive_id", "ids", "is_it"),
    [
        (USB_ID, [None], True),  # some systems do not tell the id of a port
        ("", [OTHER_ID], True),
        (USB_ID, [OTHER_ID], False),
        (USB_ID, [None, None], False),
        ("", [None, OTHER_ID], False),
    ],
)
def test_a_port_that_cannot_be_told_by_its_id(
    drive, tmp_path, capsys, monkeypatch, drive_id, ids, is_it
):
    """The only one is taken, unless it is that of another board."""
    ports = [Port(str(tmp_path / f"port{index}"), each) for index, each in enumerate(ids)]
    monkeypatch.setattr("noughts.hardware.flashing.find_ports", lambda: ports)
    assert main(["flash", str(drive(usb_id=drive_id).path)]) == 1
    told = failure(capsys)
    assert (f"there is no port {ports[0].name}" in told) == is_it
    assert ("no serial port was found" in told) == (not is_it)


def test_a_board_that_says_nothing(drive, clock, capsys):
    port = Talker(clock, lambda heard: b"").port
    assert main(["flash", str(drive().path), "--port", port]) == 1
    assert "did not start, and sent nothing; press reset" in failure(capsys)
