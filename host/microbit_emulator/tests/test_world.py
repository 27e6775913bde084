"""What surrounds a board, and what it does there: lights, pins, sound, the serial line."""

from __future__ import annotations

from collections.abc import Callable

from repl import EACH_BOARD

from microbit_emulator import Microbit, leds_as_text

Start = Callable[..., Microbit]

ALL_ROWS = """
import machine
from microbit import display, sleep
display.off()
rows, columns = 0b111 << 13, 0b111111111 << 4
machine.mem32[0x50000518] = rows | columns
machine.mem32[0x50000508] = rows
machine.mem32[0x50000508] = columns
machine.mem32[0x5000050c] = 0b11111 << 4
while True: pass
"""


def test_leds_of_several_rows_at_once(microbit: Start) -> None:
    """As the official example `asmleds.py` drives them: all rows, and the first five columns."""
    board = microbit("V1", program={"main.py": ALL_ROWS})
    board.run_for(100_000)
    assert leds_as_text(board.leds()) == "99999\n99...\n9.9.9\n...99\n9.9.9"


@EACH_BOARD
def test_the_serial_line_of_the_pins(microbit: Start, board: str) -> None:
    program = (
        "from microbit import *\nuart.init(tx=pin1, rx=pin2)\nuart.write('out')\nword = None\n"
        "while not word: word = uart.read()\nuart.init(115200)\nprint(word)"
    )
    micro = microbit(board, program={"main.py": program})
    micro.run_for(200_000)
    assert (micro.uart.receive(), micro.pin_uart.receive()) == (b"", b"out")
    micro.uart.send(b"from the computer")
    micro.run_for(10_000)
    micro.pin_uart.send(b"a")
    micro.expect("b'a'\r\n")


def test_a_v2_switches_itself_off_until_it_is_reset(microbit: Start) -> None:
    board = microbit("V2", program={"main.py": "import power\nprint('on')\npower.off()"})
    board.expect("on")
    board.run_for(500_000)
    before = board.instructions
    board.run_for(1_000_000)
    assert board.instructions == before
    board.reset()
    board.expect("on")


def test_a_v2_wakes_from_deep_sleep(microbit: Start) -> None:
    program = "import power\nprint('tired')\npower.deep_sleep(ms=500)\nprint('awake')"
    board = microbit("V2", program={"main.py": program})
    board.expect("tired")
    start, before = board.clock_us, board.instructions
    board.expect("awake")
    assert 480_000 < board.clock_us - start < 600_000
    awake_all_the_time = 500_000 * 6  # it is some 6 million a second, waiting in `sleep()`
    assert board.instructions - before < awake_all_the_time


def test_a_button_wakes_a_v2(microbit: Start) -> None:
    program = (
        "import power\nfrom microbit import button_a\nprint('tired')\n"
        "power.deep_sleep(wake_on=button_a)\nprint('awake')"
    )
    board = microbit("V2", program={"main.py": program})
    board.run_for(500_000)
    for _ in range(2):  # CODAL takes the first as what has ended the wait for its own timer
        board.tap("A")
        board.run_for(50_000)
    board.expect("awake")
