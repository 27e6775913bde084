"""The emulator's parts: reading firmware, refusing invalid input, pacing, power."""

import ast
import importlib
import io
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace

import intelhex
import pytest

import microbit_emulator as emulator
from microbit_emulator import (
    EmulatorError,
    Ether,
    HexError,
    Microbit,
    PowerOffError,
    run_in_real_time,
)
from microbit_emulator.firmware import UICR, read
from on_bus import BB, MASTER, i2c
from repl import EACH_BOARD, firmware
from thumb import linked, program

OTHERS = "wasmtime", "pytest", "intelhex", "micropython_microbit_fs", "PIL"
"""What it imports: wasmtime always, the others only on demand."""
FOLDER = Path(emulator.__file__).parent
# A vector table, then `b .`; it runs on both boards.
LOOP = {0: 0x00, 1: 0x10, 2: 0x00, 3: 0x20, 4: 0x09, 5: 0, 6: 0, 7: 0, 8: 0xFE, 9: 0xE7}


def test_emulator_needs_only_wasmtime() -> None:
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom):
                names = [node.module or "." * node.level]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            for name in names:
                top = name.partition(".")[0]
                outside = top in sys.stdlib_module_names or top in OTHERS
                assert outside or name.startswith("microbit_emulator"), f"{path.name}: {name}"


def intel_hex(chunks: Mapping[int, bytes]) -> intelhex.IntelHex:
    memory = intelhex.IntelHex()
    for at, data in chunks.items():
        memory.puts(at, data)
    return memory


@EACH_BOARD
def test_hex_is_read_in_every_form(board: str, tmp_path: Path) -> None:
    text = firmware({"V1": "V1 1.1.1", "V2": "V2 2.1.2"}[board])
    expected = read(text, board)
    path, other = tmp_path / "firmware.hex", tmp_path / "plain.hex"
    path.write_text(text)
    for form in (path, str(path), text.encode()):
        assert read(form, board) == expected
    beginnings = {at: data[:1000] for at, data in expected.items()}
    plain = intel_hex(beginnings)
    plain.write_hex_file(str(other))
    for form in (plain.todict(), other):
        assert read(form, board) == beginnings


def test_universal_hex_sections_are_separated_by_board() -> None:
    hex_of = {"V1": 0x9900, "V2": 0x9903}
    records = []

    def record(kind: int, address: int, data: bytes) -> None:
        body = bytes((len(data), address >> 8, address & 0xFF, kind)) + data
        records.append(":" + (body + bytes((-sum(body) & 0xFF,))).hex().upper())

    for board, kind in (("V1", 0x00), ("V2", 0x0D)):
        record(0x04, 0, b"\x00\x00")
        record(0x0A, 0, hex_of[board].to_bytes(2, "big") + b"\xc0\xde")
        record(kind, 0x100, board.encode())
        record(0x0B, 0, b"")
    record(0x01, 0, b"")
    universal = "\n".join(records)
    assert read(universal, "V1") == {0x100: b"V1"}
    assert read(universal, "V2") == {0x100: b"V2"}
    only_v2 = "\n".join(records[4:])
    with pytest.raises(HexError, match="has no firmware for the micro:bit V1"):
        read(only_v2, "V1")


@pytest.mark.parametrize(("board", "other"), [("V1", "V2"), ("V2", "V1")])
@pytest.mark.parametrize("form", [str, dict], ids=["text", "addresses"])
def test_plain_hex_for_the_other_board_is_refused(board: str, other: str, form: type) -> None:
    chunks = read(firmware({"V1": "V1 1.1.1", "V2": "V2 2.1.2"}[other]), other)
    memory = intel_hex({at: data[:1000] for at, data in chunks.items()})
    text = io.StringIO()
    memory.write_hex_file(text)
    with pytest.raises(HexError, match=f"is for the micro:bit {other}, not for {board}; choose"):
        Microbit(board, text.getvalue() if form is str else memory.todict())


