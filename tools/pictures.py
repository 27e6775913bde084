"""`make pictures`: the pictures in the documents, from running boards and programs.

    play.gif    a game against hard, on a virtual board's LEDs, in device time
    watch.png   `noughts watch`, with virtual boards that play by themselves
    page.png    the page Play
    file.png    noughts.html on a phone, and the same game on a micro:bit
    emulator.png  a heart on an emulated board
    pages       every page, for three widths, light and dark, into build/pages
    lessons     what the commands in docs/lessons draw, see lesson_pictures.py

Chromium draws all but the lessons, with the font DejaVu Sans Mono. Games on the pages are random.
Other pictures come from elsewhere: board.svg, board.zh-cn.svg and lessons/sheet.svg are edited by
hand, and library.svg is what `fork.svg(labels)` returns in docs/python-api.md.
"""

import argparse
import asyncio
import base64
import contextlib
import io
import math
import os
import re
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random
from typing import Literal, NamedTuple

from PIL import Image
from playwright.sync_api import Page, ViewportSize

from browser import cell, open_chromium
from build_page import SECTIONS, UsbLibrary, render
from lesson_pictures import make_pictures
from microbit_emulator import Microbit, start
from noughts.boards.ports import open_port
from noughts.protocol import sentences
from noughts.protocol.describe import describe
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.watch import Watch
from noughts.store import timestamps
from noughts.store.store import Store
from noughts.terminal.watch import WatchApp
from noughts.virtual.board import VirtualBoard, autoplay, opening
from noughts.virtual.program import BOARDS, program
from noughts.web.pages import PAGES
from page_server import Server
from random_games import random_game
from sample_games import insert

DOCS = Path(__file__).resolve().parents[1] / "docs"
WATCHED = 3
NAMES = ("red table", "blue table", "by the window")
GAMES = 4

PRESSES = "AAAB" + "BBB"
"""To hard in the menu, and three moves; the third is a mistake."""
_DOWN_MS, _MENU_MS, _MOVE_MS, _END_MS = 150, 500, 1600, 4400
_FRAME_MS = 50
_WIDTH, _HEIGHT, _FRONT_HEIGHT = 420, 390, 340
_COLORS = 128
_BUTTONS = {"A": 72, "B": 368}

EVERY_PAGE = DOCS.parent / "build" / "pages"
_WIDTHS = (360, 1024, 1920)
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
_STORED = 60
_PLAYED = "/?opponent=easy&moves=0417"
_SEARCHED = "/learn?position=..XXOO.XO"
_SETTLE_MS = 1500


class Frame(NamedTuple):
    leds: bytes
    pressed: str
    sentence: str
    ms: int


def played() -> list[Frame]:
    """A game on a stepped V2 with the seed 0."""
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
        body = board.uart.received.decode().split("\r\n")[-2][1:-3]
        frame = Frame(board.leds(), pressed, describe(sentences.parse(body).sentence), _FRAME_MS)
        if frames and frames[-1][:3] == frame[:3]:
            frames[-1] = frames[-1]._replace(ms=frames[-1].ms + _FRAME_MS)
        else:
            frames.append(frame)
        board.run_for(_FRAME_MS * 1000)


