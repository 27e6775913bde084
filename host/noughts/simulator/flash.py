"""The device's files: read or written whole, by name, in memory that outlives a reset."""

from __future__ import annotations

import io
from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple


class Uname(NamedTuple):
    """What `os.uname()` gives."""

    sysname: str = "microbit"
    nodename: str = "microbit"
    release: str = "1.0.1"
    version: str = "micro:bit v1.0.1+simulated; MicroPython v1.9.2"
    machine: str = "micro:bit with nRF51822"

    def __repr__(self) -> str:
        return "(" + ", ".join(f"{name}={value!r}" for name, value in self._asdict().items()) + ")"


class Flash:
    """Files by name. `changed` is called after each change."""

    def __init__(self, files: dict[str, bytes], changed: Callable[[], None]) -> None:
        self.files = files
        self.changed = changed

    def open(self, name: str, mode: str = "r") -> io.IOBase:
        """Open a file as the device does: to read, or to write anew."""
        if mode not in ("r", "w", "rt", "wt", "rb", "wb"):
            raise ValueError("illegal mode")
        if "w" in mode:
            self.files[name] = b""  # the firmware frees the old file first
            self.changed()
            written = _Written(self, name)
            return written if "b" in mode else io.TextIOWrapper(written, "utf-8", newline="")
        if name not in self.files:
            raise OSError("file not found")
        content = self.files[name]
        return io.BytesIO(content) if "b" in mode else _Text(content)

    def remove(self, name: str) -> None:
        """Remove a file."""
        if name not in self.files:
            raise OSError("file not found")
        del self.files[name]
        self.changed()

    def os_module(self) -> ModuleType:
        """The device's `os`."""
        module = ModuleType("os")
        module.__dict__.update(
            listdir=lambda: list(self.files),
            remove=self.remove,
            size=lambda name: len(self.files[name]),
            uname=Uname,
        )
        return module


class _Text(io.StringIO):
    """A text file; like the firmware, it does not mind bytes that are no UTF-8."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content.decode("utf-8", "surrogateescape"), newline="")


class _Written(io.BytesIO):
    """A file being written: what was written is in flash at once, as on the device."""

    def __init__(self, flash: Flash, name: str) -> None:
        super().__init__()
        self._flash = flash
        self._name = name

    def write(self, data: object) -> int:
        """Add to the file."""
        count = super().write(data)  # type: ignore[arg-type]
        self._flash.files[self._name] = self.getvalue()
        self._flash.changed()
        return count
