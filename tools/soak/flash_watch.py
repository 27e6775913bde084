"""Each erase and each write of the V1's flash, seen at the firmware's own three functions for it.

QEMU's flash takes no time to write, but it takes the same steps: an erase clears a page of 1,024
bytes, and a write can only clear bits. To be told of a step takes up to 6 ms of device time: QEMU
then goes on at the next event of a timer.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from noughts.errors import BoardError
from soak.machine import Machine

PAGE = 1024

# What the functions do, how they begin in firmware 1.0 and in 1.1, and where in them register 0 is
# an address that is about to be written.
_FUNCTIONS = (
    ("erase", "0221 0c4b 0c4a 30b5 9950 8021 c900 0c00", 0),
    ("erase", "0221 0b4b 0b4a 10b5 9950 8021 c900 5c58", 0),
    ("byte", "0323 70b5 0400 9840 9c43 1533 1840 e733", 0),
    ("byte", "0323 0200 9840 9a43 1533 1840 e733 8340", 0),
    ("word", "70b5 0125 8026 0d4b 0d4c f600 1d51 9d59", 0x2E),
)


class Operation(NamedTuple):
    """What is about to be done to the flash."""

    kind: str
    """`erase`, `byte` or `word`."""
    address: int


def watch_flash(machine: Machine, about_to: Callable[[Operation], None]) -> None:
    """Have every operation told before it is done; what `about_to` raises prevents it.

    Raises `BoardError` for a firmware whose functions are not known.
    """
    flash = machine.flash()
    found = [
        (kind, flash.index(code) + offset)
        for kind, begins, offset in _FUNCTIONS
        if flash.count(code := bytes.fromhex(begins)) == 1
    ]
    if sorted(kind for kind, _ in found) != ["byte", "erase", "word"]:
        raise BoardError(f"how {machine.firmware} writes its flash is not known; use another")
    for kind, address in found:
        machine.watch(address, partial(_tell, about_to, kind))


def _tell(about_to: Callable[[Operation], None], kind: str, address: int) -> None:
    about_to(Operation(kind, address))
