"""Serial ports whose devices run only while a program waits for them: nothing here ever sleeps.

A `Clock` replaces the one with which noughts and microfs wait for boards. Any sleep or wait for
bytes steps the boards on it: they run the official firmware, or a `Talker` answers with a function.
Pyserial opens their ports by `stepped://` addresses.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest
import serial

from microbit_emulator import Microbit
from noughts.virtual.program import Program

if "stepped_urls" not in serial.protocol_handler_packages:
    serial.protocol_handler_packages.append("stepped_urls")

_STEP_US = 1000
_DEVICES: dict[str, SteppedBoard] = {}


class Clock:
    """Device time: it passes only in `sleep`, and where a port waits for bytes."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.us = 0
        self.devices: list[SteppedBoard] = []
        self.on_sleep: list[Callable[[], object]] = []
        """Called after each sleep, for anything else that happens while programs wait."""
        monkeypatch.setattr("noughts.boards.clock.monotonic", self.monotonic)
        monkeypatch.setattr("noughts.boards.clock.sleep", self.sleep)
        monkeypatch.setattr("microfs.time", self)

    def monotonic(self) -> float:
        return self.us / 1e6

    def sleep(self, seconds: float) -> None:
        self.wait(lambda: False, seconds)
        for call in self.on_sleep:
            call()

    def wait(self, enough: Callable[[], bool], seconds: float) -> None:
        """Let time pass and the devices run until there is enough, or for some seconds."""
        end_us = self.us + round(seconds * 1e6)
        while not enough() and self.us < end_us:
            step_us = min(_STEP_US, end_us - self.us)
            self.us += step_us
            for device in self.devices:
                device.microbit.run_for(step_us)


class SteppedBoard:
    """A micro:bit, or a stand-in for one, behind a serial port."""

    def __init__(self, clock: Clock, microbit: Microbit | Talker) -> None:
        self.clock, self.microbit, self.plugged = clock, microbit, True
        self.port = f"stepped://{len(clock.devices)}"
        clock.devices.append(self)
        _DEVICES[self.port] = self

    @property
    def board(self) -> str:
        return self.microbit.board

    def flash(self, program: Program) -> None:
        """Program the chip and start it, as the interface chip does."""
        self.microbit = program.microbit()


class Talker:
    """Answers what it receives with a function of bytes, each millisecond."""

    board = "V1"

    def __init__(self, answer: Callable[[bytes], bytes]) -> None:
        self.uart, self.received = self, bytearray()
        self._sent, self._answer = b"", answer

    def run_for(self, us: float) -> None:
        sent, self._sent = self._sent, b""
        self.received += self._answer(sent)

    def send(self, data: bytes) -> None:
        self._sent += data


class SteppedPort:
    """A `stepped://` port, with the parts of pyserial's interface that noughts and microfs use."""

    port = ""

    def __init__(self, _: None, baudrate: int, timeout: float, exclusive: bool) -> None:
        self.timeout = timeout

    @property
    def _device(self) -> SteppedBoard:
        device = _DEVICES[self.port]
        if not device.plugged:
            raise serial.SerialException("the device is not there any more")
        return device

    @property
    def _received(self) -> bytearray:
        return self._device.microbit.uart.received

    def open(self) -> None: ...
    def close(self) -> None: ...

    def write(self, data: bytes) -> int:
        self._device.microbit.uart.send(bytes(data))
        return len(data)

    def read(self, size: int = 1) -> bytes:
        self._device.clock.wait(lambda: len(self._received) >= size, self.timeout)
        return self._take(size)

    def read_until(self, expected: bytes = b"\n") -> bytes:
        self._device.clock.wait(lambda: expected in self._received, self.timeout)
        at = self._received.find(expected)
        return self._take(len(self._received) if at < 0 else at + len(expected))

    def _take(self, size: int) -> bytes:
        data = bytes(self._received[:size])
        del self._received[:size]
        return data

    def inWaiting(self) -> int:
        return len(self._received)
