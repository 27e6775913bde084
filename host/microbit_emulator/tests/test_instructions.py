"""What the processor's instructions do, one by one or in small programs."""

import pytest

from microbit_emulator import Microbit
from microbit_emulator.debugger import XPSR
from microbit_emulator.errors import CpuFaultError
from repl import EACH_BOARD
from thumb import PC, THUMB, execute, in_order, in_words, linked, program

ISER, ISPR, IPR = 0xE000_E100, 0xE000_E200, 0xE000_E400
S0 = 64
"""The number of a core register."""


@EACH_BOARD
def test_code_in_ram_can_be_overwritten(board: str) -> None:
    """Its first instruction is changed before each run."""
    # r1 = RAM; r5 = RAM + 1; bx lr to RAM + 2; r3 = 0
    setup = 0x2120, 0x0609, 0x1C4D, 0x4A06, 0x804A, 0x2300
    # movs r0, #r3 to RAM, and call it; its result to RAM + 8 + r3; eight times
    turn = 0x4C05, 0x18E4, 0x800C, 0x47A8, 0x18CE, 0x7230, 0x3301, 0x2B08, 0xD1F6
    literals = 0x4770, 0x0000, 0x2000, 0x0000  # bx lr; movs r0, #0
    ran = Microbit(board, program(*setup, *turn, 0xE7FE, *literals))
    ran.run_for(20)
    assert ran.ram[8:16] == bytes(range(8))


def test_conditions_end_with_their_it_block() -> None:
    """Even if the first access to a page is inside an IT block."""
    setup = 0x2000, 0x2401, 0x2500, 0x2700, 0x2120, 0x0609, 0x2201, 0x0292
    # cmp r4, r0; it ne; ldrne r3, [r1]; cmp r0, r0; b to the next; adds r5, #1
    block = 0x4284, 0xBF18, 0x680B, 0x4280, 0xE7FF, 0x3501
    # adds r1, r1, r2 (a page); adds r7, #1; cmp r7, #100; bne; store r5 at the start of RAM; b .
    again = 0x1889, 0x3701, 0x2F64, 0xD100 | -(len(block) + 5) & 0xFF
    store = 0x2120, 0x0609, 0x600D, 0xE7FE
    board = Microbit("V2", program(*setup, *block, *again, *store))
    board.run_for(100)
    assert board.ram[0] == 100


def test_instructions_in_it_blocks_are_counted() -> None:
    """However a run is cut, each instruction counts once: cmp; itt eq; adds, adds; b."""
    memory = program(0x4280, 0xBF04, 0x3001, 0x3001, 0x3101, 0xE7F9)
    whole, cut = Microbit("V2", memory), Microbit("V2", memory)
    whole.run_for(1_000)
    for _ in range(64_000 // 5):
        cut.run_for(5 / 64)
    assert (cut.clock_us, cut.instructions) == (whole.clock_us, whole.instructions)


def test_it_block_that_goes_on_behind_the_flash_is_an_error() -> None:
    end = 0x8_0000
    it_eq = in_words({0: 0x2000_1000, 4: end - 2 | 1}) | in_order("bf08", end - 2)
    board = Microbit("V2", flash=bytes(it_eq.get(at, 0xFF) for at in range(end)))
    with pytest.raises(CpuFaultError, match="accesses 0x00080000, where there is nothing"):
        board.run_for(20)


@EACH_BOARD
def test_waiting_and_comparing_are_the_same_however_a_run_is_cut(board: str) -> None:
    """The core does all turns of a loop that only counts at once, and a branch with its CMP."""
    # movs r0, #5; subs r0, #1; bne to it; adds r1, #1; cmp r1, #2; beq to movs r0, #0;
    # cmp r1, r0; bne to the start; movs r0, #0; cmp r1, #3; bne to the first bne
    first = 0x2005, 0x3801, 0xD1FD, 0x3101, 0x2902, 0xD001, 0x4281, 0xD1F7
    memory = program(*first, 0x2000, 0x2903, 0xD1F6)
    cycle_us = 1 / {"V1": 16, "V2": 64}[board]
    cut = Microbit(board, memory)
    for cycles in range(1, 80):
        cut.run_for(cycle_us)
        whole = Microbit(board, memory)
        whole.run_for(cycles * cycle_us)
        assert whole.instructions == cut.instructions == cycles
        for register in (0, 1, PC, XPSR):
            value = whole.debugger.core_register(register)
            assert value == cut.debugger.core_register(register), (cycles, register)
    whole.run_for(1_000)  # the last loop has begun at its bne, with 0
    turns = (whole.instructions - 33) // 2
    assert whole.debugger.core_register(0) & 0xFFFF_FFFF == 2**32 - turns


def of_one(code: str, registers: dict[int, int]) -> Microbit:
    """A V2 that has executed one instruction with these registers."""
    board = Microbit("V2", program(0xE7FE))
    execute(board, code, registers)
    return board


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("FA80 F041", 0x81003F80),  # uadd8
        ("FA80 F051", 0x81FF3F80),  # uqadd8
        ("FA80 F061", 0x40801F40),  # uhadd8
        ("FA80 F001", 0x81003F80),  # sadd8
        ("FA80 F011", 0x81003F7F),  # qadd8
        ("FAC0 F041", 0x7FFEC17E),  # usub8
        ("FA90 F041", 0x82003F80),  # uadd16
        ("FAA0 F041", 0xC000FF7E),  # uasx
        ("FAE0 F041", 0x41FE0180),  # usax
        ("FB70 F001", 0x0000023A),  # usad8
        ("F320 0007", 0xFF80007F),  # ssat16 #8
        ("F3A0 0007", 0x0000007F),  # usat16 #7
    ],
)
def test_several_small_numbers_at_once(code: str, result: int) -> None:
    """r0 = 0x80FF007F, r1 = 0x01013F01. Unicorn gives the same results."""
    board = of_one(code, {0: 0x80FF_007F, 1: 0x0101_3F01})
    assert f"{board.debugger.core_register(0):08X}" == f"{result:08X}"


