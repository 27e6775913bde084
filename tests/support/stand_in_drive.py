"""A stand-in for the drive that a board's interface chip shows: a folder.

It does what the drive does as far as a program on the PC can see: it takes a hex, goes away, and
comes back without it, with FAIL.TXT if it refuses it. Else the hex is programmed into a board, if
there is one. It looks at the folder when a test calls `look`, or whenever a program sleeps on its
clock. What it cannot stand in for is USB, and the chip's timing.
"""

import shutil
from pathlib import Path

from noughts.boards.firmware import firmware_for
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import unchanged
from stepped_ports import Clock, SteppedBoard

USB_ID = "9900000031634e4500624014000000320000000097969901"
DETAILS = """\
# DAPLink Firmware - see https://mbed.com/daplink\r
Unique ID: {usb_id}\r
HIC ID: 97969901\r
Auto Reset: 1\r
Automation allowed: 0\r
Overflow detection: 0\r
Daplink Mode: {mode}\r
Interface Version: 0249\r
Remount count: {count}\r
"""
CHECKSUM = "The hex file cannot be decoded. Checksum calculation failure occurred."


class StandInDrive:
    """The folder at `path`."""

    def __init__(
        self,
        path: Path,
        board: SteppedBoard | VirtualBoard | None = None,
        *,
        clock: Clock | None = None,
        usb_id: str = USB_ID,
        mode: str = "Interface",
        refuses: str = "",
        returns: bool = True,
    ) -> None:
        self.path = path
        self.received: list[bytes] = []
        self._board = board
        self._usb_id, self._mode, self._refuses = usb_id, mode, refuses
        self._returns = returns
        self._count = 0
        self._gone_for: str | None = None
        """While the drive is away: what FAIL.TXT will say."""
        self._mount("")
        if clock is not None:
            clock.on_sleep.append(self.look)

    def _mount(self, failure: str) -> None:
        # Made aside and moved, so that it appears with everything that is on it.
        aside = self.path.with_name(f".{self.path.name}")
        aside.mkdir()
        text = DETAILS.format(usb_id=self._usb_id, mode=self._mode, count=self._count)
        (aside / "DETAILS.TXT").write_bytes(text.encode())
        (aside / "MICROBIT.HTM").write_text("<!doctype html>")
        if failure:
            (aside / "FAIL.TXT").write_bytes(failure.encode())
        aside.rename(self.path)
        self._count += 1

    def look(self) -> None:
        """Take a hex that has come and go away; when looked at again, come back."""
        if self._gone_for is not None:
            failure, self._gone_for = self._gone_for, None
            if self._returns:
                self._mount(failure and f"error: {failure}\r\ntype: transient, user\r\n")
        content = b""
        for path in self.path.glob("*.hex"):
            content = path.read_bytes()
        if content.endswith(b":00000001FF\n"):
            # Before the drive goes away, for whoever waits for that may look here then.
            self.received.append(content)
            gone = self.path.with_name(f".{self.path.name}-{self._count}")
            self.path.rename(gone)  # at once, with all that is on it
            shutil.rmtree(gone)
            self._gone_for = self._program(content)

    def _program(self, content: bytes) -> str:
        if self._board is not None and not self._refuses:
            received = self.path.with_name(f"{self.path.name}.hex")
            received.write_bytes(content)
            self._board.flash(unchanged(firmware_for(self._board.board, received)))
        return self._refuses
