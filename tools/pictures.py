"""`make pictures`: the README's picture, taken from the running program on the simulated board."""

from __future__ import annotations

import asyncio
import re
import sys
from pathlib import Path

from noughts.boards.simulated import SimulatedBoard
from noughts.files import write_whole
from noughts.terminal.app import BoardApp

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "play.svg"
KEYS = ("a", "a", "a", "b", "b", "b")


async def take() -> str:
    """Play a few moves against hard, and take the screen as SVG."""
    with SimulatedBoard() as board:
        app = BoardApp(board)
        async with app.run_test(size=(98, 18)) as pilot:
            await pilot.pause(1)
            for key in KEYS:
                await pilot.press(key)
                await pilot.pause(1)
            # B's marks pulse: wait for their brighter half, and for the cursor.
            for _ in range(2000):
                if {7, 9} <= set(board.leds()) and board.leds().count(9) == 3:
                    break
                await pilot.pause(0.002)
            await pilot.pause(0.05)
            return app.export_screenshot(title="noughts play")


def main() -> int:
    svg = asyncio.run(take())
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)  # no fonts from elsewhere
    PICTURE.parent.mkdir(exist_ok=True)
    write_whole(PICTURE, "\n".join(line.rstrip() for line in svg.splitlines()).encode() + b"\n")
    print(f"{PICTURE} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