def test_plain_hex_without_registers_is_known_by_its_text() -> None:
    chunks = read(firmware("V1 1.1.1"), "V1")
    memory = intel_hex({at: data for at, data in chunks.items() if at < UICR})
    with pytest.raises(HexError, match="is for the micro:bit V1, not for V2; choose that board"):
        Microbit("V2", memory.todict())


def test_what_follows_the_end_of_a_hex_is_ignored() -> None:
    text, source = firmware("V1 1.1.1"), ":0400000E00010203E8\n"
    assert text.endswith(":00000001FF\n")
    for text_after in (source, ":020000042000DA\n:0100000041BE\n", "\0" * 16, "\x1a"):
        assert read("\ufeff" + text + text_after, "V1") == read(text, "V1")


def test_bad_hex_is_refused(tmp_path: Path) -> None:
    text = firmware("V1 1.1.1")
    with pytest.raises(HexError, match="is not a hex file"):
        read(b"\x00\x01", "V1")
    with pytest.raises(HexError, match="damaged in line 3"):
        read(text.replace(text.splitlines()[2], text.splitlines()[2][:-1] + "Z"), "V1")
    with pytest.raises(HexError, match="cut short"):
        read("\n".join(text.splitlines()[:99]), "V1")
    with pytest.raises(HexError, match=r"cannot read .*absent\.hex"):
        read(tmp_path / "absent.hex", "V1")


def test_wrong_board_firmware_and_button_are_refused() -> None:
    with pytest.raises(EmulatorError, match="no micro:bit 'V3'"):
        Microbit("V3", LOOP)
    with pytest.raises(EmulatorError, match="needs a firmware"):
        Microbit("V1")
    board = Microbit("V1", LOOP)
    with pytest.raises(EmulatorError, match="no button 'C'"):
        board.press("C")  # type: ignore[arg-type]
    with pytest.raises(EmulatorError, match="no button 'C'"):
        board.release("C")  # type: ignore[arg-type]
    with pytest.raises(EmulatorError, match="a V1 has no touch logo"):
        board.touch_logo(True)


def test_board_is_run_by_one_thread_at_a_time() -> None:
    board, is_inside, may_end = Microbit("V1", LOOP), threading.Event(), threading.Event()

    def hold() -> None:
        is_inside.set()
        may_end.wait(60)

    board.at(100, hold)
    other = threading.Thread(target=board.run_for, args=(200,))
    other.start()
    try:
        assert is_inside.wait(60)
        with pytest.raises(EmulatorError, match="another thread is running this micro:bit; use a"):
            board.run_for(100)
    finally:
        may_end.set()
        other.join()
    board.run_for(100)
    assert board.clock_us == 300


def test_board_runs_only_while_powered() -> None:
    board = Microbit("V2", LOOP, power_on=False)
    with pytest.raises(PowerOffError):
        board.run_for(1)
    board.power_on()
    board.run_for(100)
    assert board.instructions == 6_400
    board.power_cut()
    with pytest.raises(PowerOffError):
        board.run_for(1)
    with pytest.raises(PowerOffError):
        board.reset()
    board.power_on()
    board.run_for(1.5)
    assert board.clock_us == 101
    assert board.instructions == 6_496


@pytest.mark.timeout(60)
@pytest.mark.parametrize("ether", [False, True])
def test_run_ends_even_with_steps_that_are_too_short(ether: bool) -> None:
    board = Microbit("V2", LOOP)
    runs = Ether({"a": board}) if ether else board
    assert not runs.run_until(lambda: False, timeout_us=2, step_us=0)
    assert board.clock_us == 2
    assert runs.run_until(lambda: board.clock_us >= 4, step_us=0.001)
    assert runs.run_until(10) and board.clock_us == 10


