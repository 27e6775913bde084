"""The emulated V1, stopped at exact moments of device time: the same seed gives the same run.

A timer that the firmware leaves alone (TIMER2) counts microseconds. Its interrupt, which the
firmware never enables, runs a stub in flash that is otherwise unused; GDB's breakpoint on the stub
stops the machine when the counter reaches a given moment. Then pins are set and the serial line is
read, and the machine goes on. Device time counts instructions, and so hardly anything depends on
how fast this computer is.

Hardly: when the chip goes to sleep, QEMU's main thread may skip the idle time before the other
thread has counted its last instructions, and interrupts come some milliseconds late. So all of QEMU
runs on one processor, where the threads take turns. Then 4 of 4 runs of 500 device seconds were the
same, and 10 of 12 on a computer with twice as many to run as it had processors; without that none
of 4. A failure therefore comes with its last lines, too.

A stop costs some 4 ms of this computer's time; between stops, idle time is skipped.
"""

from __future__ import annotations

import contextlib
import os
import random
import select
import socket
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import intelhex
from noughts.boards.base import Button
from noughts.boards.qemu import Qemu

from noughts.boards import flash_memory
from noughts.closing import Closing
from noughts.device_files import files_for_boards
from noughts.errors import BoardGone
from noughts.firmware import image
from soak.debugger import Debugger

ICOUNT = "shift=6,sleep=off"

_TIMER = 0x4000A000
_IRQ = 10
_VECTOR = 4 * (16 + _IRQ)
_ENABLE_IRQ = 0xE000E100  # NVIC ISER
_PEND_IRQ = 0xE000E200  # NVIC ISPR
_STUB = bytes.fromhex("00bf 00bf 7047")  # nop; nop; bx lr
_STUB_GAP = 16  # bytes below the file system
_WRAP = 1 << 24  # so that device code reads the counter as a small integer
_FURTHEST_US = 1 << 23
_NEAREST_US = 20  # a moment that is closer may pass while it is being set
_FIFO = 6
_FIFO_MS = 0.5
_PINS = {Button.A: 17, Button.B: 26}


