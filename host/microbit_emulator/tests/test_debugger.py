"""What an interface chip does with the core."""

from microbit_emulator import Microbit

RAM = 0x2000_0000
PC, XPSR, THUMB = 15, 16, 1 << 24
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
