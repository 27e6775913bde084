"""A board's senses and outputs: lights, pins, sound, the serial line."""

from collections.abc import Callable

import pytest

from microbit_emulator import EmulatorError, Microbit, leds_as_text
from repl import EACH_BOARD, long

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


def test_leds_of_several_rows_light_at_once(microbit: Start) -> None:
    """As the official example `asmleds.py` drives them: all rows, and the first five columns."""
    board = microbit("V1", program={"main.py": ALL_ROWS})
    board.run_for(100_000)
    assert leds_as_text(board.leds()) == "99999\n99...\n9.9.9\n...99\n9.9.9"


@EACH_BOARD
def test_panic_is_named_and_shows_its_number(microbit: Start, board: str) -> None:
    """CODAL shows the digits by itself, row by row, with interrupts masked."""
    micro = microbit(board, program={"main.py": "from microbit import panic\npanic(42)"})
    assert not micro.has_panicked
    four = "..99.\n.9.9.\n9..9.\n99999\n...9."
    assert micro.run_until(lambda: leds_as_text(micro.leds()) == four, 9e6, step_us=50_000)
    assert micro.has_panicked and "It has panicked" in str(micro)
    micro.reset()
    assert not micro.has_panicked


@EACH_BOARD
def test_uart_on_pins_has_its_own_serial_line(microbit: Start, board: str) -> None:
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


def test_v2_that_switches_itself_off_stays_off_until_reset(microbit: Start) -> None:
    board = microbit("V2", program={"main.py": "import power\nprint('on')\npower.off()"})
    board.expect("on")
    board.run_for(500_000)
    instructions_before = board.instructions
    board.run_for(1_000_000)
    assert board.instructions == instructions_before
    board.reset()
    board.expect("on")


def test_v2_wakes_from_deep_sleep(microbit: Start) -> None:
    program = "import power\nprint('tired')\npower.deep_sleep(ms=500)\nprint('awake')"
    board = microbit("V2", program={"main.py": program})
    board.expect("tired")
    start, instructions_before = board.clock_us, board.instructions
    board.expect("awake")
    assert 480_000 < board.clock_us - start < 600_000
    awake_all_the_time = 500_000 * 6  # some 6 million a second, in `sleep()`
    assert board.instructions - instructions_before < awake_all_the_time


def test_button_wakes_a_v2(microbit: Start) -> None:
    program = (
        "import power\nfrom microbit import button_a\nprint('tired')\n"
        "power.deep_sleep(wake_on=button_a)\nprint('awake')"
    )
    board = microbit("V2", program={"main.py": program})
    board.run_for(500_000)
    # CODAL's simpleDeepSleep takes the first press for its timer: an interrupt of TIMER1, pending
    # from before, runs just before WFI, and leaves `timer_irq_channels` set.
    board.tap("A")
    board.run_for(500_000)
    assert b"awake" not in board.uart.received
    board.tap("A")
    board.expect("awake")


def test_compass_of_a_v1_gives_0_before_its_first_sample(microbit: Start) -> None:
    program = "from microbit import *\nwhile True:\n print(compass.get_z())\n sleep(5)"
    board = microbit("V1", program={"main.py": program})
    board.run_for(120_000)
    values = [int(line) for line in board.uart.receive().split()[:-1]]
    assert 0 < values.count(0) < 80 / 5
    assert values == sorted(values) and values[-1] == 45_000


SENSES = """
from microbit import *
while True:
    print(temperature(), display.read_light_level(), pin0.read_analog(), pin1.read_digital())
    print(compass.get_x(), compass.get_y(), compass.get_z())
    sleep(100)
"""


@EACH_BOARD
def test_sensors_report_the_values_that_were_set(microbit: Start, board: str) -> None:
    micro = microbit(board, program={"main.py": SENSES})
    micro.expect("21 255 0 0\r\n0 0 45000")
    micro.set_temperature(-5)
    micro.set_light(100)
    micro.set_voltage(0, 1.1)
    micro.set_voltage(1, 3.3)
    micro.set_magnetic_field(12_000, -3_000, 7_500)
    micro.run_for(1_000_000)
    micro.uart.receive()
    micro.run_for(300_000)
    lines = micro.uart.receive().decode().split("\r\n")
    celsius, light, analog, digital = next(
        map(int, line.split()) for line in lines if line.count(" ") == 3
    )
    assert (celsius, digital) == (-5, 1)
    assert abs(light - 100) <= 1
    assert abs(analog - 1023 / 3) <= 1
    assert "12000 -3000 7500" in lines


@EACH_BOARD
def test_voltage_on_a_missing_pin_is_refused(microbit: Start, board: str) -> None:
    micro = microbit(board, program={"main.py": "pass"})
    with pytest.raises(EmulatorError, match="there is no pin 17; use 0 to 16"):
        micro.set_voltage(17, 1.0)


@pytest.mark.parametrize("level", [150, *map(long, (40, 240))])
def test_v2_microphone_measures_the_sound_level(microbit: Start, level: int) -> None:
    program = "from microbit import *\nwhile True: print(microphone.sound_level()); sleep(50)"
    board = microbit("V2", program={"main.py": program})
    board.expect("\n0\r\n")
    board.set_sound(level)
    board.run_for(500_000)
    assert abs(int(board.uart.receive().split()[-1]) - level) <= 3