def play(path: Path) -> None:
    frames = played()
    across = math.ceil(math.sqrt(len(frames)))
    width, height = across * _WIDTH, math.ceil(len(frames) / across) * _HEIGHT
    corners = [(index % across * _WIDTH, index // across * _HEIGHT) for index in range(len(frames))]
    drawn = "".join(
        f'<g transform="translate({x} {y})">{_frame_svg(frame)}</g>'
        for (x, y), frame in zip(corners, frames, strict=True)
    )
    svg = f'<svg width="{width}" height="{height}">{_GLOW}{_front()}{drawn}</svg>'
    sheet = browsed(_STYLE + svg, width, height)
    first, *others = [sheet.crop((x, y, x + _WIDTH, y + _HEIGHT)) for x, y in corners]
    times_ms = [frame.ms for frame in frames]
    first.save(path, save_all=True, append_images=others, duration=times_ms, loop=0, optimize=True)


_STYLE = """<!doctype html><style>
body { margin: 0; background: #fff }
svg { font: 15px system-ui, sans-serif; fill: #333 }
.sentence { font: 13px "DejaVu Sans Mono", monospace; text-anchor: middle }
</style>"""
_GLOW = """<filter id="glow" x="-200%" y="-200%" width="500%" height="500%">
<feGaussianBlur stdDeviation="7"/></filter>"""


def _front() -> str:
    """The micro:bit of docs/board.svg, with its LEDs dark."""
    picture = (DOCS / "board.svg").read_text("utf-8")
    background, leds = picture.index('<rect x=".5"'), picture.index('<g fill="#43302d">')
    front = picture[picture.index("\n", background) : picture.index("</g>", leds)] + "</g>"
    return f"{picture[picture.index('<defs>') : background]}<defs><g id='front'>{front}</g></defs>"


def _frame_svg(frame: Frame) -> str:
    """The front of a micro:bit, with its last sentence below."""
    parts = ['<g transform="translate(-10 -10)"><use href="#front"/>']
    if frame.pressed:
        parts.append(f'<circle cx="{_BUTTONS[frame.pressed]}" cy="150" r="17" fill="#5b8def"/>')
    for index, level in enumerate(frame.leds):
        if level:
            at = f'x="{140 + index % 5 * 40}" y="{64 + index // 5 * 43}"'
            light = 0.35 + 0.65 * level / 9
            glow = f'fill="#ff2a1a" opacity="{light:.2f}" filter="url(#glow)"'
            parts.append(f'<use href="#led" {at} {glow}/><use href="#led" {at} {glow}/>')
            parts.append(f'<use href="#led" {at} fill="#ff6a55" opacity="{light:.2f}"/>')
    for line, text in enumerate(frame.sentence.split("; ")):
        parts.append(f'<text class="sentence" x="220" y="{366 + 20 * line}">{text}</text>')
    return "".join(parts) + "</g>"


def watch(path: Path) -> None:
    svg = asyncio.run(watched())
    svg = re.sub(r"@font-face \{.*?\}", "", svg, flags=re.DOTALL)
    # A line is 24.4 high: with this size of this font, and uncut, boxes close.
    svg = re.sub(r' clip-path="url\(#[^"]*-line-\d+\)"', "", svg)
    svg = re.sub(r"font-family: Fira Code[^}]*?font-size: 20px", _FONT, svg, flags=re.DOTALL)
    (box,) = re.findall(r'viewBox="0 0 ([\d.]+) ([\d.]+)"', svg)
    width, height = (math.ceil(float(size)) for size in box)
    page = f"<!doctype html><style>body {{ margin: 0 }} svg {{ display: block }}</style>{svg}"
    browsed(page, width, height).save(path, optimize=True)


_FONT = 'font-family: "DejaVu Sans Mono"; font-size: 21.8px'


async def watched() -> str:
    """Watch boards that play by themselves, until some games have ended and all boards play."""
    with contextlib.ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        stack.callback(os.chdir, Path.cwd())
        os.chdir(folder)
        ports, stop = [], threading.Event()
        for seed in range(WATCHED):
            kind = BOARDS[seed % len(BOARDS)]
            board = stack.enter_context(VirtualBoard(program(kind)))
            playing = board, opening(seed + 1, WATCHED), seed + 1, stop
            threading.Thread(target=autoplay, args=playing, daemon=True).start()
            ports.append(board.port)
        with Store(Path("games.db"), create=True) as store:
            for number, name in enumerate(NAMES):
                store.name_board(f"ttyACM{number}", name)
        monitor = PortMonitor(find=list)
        for number, port in enumerate(ports):
            monitor.follow(f"ttyACM{number}", port, open_port(port))
        watch = Watch(Path("games.db"), [monitor])
        stack.callback(stop.set)
        stack.callback(watch.close)
        session = watch.session
        app = WatchApp(watch)
        watch.start()
        async with app.run_test(size=(98, 16)) as pilot:
            while session.games < GAMES or not all(
                state.game is not None and len(state.game.moves) > 2
                for state in session.boards.values()
            ):
                await pilot.pause(0.1)
            await pilot.pause(0.3)
            return app.export_screenshot(title="noughts watch")


def browsed(html: str, width: int, height: int) -> Image.Image:
    """A page in Chromium, reduced to few colours."""
    with open_chromium() as browser:
        page = browser.new_page(viewport={"width": width, "height": height})
        page.set_content(html)
        return Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(_COLORS)


def emulator(path: Path) -> None:
    """A heart on an emulated V2, on the front of a micro:bit."""
    heart = "from microbit import *\ndisplay.show(Image.HEART)"
    board = start("V2", program={"main.py": heart})
    board.run_for(500_000)
    drawn = _frame_svg(Frame(board.leds(), "", "", 0))
    front = re.sub("<text.*?</text>", "", _front())  # what the buttons do in the game
    svg = f'<svg width="{_WIDTH}" height="{_FRONT_HEIGHT}">{_GLOW}{front}{drawn}</svg>'
    browsed(_STYLE + svg, _WIDTH, _FRONT_HEIGHT).save(path, optimize=True)


def one_file(path: Path) -> None:
    """A game on a phone that has opened the file, and on the LEDs of a micro:bit."""
    with tempfile.TemporaryDirectory() as folder, open_chromium() as browser:
        file = Path(folder) / "noughts.html"
        # Without what its first part does not need: flash images, and the USB library.
        no_library = {"page/usb_library.js": "export const createUSBConnection = undefined;"}
        html = render(SECTIONS, no_library, {}, UsbLibrary("", ""), is_site=False)
        file.write_text(html, "utf-8")
        page = browser.new_page(viewport=_PHONE, device_scale_factor=0.75, is_mobile=True)
        page.goto(file.as_uri())
        page.locator("#opponent").select_option("friend")
        for number in (5, 1, 3, 7):
            cell(page, number).click()
        page.mouse.click(1, 1)  # no cell has the focus
        screen = base64.b64encode(page.screenshot()).decode()
    leds = bytearray(25)
    for number, level in [*((n, 9) for n in _CELLS_OF_A), *((n, 4) for n in _CELLS_OF_B)]:
        row, column = divmod(number - 1, 3)
        leds[row * 10 + column * 2] = level
    front = re.sub("<text.*?</text>", "", _front())  # what the buttons do in the game
    drawn = _frame_svg(Frame(bytes(leds), "", "", 0))
    board = f'<svg width="{_WIDTH}" height="{_FRONT_HEIGHT}">{_GLOW}{front}{drawn}</svg>'
    phone = f'<img class="phone" src="data:image/png;base64,{screen}">'
    browsed(f"{_STYLE}{_PHONE_STYLE}{phone}{board}", 780, 570).save(path, optimize=True)


_PHONE: ViewportSize = {"width": 390, "height": 690}
_CELLS_OF_A, _CELLS_OF_B = (5, 3), (1, 7)
_PHONE_STYLE = """<style>
body { display: flex; align-items: center; gap: 30px; padding: 10px }
.phone { width: 293px; border: 12px solid #222; border-radius: 30px }
</style>"""


def readme(path: Path) -> None:
    with _served() as (page, url):
        page.set_viewport_size({"width": 1024, "height": 600})
        page.goto(url + _PLAYED)
        page.get_by_label("What each free cell is worth").check()
        page.wait_for_timeout(_SETTLE_MS)
        page.screenshot(path=path, full_page=True)


def every_page(_: Path) -> None:
    """All pages, into `EVERY_PAGE`: page-width-scheme.png."""
    shutil.rmtree(EVERY_PAGE, ignore_errors=True)
    EVERY_PAGE.mkdir(parents=True)
    addresses = {name: address.format(number=_STORED) for name, (address, *_) in PAGES.items()}
    addresses |= {"play": _PLAYED, "learn": _SEARCHED}
    with _served() as (page, url):
        for (name, address), scheme in product(addresses.items(), _SCHEMES):
            page.emulate_media(color_scheme=scheme)
            page.goto(url + address)
            for width in _WIDTHS:
                page.set_viewport_size({"width": width, "height": 900})
                page.wait_for_timeout(_SETTLE_MS)
                page.screenshot(path=EVERY_PAGE / f"{name}-{width}-{scheme}.png", full_page=True)


@contextmanager
def _served() -> Iterator[tuple[Page, str]]:
    """A browser, and the address of a server with two boards and some games."""
    with tempfile.TemporaryDirectory() as folder:
        db = Path(folder) / "games.db"
        dice, begins = Random(3), timestamps.now() - _STORED * 60_000
        with Store(db, create=True) as store:
            for number in range(1, _STORED + 1):
                for game in random_game("00000A83", number, dice):
                    insert(store, f"usb-{number % 3}", game, begins + number * 60_000 + game.ms)
            for board, name in (("usb-0", "red table"), ("usb-1", "blue table")):
                store.name_board(board, name)
        server = Server(Path(folder), "--boards", "2", "--db", str(db))
        with contextlib.closing(server), open_chromium() as browser:
            yield browser.new_page(), server.url


PICTURES: dict[str, Callable[[Path], None]] = {
    "play.gif": play,
    "watch.png": watch,
    "page.png": readme,
    "file.png": one_file,
    "emulator.png": emulator,
    "pages": every_page,
    "lessons": make_pictures,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("pictures", nargs="*", help=f"by default all: {', '.join(PICTURES)}")
    names = parser.parse_args().pictures or list(PICTURES)
    if unknown := [name for name in names if name not in PICTURES]:
        parser.error(f"there is no picture {', '.join(unknown)}")
    for name in names:
        PICTURES[name](DOCS / name)
        print(f"{DOCS / name} written")


if __name__ == "__main__":
    main()
