"""As much of GDB's remote protocol as it takes to stop a machine, look, and let it go on."""

from __future__ import annotations

import socket
import struct

from noughts.errors import BoardGone

_ANSWER_S = 120.0
_PC = 15
_THUMB = 1  # the low bit of an address that is jumped to


class Debugger:
    """QEMU's GDB stub, on a connected socket."""

    def __init__(self, connection: socket.socket) -> None:
        connection.settimeout(_ANSWER_S)
        self._connection = connection
        self._lines = connection.makefile("rb")

    def ask(self, packet: str) -> str:
        """Send a packet; the answer to it."""
        frame = packet.encode()
        try:
            self._connection.sendall(b"+$%s#%02x" % (frame, sum(frame) & 255))
            while (byte := self._lines.read(1)) != b"$":
                if not byte:
                    raise BoardGone("QEMU is not running any more; start again")
            answer = b""
            while (byte := self._lines.read(1)) != b"#":
                answer += byte
            self._lines.read(2)
        except OSError as error:
            raise BoardGone(f"QEMU does not answer ({error}); start again") from error
        return answer.decode()

    def breakpoint(self, address: int) -> None:
        """Set a breakpoint on a Thumb instruction."""
        answer = self.ask(f"Z0,{address:x},2")
        if answer != "OK":
            raise BoardGone(f"QEMU sets no breakpoint at {address:#x} ({answer}); start again")

    def go_on(self, address: int | None = None) -> None:
        """Run, from an address if given, until a breakpoint."""
        self.ask("c" if address is None else f"c{address | _THUMB:x}")

    def step(self) -> None:
        """Run one instruction."""
        self.ask("s")

    def place(self) -> tuple[int, int]:
        """The address of the next instruction, and register 0."""
        registers = struct.unpack_from("<16I", bytes.fromhex(self.ask("g")))
        return registers[_PC], registers[0]

    def close(self) -> None:
        """Let go of the socket."""
        self._lines.close()
        self._connection.close()
