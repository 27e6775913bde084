"""A test for each promise of the README's "Where it cheats", whose words are its docstring."""

import re
from pathlib import Path

import pytest

from microbit_emulator import CpuFaultError, Microbit
from on_bus import (
    ADDRESS,
    BUFFER,
    BYTE_US,
    MASTER,
    PINS,
    PSELSCL,
    PSELSDA,
    RXD_MAXCNT,
    RXD_PTR,
    STARTRX,
    i2c,
)
from repl import EACH_BOARD, NEWEST, boot, run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
STACK_AND_START = "0010002009000000"
LOOP = "FEE7"  # b .
TURNS = 1_000


def ran(board: str, code: str, cycles: int) -> Microbit:
    """A board that has executed these instructions, from address 8, for so many cycles."""
    micro = Microbit(board, dict(enumerate(bytes.fromhex(STACK_AND_START + code))))
    micro.run_for(cycles / {"V1": 16, "V2": 64}[board])
    return micro


def test_each_row_of_the_readme_has_its_test() -> None:
    table = README.partition("## Where it cheats")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (.*?) \|", table, re.MULTILINE)[2:]
    tests = [test for name, test in globals().items() if name.startswith("test_")]
    assert rows == [test.__doc__ for test in tests if test.__doc__]


@EACH_BOARD
def test_instruction_takes_one_cycle(board: str) -> None:
    """an instruction takes one cycle"""
    # movs r1, #4; ldr r0, [r1]; muls r0, r1; adds r2, #1; b to the ldr
    micro = ran(board, "0421 0868 4843 0132 FBE7", 1 + 4 * TURNS)
    assert micro.instructions == 1 + 4 * TURNS
    assert micro.debugger.core_register(2) == TURNS


def test_skipped_instructions_take_no_cycle() -> None:
    """instructions that an IT block skips take no cycle"""
    # cmp r0, r0; itt ne; adds r1, #1 (two); adds r2, #1; b back
    micro = ran("V2", "8042 1CBF 0131 0131 0132 F9E7", 4 * TURNS)
    assert [micro.debugger.core_register(number) for number in (1, 2)] == [0, TURNS]


@EACH_BOARD
def test_unmasked_interrupt_waits(board: str) -> None:
    """an unmasked interrupt waits up to 47 cycles"""
    # cpsid i; r0 = 0xE000E100 (ISER), r1 = ISPR; enable and pend interrupt 0; nops; cpsie i; then
    # adds r4, #1 for ever; the handler stores r4 and stays.
    waits = set()
    for pause in range(48):
        code = "72B6 E020 0006 E121 0902 0843 0121 0160 0646 FF36 0136 3160 "
        code += "00BF" * pause + "62B6" + "0134" * 60 + LOOP
        memory = bytearray(0x200) + bytes.fromhex(code)
        memory[:8] = bytes.fromhex("0010002001020000")
        memory[0x40:0x44] = bytes.fromhex("01040000")
        memory = memory.ljust(0x400, b"\0") + bytes.fromhex(LOOP)
        micro = Microbit(board, dict(enumerate(memory)))
        micro.run_for(20)
        assert micro.debugger.core_register(15) == 0x400
        waits.add(micro.debugger.core_register(4))
    assert waits == set(range(48))


@EACH_BOARD
def test_exception_takes_no_time(board: str) -> None:
    """an exception begins and ends in no time"""
    # adds r2, #1; svc 0; b back; and, at 0x30, adds r4, #1; bx lr
    code = "013200DFFCE7".ljust(2 * 0x24, "0") + "31000000" + "0134 7047"
    micro = ran(board, code, 5 * TURNS)
    assert [micro.debugger.core_register(number) for number in (2, 4)] == [TURNS, TURNS]


@pytest.mark.parametrize("rounding", range(4))
def test_floats_are_rounded_to_nearest(rounding: int) -> None:
    """floats are rounded to nearest, and set no flags"""
    thirds = []
    for one in (0x3F80_0000, 0xBF80_0000, 0x4000_0000):  # 1, -1, 2
        micro = ran("V2", "00BF 80EE201A F1EE101A FEE7", 1)  # vdiv s2, s0, s1; vmrs r1, fpscr
        for register, value in {33: rounding << 22, 64: one, 65: 0x4040_0000}.items():
            micro.debugger.set_core_register(register, value)
        micro.run_for(1)
        assert micro.debugger.core_register(1) == rounding << 22
        thirds.append(micro.debugger.core_register(66))
    assert thirds == [0x3EAA_AAAB, 0xBEAA_AAAB, 0x3F2A_AAAB]