@EACH_BOARD
def test_tone_follows_the_music(microbit: Start, board: str) -> None:
    program = (
        "import music\nfrom microbit import sleep\nprint('first')\nmusic.pitch(440, 300)\n"
        "print('second')\nmusic.pitch(660, 300)\nprint('end')"
    )
    micro = microbit(board, program={"main.py": program})
    assert micro.tone() is None
    for text, frequency_hz in (("first", 440), ("second", 660)):
        micro.expect(text)
        begins_us = micro.clock_us
        micro.run_for(150_000)
        tone = micro.tone()
        assert tone and tone.frequency_hz == pytest.approx(frequency_hz, rel=0.01)
        assert tone.since_us == pytest.approx(begins_us, abs=50_000)
    micro.expect("end")
    micro.run_for(100_000)
    assert micro.tone() is None


@EACH_BOARD
def test_pin_reports_its_output(microbit: Start, board: str) -> None:
    program = (
        "from microbit import *\npin1.set_analog_period(5)\npin1.write_analog(256)\n"
        "pin2.write_digital(1)\nsleep(50)\nprint('done')"
    )
    micro = microbit(board, program={"main.py": program})
    micro.expect("done")
    assert micro.pin(0) == (False, False, 0.0, 0.0)
    assert micro.pin(2) == (True, True, 0.0, 1.0)
    pulses = micro.pin(1)
    assert (pulses.frequency_hz, pulses.duty) == pytest.approx((200, 0.25), rel=0.01)


def test_tone_is_measured_at_the_pin() -> None:
    """A square wave on pin 0 of a V1, whose processor does something else."""
    loop = {0: 0x00, 1: 0x10, 2: 0x00, 3: 0x20, 4: 0x09, 5: 0, 6: 0, 7: 0, 8: 0xFE, 9: 0xE7}
    board = Microbit("V1", loop)
    pin, outset, outclr, dirset = 1 << 3, 0x5000_0508, 0x5000_050C, 0x5000_0518
    board.debugger.write_word(dirset, pin)

    def play(half_us: int) -> None:
        for _ in range(10):
            for register in (outset, outclr):
                board.debugger.write_word(register, pin)
                board.run_for(half_us)

    board.run_for(1000)
    assert board.tone() is None
    play(500)
    assert board.tone() == (1000, 1000)
    assert board.pin(0) == (True, False, 1000, 0.5)
    play(250)
    assert board.tone() == (2000, 11_000)
    board.run_for(700)
    assert board.tone() is None
    board.debugger.write_word(outset, pin)  # the end of a pause is not a tone
    assert board.tone() is None


def test_clock_error_slows_the_clock(microbit: Start) -> None:
    """A second on the board lasts 7 ms longer."""
    program = (
        "from utime import ticks_us, ticks_diff\nprint('.')\nstart = ticks_us()\n"
        "while ticks_diff(ticks_us(), start) < 1000000: pass\nprint('!')"
    )
    board = microbit("V1", program={"main.py": program}, clock_error=0.007)
    board.expect(".")
    start_us = board.clock_us
    board.expect("!")
    assert board.clock_us - start_us == pytest.approx(1_007_000, abs=2_000)


@pytest.mark.parametrize(("stop", "ended"), [("", 1), ("mem32[PWM + 4] = 1", 0)])
def test_pulse_sequence_signals_its_end_unless_stopped(
    microbit: Start, stop: str, ended: int
) -> None:
    """Written to the registers of PWM1: 100 pulses of 1 ms, of which 10 are sent before STOP."""
    program = (
        "from machine import mem32\nfrom microbit import sleep\nPWM = 0x40021000\n"
        "mem32[PWM + 0x500] = 1\nmem32[PWM + 0x508] = 16000\nmem32[PWM + 0x520] = 0x20002000\n"
        f"mem32[PWM + 0x524] = 100\nmem32[PWM + 8] = 1\nsleep(10)\n{stop}\nsleep(200)\n"
        "print('ended', mem32[PWM + 0x110])"
    )
    microbit("V2", program={"main.py": program}).expect(f"ended {ended}")


def test_pulse_sequence_lasts_as_long_as_its_pulses(microbit: Start) -> None:
    program = (
        "from machine import mem32\nfrom utime import ticks_us, ticks_diff\nPWM = 0x40021000\n"
        "mem32[PWM + 0x500] = 1\nmem32[PWM + 0x508] = 16000\nmem32[PWM + 0x520] = 0x20002000\n"
        "mem32[PWM + 0x524] = 100\nmem32[PWM + 8] = 1\nstart = ticks_us()\n"
        "while not mem32[PWM + 0x110]: pass\nprint('after', ticks_diff(ticks_us(), start), 'us')"
    )
    *_, us, _ = microbit("V2", program={"main.py": program}).expect(" us").split()
    assert int(us) == pytest.approx(100_000, abs=500)


def test_analog_conversion_ends_with_an_event(microbit: Start) -> None:
    """A V1's MicroPython does without it."""
    program = (
        "from machine import mem32\nSTART, END, ENABLE = 0x40007000, 0x40007100, 0x40007500\n"
        "mem32[ENABLE] = 1\nmem32[END] = 0\nmem32[START] = 1\n"
        "while not mem32[END]: pass\nprint('done')"
    )
    assert microbit("V1", program={"main.py": program}).expect("done")
