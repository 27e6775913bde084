"""QEMU's micro:bit V1 (`-M microbit`), which shares nothing with our emulator.

Device time is a count of instructions, and idle time is skipped, so a busy computer makes no
difference to the firmware. But it runs on its own: a test can only wait until something shows, or
until some device time has passed. After a write to flash, the LEDs may freeze for 16.8 s of device
time: QEMU counts the time of a stopped timer twice (`nrf51_timer.c`).
"""

import contextlib
import json
import os
import socket
import subprocess
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import intelhex

_ICOUNT = "shift=6,sleep=off"
"""An instruction takes 64 ns."""
_ANSWER_S = 120.0
_PINS = {"A": 17, "B": 26}
_GPIO_OUT = 0x50000504
_TIMER2 = 0x4000A000  # the firmware does not use it, so it is our clock
_START_CLOCK = (
    f"writel {_TIMER2 + 0x504} 0",  # a timer,
    f"writel {_TIMER2 + 0x508} 3",  # of 32 bits,
    f"writel {_TIMER2 + 0x510} 4",  # counting microseconds
    f"writel {_TIMER2} 1",
)
_READ_CLOCK = f"writel {_TIMER2 + 0x40} 1", f"readl {_TIMER2 + 0x540}"
_BUFFER = 4
"""Offset of the levels, column by column, in the display object, after its type pointer."""
# The LED, as (x, y), at each row (pins 13-15, high) and column (pins 4-12, low) of the wiring.
_LEDS = (
    ((0, 0), (2, 0), (4, 0), (4, 3), (3, 3), (2, 3), (1, 3), (0, 3), (1, 2)),
    ((4, 2), (0, 2), (2, 2), (1, 0), (3, 0), (3, 4), (1, 4), None, None),
    ((2, 4), (4, 4), (0, 4), (0, 1), (1, 1), (2, 1), (3, 1), (4, 1), (3, 2)),
)


class Qemu:
    """A V1 that runs from power-on until `close()`.

    display: the address of the firmware's display object, which is its `id`.
    """

    def __init__(self, memory: intelhex.IntelHex, display: int) -> None:
        self._display = display
        self._clock_us = 0
        with contextlib.ExitStack() as stack:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="noughts-"))
            memory.write_hex_file(str(Path(folder) / "v1.hex"))
            command = ["qemu-system-arm", "-M", "microbit", "-display", "none", "-nodefaults", "-S"]
            command += ["-accel", "tcg", "-icount", _ICOUNT, "-qtest-log", os.devnull]
            command += ["-device", f"loader,file={folder}/v1.hex"]
            listeners = []
            for name in ("serial", "qtest", "qmp"):
                listener = stack.enter_context(socket.socket(socket.AF_UNIX))
                listener.bind(f"{folder}/{name}")
                listener.listen(1)
                listener.settimeout(_ANSWER_S)
                listeners.append(listener)
                command += ["-chardev", f"socket,id={name},path={folder}/{name},server=off"]
            command += ["-serial", "chardev:serial", "-qtest", "chardev:qtest"]
            command += ["-mon", "chardev=qmp,mode=control"]
            self._running = stack.enter_context(contextlib.ExitStack())
            process = subprocess.Popen(command)
            self._running.callback(process.wait)
            self._running.callback(process.kill)
            lines = [self._running.enter_context(listener.accept()[0]) for listener in listeners]
            for line in lines:
                line.settimeout(_ANSWER_S)
            self._serial, self._qtest, self._qmp = lines
            self._serial.setblocking(False)
            self._qtest_answers = self._running.enter_context(self._qtest.makefile("rb"))
            self._qmp_answers = self._running.enter_context(self._qmp.makefile("rb"))
            self._execute("qmp_capabilities")
            self._ask(*_START_CLOCK)
            self._execute("cont")
            self._running = self._running.pop_all()

    def close(self) -> None:
        self._running.close()

    def receive(self) -> bytes:
        with contextlib.suppress(BlockingIOError):
            return self._serial.recv(65536)
        return b""

    def press(self, *buttons: str) -> None:
        """Push buttons down, all at the same moment of device time."""
        self._set_pins(buttons, 0)

    def release(self, *buttons: str) -> None:
        self._set_pins(buttons, 1)

    def clock_us(self) -> int:
        """Device time since power-on."""
        now_us = self._ask(*_READ_CLOCK)[1]
        self._clock_us += (now_us - self._clock_us) % (1 << 32)
        return self._clock_us

    def levels(self) -> bytes:
        """The levels that the firmware means to show, in reading order."""
        buffer = self._ask(f"read {self._display + _BUFFER:#x} 25")[0].to_bytes(25, "big")
        return bytes(buffer[5 * x + y] for y in range(5) for x in range(5))

    def lit(self) -> set[int]:
        """The LEDs, in reading order, that the pins light at this moment."""
        out = self._ask(f"readl {_GPIO_OUT:#x}")[0]
        return {
            5 * place[1] + place[0]
            for row, places in enumerate(_LEDS)
            if out >> 13 + row & 1
            for column, place in enumerate(places)
            if place and not out >> 4 + column & 1
        }

    def _set_pins(self, buttons: Iterable[str], level: int) -> None:
        self._execute("stop")
        pins = [_PINS[button] for button in buttons]
        self._ask(*[f"set_irq_in /machine/nrf51 unnamed-gpio-in {pin} {level}" for pin in pins])
        self._execute("cont")

    def _ask(self, *commands: str) -> list[int]:
        """Send commands of QEMU's test protocol; returns the value of each answer, 0 if none."""
        self._qtest.sendall("".join(f"{command}\n" for command in commands).encode())
        values = []
        for command in commands:
            answer = self._qtest_answers.readline().decode()
            assert answer.startswith("OK"), f"{command}: {answer}"
            values.append(int(answer[3:] or "0", 16))
        return values

    def _execute(self, command: str) -> None:
        self._qmp.sendall(json.dumps({"execute": command}).encode() + b"\n")
        answer: dict[str, Any] = {}
        while "return" not in answer:
            answer = json.loads(self._qmp_answers.readline())
            assert "error" not in answer, f"{command}: {answer}"
