"""The serial line, and the two kinds of UART: nRF51's UART and nRF52's UARTE.

Bytes from outside come at 115200 baud, each taking ten bits' time, whether the receiver is ready
or not: those it has no room for are lost, as on a board. Not modelled: other baud rates, parity,
flow control, breaks.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from microbit_emulator.peripheral import ENABLE, SHORTS, Peripheral

if TYPE_CHECKING:
    from microbit_emulator.chip import Chip
    from microbit_emulator.timeline import Timeline

BAUD = 115_200
_BITS = 10
_RECENT = 2_000
_FIFO = 6
"""Bytes that a receiver holds until the firmware takes them."""


class SerialLine:
    """The line to the computer; it stays when the micro:bit is reset."""

    def __init__(self, time: Timeline, hz: int) -> None:
        self._time = time
        self.byte_cycles = hz * _BITS // BAUD
        self.received = bytearray()
        """What the micro:bit has sent, and nobody has taken yet."""
        self.recent = b""
        """The end of all that it has sent, taken or not."""
        self._to_chip: Callable[[int], object] = lambda byte: None
        self._waiting: deque[int] = deque()
        self._moving = False

    def put(self, data: bytes) -> None:
        """Take what the micro:bit sends."""
        self.received += data
        self.recent = (self.recent + data)[-_RECENT:]

    def send(self, data: bytes) -> None:
        """Send bytes to the micro:bit, one after the other."""
        self._waiting.extend(data)
        self._move()

    def receive(self) -> bytes:
        """What the micro:bit has sent since the last call."""
        data = bytes(self.received)
        self.received.clear()
        return data

    @property
    def waiting(self) -> int:
        """How many bytes are still on their way to the micro:bit."""
        return len(self._waiting)

    def clear(self) -> None:
        """Drop what is on its way to the micro:bit."""
        self._waiting.clear()

    def _move(self) -> None:
        if self._waiting and not self._moving:
            self._moving = True
            self._time.after(self.byte_cycles, self._arrive)

    def connect(self, to_chip: Callable[[int], object]) -> None:
        """Give the bytes to a receiver, after each reset.

        The byte that was arriving starts again, for the reset has emptied the timeline.
        """
        self._to_chip = to_chip
        self._moving = False
        self._move()

    def _arrive(self) -> None:
        self._moving = False
        byte = self._waiting.popleft()
        self._to_chip(byte)
        self._move()


STARTRX, STOPRX, STARTTX, STOPTX, SUSPEND, FLUSHRX = 0x000, 0x004, 0x008, 0x00C, 0x01C, 0x02C
CTS, NCTS, RXDRDY, ENDRX, TXDRDY, ENDTX = 0x100, 0x104, 0x108, 0x110, 0x11C, 0x120
ERROR, RXTO, RXSTARTED, TXSTARTED, TXSTOPPED = 0x124, 0x144, 0x14C, 0x150, 0x158
ERRORSRC, PSELRTS, PSELTXD, PSELCTS, PSELRXD = 0x480, 0x508, 0x50C, 0x510, 0x514
RXD, TXD, BAUDRATE, CONFIG = 0x518, 0x51C, 0x524, 0x56C
_OVERRUN = 1 << 0
_SETTINGS = SHORTS, ENABLE, PSELRTS, PSELTXD, PSELCTS, PSELRXD, BAUDRATE, CONFIG


class Uart(Peripheral):
    """The nRF51's UART: a byte at a time."""

    def __init__(self, chip: Chip, line: SerialLine) -> None:
        events = CTS, NCTS, RXDRDY, TXDRDY, ERROR, RXTO
        super().__init__(chip, 0x4000_2000, 2, events, (ERRORSRC, *_SETTINGS))
        self._line = line
        self._fifo: deque[int] = deque()
        self._listening = False
        line.connect(self._arrive)
        self.tasks |= {
            STARTRX: self._start_rx,
            STOPRX: self._stop_rx,
            STARTTX: _nothing,
            STOPTX: _nothing,
            SUSPEND: _nothing,
        }
        self.expect_polling((TXDRDY,))
        self.reads[RXD] = self._take
        self.writes |= {TXD: self._send, ERRORSRC: self._clear_errors}

    def _start_rx(self) -> None:
        self._listening = True

    def _stop_rx(self) -> None:
        self._listening = False
        self.event(RXTO)

    def _arrive(self, byte: int) -> None:
        if not self._listening:
            return
        if len(self._fifo) == _FIFO:
            self.values[ERRORSRC] |= _OVERRUN
            self.event(ERROR)
            return
        self._fifo.append(byte)
        if len(self._fifo) == 1:
            self.event(RXDRDY)

    def _take(self) -> int:
        byte = self._fifo.popleft() if self._fifo else 0
        if self._fifo:
            self.event(RXDRDY)
        return byte

    def _send(self, value: int) -> None:
        self.begin(self._line.byte_cycles, lambda: self._sent(value & 0xFF))

    def _sent(self, byte: int) -> None:
        self._line.put(bytes((byte,)))
        self.event(TXDRDY)

    def _clear_errors(self, value: int) -> None:
        self.values[ERRORSRC] &= ~value


