"""`noughts`, noting when the LEDs of its virtual board change: `traced_leds.py FILE web`.

A line for each change: the time in seconds since 1970, and the 25 levels. A benchmark runs it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

from noughts.cli import main
from noughts.virtual.board import VirtualBoard


def trace(path: Path) -> None:
    """Note each change in a file from now on."""
    file = path.open("w", buffering=1)
    shown = b""
    take = VirtualBoard._take

    def noted(self: VirtualBoard, name: str, *values: Any) -> None:
        nonlocal shown
        take(self, name, *values)
        if name == "state" and values[1] != shown:
            shown = values[1]
            file.write(f"{time.time()} {''.join(map(str, shown))}\n")

    VirtualBoard._take = noted  # type: ignore[method-assign]


if __name__ == "__main__":
    trace(Path(sys.argv[1]))
    sys.exit(main(sys.argv[2:]))
