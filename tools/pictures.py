"""`make pictures`: the README's pictures, taken from the running programs on virtual boards."""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import sys
import tempfile
import threading
from pathlib import Path

from noughts.files import write_whole
from noughts.store.store import Store
from noughts.terminal.play_app import BoardApp
from noughts.terminal.watch_app import WatchApp
from noughts.virtual.autoplay import Autoplay
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import BOARDS, program
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import Watch
from noughts.watch.session import Session

DOCS = Path(__file__).resolve().parents[1] / "docs"
KEYS = ("a", "a", "a", "b", "b", "b")
WATCHED = 3
GAMES = 4


async def play() -> str:
    """Play a few moves against hard, and take the screen as SVG."""
    with VirtualBoard(program()) as board:
        app = BoardApp(board, threading.Event())
        async with app.run_test(size=(98, 18)) as pilot:
            await pilot.pause(2)  # it starts
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


async def watch() -> str:
    """Watch boards that play by themselves until some games have ended, all being in one."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.callback(os.chdir, Path.cwd())
        os.chdir(folder)
        ports = []
        for seed in range(WATCHED):
            kind = BOARDS[seed % len(BOARDS)]
            board = stack.enter_context(VirtualBoard(program(kind)))
            stack.callback(Autoplay(board, seed + 1).stop)
            ports.append(f"ttyACM{seed}")
            Path(ports[-1]).symlink_to(board.port)
        store = stack.enter_context(Store(Path("games.db"), create=True))
        follower = PortMonitor(ports, find=list)
        stack.callback(follower.close)
        session = Session()
        stop = threading.Event()
        app = WatchApp(Watch(store, follower, RawLog(Path("raw"))), session, stop)
        app.recording.start()
        stack.callback(app.recording.wait)
        stack.callback(stop.set)
        async with app.run_test(size=(98, 14)) as pilot:
            while session.games < GAMES or not all(
                state.game is not None and state.game.end == "-" and len(state.game.moves) > 2
                for state in session.boards.values()
            ):
                await pilot.pause(0.1)
            await pilot.pause(0.3)
            return app.export_screenshot(title="noughts watch")


def save(svg: str, name: str) -> None:
    """Without fonts from elsewhere, and without blanks at the ends of lines."""
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    DOCS.mkdir(exist_ok=True)
    lines = "\n".join(line.rstrip() for line in svg.splitlines())
    write_whole(DOCS / name, lines.encode() + b"\n")
    print(f"{DOCS / name} written")


def main() -> int:
    """Take both, or those that are named."""
    wanted = sys.argv[1:] or ["play", "watch"]
    for name, take in (("play", play), ("watch", watch)):
        if name in wanted:
            save(asyncio.run(take()), f"{name}.svg")
    return 0


if __name__ == "__main__":
    sys.exit(main())
