"""A board on the USB of a page: the stand-in of its interface chip behind `navigator.usb`."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Page, expect

from daplink import PACKET_US, SERIAL_READ, UNIQUE_IDS, Daplink, UnpluggedError
from microbit_emulator import Button, Microbit
from waiting import LIMIT_S

_HERE = Path(__file__).parent
_MOST_AHEAD_MS = 50


class PluggedBoard:
    """Packets of the page go to the board; while the page polls, device time passes.

    After a look at a silent serial line, the board runs ahead until it sends something, so that the
    page need not ask each millisecond, which takes five.
    """

    def __init__(self, context: BrowserContext, board: Microbit, **options: object) -> None:
        self.plug_in(board)
        defaults = {
            "bulk": board.board == "V2",
            "serialNumber": UNIQUE_IDS[board.board],
            "packetMs": PACKET_US[board.board] / 1000,
        }
        context.expose_function("daplinkExchange", self._exchange)
        context.add_init_script(
            f"window.fakeUsb = {json.dumps(defaults | options)};"
            + (_HERE / "fake_usb.js").read_text("utf-8")
        )

    def plug_in(self, board: Microbit) -> None:
        """Another board, in place of the one that was unplugged."""
        self.board, self.daplink = board, Daplink(board)
        self._ahead_ms = 0.0

    def _exchange(self, packets: list[str], waited_ms: float) -> tuple[str, float] | None:
        """The answer to the last packet, and for how many ms the board sends nothing."""
        passed_ms = min(waited_ms, self._ahead_ms)
        waited_ms -= passed_ms
        self._ahead_ms -= passed_ms
        try:
            for packet in map(base64.b64decode, packets):
                answer = self.daplink.exchange(packet, waited_ms)
                waited_ms = 0
        except UnpluggedError:
            return None
        if packet[0] == SERIAL_READ and not any(answer[1:]):
            self._ahead_ms += self.daplink.run_until_sent(_MOST_AHEAD_MS - round(self._ahead_ms))
        return base64.b64encode(answer).decode(), self._ahead_ms

    @contextmanager
    def stopped_at(self, page: Page, text: str) -> Iterator[None]:
        """While the page says this, no packet is exchanged: a test has time to do something."""
        page.evaluate("(text) => { fakeUsb.stopsAt = text; }", text)
        yield
        page.evaluate("fakeUsb.stopsAt = ''")

    def packet_count(self) -> int:
        """How many packets came, without those that read the serial line."""
        return self.daplink.packets.total() - self.daplink.packets[SERIAL_READ]

    def tap(self, page: Page, *buttons: Button) -> None:
        tap(page, self.board, buttons)


def tap(page: Page, board: Microbit, buttons: Sequence[Button]) -> None:
    """Press buttons of the board, while the page lets its time pass."""
    for one in buttons:
        board.press(one)
    pass_time(page, board, 100)
    for one in buttons:
        board.release(one)
    pass_time(page, board, 400)


def pass_time(page: Page, board: Microbit, ms: int) -> None:
    """Wait until the page has let so much device time pass."""
    end_us = board.clock_us + ms * 1000
    passes(page, lambda: board.clock_us >= end_us)


def passes(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds, while the page goes on."""
    end_s = time.monotonic() + LIMIT_S
    while not holds():
        assert time.monotonic() < end_s
        page.wait_for_timeout(5)


class SerialBoard:
    """A board on a serial port: reading lets its time pass."""

    def __init__(self, context: BrowserContext, board: Microbit, **options: object) -> None:
        self.board, self.unplugged, self._sent = board, False, b""
        context.expose_function("serialRead", self._read)
        context.add_init_script(
            f"window.fakeSerial = {json.dumps(options)};"
            + (_HERE / "fake_serial.js").read_text("utf-8")
        )

    def _read(self) -> str | None:
        if self.unplugged:
            return None
        self.board.run_for(10_000)
        sent, self._sent = self._sent, b""
        return base64.b64encode(sent + self.board.uart.receive()).decode()

    def send(self, data: bytes) -> None:
        """Send this before what the board itself sends."""
        self._sent += data

    def tap(self, page: Page, *buttons: Button) -> None:
        tap(page, self.board, buttons)


def status(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator("#board-status")).to_have_text(text)
    expect(page.locator("#board-status")).to_be_visible()


def error(page: Page, text: str | re.Pattern[str]) -> None:
    expect(page.locator("#board-error")).to_have_text(text)
    expect(page.locator("#board-error")).to_be_visible()


def no_error(page: Page) -> None:
    expect(page.locator("#board-error")).to_be_hidden()
