"""`noughts` on a computer where just those micro:bits are plugged in that a file lists.

    python stand_in_ports.py FILE web --boards 0

Stands in for what the system tells of USB, by the libraries that ask it; ports and drives are real
ones. `Plugged` writes the file.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
from serial.tools import list_ports

VENDOR, PRODUCT = 0x0D28, 0x0204


class Plugged:
    """The micro:bits that are plugged in, by USB serial number, and their drives."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.write({})

    def write(self, ports: dict[str, str], drives: tuple[Path, ...] = ()) -> None:
        """These are there from now on: ports by USB serial number, and mounted drives."""
        beside = self.path.with_suffix(".new")
        beside.write_text(json.dumps({"ports": ports, "drives": [str(each) for each in drives]}))
        beside.replace(self.path)


def main(path: Path, words: list[str]) -> int:
    def comports() -> list[SimpleNamespace]:
        return [
            SimpleNamespace(device=port, vid=VENDOR, pid=PRODUCT, serial_number=usb_id)
            for usb_id, port in json.loads(path.read_text())["ports"].items()
        ]

    def disk_partitions() -> list[SimpleNamespace]:
        drives = json.loads(path.read_text())["drives"]
        return [SimpleNamespace(mountpoint=each, fstype="vfat") for each in drives]

    vars(list_ports)["comports"] = comports
    vars(psutil)["disk_partitions"] = disk_partitions

    from noughts.cli import main

    return main(words)


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), sys.argv[2:]))
