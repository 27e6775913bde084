"""A core with its board, as Python drives it: time, inputs, serial lines, errors.

`core/` has the chips themselves, in C. A run is one call, which ends early if there is something
to do here: output to take, input to give, a write to flash that somebody watches, a packet.
"""

from __future__ import annotations

import ctypes
import heapq
import math
from collections.abc import Callable
from typing import NamedTuple

from microbit_emulator.engine import Instance
from microbit_emulator.errors import (
    CpuFaultError,
    FirmwareStoppedError,
    HexError,
    UnmodelledError,
)
from microbit_emulator.firmware import UICR

RAM, FICR = 0x2000_0000, 0x1000_0000
HZ = {"V1": 16_000_000, "V2": 64_000_000}
FLASH_SIZE = {"V1": 0x4_0000, "V2": 0x8_0000}
RAM_SIZE = {"V1": 0x4000, "V2": 0x2_0000}
EDGE_PINS = {
    "V1": (3, 2, 1, 4, 5, 17, 12, 11, 18, 10, 6, 26, 20, 23, 22, 21, 16),
    "V2": (2, 3, 4, 31, 28, 14, 0x25, 11, 10, 9, 30, 23, 12, 17, 1, 13, 0x22),
}
"""The pins of the edge connector, in the order of MicroPython's numbers."""

_STOPPED, LISTENS, _FLASH_BEGINS = 1, 2, 3
_BUSY = "", "write", "erase"
_MAX_CALL_S = 0.02
"""Of device time in one call, so that other threads get their turn."""
_RECENT = 2_000  # bytes
_LINES = 2
_FULL_LINE = 8192
_PAGE = 0x1000

_UNMODELLED = {
    1: "polls the register",
    2: "starts the task",
    3: "writes to the register",
    4: "stops a timer by a short",
    5: "counts events",
}
_FAULTS = {
    6: "accesses {address:#010x}, where there is nothing",
    7: "executes what is no instruction",
    8: "stops at a breakpoint",
}


class Status(ctypes.Structure):
    """`status` in core.h."""

    now: float
    idle_until: float
    instructions: float
    reason: int
    what: int
    address: int
    pc: int
    has_power: int
    halted: int
    locked_up: int
    flash_busy: int
    has_panicked: int
    _fields_ = (
        *((name, ctypes.c_double) for name in ("now", "idle_until", "instructions")),
        *((name, ctypes.c_uint32) for name in ("reason", "what", "address", "pc")),
        *((name, ctypes.c_uint32) for name in ("has_power", "halted", "locked_up", "asleep")),
        ("flash_busy", ctypes.c_uint32),
        *((name, ctypes.c_uint32 * _LINES) for name in ("in_count", "out_count", "has_more")),
        ("watches_flash", ctypes.c_uint32),
        *((name, ctypes.c_uint32) for name in ("change_at", "change_size", "change_cycles")),
        ("has_panicked", ctypes.c_uint32),
    )


class SerialLine:
    """The line to the computer, or a line on other pins. It survives a reset."""

    def __init__(self, chip: Chip, number: int) -> None:
        self._chip, self._number = chip, number
        core = chip.core
        self._send, self._take = core.function("send"), core.function("take_output")
        self._output = core.function("output_at")(number)
        self._input = core.function("input_at")()
        self._backlog = bytearray()
        """What the core's line has no room for yet."""
        self.received = bytearray()
        """The bytes that the micro:bit has sent, and nobody has taken yet."""
        self.recent = b""
        """The last bytes that it has sent, taken or not."""

    def send(self, data: bytes) -> None:
        """Send bytes to the micro:bit, which arrive at 115200 baud."""
        self._backlog += memoryview(data)  # a text is an error here, and not on the chip
        self.refill()

    def receive(self) -> bytes:
        """Take the bytes that the micro:bit has sent."""
        data = bytes(self.received)
        self.received.clear()
        return data

    @property
    def waiting(self) -> int:
        """How many bytes are still on their way to the micro:bit."""
        return len(self._backlog) + int(self._chip.status.in_count[self._number])

    def clear(self) -> None:
        self._backlog.clear()
        self._chip.status.has_more[self._number] = 0

    def refill(self) -> None:
        while self._backlog:
            part = self._backlog[:_FULL_LINE]
            self._chip.core.memory[self._input : self._input + len(part)] = bytes(part)
            sent = self._send(self._number, len(part))
            del self._backlog[:sent]
            if sent < len(part):
                break
        self._chip.status.has_more[self._number] = bool(self._backlog)

    def drain(self) -> None:
        """Take what the core has sent."""
        count = self._chip.status.out_count[self._number]
        if count:
            data = bytes(self._chip.core.memory[self._output : self._output + count])
            self.received += data
            self.recent = (self.recent + data)[-_RECENT:]
            self._take(self._number)

    def state(self) -> tuple[bytes, bytes, bytes]:
        return bytes(self._backlog), bytes(self.received), self.recent

    def restore(self, state: tuple[bytes, bytes, bytes]) -> None:
        self._backlog[:], self.received[:], self.recent = state


