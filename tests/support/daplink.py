"""A stand-in for the micro:bit's interface chip, on an emulated board: USB packets in, answers out.

Device time passes with each packet, and by what the page waits. Behaviour and sizes are those of
DAPLink's source (`DAP_vendor.c`, `kl27z/uart.c`, `flash_manager.c`).
"""

from __future__ import annotations

import struct
from collections import Counter

from debug_port import DebugPort
from microbit_emulator import Microbit

PACKET_SIZE = 64
PACKET_US = {"V1": 1000, "V2": 250}
"""How long a packet and its answer take: HID by control transfers on V1, bulk on V2."""
BOARD_IDS = {"V1": "9900", "V2": "9904"}
ERASE_ALL_US = {"V1": 21_000, "V2": 169_000}
UNIQUE_IDS = {
    model: f"{board_id}3602{'0123456789abcdef' * 2}97969901"
    for model, board_id in BOARD_IDS.items()
}
SERIAL_READ = 0x83
"""The command that reads the serial line."""
TRANSFER = 0x05
"""The command that reads and writes registers."""
OK = 1
_FAULT, _NO_ACK = 4, 7
_READ_SIZE = PACKET_SIZE - 2
_SILENCE_MS = 5
_RING = 512
_OVERFLOW = b"<DAPLink:Overflow>\n"
_SUCCESS, _SUCCESS_DONE = 0, 18
_BLOCK = 0x400
_DP_REGISTERS = {0: 0x2BA0_1477, 4: 0xF000_0040}


class UnpluggedError(Exception):
    """The board is no longer there."""


class SerialRing:
    """The interface chip's buffer for what the board sends; full, it drops the newest."""

    def __init__(self, to_computer: int, computer_reads: bool) -> None:
        self._to_computer, self._computer_reads = to_computer, computer_reads
        self._bytes = bytearray()
        self.lost = 0
        """Bytes that found no room."""

    def put(self, data: bytes) -> None:
        for byte in data:
            # The first bytes go to the serial port, even if no program reads it.
            if self._computer_reads or self._to_computer:
                self._to_computer -= not self._computer_reads
                continue
            free = _RING - len(self._bytes)
            if free > len(_OVERFLOW):
                self._bytes.append(byte)
                continue
            self.lost += 1
            if free == len(_OVERFLOW):
                self._bytes += _OVERFLOW

    def __len__(self) -> int:
        return len(self._bytes)

    def take(self, count: int) -> bytes:
        taken = bytes(self._bytes[:count])
        del self._bytes[:count]
        return taken


