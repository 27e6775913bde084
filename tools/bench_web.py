"""The rows of `make bench` about the page: `noughts web` as it is, with Chromium looking at it."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
import threading
import time
import tty
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from random import Random

import psutil
from playwright.sync_api import Browser, Page, Response

import stand_in_ports
from bench_rows import Row, at_most
from browser import open_chromium
from looker import Looker
from noughts.protocol.sentences import write
from noughts.web.pages import PAGES
from page_server import Server
from random_games import lines, random_game
from watch_load import BYTES_A_SECOND, send

_TOOLS = Path(__file__).parent
_TRIES = 5
_BROWSERS, _BOARDS, _LOAD_S = 20, 8, 8.0
_LEDS_S = 20.0
_FEW, _MANY = 1_000, 10_000
_MEMORY_NOISE = 1.05
_OBSERVER = """
    window.shown = [];
    new MutationObserver(() => {
      const leds = [...document.querySelectorAll('.microbit svg rect')].slice(-25);
      const picture = leds.map((led) => led.getAttribute('class').slice(1)).join('');
      window.shown.push([performance.timeOrigin + performance.now(), picture]);
    }).observe(document.querySelector('.microbit'), { subtree: true, attributes: true });
"""
_REPLY = """async () => {
    const free = document.querySelectorAll('.board .cell');
    const drawn = () => document.querySelectorAll('.board svg.O').length;
    const start = performance.now();
    free[4].click();
    while (!drawn()) await new Promise((done) => setTimeout(done, 1));
    await new Promise((done) => requestAnimationFrame(done));
    return performance.now() - start;
}"""


def page() -> Iterator[Row]:
    """What a person waits for."""
    first_s = min(_first_byte_s() for _ in range(_TRIES))
    yield at_most("`noughts web` to the first byte of its page", first_s, 1.0, "{:.2f} s")
    with open_chromium() as browser, _served("--boards", "0") as server:
        paint_ms = statistics.median(_paint_ms(browser, server) for _ in range(_TRIES))
        yield at_most("first paint of the page Play", paint_ms, 300, "{:.0f} ms", "on loopback")
        weights = {name: _weight(browser, server, address) for name, (address, *_) in PAGES.items()}
        heaviest = max(weights, key=lambda name: weights[name])
        kib = weights[heaviest] / 1024
        yield at_most("the heaviest page, all in all", kib, 150, "{:.0f} KB", heaviest)
        first_ms, *others_ms = _replies_ms(browser, server)
        what = "a click → alphabeta's reply drawn, empty board"
        note = f"the first after loading {first_ms:.0f} ms"
        yield at_most(what, statistics.median(others_ms), 60, "{:.0f} ms", note)


def leds() -> Iterator[Row]:
    """How soon a browser shows what a virtual board does."""
    delays = sorted(_led_delays_ms())
    middle, late = statistics.median(delays), delays[int(len(delays) * 0.99)]
    note = f"{len(delays)} changes"
    yield at_most("an LED changes → in the page, median", middle, 40, "{:.0f} ms", note)
    yield at_most("… 99th percentile", late, 100, "{:.0f} ms")


def load() -> Iterator[Row]:
    """What many browsers and boards cost, and many games."""
    share = _cpu_of_many()
    what = f"CPU of the server, {_BROWSERS} browsers watching {_BOARDS} boards at full speed"
    yield at_most(what, share * 100, 25, "{:.0f} % of a core")
    few, many = _memory_after(_FEW, _MANY)
    text = f"{few / 2**20:.1f} and {many / 2**20:.1f} MB"
    what = f"the page's memory after {_FEW:,} and {_MANY:,} live games"
    yield Row(what, text, "no higher", many <= few * _MEMORY_NOISE)


PARTS = (page, leds, load)


@contextmanager
def _served(*words: str, program: tuple[str, ...] = ("-m", "noughts")) -> Iterator[Server]:
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder), *words, program=program)
        try:
            yield server
        finally:
            server.close()


def _first_byte_s() -> float:
    start_s = time.perf_counter()
    with _served() as server:
        assert server.ask("GET", "/")[0] == 200
        return time.perf_counter() - start_s


def _paint_ms(browser: Browser, server: Server) -> float:
    page = browser.new_page()
    page.goto(server.url)
    page.wait_for_function("performance.getEntriesByName('first-contentful-paint').length")
    at_ms = page.evaluate("performance.getEntriesByName('first-contentful-paint')[0].startTime")
    page.close()
    return float(at_ms)


def _weight(browser: Browser, server: Server, address: str) -> int:
    """Bytes of all bodies and heads, by one who has visited nothing before."""
    context = browser.new_context()
    page = context.new_page()
    answers: list[Response] = []
    page.on("response", lambda answer: answers.append(answer))
    page.goto(server.url + address.replace("{number}", "1"))
    page.wait_for_load_state("networkidle")
    sizes = [answer.request.sizes() for answer in answers]
    context.close()
    return sum(each["responseBodySize"] + each["responseHeadersSize"] for each in sizes)


def _replies_ms(browser: Browser, server: Server) -> Iterator[float]:
    """From game to game on one page."""
    page = browser.new_page()
    page.goto(f"{server.url}/?opponent=alphabeta")
    for _ in range(1 + _TRIES):
        page.locator(".board .cell[aria-disabled=false]").nth(8).wait_for()
        yield float(page.evaluate(_REPLY))
        page.get_by_role("button", name="New game").click()
    page.close()


def _led_delays_ms() -> list[float]:
    """Of each picture that the page shows, how long the board had shown it."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        program = (str(_TOOLS / "traced_leds.py"), str(trace))
        with open_chromium() as browser, _served("--boards", "1", program=program) as server:
            page = browser.new_page()
            page.goto(f"{server.url}/boards")
            page.get_by_text("Menu: against whom?").wait_for()
            page.evaluate(_OBSERVER)
            page.get_by_role("button", name="Button B").press("Enter")  # a game: the cursor blinks
            page.wait_for_timeout(_LEDS_S * 1000)
            shown = page.evaluate("window.shown")
        changes = [line.split() for line in trace.read_text().splitlines()]
    delays = []
    for at_ms, picture in shown:
        since = [float(at_s) * 1000 for at_s, same in changes if same == picture]
        delays.append(at_ms - max(each for each in since if each <= at_ms))
    return delays