@pytest.mark.parametrize("ether", [False, True])
def test_run_that_times_out_ends_at_that_time(ether: bool) -> None:
    board = Microbit("V2", LOOP)
    runs = Ether({"a": board}) if ether else board
    assert not runs.run_until(lambda: False, timeout_us=7, step_us=5)
    assert board.clock_us == 7


DEVICES = {"V1": {0x1D: 1, 0x0E: 1}, "V2": {0x19: 1, 0x1E: 1, 0x70: 8, 0x72: 8}}
"""The addresses on the boards' own bus, and how many bytes of each to look at."""


@EACH_BOARD
def test_power_cut_resets_the_i2c_devices(board: str) -> None:
    """Each device is as new, and does not answer earlier requests."""
    micro = Microbit(board, LOOP)

    def states() -> list[bytes]:
        return [i2c(micro, address, b"", size) for address, size in DEVICES[board].items()]

    def ask() -> None:
        for address in DEVICES[board]:
            i2c(micro, address, b"\x22\x57", 0)  # a register of a sensor, or a request
            i2c(micro, address, b"\x10\x01", 0)  # a property of the interface chip
            if address < 0x70:
                i2c(micro, address, b"\x22", 0)  # the register is read next

    made = states()
    ask()
    asked = states()
    assert all(one != other for one, other in zip(made, asked, strict=True))
    ask()
    micro.power_cut()
    micro.power_on()
    assert states() == made


@pytest.mark.parametrize(("data", "size"), [(b"\x22", 0), (b"", 1)])
def test_byte_on_the_bus_of_a_v1_ends_with_a_boundary(data: bytes, size: int) -> None:
    """Whether it is sent or received."""
    micro = Microbit("V1", LOOP)
    assert micro.debugger.read_word(MASTER + BB) == 0
    i2c(micro, 0x1D, data, size)
    assert micro.debugger.read_word(MASTER + BB) == 1


@pytest.mark.parametrize(
    ("board", "address", "identity_at", "identity"),
    [("V1", 0x1D, 0x0D, 0x5A), ("V1", 0x0E, 0x07, 0xC4), ("V2", 0x1E, 0x4F, 0x40)],
    ids=["MMA8653", "MAG3110", "LSM303AGR"],
)
def test_sensor_is_read_from_its_first_register_on_after_a_power_cut(
    board: str, address: int, identity_at: int, identity: int
) -> None:
    """What identifies the sensor is in its place."""
    micro = Microbit(board, LOOP)
    i2c(micro, address, b"\x22", 0)
    micro.power_cut()
    micro.power_on()
    assert i2c(micro, address, b"", identity_at + 1)[identity_at] == identity


@pytest.mark.parametrize(
    ("board", "address", "first"),
    [("V1", 0x1D, 0x2A), ("V1", 0x0E, 0x10), ("V2", 0x19, 0x80 | 0x20), ("V2", 0x1E, 0x60)],
)
@pytest.mark.parametrize("settings", [b"\x21", b"\x21\x10", b"\x21\x10\x03"])
def test_sensor_takes_settings_from_a_register_on(
    board: str, address: int, first: int, settings: bytes
) -> None:
    """What follows them is as before."""
    micro = Microbit(board, LOOP)
    i2c(micro, address, bytes([first]) + settings, 0)
    assert i2c(micro, address, bytes([first]), 4) == settings.ljust(4, b"\0")


@pytest.mark.parametrize(
    ("request_hex", "answer_hex"),
    [
        ("1001", "1101020499"),  # the board's version
        ("1002", "1102020200"),  # the protocol's
        ("1003", "1103020101"),  # DAPLink's
        ("1004", "11040101"),  # USB powers it
        ("1005", "110508" + "00" * 8),  # power consumption
        ("1006", "11060101"),  # USB's state
        ("1007", "11070106"),  # the chip's state
        ("1008", "11080101"),  # the power LED
        ("1000", "2034"),
        ("1009", "2034"),  # unknown
        ("120801", "1308"),  # a property is set
    ],
)
def test_interface_chip_answers_with_the_property_of_the_request(
    request_hex: str, answer_hex: str
) -> None:
    """An answer is read once; then the chip is busy. What follows an answer reads 0xFF."""
    micro, answer = Microbit("V2", LOOP), bytes.fromhex(answer_hex)
    received = i2c(micro, 0x70, bytes.fromhex(request_hex), len(answer) + 1)
    assert received == answer + b"\xff"
    assert i2c(micro, 0x70, b"", 2) == b"\x20\x39"


