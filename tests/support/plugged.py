"""A board on the USB of a page: the stand-in of its interface chip behind `navigator.usb`."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Page, expect

from daplink import OK, PACKET_US, SERIAL_READ, TRANSFER, UNIQUE_IDS, Daplink, UnpluggedError
from microbit_emulator import Button, Microbit
from waiting import LIMIT_S

_MOST_AHEAD_MS = 100
_MOST_AHEAD_OF_POLLS_MS = 1000


def fake_serial(**options: object) -> str:
    """A script that gives the page a `navigator.serial`, with the options of that file."""
    return f"window.fakeSerial = {json.dumps(options)};" + _source("fake_serial.js")


def _source(name: str) -> str:
    return Path(__file__).with_name(name).read_text("utf-8")


class PluggedBoard:
    """Packets of the page go to the board; while the page polls, device time passes.

    An exchange with the page takes some 4 ms. So after a look at the serial line, the board runs
    ahead until there is a packet to read. And if the page asks something again, and the answer is
    the same, the board runs ahead until it is another.
    """

    def __init__(self, board: Microbit, **options: object) -> None:
        self.plug_in(board)
        self._options = {
            "bulk": board.board == "V2",
            "serialNumber": UNIQUE_IDS[board.board],
            "packetMs": PACKET_US[board.board] / 1000,
        } | options
        self.functions = {"daplinkExchange": self._exchange}
        """What the script calls."""

    def script(self) -> str:
        """What runs before the page's own scripts."""
        return f"window.fakeUsb = {json.dumps(self._options)};" + _source("fake_usb.js")

    def plug_in(self, board: Microbit) -> None:
        """Another board, in place of the one that was unplugged."""
        self.board, self.daplink = board, Daplink(board)
        self._ahead_ms = 0.0
        self._last: tuple[bytes, bytes] | None = None
        """The packet that was last answered, and its answer."""
        self._repeat_count = 0
        """How often the page has asked it again since then, and got the same answer."""
        self._next_answer: bytes | None = None
        """To the same packet, if the board ran ahead for it."""

    def _exchange(
        self, packets: list[str], waited_ms: float, repeat_count: int
    ) -> tuple[str, float, float] | None:
        """The answer to the last packet.

        And for how many ms the board sends nothing, and the same packet gets the same answer.
        repeat_count: how often the page has asked the last one again, and knew the answer.
        """
        self.daplink.packets[TRANSFER] += repeat_count
        passed_ms = min(waited_ms, self._ahead_ms)
        waited_ms -= passed_ms
        self._ahead_ms -= passed_ms
        try:
            *foreseen, packet = map(base64.b64decode, packets)
            for written in foreseen:
                answer = self.daplink.exchange(written, waited_ms)
                assert written[0] != TRANSFER or answer[2] == OK, written
                waited_ms = 0
                self._last = None
            answer = self._answer(packet, waited_ms)
            same_ms = self._run_ahead(packet, answer)
        except UnpluggedError:
            return None
        return base64.b64encode(answer).decode(), self._ahead_ms, same_ms

    def _answer(self, packet: bytes, waited_ms: float) -> bytes:
        answer, self._next_answer = self._next_answer, None
        if answer and self._last and packet == self._last[0]:
            self.daplink.packets[TRANSFER] += 1
            return answer
        return self.daplink.exchange(packet, waited_ms)

    def _run_ahead(self, packet: bytes, answer: bytes) -> float:
        """Let the board run until there is something new.

        Returns for how many ms the packet gets the same answer.
        """
        is_repeated = self._last == (packet, answer)
        self._last = packet, answer
        self._repeat_count = self._repeat_count + 1 if is_repeated else 0
        if packet[0] == SERIAL_READ:
            most_ms = _MOST_AHEAD_MS - round(self._ahead_ms)
            self._ahead_ms += self.daplink.run_until_readable(most_ms)
        if packet[0] != TRANSFER or not is_repeated:
            return 0
        # Twice may be by chance; the longer the page polls, the further the board runs ahead.
        end_ms = min(2**self._repeat_count, _MOST_AHEAD_OF_POLLS_MS)
        while self._ahead_ms < end_ms:
            next_answer = self.daplink.answer(packet)
            if next_answer != answer:
                self._next_answer = next_answer
                break
            self._ahead_ms += PACKET_US[self.board.board] / 1000
        return self._ahead_ms

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

    def __init__(self, board: Microbit, **options: object) -> None:
        self.board, self.unplugged, self._sent = board, False, b""
        self._options = options
        self.functions = {"serialRead": self._read}
        """What the script calls."""

    def script(self) -> str:
        """What runs before the page's own scripts."""
        return fake_serial(**self._options)

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