RXD_PTR, RXD_MAXCNT, RXD_AMOUNT, TXD_PTR, TXD_MAXCNT, TXD_AMOUNT = (
    0x534,
    0x538,
    0x53C,
    0x544,
    0x548,
    0x54C,
)
_ENDRX_STARTRX, _ENDRX_STOPRX = 1 << 5, 1 << 6


class Uarte(Peripheral):
    """The nRF52's UART with DMA.

    A buffer to send is read at STARTTX, for CODAL passes a byte on its stack; between two
    buffers to receive, the FIFO holds what comes.
    """

    def __init__(self, chip: Chip, line: SerialLine) -> None:
        events = CTS, NCTS, RXDRDY, ENDRX, TXDRDY, ENDTX, ERROR, RXTO
        more = RXSTARTED, TXSTARTED, TXSTOPPED
        dma = RXD_PTR, RXD_MAXCNT, RXD_AMOUNT, TXD_PTR, TXD_MAXCNT, TXD_AMOUNT
        super().__init__(chip, 0x4000_2000, 2, (*events, *more), (ERRORSRC, *_SETTINGS, *dma))
        self._line = line
        self._fifo: deque[int] = deque()
        self._listening = self._has_buffer = False
        self._pointer = self._room = self._amount = 0
        line.connect(self._arrive)
        self.tasks |= {
            STARTRX: self._start_rx,
            STOPRX: self._stop_rx,
            STARTTX: self._start_tx,
            STOPTX: lambda: self.event(TXSTOPPED),
            FLUSHRX: lambda: self.event(ENDRX),
        }
        self.writes[ERRORSRC] = self._clear_errors

    def _start_rx(self) -> None:
        values = self.values
        self._pointer, self._room, self._amount = values[RXD_PTR], values[RXD_MAXCNT], 0
        self._listening = self._has_buffer = True
        self.event(RXSTARTED)
        while self._fifo and self._has_buffer:
            self._store(self._fifo.popleft())

    def _stop_rx(self) -> None:
        if self._has_buffer:
            self._end_rx()
        self._listening = False
        self.event(RXTO)

    def _arrive(self, byte: int) -> None:
        if self._has_buffer:
            self._store(byte)
        elif self._listening:
            if len(self._fifo) < _FIFO:
                self._fifo.append(byte)
            else:
                self.values[ERRORSRC] |= _OVERRUN
                self.event(ERROR)

    def _store(self, byte: int) -> None:
        self.chip.dma_write(self._pointer + self._amount, bytes((byte,)))
        self._amount += 1
        self.event(RXDRDY)
        if self._amount >= self._room:
            self._end_rx()
            shorts = self.values[SHORTS]
            if shorts & _ENDRX_STARTRX:
                self._start_rx()
            elif shorts & _ENDRX_STOPRX:
                self._stop_rx()

    def _end_rx(self) -> None:
        self.values[RXD_AMOUNT] = self._amount
        self._has_buffer = False
        self.event(ENDRX)

    def _start_tx(self) -> None:
        data = self.chip.dma_read(self.values[TXD_PTR], self.values[TXD_MAXCNT])
        self.event(TXSTARTED)
        self.begin(self._line.byte_cycles * len(data), lambda: self._sent(data))

    def _sent(self, data: bytes) -> None:
        self._line.put(data)
        self.values[TXD_AMOUNT] = len(data)
        self.event(TXDRDY)
        self.event(ENDTX)

    def _clear_errors(self, value: int) -> None:
        self.values[ERRORSRC] &= ~value


def _nothing() -> None:
    """The task needs no doing here."""
