"""A virtual board in step with real time: its serial port, its buttons and its end."""

import io
import os
import pickle
import re
import signal
import subprocess
import sys

import pytest

from boards import A, B, PortDriver, text
from needed import POSIX, long
from noughts.errors import BoardError, BoardGoneError
from noughts.virtual.board import Air, VirtualBoard
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
        """Lines as they arrive."""
        while True:
            until(lambda: self.listen() or self.items, "a line")
            if match := LINE.search(self.items.pop(0).text):
                ms, presses, down, x = match.groups()
                yield int(ms), int(presses), down == "True", int(x)


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_program_sees_buttons_and_tilt_and_shows_leds(virtual, kind):
    board = virtual({"main.py": MAIN}, kind)
    output = ProgramOutput(board)
    output.shows(text(PICTURE))
    board.touch_logo()  # no effect on this program, nor on a V1, which has none
    board.press(A)
    board.release(A)  # an instant click is still a press
    next(line for line in output.lines() if line[1] == 1)
    board.press(B)
    next(line for line in output.lines() if line[2])
    board.release(B)
    next(line for line in output.lines() if not line[2])
    board.tilt(400, 0)
    next(line for line in output.lines() if abs(line[3] - 400) < 40)
    board.nudge(-1, 0)
    next(line for line in output.lines() if line[3] < -200)
    next(line for line in output.lines() if abs(line[3]) < 40)
    ms, *_ = next(output.lines())
    until(lambda: ms <= board.clock_us() / 1000, "the clock, which is read after the line")


def test_taps_of_two_buttons_never_count_as_both_at_once(virtual):
    """A changes the opponent and B starts a game; both together would change the setting."""
    board = virtual(board="V1", speed=4)
    driver = PortDriver(board)
    driver.start()
    board.tap(A)
    board.tap(B)
    driver.wait(lambda: bool(driver.games), "a game")
    assert driver.games[0].seats == "PE"


def test_reflashed_board_starts_with_a_new_boot_id(virtual):
    board = virtual(speed=4)
    driver = PortDriver(board)
    driver.start()
    clock_us = board.clock_us()
    for _ in range(MAX_WAITING):
        board.nudge(1, 0)  # flashing drops these
    board.flash(program("V1"))
    driver.start()
    first, second = driver.boots
    assert first.boot != second.boot
    assert board.clock_us() > clock_us


LOGO = b"""
from microbit import *
import music
while True:
    if pin_logo.is_touched():
        music.pitch(440, 500)
"""


def test_touched_logo_and_tone(virtual):
    board = virtual({"main.py": LOGO}, "V2")

    tones_hz = [0]

    def sounds():
        board.touch_logo()  # again, as it may have been starting
        tones_hz.append(board.tone_hz())
        return tones_hz[-1]

    until(sounds, "a tone")
    assert abs(tones_hz[-1] - 440) < 5
    until(lambda: not board.tone_hz(), "its end")


RADIO = b"""
from microbit import *
import radio
radio.config(length=64)
radio.on()
while True:
    if button_a.was_pressed():
        radio.send_bytes(b"pressed" * 9)
    packet = radio.receive_bytes()
    if packet:
        print("received", packet)
    sleep(10)
"""


def test_boards_in_one_air_receive_each_others_packets_and_outlive_each_other(virtual):
    """Also a V1 with a V2, and one that was flashed in the meantime."""
    air = Air()
    boards = [virtual({"main.py": RADIO}, model, air=air) for model in ("V1", "V2", "V1")]
    alone = virtual({"main.py": RADIO}, air=Air())
    boards[2].flash(program("V1", {"main.py": RADIO}))
    drivers = [PortDriver(board) for board in (*boards, alone)]

    def received(driver):
        return [item.text for item in driver.items if item.text.startswith("received")]

    for number, sender in enumerate(boards):
        others = [driver for driver in drivers[:3] if driver.board is not sender]
        for driver in drivers:
            driver.items.clear()

        def has_arrived(sender=sender, others=others):
            sender.tap(A)  # again, as it may have been starting
            return all(driver.listen() or received(driver) for driver in others)

        until(has_arrived, f"a packet of board {number}")
        assert set(received(others[0])) == {f"received {b'pressed' * 9}"}
        assert not received(drivers[number]) and not received(drivers[3])
    os.kill(boards[0].pid, signal.SIGKILL)
    boards[1].close()
    clock_us = boards[2].clock_us()
    boards[2].tap(A)
    until(lambda: boards[2].clock_us() > clock_us + 1_000_000)
    boards[2].tap(A)


