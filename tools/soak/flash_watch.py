"""Each erase and each write of flash, seen as it begins."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from soak.machine import Machine


class Operation(NamedTuple):
    """What is being done to the flash from now on."""

    kind: str
    """`erase` or `write`."""
    address: int
    size: int
    us: int
    """How long it takes."""

    def __str__(self) -> str:
        return f"{self.kind} at {self.address:#x}"


def watch_flash(machine: Machine, begins: Callable[[Operation], object]) -> None:
    """Have every operation told when it begins."""
    machine.microbit.watch_flash(lambda *change: begins(Operation(*change)))
