"""A computer with just the micro:bits plugged in that a test, or `make bench`, asks for.

    python stand_in_ports.py '{"9900…": "/dev/pts/7"}' web --boards 0

It replaces what the libraries report about USB; the ports and drives themselves are real.
"""

import json
import sys
from pathlib import Path
from types import SimpleNamespace

import psutil
from serial.tools import list_ports


class FakePorts:
    def __init__(self, ports: dict[str, str] | None = None) -> None:
        self.ports = ports or {}
        """By USB serial number."""
        self.drives: list[Path] = []
        self.file_system = "vfat"

    def comports(self) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(device=port, vid=0x0D28, pid=0x0204, serial_number=usb_id)
            for usb_id, port in self.ports.items()
        ]

    def disk_partitions(self) -> list[SimpleNamespace]:
        return [
            SimpleNamespace(mountpoint=str(path), fstype=self.file_system) for path in self.drives
        ]


def main(ports: str, *words: str) -> int:
    plugged = FakePorts(json.loads(ports))
    vars(list_ports)["comports"] = plugged.comports
    vars(psutil)["disk_partitions"] = plugged.disk_partitions

    from noughts.cli import main

    return main(list(words))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