@EACH_BOARD
def test_faults_name_address_and_pc(board: str) -> None:
    # ldr r0, [pc, #4]; ldr r0, [r0]; b .; nop; 0x30000000
    nowhere = Microbit(board, program(0x4801, 0x6800, 0xE7FE, 0xBF00, 0x0000, 0x3000))
    with pytest.raises(emulator.CpuFaultError, match=r"accesses 0x30000000.*pc 0xa") as caught:
        nowhere.run_for(10)
    assert (caught.value.address, caught.value.pc) == (0x3000_0000, 0xA)
    # ldr r0, [pc, #4]; blx r0; b .; nop; 0x30000001
    jumps = Microbit(board, program(0x4801, 0x4780, 0xE7FE, 0xBF00, 0x0001, 0x3000))
    with pytest.raises(emulator.CpuFaultError, match="accesses 0x30000000"):
        jumps.run_for(10)
    undefined = Microbit(board, program(0xDE00))  # udf #0
    with pytest.raises(emulator.CpuFaultError, match="pc 0x"):
        undefined.run_for(10)


def starts(board: str, task: int) -> Microbit:
    """ldr r0, [pc, #4]; movs r1, #1; str r1, [r0]; b .; the task's address."""
    return Microbit(board, program(0x4801, 0x2101, 0x6001, 0xE7FE, task & 0xFFFF, task >> 16))


UNMODELLED = {
    0x4000_0010: "CLOCK CAL",
    0x4000_100C: "RADIO STOP",
    0x4000_101C: "RADIO BCSTART",
    0x4000_1020: "RADIO BCSTOP",
    0x4000_6060: "GPIOTE CLR",
    0x4000_B000: "RTC0",
    0x4000_E000: "AES (ECB)",
    0x4000_F000: "Bluetooth's AES (CCM)",
    0x4001_0000: "WDT",
    0x4001_2000: "QDEC",
    0x4001_3000: "COMP",
    0x4001_F000: "PPI's groups",
    0xE000_E010: "SysTick",
}
UNMODELLED_ON_V2 = {
    0x4000_5000: "NFC",
    0x4000_6030: "GPIOTE SET",
    0x4001_C010: "PWM NEXTSTEP",
    0x4001_D000: "PDM",
    0x4002_4000: "RTC2",
    0x4002_5000: "I2S",
    0x4002_7004: "USB",
}


@pytest.mark.parametrize(
    ("board", "task"),
    [
        *((board, task) for board in ("V1", "V2") for task in UNMODELLED),
        *(("V2", task) for task in UNMODELLED_ON_V2),
        ("V1", 0x4001_1000),  # RTC1
        ("V1", 0x4000_6030),  # GPIOTE SET, which only the nRF52 has
        ("V2", 0x4000_6000),  # OUT, which only V1's firmware starts
        ("V2", 0x4001_4040),  # an event generator has 16 channels
    ],
    ids=lambda value: value if isinstance(value, str) else hex(value),
)
def test_unknown_task_is_an_error(board: str, task: int) -> None:
    with pytest.raises(emulator.UnmodelledError, match=f"starts the task at {task:#x}") as caught:
        starts(board, task).run_for(10)
    assert caught.value.pc == 0xC


