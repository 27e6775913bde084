"""What an interface chip does with the core."""

import struct

from microbit_emulator import Microbit

RAM = 0x2000_0000
SP, PC, XPSR, MSP, PSP, MASKS, FPSCR, S31 = 13, 15, 16, 17, 18, 20, 33, 95
THUMB = 1 << 24
ADDS_R0_1_THEN_BKPT = 0xBE00_3001


def test_halt_ends_lock_up_and_the_core_runs_what_the_debugger_gives_it() -> None:
    board = Microbit("V1", flash=b"\xff" * 0x40000)
    debugger = board.debugger
    debugger.lock_up_at_faults()
    board.run_for(1000)
    assert debugger.locked_up
    debugger.halt()
    assert debugger.halted and not debugger.locked_up
    debugger.write_word(RAM, ADDS_R0_1_THEN_BKPT)
    for register, value in ((0, 5), (PC, RAM), (XPSR, THUMB)):
        debugger.set_core_register(register, value)
    debugger.resume()
    board.run_for(1000)
    assert debugger.halted and debugger.core_register(0) == 6


def test_debugger_reads_the_core_registers_that_it_has_written() -> None:
    board = Microbit("V2", flash=b"\xff" * 0x80000)
    debugger = board.debugger
    debugger.halt()
    values = {0: 5, 14: 7, PC: RAM, XPSR: THUMB | 0x7 << 28, MSP: RAM + 64, PSP: RAM + 128}
    values |= {MASKS: 0x01_20_01, FPSCR: 1 << 24, S31: 0x3F80_0000}
    for register, value in values.items():
        debugger.set_core_register(register, value)
    assert {register: debugger.core_register(register) for register in values} == values
    assert debugger.core_register(SP) == RAM + 64


def test_core_is_halted_at_its_first_instruction_after_each_reset_until_that_is_over() -> None:
    flash = bytearray(b"\xff" * 0x40000)
    flash[:12] = struct.pack("<IIH2x", RAM + 64, 8 | 1, 0xE7FE)  # `b .`
    board = Microbit("V1", flash=bytes(flash))
    debugger = board.debugger
    debugger.halt()
    debugger.catch_reset()
    for _ in range(2):
        debugger.resume()
        board.run_for(100)
        assert not debugger.halted
        board.reset()
        board.run_for(100)
        assert debugger.halted and debugger.core_register(PC) == 8
    debugger.catch_reset(False)
    board.reset()
    board.run_for(100)
    assert not debugger.halted
