"""A stand-in for the drive that a board's interface chip shows: a folder.

It does what a program on the PC can see of the drive: it takes a hex, goes away, and comes back
without it, with FAIL.TXT if it refuses it. Otherwise it programs the hex into a board, if there is
one. It looks at the folder when a test calls `look`, or whenever a program sleeps on its clock. It
cannot imitate USB, or the chip's timing.
"""

import shutil
from dataclasses import dataclass, field
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
Daplink Mode: Interface\r
Interface Version: 0249\r
Remount count: {count}\r
"""
BOOTLOADER_DETAILS = """\
# DAPLink Firmware - see https://daplink.io\r
# Build ID: v0243\r
Unique ID: 0000000051114e450017800d000000310000000097969901\r
HIC ID: 97969901\r
Auto Reset: 1\r
Automation allowed: 0\r
Overflow detection: 0\r
Daplink Mode: Bootloader\r
Bootloader Version: 0243\r
USB Interfaces: MSD\r
Remount count: 0\r
"""
"""In maintenance mode."""
DETAILS_OF_2015 = """\
# DAPLink Firmware - see https://mbed.com/daplink\r
Version: 0234\r
Build:   Oct 12 2015 14:53:22\r
"""
CHECKSUM = "The hex file cannot be decoded. Checksum calculation failure occurred."
TRANSIENT = f"{CHECKSUM}\r\ntype: transient, user"


@dataclass
class StandInDrive:
    path: Path
    board: SteppedBoard | VirtualBoard | None = None
    clock: Clock | None = None
    usb_id: str = USB_ID
    details: str = DETAILS
    refuses: str = ""
    """The reason for which it refuses a hex, and its type."""
    returns: bool = True
    received: list[bytes] = field(default_factory=list)
    _mounted: int = 0

    def __post_init__(self) -> None:
        self.mount("")
        if self.clock is not None:
            self.clock.on_sleep.append(self.look)

    def mount(self, failure: str) -> None:
        self.path.mkdir()
        text = self.details.format(usb_id=self.usb_id, count=self._mounted)
        (self.path / "DETAILS.TXT").write_bytes(text.encode())
        (self.path / "MICROBIT.HTM").write_text("<!doctype html>")
        if failure:
            (self.path / "FAIL.TXT").write_bytes(failure.encode())
        self._mounted += 1

    def look(self) -> None:
        """Take a hex that has arrived, and go away; on the next look, come back."""
        if self.returns and not self.path.is_dir():
            self.mount(self.refuses and f"error: {self.refuses}\r\n")
        for path in self.path.glob("*.hex"):
            content = path.read_bytes()
            if content.endswith(b":00000001FF\n"):
                self.received.append(content)
                if self.board is not None and not self.refuses:
                    self.board.flash(unchanged(firmware_for(self.board.board, path)))
                shutil.rmtree(self.path)