@EACH_BOARD
def test_radio_does_not_start_in_an_unmodelled_mode(board: str) -> None:
    micro = Microbit(board, program(0xE7FE))
    micro.debugger.write_word(0x4000_1510, 15)  # IEEE 802.15.4
    micro.debugger.write_word(0x4000_1200, 1)  # READY_START
    micro.debugger.write_word(0x4000_1004, 1)  # RXEN
    with pytest.raises(emulator.UnmodelledError, match="starts the task at 0x40001008"):
        micro.run_for(200)


@EACH_BOARD
def test_channel_of_ppi_that_is_not_modelled_is_an_error(board: str) -> None:
    modelled = {"V1": 16, "V2": 20}[board]
    for channel in range(32):
        # movs r1, #1; lsls r1, #channel; ldr r0, [pc, #4]; str r1, [r0]; b .; nop; CHENSET
        code = 0x2101, 0x0009 | channel << 6, 0x4801, 0x6001, 0xE7FE, 0xBF00
        micro = Microbit(board, program(*code, CHENSET & 0xFFFF, CHENSET >> 16))
        if channel < modelled:
            micro.run_for(10)
            continue
        with pytest.raises(emulator.UnmodelledError, match="register at 0x4001f500") as caught:
            micro.run_for(10)
        assert caught.value.pc == 0xE


@pytest.mark.parametrize(
    ("board", "timer", "task"),
    [
        ("V1", 0x4000_8000, 0x4000_6060),
        ("V2", 0x4000_8000, 0x4000_6030),  # only the timer of the LEDs sets pins
        ("V2", 0x4001_B000, 0x4000_6000),
        ("V2", 0x4001_B000, 0x4000_6060),
    ],
)
def test_unknown_task_by_ppi_is_an_error(board: str, timer: int, task: int) -> None:
    micro = Microbit(board, LOOP)
    for register, value in (
        (timer + CC, 100),
        (CH_EEP, timer + TIMER_COMPARE),
        (CH_TEP, task),
        (CHENSET, 1),
        (timer + TIMER_START, 1),
    ):
        micro.debugger.write_word(register, value)
    with pytest.raises(emulator.UnmodelledError, match=f"starts the task at {task:#x}"):
        micro.run_for(200)


@pytest.mark.parametrize("register", [0x4000_0438, 0x4000_0110, 0x4000_1128])
def test_polling_what_is_not_modelled_is_an_error(register: int) -> None:
    """USBREGSTATUS, CTTO, BCMATCH."""
    # ldr r0, [pc, #4]; ldr r1, [r0]; b to it; nop; the register
    code = 0x4801, 0x6801, 0xE7FD, 0xBF00, register & 0xFFFF, register >> 16
    micro = Microbit("V2", program(*code))
    with pytest.raises(emulator.UnmodelledError, match=f"polls the register at {register:#x}"):
        micro.run_for(1_000)


@pytest.mark.parametrize("channel", [0, 15])
def test_event_generator_sets_the_event_of_the_task(channel: int) -> None:
    generator = 0x4001_4000
    board = starts("V2", generator + 4 * channel)
    board.run_for(10)
    events = [board.debugger.read_word(generator + 0x100 + 4 * at) for at in range(16)]
    assert [at for at, event in enumerate(events) if event] == [channel]