def test_strex_always_succeeds() -> None:
    """STREX always succeeds"""
    micro = ran("V2", "00BF 42E80010 FEE7", 1)  # strex r0, r1, [r2]
    for register, value in {0: 7, 1: 0x1234_5678, 2: BUFFER}.items():
        micro.debugger.set_core_register(register, value)
    micro.run_for(1)
    assert micro.debugger.core_register(0) == 0
    assert micro.debugger.read_word(BUFFER) == 0x1234_5678


@EACH_BOARD
def test_clocks_and_random_numbers_are_ready(board: str) -> None:
    """clocks start at once, random numbers are always ready"""
    micro = ran(board, LOOP, 64)
    for start, event in ((0x4000_0000, 0x4000_0100), (0x4000_D000, 0x4000_D100)):
        micro.debugger.write_word(start, 1)
        assert micro.debugger.read_word(event) == 1


def test_transfer_is_made_at_its_end() -> None:
    """a whole I2C transfer of a V2 is made at its end"""
    micro, size = ran("V2", LOOP, 64), 4
    empty = b"\xaa" * size
    micro.debugger.write_memory(BUFFER, empty)
    values = {PSELSCL: PINS["V2"][0], PSELSDA: PINS["V2"][1], ADDRESS: 0x19}
    for register, value in {**values, RXD_PTR: BUFFER, RXD_MAXCNT: size, STARTRX: 1}.items():
        micro.debugger.write_word(MASTER + register, value)
    micro.run_for((1 + size) * 80)
    assert micro.debugger.read_memory(BUFFER, size) == empty
    micro.run_for(2 * BYTE_US)
    assert 0xAA not in micro.debugger.read_memory(BUFFER, size)


@EACH_BOARD
def test_fault_ends_the_run(board: str) -> None:
    """a fault ends the run"""
    with pytest.raises(CpuFaultError, match="is no instruction"):
        ran(board, "00DE", 64)  # udf


def test_unaligned_access_works() -> None:
    """unaligned access works on a V1"""
    # movs r0, #9; ldr r1, [r0]; b .
    assert ran("V1", "0920 0168 FEE7", 64).debugger.core_register(1) == 0xFE68_0120


@pytest.mark.parametrize("name", NEWEST)
def test_measurements_have_no_noise(name: str) -> None:
    """voltages, accelerations and fields have no noise"""
    program = (
        "from microbit import *\ncompass.get_x()\nsleep(300)\nseen = set()\n"
        "for _ in range(10):\n sleep(30)\n"
        " seen.add((pin0.read_analog(), accelerometer.get_values(), compass.get_z()))\n"
        "print(len(seen))"
    )
    board = boot(name)
    board.set_voltage(0, 1.1)
    board.tilt(300, -200, -900)
    board.set_magnetic_field(12_345, -3_210, 7_543)
    assert run(board, program) == ("1\r\n", "")


def test_samples_come_at_multiples_of_their_period() -> None:
    """samples of motion come at multiples of their period"""
    micro, address = ran("V1", LOOP, 64), 0x0E
    micro.run_until(30_000)
    i2c(micro, address, b"\x10\x01", 0)  # 80 a second: at 25 and 37.5 ms
    assert i2c(micro, address, b"\x00", 1) == b"\x0f"
    i2c(micro, address, b"\x01", 6)
    micro.run_until(36_000)
    assert i2c(micro, address, b"\x00", 1) == b"\x00"
    micro.run_until(37_600)
    assert i2c(micro, address, b"\x00", 1) == b"\x0f"


@pytest.mark.parametrize("erases", [False, True])
def test_power_cut_does_not_tear_the_data_log(erases: bool) -> None:
    """a power cut does not tear what is written to the data log"""
    micro, log_flash, data = ran("V2", LOOP, 64), 0x72, bytes(range(64))
    write, read = (bytes((command, 0, 0, 0, 0, 0, 0, 64)) for command in (11, 10))
    i2c(micro, log_flash, write + data, 0)
    micro.run_for(1_000 + erases * 10_000)
    if erases:
        i2c(micro, log_flash, bytes((12, *bytes(7))), 0)  # the first sector
        micro.run_for(1_000)
    micro.power_cut()
    micro.power_on()
    assert i2c(micro, log_flash, read, 8 + 64)[8:] == (b"\xff" * 64 if erases else data)