class FlashStream:
    """A hex that arrives in pieces, and is written to flash block by block."""

    def __init__(self, port: DebugPort, erase_us: int) -> None:
        self._port, self._erase_us = port, erase_us
        self._text, self._base = b"", 0
        self._block: dict[int, int] = {}
        self._erased = False
        self.done = False

    def feed(self, text: bytes) -> None:
        *lines, self._text = (self._text + text).split(b"\n")
        for line in lines:
            if line.strip() and not self.done:
                self._record(bytes.fromhex(line.strip()[1:].decode()))

    def _record(self, record: bytes) -> None:
        offset, kind, data = int.from_bytes(record[1:3], "big"), record[3], record[4:-1]
        if kind == 4:
            self._base = int.from_bytes(data, "big") << 16
        elif kind == 1:
            self.flush()
            self.done = True
        elif kind == 0:
            self._erase_once()
            for address, byte in enumerate(data, self._base + offset):
                if self._block and address // _BLOCK != next(iter(self._block)) // _BLOCK:
                    self.flush()
                self._block[address] = byte

    def _erase_once(self) -> None:
        if not self._erased:
            self._erased = True
            self._port.erase_all()
            self._port.run(self._erase_us)

    def flush(self) -> None:
        """Write the block that was collected."""
        if self._block:
            start = min(self._block) // _BLOCK * _BLOCK
            data = bytearray(b"\xff" * _BLOCK)
            for address, byte in self._block.items():
                data[address - start] = byte
            if self._port.is_flash(start):
                self._port.program(start, bytes(data))
            self._port.run(len(self._block) // 4 * 45)
        self._block = {}


class Daplink:
    """A board on USB. `exchange` takes packets until it is unplugged."""

    def __init__(self, board: Microbit, *, to_computer: int = 128, computer_reads: bool = False):
        self.board, self.model = board, board.board
        self.port = DebugPort(board)
        self.ring = SerialRing(to_computer, computer_reads)
        self.baud_rate = 9600 if self.model == "V1" else 115_200
        self.packets: Counter[int] = Counter()
        """How many of each command."""
        self.unplug_after: int | None = None
        """After so many packets, the cable is pulled."""
        self.unplug_at: int | None = None
        """At this command, too."""
        self._connected = False
        self._control = self._address = 0
        self._stream: FlashStream | None = None
        self._commands = {
            0x00: self._info,
            0x02: self._connect,
            0x03: self._disconnect,
            TRANSFER: self._transfer,
            0x06: self._transfer_block,
            0x80: self._unique_id,
            0x81: self._read_settings,
            0x82: self._write_settings,
            SERIAL_READ: self._serial_read,
            0x84: self._serial_write,
            0x89: self._flash_reset,
            0x8A: self._flash_open,
            0x8B: self._flash_close,
            0x8C: self._flash_write,
        }

    def run(self, us: int) -> None:
        """Let device time pass."""
        self.port.run(us)
        data = self.board.uart.receive()
        if self.baud_rate == 115_200:
            self.ring.put(data)

    def run_until_readable(self, most_ms: int) -> int:
        """Let device time pass until the board has sent a packet, or something and then nothing.

        Returns how many ms it took.
        """
        silent_ms = 0
        for ms in range(most_ms):
            size = len(self.ring)
            if size >= _READ_SIZE or (size and silent_ms >= _SILENCE_MS):
                return ms
            self.run(1000)
            silent_ms = 0 if len(self.ring) > size else silent_ms + 1
        return most_ms

    def exchange(self, packet: bytes, waited_ms: float = 0) -> bytes:
        """The answer to a packet that the computer has sent after waiting."""
        if self.unplug_after is not None:
            self.unplug_after -= 1
            if self.unplug_after < 0:
                self.unplug()
        command = packet[0]
        if command == self.unplug_at:
            self.unplug()
        self.packets[command] += 1
        return self.answer(packet, waited_ms)

    def answer(self, packet: bytes, waited_ms: float = 0) -> bytes:
        """The same without looking after the cable, and without counting the packet."""
        self.run(PACKET_US[self.model] + round(waited_ms * 1000))
        answer = self._commands.get(packet[0], self._ignore)(packet[1:])
        return (packet[:1] + answer).ljust(PACKET_SIZE, b"\0")[:PACKET_SIZE]

    def unplug(self) -> None:
        self.board.power_cut()
        raise UnpluggedError

    def plug_in(self) -> None:
        """The board starts again, and the interface chip too."""
        self.unplug_after = self.unplug_at = None
        self.board.power_on()
        self.baud_rate = 9600 if self.model == "V1" else 115_200

    def _ignore(self, _: bytes) -> bytes:
        return b"\0"

    def _info(self, data: bytes) -> bytes:
        return bytes((1, PACKET_SIZE)) if data[0] == 0xFF else b"\0"

    def _connect(self, _: bytes) -> bytes:
        self._connected = True
        return b"\x01"  # by SWD

    def _disconnect(self, _: bytes) -> bytes:
        self._connected = False
        return b"\0"

    def _transfer(self, data: bytes) -> bytes:
        """Some accesses to registers of the debug port and the access port."""
        acknowledged = OK if self._connected else _NO_ACK
        done, answer, place = 0, b"", 2
        while acknowledged == OK and done < data[1]:
            request, value = data[place], int.from_bytes(data[place + 1 : place + 5], "little")
            place += 1 if request & 2 else 5
            acknowledged, read = self._access(request, value)
            answer += read
            done += acknowledged == OK
        return bytes((done, acknowledged)) + answer

    def _transfer_block(self, data: bytes) -> bytes:
        """Many accesses to one register."""
        if not self._connected:
            return struct.pack("<HB", 0, _NO_ACK)
        count, request = struct.unpack_from("<HB", data, 1)
        answer, acknowledged = b"", OK
        for place in range(4, 4 + 4 * count, 4):
            value = int.from_bytes(data[place : place + 4], "little")
            acknowledged, read = self._access(request, value)
            answer += read
        return struct.pack("<HB", count, acknowledged) + answer

    def _access(self, request: int, value: int) -> tuple[int, bytes]:
        """Bit 0: the access port; bit 1: read; bits 2 and 3: the register's address."""
        is_access_port, reads, register = request & 1, request & 2, request & 0xC
        if not is_access_port:
            return OK, struct.pack("<I", _DP_REGISTERS.get(register, 0)) if reads else b""
        if register == 0xC:
            return self._access_memory(bool(reads), value)
        if reads:
            return OK, struct.pack("<I", self._control if register == 0 else self._address)
        if register == 4:
            self._address = value
        return OK, b""

    def _access_memory(self, reads: bool, value: int) -> tuple[int, bytes]:
        """One word; the address goes on by itself within 1 KB."""
        address = self._address
        self._address = address & ~0x3FF | (address + 4) & 0x3FF
        try:
            if reads:
                return OK, struct.pack("<I", self.port.read32(address))
            self.port.write32(address, value)
        except (KeyError, IndexError):
            return _FAULT, b""
        return OK, b""

    def _unique_id(self, _: bytes) -> bytes:
        text = UNIQUE_IDS[self.model].encode()
        return bytes((len(text),)) + text

    def _read_settings(self, _: bytes) -> bytes:
        return struct.pack("<I", self.baud_rate)

    def _write_settings(self, data: bytes) -> bytes:
        self.baud_rate = int.from_bytes(data[:4], "little")
        self.port.reset()
        return b"\x01"

    def _serial_read(self, _: bytes) -> bytes:
        data = self.ring.take(_READ_SIZE)
        return bytes((len(data),)) + data

    def _serial_write(self, data: bytes) -> bytes:
        self.board.uart.send(data[1 : 1 + data[0]])
        return b"\x01"

    def _flash_open(self, _: bytes) -> bytes:
        self._stream = FlashStream(self.port, ERASE_ALL_US[self.model])
        self.port.halt()
        return bytes((_SUCCESS,))

    def _flash_write(self, data: bytes) -> bytes:
        assert self._stream
        self._stream.feed(data[1 : 1 + data[0]])
        return bytes((_SUCCESS_DONE if self._stream.done else _SUCCESS,))

    def _flash_close(self, _: bytes) -> bytes:
        assert self._stream
        self._stream.flush()
        self._connected = False
        self.port.reset()
        return bytes((_SUCCESS,))

    def _flash_reset(self, _: bytes) -> bytes:
        return b"\x01"  # closing has reset it
