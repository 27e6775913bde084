"""The emulated board itself: LEDs, buttons, clock, reset, serial port, and its end."""

import os
import signal
import subprocess
import sys
import time

import microfs
import pytest
from noughts.boards.emulated import EmulatedBoard
from noughts.boards.strobe import Strobe

from boards import A, B, Driver, text
from noughts.errors import BoardGone

MAIN = b"""
from microbit import *
for i in range(25):
    display.set_pixel(i % 5, i // 5, i % 10)
while True:
    sleep(100)
    print(running_time(), button_a.is_pressed(), button_b.is_pressed())
"""
PICTURE = bytes(i % 10 for i in range(25))


def lines(board):
    board.serial.timeout = 120
    read = board.serial.read_until(b"\n").strip(b"\0\r\n").decode()
    board.serial.timeout = 0
    return read.split()


def test_every_level_is_read_back(emulated):
    driver = Driver(emulated({"main.py": MAIN}))
    driver.shows(text(PICTURE))


def test_the_frame_buffer_is_what_the_pins_show(emulated):
    """With idle time skipped, so that QEMU's timers are never late."""
    board = emulated({"main.py": MAIN}, icount="shift=6,sleep=off")
    Driver(board).shows(text(PICTURE))
    strobe = Strobe()
    end = time.monotonic() + 1200
    while not strobe.complete and time.monotonic() < end:
        strobe.feed(board.samples())
    assert strobe.complete
    assert strobe.picture() == bytes(0 if level < 4 else level for level in PICTURE)


def test_buttons_and_clock(emulated):
    board = emulated({"main.py": MAIN})

    def until(*pressed):
        """The board's time once it says so; a busy machine makes it slow."""
        end = time.monotonic() + 120
        while (told := lines(board))[1:] != [str(each) for each in pressed]:
            assert time.monotonic() < end, told
        return int(told[0])

    until(False, False)
    board.press(A)
    until(True, False)
    board.release(A)
    board.press(B)
    # A QEMU that was held up stays behind, for the firmware misses a part of that time; so it is
    # the time between two lines that is compared, and a busy machine may take some lines for it.
    before = None
    end = time.monotonic() + 120
    while time.monotonic() < end:
        ms, clock_ms = until(False, True), board.clock_us() / 1000
        assert clock_ms >= ms
        if before and abs((clock_ms - before[1]) - (ms - before[0])) < 20:
            break
        before = ms, clock_ms
    else:
        pytest.fail("the clock is not the board's")


def test_reset_starts_the_clock_again(emulated):
    board = emulated({"main.py": MAIN})
    end = time.monotonic() + 120
    while board.clock_us() < 5_000_000:
        assert time.monotonic() < end
        time.sleep(0.05)
    board.reset()
    assert board.clock_us() < 2_500_000
    while len(told := lines(board)) != 3 or int(told[0]) > 2_500:  # from before the reset
        assert time.monotonic() < end


def test_unmodified_microfs_over_the_pty(emulated, tmp_path):
    board = emulated({"main.py": MAIN})
    end = time.monotonic() + 120
    while len(lines(board)) < 3:  # it runs
        assert time.monotonic() < end
    board.serial.timeout = 60
    assert microfs.ls(board.serial) == ["main.py"]
    (tmp_path / "note").write_bytes(b"kept \x00\xff" * 40)
    microfs.put(str(tmp_path / "note"), "note", board.serial)
    assert sorted(microfs.ls(board.serial)) == ["main.py", "note"]
    microfs.get("note", str(tmp_path / "back"), board.serial)
    assert (tmp_path / "back").read_bytes() == b"kept \x00\xff" * 40


def alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def gone(pid):
    end = time.monotonic() + 120
    while alive(pid) and time.monotonic() < end:
        time.sleep(0.02)
    return not alive(pid)


def test_a_killed_qemu_is_told_in_one_line(emulated):
    board = emulated({"main.py": MAIN})
    os.kill(board.pid, signal.SIGKILL)
    assert gone(board.pid)
    for use in (board.leds, board.clock_us, lambda: board.press(A), board.reset):
        with pytest.raises(BoardGone, match="start again") as caught:
            use()
        assert "\n" not in str(caught.value)


def test_close_ends_qemu(emulated):
    board = emulated({"main.py": MAIN})
    board.close()
    board.close()
    assert gone(board.pid)


def test_qemu_does_not_outlive_a_killed_owner(qemu):
    code = (
        "import time\nfrom noughts.boards.emulated import EmulatedBoard\n"
        "board = EmulatedBoard()\nprint(board.pid, flush=True)\ntime.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(owner.stdout.readline())
        assert alive(pid)
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
    assert gone(pid)


def test_a_missing_or_broken_qemu(qemu, monkeypatch, tmp_path):
    broken = tmp_path / "qemu"
    broken.write_text("#!/bin/sh\necho 'unsupported machine type' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("NOUGHTS_QEMU", str(broken))
    with pytest.raises(Exception, match=r"QEMU does not start \(unsupported machine type\)"):
        EmulatedBoard({"main.py": b"pass"})