def test_bytes_are_selected_by_the_last_addition() -> None:
    """uadd8 r2, r0, r1; sel r3, r0, r1; mrs r4, apsr: as V2's bootloader compares texts."""
    code = "0010002009000000 80FA41F2 A0FA81F3 EFF30084 FEE7"
    board = Microbit("V2", dict(enumerate(bytes.fromhex(code))))
    board.debugger.set_core_register(0, 0x80FF_007F)
    board.debugger.set_core_register(1, 0x0101_3F01)
    board.run_for(1)
    assert board.debugger.core_register(3) == 0x01FF_3F01
    assert board.debugger.core_register(4) >> 16 & 15 == 0b0100


FACTORS = 0x8001_7FF3, 0xFFF0_8005
"""A negative and a positive half, then two negative ones."""
SUM = 0x7654_3210_FEDC_BA98


def half(number: int, which: int) -> int:
    """The lower (0) or the upper (1) half of a word, with its sign."""
    return (number >> 16 * which & 0xFFFF ^ 0x8000) - 0x8000


def signed(number: int) -> int:
    return (number ^ 0x8000_0000) - 0x8000_0000


def halves(one: int, other: int) -> int:
    """The product of a half of the first factor and one of the second."""
    return half(FACTORS[0], one) * half(FACTORS[1], other)


SIGNED = signed(FACTORS[0]) * signed(FACTORS[1])
UNSIGNED = FACTORS[0] * FACTORS[1]


@pytest.mark.parametrize(
    ("code", "result"),
    [
        ("FB80 2301", SIGNED),  # smull
        ("FBA0 2301", UNSIGNED),  # umull
        ("FBC0 2301", SUM + SIGNED),  # smlal
        ("FBE0 2301", SUM + UNSIGNED),  # umlal
        ("FBE0 2361", (SUM >> 32) + (SUM & 0xFFFF_FFFF) + UNSIGNED),  # umaal
        ("FBC0 2381", SUM + halves(0, 0)),  # smlalbb
        ("FBC0 2391", SUM + halves(0, 1)),  # smlalbt
        ("FBC0 23A1", SUM + halves(1, 0)),  # smlaltb
        ("FBC0 23B1", SUM + halves(1, 1)),  # smlaltt
        ("FBC0 23C1", SUM + halves(0, 0) + halves(1, 1)),  # smlald
        ("FBC0 23D1", SUM + halves(0, 1) + halves(1, 0)),  # smlaldx
        ("FBD0 23C1", SUM + halves(0, 0) - halves(1, 1)),  # smlsld
        ("FBD0 23D1", SUM + halves(0, 1) - halves(1, 0)),  # smlsldx
    ],
)
def test_products_of_64_bits(code: str, result: int) -> None:
    """Of r0 and r1, and what is in r3 and r2, its lower word."""
    numbers = (*FACTORS, SUM & 0xFFFF_FFFF, SUM >> 32)
    board = of_one(code, dict(enumerate(numbers)))
    low, high = (board.debugger.core_register(number) for number in (2, 3))
    assert f"{high << 32 | low:016X}" == f"{result & (1 << 64) - 1:016X}"


