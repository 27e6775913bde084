"""The serial line, and the two kinds of UART: nRF51's UART and nRF52's UARTE.

Bytes from outside arrive at 115200 baud, each in the time of ten bits, even if the receiver is not
ready. Those that it has no room for are lost, as on a board. Not modelled: other baud rates,
parity, flow control, breaks.
"""

from collections import deque
from collections.abc import Callable, Collection
from functools import partial

from microbit_emulator.cpu import Cpu
from microbit_emulator.peripheral import SETTINGS, SHORTS, Host, Peripheral

BAUD = 115_200
_RECENT = 2_000  # bytes
_FIFO = 6
"""Bytes that a receiver holds until the firmware takes them."""


class SerialLine:
    """The line to the computer, or a line on other pins. It survives a reset."""

    def __init__(self, time: Cpu, hz: int, pins: Collection[int] = ()) -> None:
        self._time, self.pins = time, pins
        self.byte_cycles = hz * 10 // BAUD  # a start bit, eight of data, a stop bit
        self.received = bytearray()
        """The bytes that the micro:bit has sent, and nobody has taken yet."""
        self.recent = b""
        """The last bytes that it has sent, taken or not."""
        self._to_chip: Callable[[int], object] = lambda byte: None
        self._waiting: deque[int] = deque()
        self._moving = False

    def put(self, data: bytes) -> None:
        self.received += data
        self.recent = (self.recent + data)[-_RECENT:]

    def send(self, data: bytes) -> None:
        self._waiting.extend(memoryview(data))  # a text is an error here, and not on the chip
        self._move()

    def receive(self) -> bytes:
        data = bytes(self.received)
        self.received.clear()
        return data

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def clear(self) -> None:
        self._waiting.clear()

    def _move(self) -> None:
        if self._waiting and not self._moving:
            self._moving = True
            self._time.after(self.byte_cycles, self._arrive)

    def connect(self, to_chip: Callable[[int], object]) -> None:
        """Connect a receiver, after each reset.

        A byte that was arriving starts again, because the reset has emptied the timeline.
        """
        self._to_chip = to_chip
        self._moving = False
        self._move()

    def _arrive(self) -> None:
        self._moving = False
        byte = self._waiting.popleft()
        self._to_chip(byte)
        self._move()


Lines = tuple[SerialLine, SerialLine]

STARTRX, STOPRX, STARTTX, STOPTX, SUSPEND, FLUSHRX = 0x000, 0x004, 0x008, 0x00C, 0x01C, 0x02C
CTS, NCTS, RXDRDY, ENDRX, TXDRDY, ENDTX = 0x100, 0x104, 0x108, 0x110, 0x11C, 0x120
ERROR, RXTO, RXSTARTED, TXSTARTED, TXSTOPPED = 0x124, 0x144, 0x14C, 0x150, 0x158
_EVENTS = CTS, NCTS, RXDRDY, ENDRX, TXDRDY, ENDTX, ERROR, RXTO, RXSTARTED, TXSTARTED, TXSTOPPED
ERRORSRC, PSELRTS, PSELTXD, PSELCTS, PSELRXD = 0x480, 0x508, 0x50C, 0x510, 0x514
RXD, TXD = 0x518, 0x51C
_DISCONNECTED = 0xFFFF_FFFF
_OVERRUN = 1 << 0


class SerialPeripheral(Peripheral):
    """What both kinds have in common: the serial line, and the FIFO."""

    def __init__(self, chip: Host, lines: Lines) -> None:
        super().__init__(chip, 0x4000_2000, _EVENTS, SETTINGS)
        self.hold_errors(ERRORSRC)
        self.values |= dict.fromkeys((PSELRTS, PSELTXD, PSELCTS, PSELRXD), _DISCONNECTED)
        self._fifo: deque[int] = deque()
        self._listening = False
        self._lines = lines
        self.tasks[STOPRX] = self._stop_rx
        for line in lines:
            line.connect(partial(self._arrive, line))

    def _line(self, select: int) -> SerialLine:
        usb, other = self._lines
        return usb if self.values[select] in usb.pins else other

    def _arrive(self, line: SerialLine, byte: int) -> None:
        if not self._listening or line is not self._line(PSELRXD):
            return
        if len(self._fifo) == _FIFO:
            self.values[ERRORSRC] |= _OVERRUN
            self.event(ERROR)
        else:
            self._take_in(byte)

    def _take_in(self, byte: int) -> None:
        raise NotImplementedError

    def _stop_rx(self) -> None:
        self._listening = False
        self.event(RXTO)

    def _send(self, data: bytes) -> None:
        self.begin(self._lines[0].byte_cycles * len(data), partial(self._sent, data))

    def _sent(self, data: bytes) -> None:
        self._line(PSELTXD).put(data)
        self.event(TXDRDY)


class Uart(SerialPeripheral):
    """The nRF51's UART, byte by byte."""

    def __init__(self, chip: Host, lines: Lines) -> None:
        super().__init__(chip, lines)
        self.tasks[STARTRX] = self._start_rx
        self.accept(STARTTX, STOPTX, SUSPEND)
        self.expect_polling((TXDRDY,))
        self.reads[RXD] = self._take
        self.writes[TXD] = lambda value: self._send(bytes((value & 0xFF,)))

    def _start_rx(self) -> None:
        self._listening = True

    def _take_in(self, byte: int) -> None:
        self._fifo.append(byte)
        if len(self._fifo) == 1:
            self.event(RXDRDY)

    def _take(self) -> int:
        byte = self._fifo.popleft() if self._fifo else 0
        if self._fifo:
            self.event(RXDRDY)
        return byte


RXD_PTR, RXD_MAXCNT, RXD_AMOUNT = 0x534, 0x538, 0x53C
TXD_PTR, TXD_MAXCNT, TXD_AMOUNT = 0x544, 0x548, 0x54C
_ENDRX_STARTRX, _ENDRX_STOPRX = 1 << 5, 1 << 6


class Uarte(SerialPeripheral):
    """The nRF52's UART with DMA.

    A buffer to send is read at STARTTX, because CODAL passes a byte on its stack. Between two
    buffers to receive, bytes wait in the FIFO.
    """

    def __init__(self, chip: Host, lines: Lines) -> None:
        super().__init__(chip, lines)
        self._has_buffer = False
        self._pointer = self._room = self._amount = 0
        self.tasks |= {
            STARTRX: self._start_rx,
            STARTTX: self._start_tx,
            STOPTX: lambda: self.event(TXSTOPPED),
            FLUSHRX: lambda: self.event(ENDRX),
        }

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
        super()._stop_rx()

    def _take_in(self, byte: int) -> None:
        if self._has_buffer:
            self._store(byte)
        else:
            self._fifo.append(byte)

    def _store(self, byte: int) -> None:
        self.cpu.write(self._pointer + self._amount, bytes((byte,)))
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
        data = self.cpu.read(self.values[TXD_PTR], self.values[TXD_MAXCNT])
        self.event(TXSTARTED)
        self._send(data)

    def _sent(self, data: bytes) -> None:
        self.values[TXD_AMOUNT] = len(data)
        super()._sent(data)
        self.event(ENDTX)