@contextmanager
def _with_boards(count: int) -> Iterator[tuple[Server, list[int]]]:
    """The command with so many real ports plugged in, and their far ends."""
    with ExitStack() as stack:
        ends, ports = [], {}
        for number in range(count):
            end, port = os.openpty()
            tty.setraw(port)
            stack.callback(os.close, end)
            stack.callback(os.close, port)
            ends.append(end)
            ports[f"9904{number:044x}"] = os.ttyname(port)
        program = (stand_in_ports.__file__, json.dumps(ports))
        yield stack.enter_context(_served("--boards", "0", program=program)), ends


def _cpu_of_many() -> float:
    with _with_boards(_BOARDS) as (server, ends), ExitStack() as stack:
        stop = threading.Event()
        stack.callback(stop.set)
        first = _looking(server, stop, stack)
        first.wait(lambda: len(first.now.get("order", ())) == _BOARDS, "all boards")
        for _ in range(_BROWSERS):
            looker = _looking(server, stop, stack)
            threading.Thread(target=_drain, args=(looker, stop), daemon=True).start()
        size = int(BYTES_A_SECOND * _LOAD_S)
        data = [lines(f"{board:08X}", Random(board), size) for board in range(_BOARDS)]
        process = psutil.Process(server.process.pid)
        before = process.cpu_times()
        send(ends, data, _LOAD_S)
        after = process.cpu_times()
        return (after.user + after.system - before.user - before.system) / _LOAD_S


def _looking(server: Server, stop: threading.Event, stack: ExitStack) -> Looker:
    looker = Looker(server, token=False)
    stack.callback(looker.close)
    return looker


def _drain(looker: Looker, stop: threading.Event) -> None:
    while not stop.is_set():
        try:
            looker.read(1.0)
        except TimeoutError:
            continue
        except Exception:  # the server has ended
            return


def _memory_after(*counts: int) -> list[float]:
    """Bytes of the page's JavaScript after so many games of a board."""
    with _with_boards(1) as (server, (end,)), open_chromium() as browser:
        page = browser.new_page()
        page.goto(f"{server.url}/boards")
        used = []
        dice = Random(1)
        number = 0
        for count in counts:
            while number < count:
                number += 1
                told = random_game("00000A83", number, dice)
                os.write(end, b"".join(write(game).encode() + b"\r\n" for game in told))
            wanted = f"game {number}"
            page.get_by_text(wanted).first.wait_for(timeout=120_000)
            used.append(_heap(page))
        return used


def _heap(page: Page) -> float:
    session = page.context.new_cdp_session(page)
    session.send("HeapProfiler.enable")
    for _ in range(3):
        session.send("HeapProfiler.collectGarbage")
    session.send("Performance.enable")
    metrics = session.send("Performance.getMetrics")["metrics"]
    (heap,) = (each["value"] for each in metrics if each["name"] == "JSHeapUsedSize")
    session.detach()
    return float(heap)