def test_fault_of_ours_ends_the_board_and_is_named(virtual, monkeypatch):
    def carry(*_):
        raise KeyError("a fault in the air")

    monkeypatch.setattr(Air, "carry", carry)
    board = virtual({"main.py": RADIO}, air=Air())

    def stops():
        try:
            board.tap(A)  # again, as it may have been starting
        except BoardGoneError as error:
            return str(error)
        return ""

    until(stops, "the end")
    assert "a fault of noughts (KeyError('a fault in the air'))" in stops()


@pytest.mark.long
def test_two_boards_play_a_game_by_radio(virtual):
    air = Air()
    drivers = [PortDriver(virtual(None, model, air=air)) for model in ("V2", "V1")]
    for driver in drivers:
        driver.start()
        for _ in "EMHR":
            driver.press(A, up_ms=300)
        driver.press(B, up_ms=300)  # a channel
    for driver in drivers:
        driver.wait(lambda driver=driver: driver.choices[-1:] == ["Rbs0"], "the channel")
        driver.rest(60)  # a button down in the first pass of the loop is not a press
        driver.press(B, up_ms=300)
    moves = "413570268"  # where the cursor starts, each time: a draw
    for count in range(len(moves) + 1):
        for driver in drivers:
            driver.says(moves[:count], "-" if count < len(moves) else "=", seconds=120)
        player_a, player_b = sorted(
            drivers, key=lambda driver: driver.boots[-1].boot != driver.games[-1].boot
        )
        (player_b if count % 2 else player_a).press(B, up_ms=300)


def test_killed_board_raises_and_removes_its_port(virtual):
    board = virtual({"main.py": MAIN})
    os.kill(board.pid, signal.SIGKILL)
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
    assert is_gone(board.pid)


OWNER = """
import pickle, sys
from noughts.virtual.board import VirtualBoard
print(VirtualBoard(pickle.load(sys.stdin.buffer)).pid, flush=True)
sys.stdin.read()
"""


@POSIX
def test_killed_owner_takes_its_board_with_it():
    command = [sys.executable, "-c", OWNER]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen(command, **pipes) as owner:
        pickle.dump(program("V1", {"main.py": MAIN}), owner.stdin)
        owner.stdin.flush()
        pid = int(owner.stdout.readline())
        owner.kill()
    assert is_gone(pid)


def test_firmware_fault_is_reported_on_one_line(virtual):
    """Code that reads unmapped memory, in place of MicroPython."""
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


def test_failure_to_make_the_firmware_is_raised():
    """The process has already started by then, and it ends."""

    def fail():
        raise BoardError("no firmware; make one")

    with pytest.raises(BoardError, match="no firmware"):
        VirtualBoard(fail)


def in_process(made):
    return BoardProcess(*(io.BytesIO() for _ in range(2)), made, 1, 1.0)


def takes_effect_at_us(process, *messages):
    """The device time at which the last of these messages takes effect."""
    return [process.take(message) for message in messages][-1]


def test_button_stays_down_and_up_for_a_minimum_time():
    """So every quick click counts."""
    process = in_process(program("V2"))
    assert takes_effect_at_us(process, *CLICK) == PRESS_US
    assert takes_effect_at_us(process, ("press", B)) == PRESS_US  # B was not down
    assert takes_effect_at_us(process, ("press", A, B)) == 2 * PRESS_US  # both at one moment
    assert takes_effect_at_us(process, ("release", A, B)) == 3 * PRESS_US


def test_repeating_key_queues_only_a_few_presses():
    process = in_process(program("V2"))
    begun_us = [process.take(("gesture", PRESS_US, *CLICK)) for _ in range(30)]
    waiting = [us for us in begun_us if us is not None]
    assert waiting == [number * (PRESS_US + REST_US) for number in range(MAX_WAITING + 1)]


def test_reflashed_board_does_not_wait_for_earlier_presses():
    """Its clock restarts at 0, so it would wait as long as the old program has run."""
    made = program("V2")
    process = in_process(made)
    takes_effect_at_us(process, *CLICK, *CLICK)
    assert takes_effect_at_us(process, ("program", made), ("press", A)) == 0
    assert takes_effect_at_us(process, ("program", made), ("release", A)) == 0
