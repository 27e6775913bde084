"""The simulated board itself: what the device's code can tell from the firmware."""

import os
import signal
import subprocess
import sys
import time

import microfs
import pytest

from boards import LETTERS, A, Driver, text
from noughts.errors import BoardGone
from noughts.simulator.display import Display
from noughts.simulator.inputs import DEBOUNCE_MS, Contact, Pin, PressButton
from noughts.simulator.picture import Image, scrolled


def run(simulated, code):
    """What `main.py` printed until it printed END."""
    board = simulated({"main.py": code.encode() + b"\nprint('END')\n"})
    heard = b""
    end = time.monotonic() + 120
    while b"END" not in heard and time.monotonic() < end:
        heard += board.serial.read(4096)
        time.sleep(0.005)
    return board, heard.decode().split("END")[0].split("\r\n")[:-1]


def test_starts_fast_and_prints_with_cr_lf(simulated):
    _, printed = run(simulated, "print('one', 2)\nprint('three')")
    assert printed == ["one 2", "three"]


def test_the_host_is_out_of_reach(simulated):
    code = """
import os
print(os.listdir(), hasattr(os, 'system'))
try: open('/etc/passwd')
except OSError as e: print(e)
try: import subprocess
except ImportError as e: print(e)"""
    _, printed = run(simulated, code)
    assert printed == ["['main.py'] False", "file not found", "no module named 'subprocess'"]


def test_files_are_whole_and_survive_a_reset(simulated):
    code = """
import os
if 'kept' in os.listdir(): print(open('kept').read())
with open('kept', 'w') as f: f.write('still here')
print(os.size('kept'))"""
    board, printed = run(simulated, code)
    assert printed == ["10"]
    board.reset()
    driver = Driver(board)
    driver.wait(lambda: "still here" in str(driver.items), "the next run")


def test_display_shows_and_scrolls_as_the_firmware_does():
    now = 0
    display = Display(lambda: now, None)
    display.show("E")
    assert text(display.picture()) == LETTERS["E"]
    display.scroll("A Win", 80, wait=False)
    seen = []
    for now in range(0, 2600, 8):  # noqa: B007  the lambda reads it
        if not seen or seen[-1] != display.picture():
            seen.append(display.picture())
    # As recorded from the emulated board, at its start, W and end.
    for picture in ("....# ....# ....# ....# ....#", ".##.. #..#. ####. #..#. #..#.",
                    "#...# #...# #.#.# ##.## #...#", "..... ###.. #..#. #..#. #..#."):  # fmt: skip
        assert picture in [text(leds).replace("9", "#") for leds in seen]
    assert text(seen[-1]) == "..... ..... ..... ..... ....."
    assert 22 <= len(list(scrolled("A Win"))) <= 28


def test_images_and_bounds():
    assert repr(Image.NO) == "Image('90009:09090:00900:09090:90009:')"
    assert repr(Image("A")) == "Image('09900:90090:99990:90090:90090:')"
    with pytest.raises(ValueError):
        Image(5, 5).set_pixel(0, 0, 10)


def test_buttons_are_debounced_and_pins_are_not():
    now = 1000.0
    contact = Contact(lambda: now)
    button, pin = PressButton(contact), Pin(contact)
    assert (pin.read_digital(), button.is_pressed(), Pin().read_digital()) == (1, False, 0)
    contact.set(True)
    assert (pin.read_digital(), button.is_pressed()) == (0, False)
    now += DEBOUNCE_MS - 1
    assert not button.is_pressed()
    now += 1
    assert button.is_pressed()


def test_a_press_that_nobody_asks_for_counts():
    now = 1000.0
    contact = Contact(lambda: now)
    button = PressButton(contact)
    contact.set(True)
    now += 200
    contact.set(False)
    now += 200
    assert (button.get_presses(), button.was_pressed(), button.was_pressed()) == (1, True, False)


@pytest.mark.parametrize("ours", [signal.default_int_handler, signal.SIG_IGN])
def test_a_busy_loop_can_be_interrupted(simulated, ours):
    """Also when we are a job in the background, which the shell starts with Ctrl-C ignored."""
    before = signal.signal(signal.SIGINT, ours)
    try:
        board = simulated({"main.py": b"print('x')\nwhile True: pass\n"})
    finally:
        signal.signal(signal.SIGINT, before)
    driver = Driver(board)
    driver.wait(lambda: bool(driver.items), "the start")
    board.serial.write(b"\x03")
    driver.wait(lambda: "KeyboardInterrupt" in str(driver.items), "the traceback")


def test_unmodified_microfs(simulated, tmp_path):
    board = simulated()
    Driver(board).start()
    board.serial.timeout = 60
    assert "main.py" in microfs.ls(board.serial)
    (tmp_path / "note").write_bytes(b"kept" * 1250)
    microfs.put(str(tmp_path / "note"), "note", board.serial)
    microfs.get("note", str(tmp_path / "back"), board.serial)
    assert (tmp_path / "back").read_bytes() == b"kept" * 1250
    assert microfs.version(board.serial)["machine"] == "micro:bit with nRF51822"
    microfs.rm("note", board.serial)
    assert "note" not in microfs.ls(board.serial)


def test_a_killed_board_is_told_in_one_line(simulated):
    board = simulated()
    os.kill(board.pid, signal.SIGKILL)
    board._process.wait()
    for use in (board.leds, board.clock_us, lambda: board.press(A), board.reset):
        with pytest.raises(BoardGone, match="start again"):
            use()


def test_it_does_not_outlive_a_killed_owner():
    code = (
        "import time\nfrom noughts.boards.simulated import SimulatedBoard\n"
        "board = SimulatedBoard({'main.py': b'while True: pass'})\n"
        "print(board.pid, flush=True)\ntime.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    try:
        pid = int(owner.stdout.readline())
    finally:
        owner.kill()
        owner.wait()
        owner.stdout.close()
    end = time.monotonic() + 120
    while time.monotonic() < end:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.02)
    pytest.fail("the board's process is still there")