class Machine(Closing):
    """A micro:bit V1 that runs only in `run_until()`.

    seed: what the chip's random number generator draws from. files: name to content, by default
    the game. flash: what the flash holds instead, as `flash()` gave it.
    """

    def __init__(
        self,
        seed: int = 1,
        files: Mapping[str, bytes] | None = None,
        firmware: Path | None = None,
        flash: bytes | None = None,
    ) -> None:
        loaded = image.for_v1(firmware)
        self.firmware = str(loaded)
        self.layout = loaded.layout
        memory = loaded.with_files(files_for_boards() if files is None else files)
        self._stub = loaded.layout.start - _STUB_GAP
        self._heard = bytearray()
        self._watched: dict[int, Callable[[int], None]] = {}
        self._limit_us: int | None = None
        # QEMU's flash is zeros where nothing is loaded; a chip's is erased.
        memory.puts(0, memory.tobinstr(0, flash_memory.SIZE - 1) if flash is None else flash)
        _insert_stub(memory, self._stub)
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="noughts-"))
            path = Path(folder) / "flash.hex"
            memory.write_hex_file(str(path))
            listener = stack.enter_context(socket.socket(socket.AF_UNIX))
            listener.bind(f"{folder}/gdb")
            listener.listen(1)
            options = ["-seed", str(seed), "-gdb", "chardev:gdb"]
            options += ["-chardev", f"socket,id=gdb,path={folder}/gdb,server=off"]
            with on_one_processor():
                self._qemu = Qemu(path, ICOUNT, options)
            listener.settimeout(20)
            try:
                self._debugger = Debugger(listener.accept()[0])
            except BaseException:
                self._qemu.close()
                raise
        self._debugger.breakpoint(self._stub)
        self._start_clock()

    def _start_clock(self) -> None:
        self.now_us = 0
        """Device time since the last reset."""
        self._at_stub = False
        self._qemu.registers(
            [
                f"writel {_TIMER + 0x504} 0",  # a timer,
                f"writel {_TIMER + 0x508} 2",  # of 24 bits,
                f"writel {_TIMER + 0x510} 4",  # counting microseconds
                *_compare_commands(_FURTHEST_US),
                f"writel {_TIMER + 0x304} {3 << 16}",  # interrupt at both comparisons
                f"writel {_ENABLE_IRQ} {1 << _IRQ}",
                f"writel {_TIMER} 1",
            ]
        )

    def run_until(self, moment_us: int) -> None:
        """Let the device run up to this moment of its time, to within some microseconds."""
        limit_us = self._limit_us
        if limit_us is not None and limit_us <= moment_us:
            self._limit_us = None
            self.run_until(limit_us)
            raise self._at_limit
        while self.now_us < moment_us:
            # QEMU now and then takes a comparison for done before it is: then again.
            until = max(self.now_us + _NEAREST_US, min(moment_us, self.now_us + _FURTHEST_US))
            self._qemu.registers(_compare_commands(until))
            self.go_on()

    def limit(self, moment_us: int | None, at_limit: type[Exception]) -> None:
        """Raise this from the `run_until()` that reaches a moment; None for no moment."""
        self._limit_us = moment_us
        self._at_limit = at_limit

    def go_on(self) -> None:
        """Let the device run until any breakpoint, and see to it if it is watched."""
        self._debugger.go_on(self._stub + 2 if self._at_stub else None)
        stopped_at, argument = self._debugger.place()
        self._at_stub = stopped_at == self._stub
        count = self.capture(_TIMER, 3)
        self.now_us += (count - self.now_us) % _WRAP
        self._listen()
        if stopped_at in self._watched:
            self._watched[stopped_at](argument)
            self._debugger.step()

    def watch(self, address: int, reached: Callable[[int], None]) -> None:
        """Call `reached` with register 0 whenever an address in flash is about to be executed.

        What it raises comes out of `run_until()`, and leaves the machine as it is there. QEMU takes
        a chip that stands at a breakpoint for idle: its time goes on to the next timer's event.
        """
        self._debugger.breakpoint(address)
        self._watched[address] = reached

    def interrupt(self, number: int) -> None:
        """Have an interrupt wait to be served."""
        self._qemu.registers([f"writel {_PEND_IRQ} {1 << number}"])

    def capture(self, timer: int, register: int) -> int:
        """What a timer counts, copied to one of its registers of that number."""
        copy, copied = timer + 0x40 + 4 * register, timer + 0x540 + 4 * register
        return self._qemu.registers([f"writel {copy} 1", f"readl {copied}"])[1]

    def rest(self, ms: float) -> None:
        """Let the device run for some milliseconds."""
        self.run_until(self.now_us + round(ms * 1000))

    def contact(self, button: Button, closed: bool) -> None:
        """Close or open a button's contact."""
        pin = _PINS[button]
        level = int(not closed)
        self._qemu.registers([f"set_irq_in /machine/nrf51 unnamed-gpio-in {pin} {level}"])

    def heard(self) -> bytes:
        """What the board has sent over serial since the last call."""
        data = bytes(self._heard)
        self._heard.clear()
        return data

    def _listen(self) -> None:
        # At each stop: the socket takes no more than some 270 single bytes before the UART waits.
        while select.select([self._qemu.serial], [], [], 0)[0]:
            data = self._qemu.serial.recv(65536)
            if not data:
                raise BoardGone("QEMU is not running any more; start again")
            self._heard += data

    def say(self, data: bytes) -> None:
        """Send bytes to the board, in pieces of its UART's FIFO, faster than 115200 baud."""
        for start in range(0, len(data), _FIFO):
            self._qemu.serial.sendall(data[start : start + _FIFO])
            self.rest(_FIFO_MS)

    def memory(self, address: int, size: int) -> bytes:
        """Read the board's memory."""
        return self._qemu.memory(address, size)

    def flash(self) -> bytes:
        """All of the flash as it stands."""
        return flash_memory.read(self._qemu)

    def reset(self, flash: bytes | None = None) -> None:
        """Cut the power, and give it back; flash keeps what it holds, or gets other content."""
        kept = self.flash() if flash is None else flash
        self._qemu.reset()
        flash_memory.write(self._qemu, kept)
        self._start_clock()

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        return self._qemu.pid

    def close(self) -> None:
        """End QEMU."""
        self._qemu.close()
        self._debugger.close()


@contextlib.contextmanager
def on_one_processor() -> Iterator[None]:
    """Have what is started meanwhile run on one processor, where the system can do that."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {random.choice(sorted(before))})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def _compare_commands(moment_us: int) -> list[str]:
    """Have the counter compared with a moment. QEMU may miss the first comparison, thus two."""
    moment = f"{moment_us % _WRAP}"
    return [
        f"writel {_TIMER + 0x540} {moment}",
        f"writel {_TIMER + 0x544} {(moment_us + 3) % _WRAP}",
        f"writel {_TIMER + 0x140} 0",
        f"writel {_TIMER + 0x144} 0",
        f"writel {_TIMER + 0x540} {moment}",
    ]


def _insert_stub(memory: intelhex.IntelHex, stub: int) -> None:
    present = memory.tobinstr(stub, stub + len(_STUB) - 1)
    if present not in (b"\xff" * len(_STUB), _STUB):
        raise ValueError(f"this firmware leaves no room for the soak's stub at {stub:#x}")
    memory.puts(stub, _STUB)
    memory.puts(_VECTOR, (stub | 1).to_bytes(4, "little"))
