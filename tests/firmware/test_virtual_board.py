"""A virtual board in step with real time: its serial port, its buttons, its end."""

import io
import os
import re
import signal

import pytest

from boards import A, B, PortDriver, text
from needed import long
from noughts.errors import BoardError, BoardGoneError
from noughts.virtual.board import VirtualBoard
from noughts.virtual.process import MAX_WAITING, PRESS_US, REST_US, BoardProcess
from noughts.virtual.program import Program, program
from own_engines import is_gone
from waiting import until

MAIN = b"""
from microbit import *
for i in range(25):
    display.set_pixel(i % 5, i // 5, i % 10)
while True:
    sleep(100)
    print(running_time(), button_a.get_presses(), button_b.is_pressed(), accelerometer.get_x())
"""
CLICK = ("press", A), ("release", A)
LINE = re.compile(r"(\d+) (\d+) (True|False) (-?\d+)$")
PICTURE = bytes(i % 10 for i in range(25))


class ProgramOutput(PortDriver):
    """What `MAIN` prints: milliseconds, presses of A since the last line, whether B is down, x."""

    def lines(self):
        """As they come."""
        while True:
            until(lambda: self.listen() or self.items, "a line")
            if found := LINE.search(self.items.pop(0).text):
                ms, presses, down, x = found.groups()
                yield int(ms), int(presses), down == "True", int(x)


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_leds_buttons_tilt_and_clock(virtual, kind):
    board = virtual({"main.py": MAIN}, kind)
    told = ProgramOutput(board)
    told.shows(text(PICTURE))
    board.press(A)
    board.release(A)  # a click that is over at once is a press
    next(told for told in told.lines() if told[1] == 1)
    board.press(B)
    next(told for told in told.lines() if told[2])
    board.release(B)
    next(told for told in told.lines() if not told[2])
    board.tilt(400, 0)
    next(told for told in told.lines() if abs(told[3] - 400) < 40)
    board.nudge(-1, 0)
    next(told for told in told.lines() if told[3] < -200)
    next(told for told in told.lines() if abs(told[3]) < 40)
    ms, *_ = next(told.lines())
    assert ms <= board.clock_us() / 1000


def test_taps_of_two_buttons_are_never_both(virtual):
    """A is another opponent, and B a game; both together would be another setting."""
    board = virtual(board="V1", speed=4)
    driver = PortDriver(board)
    driver.start()
    board.tap(A)
    board.tap(B)
    driver.wait(lambda: bool(driver.games), "a game")
    assert driver.games[0].seats == "PE"


def test_it_is_programmed_anew_and_starts_as_another_boot(virtual):
    board = virtual(speed=4)
    driver = PortDriver(board)
    driver.start()
    clock_us = board.clock_us()
    for _ in range(MAX_WAITING):
        board._send("gesture", 3_600_000_000, *CLICK)  # nobody waits for these after that
    board.flash(program("V1"))
    driver.start()
    first, second = driver.boots
    assert first.boot != second.boot
    assert board.clock_us() > clock_us


def test_a_killed_board_is_told_in_one_line_and_takes_its_port_away(virtual):
    board = virtual({"main.py": MAIN})
    os.kill(board._process.pid, signal.SIGKILL)
    with pytest.raises(OSError):  # as when a cable is pulled
        until(lambda: board.serial.read(4096) is None)
    with pytest.raises(BoardGoneError):  # a moment later
        until(lambda: board.leds() is None)
    for use in (board.leds, board.clock_us, lambda: board.press(A), board.reset):
        with pytest.raises(BoardGoneError, match="no longer running") as caught:
            use()
        assert "\n" not in str(caught.value)
    for _ in range(2):
        board.close()
    assert is_gone(board._process.pid)


def test_what_the_emulator_cannot_run_is_told_in_one_line(virtual):
    """Code that reads where no memory is, in place of MicroPython."""
    board = virtual({"main.py": MAIN})
    flash = bytearray(program("V1").flash)
    at = int.from_bytes(flash[4:8], "little") & ~1
    # ldr r0, [pc, #4]; ldr r0, [r0]; and the address
    at += at % 4
    flash[4:8] = (at | 1).to_bytes(4, "little")
    flash[at : at + 12] = bytes.fromhex("01480068fee700bf 00000090".replace(" ", ""))
    board.flash(Program("V1", "broken", bytes(flash), program("V1").uicr))
    with pytest.raises(BoardGoneError, match="the virtual board has stopped: the f") as caught:
        until(lambda: board.leds() is None)
    assert "\n" not in str(caught.value)


def test_what_the_firmware_is_made_by_may_fail():
    """The process has been started by then; it ends."""

    def fail():
        raise BoardError("no firmware; make one")

    with pytest.raises(BoardError, match="no firmware"):
        VirtualBoard(fail)


def in_process(made):
    return BoardProcess(*(io.BytesIO() for _ in range(2)), made, 1, 1.0)


def obeyed_at_us(process, *messages):
    """The device time at which the last of these is obeyed."""
    for message in messages:
        process._take(message)
    return process._last_us


def test_a_button_stays_down_and_then_up_for_a_while():
    """So quick clicks all count."""
    process = in_process(program("V2"))
    assert obeyed_at_us(process, *CLICK) == PRESS_US
    assert obeyed_at_us(process, ("press", B)) == PRESS_US  # which was not down
    assert obeyed_at_us(process, ("press", A, B)) == 2 * PRESS_US  # both at one moment
    assert obeyed_at_us(process, ("release", A, B)) == 3 * PRESS_US


def test_of_a_key_that_repeats_a_few_are_kept():
    process = in_process(program("V2"))
    for _ in range(30):
        process._take(("gesture", PRESS_US, *CLICK))
    assert process._resting_until_us == (MAX_WAITING + 1) * (PRESS_US + REST_US)


def test_a_board_that_is_programmed_anew_waits_for_no_press_of_the_one_before():
    """Its clock begins anew, so that it would be deaf for as long as the other has run."""
    made = program("V2")
    process = in_process(made)
    obeyed_at_us(process, *CLICK, *CLICK)
    assert obeyed_at_us(process, ("program", made), ("press", A)) == 0
    assert obeyed_at_us(process, ("program", made), ("release", A)) == 0