@pytest.mark.parametrize(
    ("module", "instead"),
    [("wasmtime", None), ("wasmtime._ffi", SimpleNamespace(dll=None))],
    ids=["missing", "with another interface"],
)
def test_wasmtime_that_does_not_work_is_reported_on_one_line(
    monkeypatch: pytest.MonkeyPatch, module: str, instead: object
) -> None:
    import wasmtime

    monkeypatch.delattr(wasmtime, "_ffi")
    for name in [name for name in sys.modules if name.startswith("microbit_emulator")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, module, instead)
    with pytest.raises(Exception, match=r"the emulator needs wasmtime.*pip install") as caught:
        importlib.import_module("microbit_emulator.microbit")
    assert type(caught.value).__name__ == "EngineError"
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("speed", "step_s", "slept_s"),
    [
        (2, (0, 0.001, 0, 0), (0.0025, 0.0015, 0.025)),
        (1, (0, 0.05, 0, 0), (0.005, 0, 0.005)),  # late, and it catches up
        (1, (0, 0.2, 0, 0), (0.005, 0, 0.050)),  # too late: from here on
    ],
)
def test_run_keeps_real_time_until_a_step_ends_it(
    monkeypatch: pytest.MonkeyPatch, speed: float, step_s: list[float], slept_s: list[float]
) -> None:
    """On a fake clock that only steps and sleeps move."""
    now_s, slept, steps = [7.0], [], iter(zip([5_000, 10_000, 60_000, None], step_s, strict=True))

    def step() -> int | None:
        clock_us, takes_s = next(steps)
        now_s[0] += takes_s
        return clock_us

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now_s[0] += seconds

    monkeypatch.setattr(
        sys.modules[run_in_real_time.__module__],
        "time",
        SimpleNamespace(sleep=sleep, monotonic=lambda: now_s[0]),
    )
    run_in_real_time(step, speed)
    assert slept == pytest.approx(slept_s)


@EACH_BOARD
def test_step_size_does_not_affect_masked_interrupts(board: str) -> None:
    """cpsid; enable and pend interrupt 20; count to 100; cpsie; count on. The interrupt stores how
    far the count is."""
    code = "B672 480B 490B 4A0C 4D0C 6001 6011 2400 3401 2C64 D1FC B662 3401 E7FD 602C 4770"
    memory = linked(code, 0x130, 0xE000E100, 1 << 20, 0xE000E200, 0x2000_0000, handler=0x11C)
    whole, cut = Microbit(board, memory), Microbit(board, memory)
    whole.run_for(100)
    cycles_per_us = {"V1": 16, "V2": 64}[board]
    for _ in range(100 * cycles_per_us):
        cut.run_for(1 / cycles_per_us)
    count = int.from_bytes(whole.ram[:4], "little")
    assert 100 <= count < 130
    assert cut.ram == whole.ram


@EACH_BOARD
def test_nothing_is_executed_after_a_reset_that_the_firmware_asks_for(board: str) -> None:
    """Ask for a reset by AIRCR; then count in RAM, which a reset leaves as it is."""
    code = "4803 4904 4A04 600A 6803 3301 6003 E7FE"
    reset = Microbit(board, linked(code, 0x110, 0x2000_0000, 0xE000_ED0C, 0x05FA_0004))
    before = reset.ram[:4]
    reset.run_for(100)
    assert reset.ram[:4] == before


@EACH_BOARD
def test_registers_that_outlive_a_reset_are_lost_without_power(board: str) -> None:
    micro, retained = Microbit(board, LOOP), [0x4000_051C]  # GPREGRET
    if board == "V2":
        retained.append(0x4000_0520)  # GPREGRET2
    for register in retained:
        micro.debugger.write_word(register, 0x5A)
    micro.reset()
    assert {micro.debugger.read_word(register) for register in retained} == {0x5A}
    micro.power_cut()
    micro.power_on()
    assert {micro.debugger.read_word(register) for register in retained} == {0}


def with_uart(memory: dict[int, int]) -> Microbit:
    """A V1 whose UART is on the line to the computer."""
    board = Microbit("V1", memory)
    for register, pin in ((0x50C, 24), (0x514, 25)):  # PSELTXD, PSELRXD
        board.debugger.write_word(0x4000_2000 + register, pin)
    return board


