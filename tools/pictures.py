"""`make pictures`: the README's pictures, taken from running boards and programs by a browser.

    play.gif    a game against hard, as a virtual board's LEDs show it in device time
    watch.png   `noughts watch`, with virtual boards that play by themselves
    page.png    the page Play
    pages       every page, for three widths, light and dark, in build/pages: to be looked at
    lessons     what the commands in docs/lessons draw

Chromium draws the first two (`apt-get install chromium`), with the font DejaVu Sans Mono.
Others need no running: board.svg and board.zh-cn.svg are edited by hand, library.svg is what
docs/python-api.md draws of a fork, and emulator.png is from `microbit-emulator run --png`.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from PIL import Image

import page_pictures
from lessons import make_pictures
from microbit_emulator import Microbit
from noughts.protocol import sentences
from noughts.protocol.describe import describe
from noughts.store.store import Store
from noughts.terminal.watch import WatchApp
from noughts.virtual.autoplay import Autoplay
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import BOARDS, program
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session

DOCS = Path(__file__).resolve().parents[1] / "docs"
WATCHED = 3
NAMES = ("red table", "blue table", "by the window")
GAMES = 4

PRESSES = "AAAB" + "BBB"
"""To hard in the menu, and three moves, of which the third is a mistake."""
_DOWN_MS, _MENU_MS, _MOVE_MS, _END_MS = 150, 500, 1600, 4400
_FRAME_MS = 50
_WIDTH, _HEIGHT = 420, 390
_COLORS = 64


class Frame(NamedTuple):
    """What a board shows for a while."""

    leds: bytes
    pressed: str
    said: str
    """Its last sentence, in words."""
    ms: int


def played() -> list[Frame]:
    """A game on a stepped V2, whose chip draws by seed 0."""
    board = program().microbit(seed=0)
    board.run_until(lambda: board.uart.received.endswith(b"\n"))
    frames: list[Frame] = []
    for index, button in enumerate(PRESSES):
        _film(board, "", _MENU_MS if index < 4 else _MOVE_MS, frames)
        board.press("A" if button == "A" else "B")
        _film(board, button, _DOWN_MS, frames)
        board.release("A" if button == "A" else "B")
    _film(board, "", _END_MS, frames)
    return frames


def _film(board: Microbit, pressed: str, ms: int, frames: list[Frame]) -> None:
    for _ in range(0, ms, _FRAME_MS):
        said = board.uart.received.decode().split("\r\n")[-2]
        frame = Frame(board.leds(), pressed, describe(sentences.read(said)), _FRAME_MS)
        if frames and frames[-1][:3] == frame[:3]:
            frames[-1] = frames[-1]._replace(ms=frames[-1].ms + _FRAME_MS)
        else:
            frames.append(frame)
        board.run_for(_FRAME_MS * 1000)


def play(path: Path) -> None:
    """The animation: one sheet of all frames is drawn, and cut up."""
    frames = played()
    across = math.ceil(math.sqrt(len(frames)))
    sheet = browsed(
        _sheet([_drawn(frame) for frame in frames], across),
        across * _WIDTH,
        math.ceil(len(frames) / across) * _HEIGHT,
    ).quantize(_COLORS)
    corners = [(index % across * _WIDTH, index // across * _HEIGHT) for index in range(len(frames))]
    first, *others = [sheet.crop((x, y, x + _WIDTH, y + _HEIGHT)) for x, y in corners]
    first.save(
        path,
        save_all=True,
        append_images=others,
        duration=[frame.ms for frame in frames],
        loop=0,
        optimize=True,
    )


def _corner(index: int, across: int) -> str:
    return f"{index % across * _WIDTH} {index // across * _HEIGHT}"


def _sheet(drawings: Sequence[str], across: int) -> str:
    placed = "".join(
        f'<g transform="translate({_corner(index, across)})">{drawing}</g>'
        for index, drawing in enumerate(drawings)
    )
    width, height = across * _WIDTH, math.ceil(len(drawings) / across) * _HEIGHT
    return f'{_STYLE}<svg width="{width}" height="{height}">{_GLOW}{placed}</svg>'


_STYLE = """<!doctype html><style>
body { margin: 0; background: #fff }
svg { font: 13px "DejaVu Sans Mono", monospace; text-anchor: middle }
</style>"""
_GLOW = """<defs><filter id="glow" x="-200%" y="-200%" width="500%" height="500%">
<feGaussianBlur stdDeviation="7"/></filter></defs>"""


def _drawn(frame: Frame) -> str:
    """The front of a micro:bit V2, and below it what it last said."""
    parts = [
        '<rect x="10" y="10" width="400" height="320" rx="26" fill="#14171c"/>',
        '<rect x="10" y="296" width="400" height="34" rx="6" fill="#b9902f"/>',
        *(
            f'<rect x="{x}" y="296" width="3" height="34" fill="#14171c"/>'
            for x in range(74, 400, 17)
        ),
        *(
            f'<circle cx="{x}" cy="304" r="19" fill="#c9a03c"/><circle cx="{x}" cy="304" r="10"'
            f' fill="#fff"/><text x="{x}" y="279" fill="#ddd" font-size="11">{name}</text>'
            for x, name in zip((48, 128, 210, 292, 372), ("0", "1", "2", "3V", "GND"), strict=True)
        ),
        '<ellipse cx="210" cy="40" rx="30" ry="15" fill="none" stroke="#d0a63f" stroke-width="6"/>',
        *(f'<circle cx="{x}" cy="40" r="3.5" fill="#d0a63f"/>' for x in (199, 221)),
    ]
    for x, button in ((58, "A"), (362, "B")):
        cap = "#5b8def" if button == frame.pressed else "#2b2f36"
        parts.append(
            f'<rect x="{x - 26}" y="134" width="52" height="52" rx="6" fill="#c8ccd2"/>'
            f'<circle cx="{x}" cy="160" r="17" fill="{cap}"/>'
            f'<text x="{x}" y="208" fill="#ddd">{button}</text>'
        )
    for index, level in enumerate(frame.leds):
        x, y = 210 + (index % 5 - 2) * 40, 160 + (index // 5 - 2) * 40
        parts.append(
            f'<rect x="{x - 5}" y="{y - 9}" width="10" height="18" rx="2" fill="#33211f"/>'
        )
        if level:
            light = 0.35 + 0.65 * level / 9
            parts.append(
                f'<rect x="{x - 10}" y="{y - 14}" width="20" height="28" rx="8" fill="#ff2a1a"'
                f' opacity="{0.9 * light:.2f}" filter="url(#glow)"/>'
                f'<rect x="{x - 5}" y="{y - 9}" width="10" height="18" rx="2" fill="#ff6a55"'
                f' opacity="{light:.2f}"/>'
            )
    for line, text in enumerate(frame.said.split("; ")):
        parts.append(f'<text x="210" y="{356 + 20 * line}" fill="#333">{text}</text>')
    return "".join(parts)


def watch(path: Path) -> None:
    """The screen of `noughts watch` in a terminal's frame."""
    svg = asyncio.run(watched())
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    # A line is 24.4 high: with this size of this font, and uncut, boxes close.
    svg = re.sub(r' clip-path="url\(#[^"]*-line-\d+\)"', "", svg)
    svg = re.sub(r"font-family: Fira Code[^}]*?font-size: 20px", _FONT, svg, flags=re.DOTALL)
    (box,) = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    width, height = (math.ceil(float(size)) for size in box)
    page = f"<!doctype html><style>body {{ margin: 0 }} svg {{ display: block }}</style>{svg}"
    browsed(page, width, height).quantize(_COLORS).save(path, optimize=True)


_FONT = 'font-family: "DejaVu Sans Mono"; font-size: 21.8px'


async def watched() -> str:
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
        for port, name in zip(ports, NAMES, strict=True):
            store.name_board(port, name)
        follower = PortMonitor(ports, find=list)
        stack.callback(follower.close)
        session = Session()
        stop = threading.Event()
        recorder = Recorder(store, [follower])
        app = WatchApp(recorder, session, stop)
        recorder.start(stop, app.take)
        stack.callback(recorder.wait)
        stack.callback(stop.set)
        async with app.run_test(size=(98, 16)) as pilot:
            while session.games < GAMES or not all(
                state.game is not None and state.game.end == "-" and len(state.game.moves) > 2
                for state in session.boards.values()
            ):
                await pilot.pause(0.1)
            await pilot.pause(0.3)
            return app.export_screenshot(title="noughts watch")


def browsed(page: str, width: int, height: int) -> Image.Image:
    """What Chromium shows of a page of HTML."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        raise SystemExit("Chromium draws the pictures; install it (apt-get install chromium)")
    with tempfile.TemporaryDirectory() as folder:
        source, shot = Path(folder) / "page.html", Path(folder) / "shot.png"
        source.write_text(page)
        options = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
        options += [f"--window-size={width},{height}", f"--screenshot={shot}", source.as_uri()]
        subprocess.run([browser, *options], check=True, capture_output=True, timeout=120)
        return Image.open(shot).convert("RGB").crop((0, 0, width, height))


PICTURES: dict[str, Callable[[Path], None]] = {
    "play.gif": play,
    "watch.png": watch,
    "page.png": page_pictures.readme,
    "pages": page_pictures.every_page,
    "lessons": make_pictures,
}


def main() -> int:
    """Make all, or those that are named."""
    for name in sys.argv[1:] or PICTURES:
        PICTURES[name](DOCS / name)
        print(f"{DOCS / name} written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
