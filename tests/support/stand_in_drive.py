"""A stand-in for the drive that a board's interface chip shows: a folder.

It does what the drive does as far as a program on the PC can see: it takes a hex, goes away, and
comes back without it, with FAIL.TXT if it refuses it. Else the hex is programmed into a board, if
there is one. It looks at the folder whenever a program sleeps on its clock, or else in a
thread. What it cannot stand in for is USB, and the chip's timing.
"""

import shutil
import threading
from pathlib import Path
from typing import Protocol

from noughts.boards.firmware import firmware_for
from noughts.virtual.program import Program, unchanged
from stepped_ports import Clock

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
_LOOK_S = 0.1
CHECKSUM = "The hex file cannot be decoded. Checksum calculation failure occurred."


class Programmable(Protocol):
    """A board that the drive programs."""

    @property
    def board(self) -> str: ...
    def flash(self, program: Program) -> None: ...


class StandInDrive:
    """The folder at `path`, until `close()`."""

    def __init__(
        self,
        path: Path,
        board: Programmable | None = None,
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
        self._closed = threading.Event()
        self._mount("")
        self._thread = threading.Thread(target=self._watch)
        if clock is None:
            self._thread.start()
        else:
            clock.on_sleep.append(self.look)

    def close(self) -> None:
        """It takes nothing any more."""
        self._closed.set()
        if self._thread.is_alive():
            self._thread.join()

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

    def _watch(self) -> None:
        while not self._closed.wait(_LOOK_S):
            self.look()

    def look(self) -> None:
        """Take a hex that has come and go away; when looked at again, come back."""
        if self._closed.is_set():
            return
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