@pytest.mark.parametrize(
    ("code", "loaded_from"),
    [
        ("F8DF F008", 0x2C),  # ldr pc, [pc, #8]
        ("F85F F008", 0x1C),  # ldr pc, [pc, #-8]
        ("F8D0 F004", 0x34),  # ldr pc, [r0, #4]
        ("F850 F021", 0x38),  # ldr pc, [r0, r1, lsl #2]
        ("F850 FB04", 0x30),  # ldr pc, [r0], #4
        ("F850 FD04", 0x2C),  # ldr pc, [r0, #-4]!
        ("E8B0 8004", 0x34),  # ldm r0!, {r2, pc}
        ("E930 8004", 0x2C),  # ldmdb r0!, {r2, pc}
        ("BD04", 0x34),  # pop {r2, pc}
    ],
)
def test_loading_the_program_counter_jumps(code: str, loaded_from: int) -> None:
    """Each word of the memory holds 0x1001 and its address. The instruction is at 0x22, from where
    the program counter reads 0x24."""
    words = {at: 0x1001 + at for at in range(0, 0x40, 4)}
    board = Microbit("V2", in_words(words | {4: 0x23}) | in_order(code, 0x22))
    for number, value in ((0, 0x30), (1, 2), (13, 0x30)):
        board.debugger.set_core_register(number, value)
    board.run_for(1 / 64)
    assert board.debugger.core_register(15) == 0x1000 + loaded_from


@EACH_BOARD
def test_interrupt_preserves_the_flags(board: str) -> None:
    """b . and, in the interrupt, adds r4, #1; movs r0, #0; bx lr."""
    memory = linked("E7FE 3401 2000 4770", 0x110, handler=0x102)
    microbit = Microbit(board, memory)
    port = microbit.debugger
    port.write_word(ISER, 1 << 20)
    for nzcv in range(0b1100):  # no result is both negative and zero
        port.set_core_register(XPSR, nzcv << 28 | THUMB)
        port.write_word(ISPR, 1 << 20)
        microbit.run_for(10)
        assert port.core_register(4) == nzcv + 1
        assert port.core_register(XPSR) >> 28 == nzcv


@EACH_BOARD
def test_interrupted_process_goes_on_with_its_stack(board: str) -> None:
    """The handler runs on the main stack; the frame is on the process stack."""
    # msr psp, r0; movs r0, #2; msr control, r0; svc 0; mov r4, sp; mrs r5, control; b .
    process = "F380 8809 2002 F380 8814 DF00 466C F3EF 8514 E7FE"
    # mov r8, sp; mov r9, lr; mrs r6, psp; bx lr
    handler = "46E8 46F1 F3EF 8609 4770"
    memory = in_words({0: 0x2000_1000, 4: 0x101, 0x2C: 0x141})
    microbit = Microbit(board, memory | in_order(process, 0x100) | in_order(handler, 0x140))
    port = microbit.debugger
    port.set_core_register(0, 0x2000_0800)
    microbit.run_for(10)
    assert [port.core_register(number) & 0xFFFF_FFFF for number in (8, 9, 6, 4, 5)] == [
        0x2000_1000,
        0xFFFF_FFFD,
        0x2000_0800 - 32,
        0x2000_0800,
        2,
    ]
    assert port.read_word(0x2000_0800 - 8) == 0x10C  # where it goes on


def test_floats_survive_64_nested_interrupts() -> None:
    """Each sets s0 to its depth, and pends a more urgent one. When they go on, r6 collects what has
    changed in s0. It is the same after a reset in the deepest one."""
    # vmov s0, r4; str r1, [r7]; b .
    thread = "EE00 4A10 6039 E7FE"
    # push {r5, lr}; adds r4, #1; mov r5, r4; vmov s0, r5; cmp r4, #64; bhs to the next line but one
    handler = "B520 3401 4625 EE00 5A10 2C40 D206 "
    # r0 = r4 / 32 * 4; r3 = r4 % 32; r2 = 1 << r3; str r2, [r7, r0]
    handler += "0960 0080 231F 4023 2201 409A 503A "
    # vmov r0, s0; subs r0, r0, r5; orrs r6, r0; pop {r5, pc}
    handler += "EE10 0A10 1B40 4306 BD20"
    vectors = {0x40 + 4 * irq: 0x209 for irq in range(64)}
    memory = in_words({0: 0x2000_4000, 4: 0x201} | vectors)
    board = Microbit("V2", memory | in_order(thread + " " + handler, 0x200))
    port = board.debugger

    def begin() -> None:
        for register in (ISER, ISER + 4):
            port.write_word(register, 0xFFFF_FFFF)
        for irq in range(0, 64, 4):
            priorities = bytes(255 - irq - at for at in range(4))
            port.write_word(IPR + irq, int.from_bytes(priorities, "little"))
        port.set_core_register(1, 1)
        port.set_core_register(7, ISPR)

    begin()
    assert board.run_until(lambda: port.core_register(4) == 64, 100, step_us=1 / 64)
    board.reset()
    begin()
    board.run_for(100)
    assert port.core_register(XPSR) & 0x1FF == 0  # all have returned
    assert [port.core_register(number) for number in (4, 6, S0)] == [64, 0, 0]