Input = tuple[float, int, Callable[[], object]]
"""Its time in cycles, its place among those of one time, and what is done."""


class State(NamedTuple):
    """A chip at one time."""

    memory: bytes
    inputs: list[Input]
    usb_line: tuple[bytes, bytes, bytes]
    pin_line: tuple[bytes, bytes, bytes]


class Chip:
    """A V1 or a V2 without power; its flash is erased."""

    def __init__(self, board: str, seed: int) -> None:
        self.board, self.hz = board, HZ[board]
        self.core = core = Instance()
        function = core.function
        seed = abs(seed)
        function("make")(int(board[1]), seed & 0xFFFF_FFFF, seed >> 32 & 0xFFFF_FFFF)
        self.status = Status.from_address(core.base + function("status_at")())
        flash, ram, information = (
            function(f"{name}_at")() for name in ("flash", "ram", "information")
        )
        self.flash = core.memory[flash : flash + FLASH_SIZE[board]]
        self.ram = core.memory[ram : ram + RAM_SIZE[board]]
        self.uicr = core.memory[information + UICR - FICR :][:_PAGE]
        self._out_count = self.status.out_count  # to look it up at each slice takes ctypes long
        self.usb_line, self.pin_line = SerialLine(self, 0), SerialLine(self, 1)
        self.on_flash: Callable[[str, int, int, int], object] | None = None
        """Called when a write or an erase begins: `"write"` or `"erase"`, address, size, cycles."""
        self.after_run: Callable[[], object] = lambda: None
        """Called after each call of the core, by an ether."""
        self._run, self._settle = function("run"), function("settle")
        self._inputs: list[Input] = []
        self._input_order = 0
        self._max_cycles = int(_MAX_CALL_S * self.hz)

    def program(self, at: int, data: bytes) -> None:
        """Set bytes of flash or UICR as they are. Raises `HexError` where there are none."""
        memory, start = (self.uicr, at - UICR) if at >= UICR else (self.flash, at)
        if start + len(data) > len(memory):
            raise HexError(
                f"the firmware has data at {at:#x}, where the micro:bit {self.board} has no flash; "
                "use one for this kind"
            )
        memory[start : start + len(data)] = data

    @property
    def now(self) -> int:
        """The present time, in cycles since the first power-on."""
        return int(self.status.now)

    @property
    def busy(self) -> str:
        return _BUSY[self.status.flash_busy]

    def at(self, due: int, action: Callable[[], object]) -> None:
        """Do something from outside at a time, before all devices that act at that time."""
        self._input_order += 1
        heapq.heappush(self._inputs, (max(due, self.now), self._input_order, action))

    def idle_until(self) -> float:
        """Before this time, no instruction is executed and nothing is due."""
        return min(self.status.idle_until, self._inputs[0][0] if self._inputs else math.inf)

    def run_until(self, end: float) -> int:
        """Run up to this time, or until the radio begins to listen; then it returns `LISTENS`.

        What is due at the end has not happened yet. A run may end a few cycles later, after an IT
        block.
        """
        status, inputs = self.status, self._inputs
        while status.now < end and status.has_power:
            target = min(end, status.now + self._max_cycles)
            if inputs:
                due = inputs[0][0]
                if due <= status.now:
                    if self._handle(self._settle(due)) == LISTENS:
                        return LISTENS
                    heapq.heappop(inputs)[2]()
                    continue
                target = min(target, due)
            if self._handle(self._run(target)) == LISTENS:
                return LISTENS
        return 0

    def _handle(self, reason: int) -> int:
        """Do what the core waits for, or has ended for."""
        status, out_count = self.status, self._out_count
        if out_count[0] or out_count[1] or reason:
            for line in (self.usb_line, self.pin_line):
                line.drain()
                line.refill()
        self.after_run()
        if reason == _FLASH_BEGINS and self.on_flash:
            self.on_flash(
                _BUSY[status.what], status.change_at, status.change_size, status.change_cycles
            )
        elif reason == _STOPPED:
            raise self._error()
        return reason

    def _error(self) -> FirmwareStoppedError:
        what, address, pc = self.status.what, self.status.address, self.status.pc
        if what in _UNMODELLED:
            message = (
                f"the firmware {_UNMODELLED[what]} at {address:#010x} (pc {pc:#x}), which is not "
                "modelled; run a program that does without it"
            )
            return UnmodelledError(message, address, pc)
        fault = _FAULTS[what].format(address=address)
        return CpuFaultError(f"the firmware {fault} (pc {pc:#x}); reset the micro:bit", address, pc)

    def watch_flash(self, begins: Callable[[str, int, int, int], object]) -> None:
        self.on_flash = begins
        self.status.watches_flash = 1

    def state(self) -> State:
        """Everything that a snapshot holds."""
        lines = self.usb_line.state(), self.pin_line.state()
        return State(bytes(self.core.memory), list(self._inputs), *lines)

    def restore(self, state: State) -> None:
        self.core.memory[:] = state.memory
        self._inputs[:] = state.inputs
        self.usb_line.restore(state.usb_line)
        self.pin_line.restore(state.pin_line)
        self.status.watches_flash = self.on_flash is not None