def test_polling_skips_to_the_end_of_a_byte() -> None:
    """Send a byte, and poll until it has gone. An input in between makes no difference."""
    code = "4804 4905 2241 600A 6803 2B00 D0FC E7FE"
    memory = linked(code, 0x114, 0x4000_211C, 0x4000_251C)
    plain, disturbed = with_uart(memory), with_uart(memory)
    disturbed.at(40, lambda: disturbed.press("A"))
    for board in (plain, disturbed):
        board.run_for(80)
        assert board.uart.received == b""
    assert plain.instructions == disturbed.instructions < 50
    plain.run_for(10)
    assert plain.uart.receive() == b"A"


def test_bytes_not_read_in_time_are_lost() -> None:
    """V1's receiver holds six bytes: listen, wait for 17 bytes' time, and take eight."""
    code = (
        "4808 4909 4A09 4C0A 2301 6003 3C01 D1FD 2408 680B 7013 3201 3C01 D1FA E7FE BF00 BF00 BF00"
    )
    memory = linked(code, 0x124, 0x4000_2000, 0x4000_2518, 0x2000_0000, 12_000)
    board = with_uart(memory)
    board.run_for(10)
    board.uart.send(b"0123456789")
    board.run_for(2_000)
    assert board.ram[:8] == b"012345\0\0"


TIMERS = 0x4000_8000, 0x4000_9000, 0x4000_A000, 0x4001_A000, 0x4001_B000
TIMER_START, TIMER_SHORTS, TIMER_COMPARE, BITMODE, PRESCALER, CC = (
    0,
    0x200,
    0x140,
    0x508,
    0x510,
    0x540,
)
SAADC, SAADC_START, SAADC_SAMPLE, SAADC_END, SAADC_ENABLE = 0x4000_7000, 0, 4, 0x104, 0x500
SAADC_PSELP, RESULT_PTR, RESULT_MAXCNT = 0x510, 0x62C, 0x630
CHENSET, CH_EEP, CH_TEP = 0x4001_F504, 0x4001_F510, 0x4001_F514


@pytest.mark.parametrize("how", ["restarts", "goes on", "is stopped"])
@pytest.mark.parametrize("timer", TIMERS, ids=hex)
def test_samples_come_when_the_timer_that_ppi_connects_matches(timer: int, how: str) -> None:
    """It matches after each millisecond, once or never; the others match ten times as often."""
    board = Microbit("V2", LOOP)
    for page in TIMERS:
        clears = page != timer or how != "goes on"
        settings = {TIMER_SHORTS: clears, BITMODE: 3, PRESCALER: 4}
        for register, value in {**settings, CC: 1_000 if page == timer else 100}.items():
            board.debugger.write_word(page + register, value)
    board.debugger.write_word(CH_EEP, timer + TIMER_COMPARE)
    board.debugger.write_word(CH_TEP, SAADC + SAADC_SAMPLE)
    board.debugger.write_word(CHENSET, 1)
    for page in TIMERS:
        board.debugger.write_word(page + TIMER_START, page != timer or how != "is stopped")
    settings = {SAADC_ENABLE: 1, SAADC_PSELP: 1, RESULT_PTR: 0x2000_0000, RESULT_MAXCNT: 4}
    for register, value in {**settings, SAADC_START: 1}.items():
        board.debugger.write_word(SAADC + register, value)
    board.run_for(3_999)
    assert not board.debugger.read_word(SAADC + SAADC_END)
    board.run_for(2)
    assert board.debugger.read_word(SAADC + SAADC_END) == (how == "restarts")


@EACH_BOARD
def test_match_that_nobody_has_read_is_cleared(board: str) -> None:
    """So only matches from then on are seen. Writing 1 to an event sets it."""
    micro, timer = Microbit(board, LOOP), TIMERS[0]
    for register, value in ((PRESCALER, 4), (CC, 100), (TIMER_START, 1)):
        micro.debugger.write_word(timer + register, value)
    micro.run_for(150)
    for value in (0, 1, 0):
        micro.debugger.write_word(timer + TIMER_COMPARE, value)
        assert micro.debugger.read_word(timer + TIMER_COMPARE) == value
