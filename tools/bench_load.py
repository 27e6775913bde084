"""The rows of `make bench` about many boards: `noughts watch`, a large store, rooms, and the page.

The commands run as they are. Boards are pseudo-terminals: what a full one does not take is lost, as
on a real line, where nothing waits for a reader.
"""

import contextlib
import http.client
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import tty
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import psutil
from playwright.sync_api import Browser, Request

import rooms_load
import stand_in_ports
from bench_rows import Part, Row, as_ratio, at_most, best_by_turns, cpu_s, run_s
from browser import open_chromium
from noughts.protocol.sentences import Boot, Game
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.virtual.board import VirtualBoard
from noughts.web.pages import PAGES
from page_server import Server, ThreadServer
from random_games import random_game
from rooms_load import IN_ROOM, INTERVAL_S, ROOMS, Load, usage
from sample_games import insert, write
from waiting import until

Rows = Iterator[Row]

_BYTES_A_SECOND = 115_200 // 10
_STEP_S, _SETTLE_S = 0.01, 1.0
_WATCHED_S = 8.0
_FEW, _MEMORY_S = 32, 30.0
_MEMORY_NOISE = 1.05
"""SQLite fills its cache of 2 MB, and two runs of a process differ by a few pages."""
_CAPTURED, _STORED = 13_000, 100_000
_AT = 1_790_000_000_000
_TRIES = 5
_BROWSERS, _SHOWN, _LOAD_S, _LEDS_S = 20, 8, 8.0, 20.0
_FEW_GAMES, _MANY_GAMES = 1_000, 10_000

_BARE_STORE = """
import sqlite3, sys
from functools import reduce
from itertools import islice
from operator import xor
log, store = sys.argv[1:]
db = sqlite3.connect(store)
db.executescript('''
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = NORMAL;
    CREATE TABLE games (boot TEXT, number INTEGER, seats TEXT, first TEXT, moves TEXT, ms INTEGER,
        end TEXT, PRIMARY KEY (boot, number));
''')
upsert = '''
    INSERT INTO games VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE
    SET moves = excluded.moves, ms = excluded.ms, end = excluded.end
'''
with open(log, "rb") as file:
    while lines := list(islice(file, 64)):
        bodies = []
        for line in lines:
            body, _, checksum = line.strip()[1:].partition(b"*")
            if reduce(xor, body) == int(checksum, 16):
                bodies.append(body.decode().split(",")[1:])
        with db:
            db.executemany(upsert, bodies)
"""
"""The least work for storing captured sentences: check each line's XOR, and upsert the game."""

_BARE_READ = """
import sqlite3, sys
list(sqlite3.connect(sys.argv[1]).execute("SELECT * FROM games"))
"""

_OBSERVER = """
    window.shown = [];
    new MutationObserver(() => {
      const leds = [...document.querySelectorAll('.microbit svg rect')].slice(-25);
      const picture = leds.map((led) => led.getAttribute('class').slice(-1)).join('');
      if (picture === window.shown.at(-1)?.[1]) return;
      window.shown.push([performance.timeOrigin + performance.now(), picture]);
    }).observe(document.querySelector('.microbit'), { subtree: true, attributes: true });
"""
_REPLY = """async () => {
    const free = document.querySelectorAll('.board .cell');
    const drawn = () => document.querySelectorAll('.board .O').length;
    const start = performance.now();
    free[4].click();
    while (!drawn()) await new Promise((done) => setTimeout(done, 1));
    await new Promise((done) => requestAnimationFrame(done));
    return performance.now() - start;
}"""
_PAINT = "performance.getEntriesByName('first-contentful-paint')"


@contextmanager
def _ports(count: int) -> Iterator[tuple[list[int], list[str]]]:
    """Pseudo-terminals: the ends that the boards write to, and the ports to open."""
    with ExitStack() as stack:
        ends, ports = [], []
        for _ in range(count):
            end, port = os.openpty()
            tty.setraw(port)
            stack.callback(os.close, end)
            stack.callback(os.close, port)
            ends.append(end)
            ports.append(os.ttyname(port))
        yield ends, ports


def _games(boards: int, seconds: float, boot: int = 0) -> list[bytes]:
    """The bytes that this many boards send in this time, at the speed of a serial line."""
    size = int(_BYTES_A_SECOND * seconds)
    return [_lines(f"{boot + board:08X}", Random(board), size) for board in range(boards)]


def _lines(boot: str, dice: Random, size: int) -> bytes:
    """So many bytes of games or a little less, in whole lines."""
    out = bytearray()
    number = 0
    while len(out) < size:
        number += 1
        for game in random_game(boot, number, dice):
            out += write(game).encode() + b"\r\n"
    return bytes(out[: out.rindex(b"\n", 0, size) + 1])


def _send(ends: Sequence[int], data: Sequence[bytes], seconds: float) -> int:
    """Send each port its data, evenly over this time. Returns the number of sentences."""
    for end in ends:
        os.set_blocking(end, False)
    start_s = time.perf_counter()
    done = 0
    while (passed_s := time.perf_counter() - start_s) < seconds + _STEP_S:
        due = int(passed_s * _BYTES_A_SECOND)
        for end, port_data in zip(ends, data, strict=True):
            if piece := port_data[done:due]:
                with contextlib.suppress(BlockingIOError):
                    os.write(end, piece)
        done = due
        time.sleep(max(0.0, start_s + passed_s + _STEP_S - time.perf_counter()))
    return sum(port_data.count(b"\n") for port_data in data)


@contextmanager
def _watch(boards: int, store: Path) -> Iterator[tuple[list[int], psutil.Process]]:
    """The command on one core: the far ends of the ports that it watches, and its process."""
    with ExitStack() as stack:
        ends, ports = stack.enter_context(_ports(boards))
        printed_path = store.with_suffix(".txt")
        command = [sys.executable, "-m", "noughts", "watch", "--plain", "--db", str(store), *ports]
        with printed_path.open("wb") as output:
            process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        stack.callback(process.wait)
        stack.callback(process.kill)
        cost = psutil.Process(process.pid)
        if hasattr(cost, "cpu_affinity"):  # not on macOS
            cost.cpu_affinity(cost.cpu_affinity()[:1])
        until(lambda: printed_path.read_bytes().count(b": connected") >= boards, "all boards")
        yield ends, usage(process.pid)
        process.terminate()
        process.wait(20)


def _stored_sentences(path: Path) -> int:
    """How many sentences a store has: each game's start, and each move with a time."""
    with Store(path) as store:
        return sum(
            1 + len([ms for ms in str(times).split(",") if ms])
            for (times,) in store.read("SELECT times FROM games")
        )


def boards() -> Rows:
    for count in (16, 32, 64):
        with tempfile.TemporaryDirectory() as folder:
            store = Path(folder) / "games.db"
            with _watch(count, store) as (ends, process):
                data = _games(count, _WATCHED_S)
                process.cpu_percent()  # from now on
                sent = _send(ends, data, _WATCHED_S)
                share = process.cpu_percent() / 100
                time.sleep(_SETTLE_S)
            lost = sent - _stored_sentences(store)
        text = f"{lost:,} of {sent:,} sentences lost ({share:.0%} of a core)"
        target, is_met = ("0 lost", not lost) if count == 64 else ("", True)
        yield Row(f"`noughts watch`, boards at full 115200 baud: {count}", text, target, is_met)


def resident() -> Rows:
    with (
        tempfile.TemporaryDirectory() as folder,
        _watch(_FEW, Path(folder) / "games.db") as (ends, process),
    ):
        few, few_mb = _send(ends, _games(_FEW, 5), 5), process.memory_info().rss / 1e6
        many = few + _send(ends, _games(_FEW, _MEMORY_S, boot=_FEW), _MEMORY_S)
        many_mb = process.memory_info().rss / 1e6
    text = f"{many_mb:.1f} MB (after {few:,} {few_mb:.1f} MB)"
    what = f"memory of `noughts watch` after {many:,} sentences"
    yield Row(what, text, "no higher", many_mb <= few_mb * _MEMORY_NOISE)


def _as_lines(games: Sequence[Game]) -> bytes:
    return b"".join(write(game).encode() + b"\r\n" for game in games)


def captured() -> Rows:
    dice = Random(1)
    games = [
        random_game(f"{number // 40:08X}", number % 40 + 1, dice) for number in range(_CAPTURED)
    ]
    with tempfile.TemporaryDirectory() as folder:
        log, short_log = Path(folder, "captured.log"), Path(folder, "short.log")
        log.write_bytes(b"".join(map(_as_lines, games)))
        short_log.write_bytes(_as_lines(games[0]))  # a log without a sentence is refused
        stores: list[str] = []  # a new one each time: what is stored is not stored again

        def new_store() -> str:
            stores.append(f"{folder}/{len(stores)}.db")
            return stores[-1]

        def watch_s(from_log: Path) -> float:
            words = "watch", "--plain", "--db", new_store(), "--from", str(from_log)
            return cpu_s("-m", "noughts", *words)

        ours_s, start_s, bare_s, bare_start_s = best_by_turns(
            partial(watch_s, log),
            partial(watch_s, short_log),
            lambda: cpu_s("-c", _BARE_STORE, str(log), new_store()),
            partial(cpu_s, "-c", "import sqlite3"),
            tries=2,
        )
        ours_s, bare_s = ours_s - start_s, bare_s - bare_start_s
        size = Path(stores[0]).stat().st_size / _CAPTURED
    sentences = sum(map(len, games))
    what = f"`noughts watch --from`, {sentences:,} sentences: CPU, against a bare script"
    yield as_ratio(what, ours_s, bare_s, 10, f"{ours_s / sentences * 1e6:.0f} µs per sentence")
    yield at_most("the store's size per game, lines included", size, 1500, "{:,.0f} bytes")


def store() -> Rows:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        dice = Random(1)
        received = (
            Received.of("usb-1", game, _AT + 60_000 * number + game.ms)
            for number in range(1, _STORED + 1)
            for game in random_game("00000A83", number, dice)
        )
        with Store(path, create=True) as filled:
            insert(filled, "usb-1", Boot("00000A83", "V1", "0.1.0", "2798"), _AT)
            while batch := list(islice(received, 1000)):
                filled.add_many(batch)
        commands = {
            "games": (["games"], 1.5),
            "stats": (["stats"], 4.5),
            "report": (["report", "-o", f"{folder}/class.html"], None),
            "export": (["export", "-o", f"{folder}/games.csv"], None),
        }
        bare = partial(cpu_s, "-c", _BARE_READ, str(path))
        noughts = partial(cpu_s, "-m", "noughts")
        bare_s, *costs_s = best_by_turns(
            bare, *(partial(noughts, *words, "--db", str(path)) for words, _ in commands.values())
        )
    for (name, (_, limit)), took_s in zip(commands.items(), costs_s, strict=True):
        what = f"`noughts {name}`, {_STORED:,} games: CPU, against a script that reads them all"
        yield as_ratio(what, took_s, bare_s, limit)


def _in_its_own_process(*words: str) -> Load:
    """In another process, so that its memory is only that of the rooms."""
    printed = subprocess.check_output([sys.executable, rooms_load.__file__, *words])
    return Load(**json.loads(printed))


def rooms() -> Rows:
    busy = _in_its_own_process("busy")
    missed = [_in_its_own_process("back", str(count)) for count in (1, ROOMS)]
    stored = len(busy.delays_ms)
    what = f"{ROOMS * IN_ROOM:,} boards in {ROOMS} rooms, one sentence per {INTERVAL_S} s each"
    text = f"{stored:,} of {busy.sent:,} sentences stored, {busy.again:,} duplicated"
    yield Row(what, text, "all", stored == busy.sent)
    what = "… from received to stored at the collector, median"
    yield Row(what, f"{statistics.median(busy.delays_ms):.0f} ms")
    late_ms = busy.delays_ms[int(0.99 * stored)]
    yield at_most("… 99th percentile", late_ms, 1000, "{} ms")
    yield Row("… through the broker, in and out", f"{busy.bytes / busy.sent:.0f} bytes/sentence")
    rooms = f"the {ROOMS} rooms' stores and publishers, in a process of their own"
    for what, (share, mb) in zip(("the broker", "the collector", rooms), busy.costs, strict=True):
        times = f"{share / busy.costs[0][0]:.1f} times the broker's"
        yield Row(f"… CPU of {what}", f"{times} ({share:.0%} of a core)")
        yield Row(f"… memory of {what}", f"{mb:.0f} MB")
    for count, load in zip((1, ROOMS), missed, strict=True):
        what = f"sentences per second when a broker is back, {count} room{'s' * (count > 1)}"
        rate = len(load.delays_ms) / load.seconds
        yield Row(what, f"{rate:,.0f}", "none lost", len(load.delays_ms) == load.sent)


@contextmanager
def _served(*words: str, program: tuple[str, ...] = ("-m", "noughts")) -> Iterator[Server]:
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.closing(Server(Path(folder), *words, program=program)) as server,
    ):
        yield server


def page() -> Rows:
    """Times that a person waits. Two frames of the screen take 33 ms."""
    what = "`noughts web` to the first byte of its page, against a start of Python"
    first_s, start_s = best_by_turns(_first_byte_s, partial(run_s, "-c", "pass"))
    yield as_ratio(what, first_s, start_s, 50)
    with open_chromium() as browser, _served("--boards", "0") as server:
        bare_ms = _paint_ms(browser, "data:text/html,noughts")
        paint_ms = _paint_ms(browser, server.url)
        what = "first paint of the page Play, against a page of one word"
        yield as_ratio(what, paint_ms / 1000, bare_ms / 1000, 5, "on loopback")
        weights = {name: _weight(browser, server, address) for name, (address, *_) in PAGES.items()}
        heaviest = max(weights, key=lambda name: weights[name])
        kib = weights[heaviest] / 1024
        yield at_most("the largest page, with all that it loads", kib, 150, "{:.0f} KB", heaviest)
        first_ms, *others_ms = _replies_ms(browser, server)
        what = "a click → alphabeta's reply drawn, empty board"
        note = f"the first after loading {first_ms:.0f} ms"
        yield at_most(what, statistics.median(others_ms), 60, "{:.0f} ms", note)


def _first_byte_s() -> float:
    before_s = time.perf_counter()
    with _served() as server:
        assert server.ask("GET", "/")[0] == 200
        return time.perf_counter() - before_s


def _paint_ms(browser: Browser, url: str) -> float:
    paints_ms = []
    for _ in range(_TRIES):
        page = browser.new_page()
        page.goto(url)
        page.wait_for_function(f"{_PAINT}.length")
        paints_ms.append(float(page.evaluate(f"{_PAINT}[0].startTime")))
        page.close()
    return statistics.median(paints_ms)


def _weight(browser: Browser, server: Server, address: str) -> int:
    context = browser.new_context()
    page = context.new_page()
    finished: list[Request] = []
    page.on("requestfinished", lambda request: finished.append(request))  # the stream never does
    page.goto(server.url + address.replace("{number:int}", "1"))
    page.wait_for_timeout(1000)
    sizes = [request.sizes() for request in finished]
    context.close()
    return sum(size["responseBodySize"] + size["responseHeadersSize"] for size in sizes)


def _replies_ms(browser: Browser, server: Server) -> Iterator[float]:
    """Times of an engine's replies, in several games on one page."""
    page = browser.new_page()
    page.goto(f"{server.url}/?opponent=alphabeta")
    for _ in range(1 + _TRIES):
        page.locator(".board .cell[aria-disabled=false]").nth(8).wait_for()
        yield float(page.evaluate(_REPLY))
        page.get_by_role("button", name="New game").click()
    page.close()


def leds() -> Rows:
    changes: list[tuple[float, str]] = []
    take = VirtualBoard._take

    def noted(board: VirtualBoard, name: str, value: Any) -> None:
        take(board, name, value)
        if name == "state":
            picture = "".join(map(str, value[1]))
            if not changes or changes[-1][1] != picture:
                changes.append((time.time() * 1000, picture))

    with ExitStack() as stack:
        setattr(VirtualBoard, "_take", noted)  # noqa: B010
        stack.callback(setattr, VirtualBoard, "_take", take)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = stack.enter_context(contextlib.closing(ThreadServer(folder / "games.db", 1)))
        page = stack.enter_context(open_chromium()).new_page()
        page.goto(f"{server.url}/boards")
        page.get_by_text("Menu: choose an opponent").wait_for()
        page.evaluate(_OBSERVER)
        page.get_by_role("button", name="Button B").press("Enter")  # a game: the cursor blinks
        page.wait_for_timeout(_LEDS_S * 1000)
        shown = page.evaluate("window.shown")
    delays_ms = sorted(
        at_ms - max(since_ms for since_ms, same in changes if same == picture and since_ms <= at_ms)
        for at_ms, picture in shown
    )
    note = f"{len(delays_ms)} changes"
    median_ms, late_ms = statistics.median(delays_ms), delays_ms[int(len(delays_ms) * 0.99)]
    yield at_most("an LED changes → in the page, median", median_ms, 40, "{:.0f} ms", note)
    yield at_most("… 99th percentile", late_ms, 100, "{:.0f} ms")


@contextmanager
def _with_boards(count: int) -> Iterator[tuple[Server, list[int]]]:
    """The page's server with this many ports plugged in, and their far ends."""
    with _ports(count) as (ends, ports):
        plugged = {f"9904{number:044x}": port for number, port in enumerate(ports)}
        program = (stand_in_ports.__file__, json.dumps(plugged))
        with _served("--boards", "0", program=program) as server:
            yield server, ends


def browsers() -> Rows:
    one, many = (_share_of_server(count) for count in (1, _BROWSERS))
    what = f"CPU of the server, {_BROWSERS} browsers watching {_SHOWN} boards at full speed, "
    yield Row(f"{what}against one", f"{many / one:.1f} times ({many:.0%} of a core)")
    few_bytes, many_bytes = _memory_of_page()
    text = f"{few_bytes / 2**20:.1f} and {many_bytes / 2**20:.1f} MB"
    what = f"the page's memory after {_FEW_GAMES:,} and {_MANY_GAMES:,} live games"
    yield Row(what, text, "no higher", many_bytes <= few_bytes * _MEMORY_NOISE)


def _share_of_server(browsers: int) -> float:
    with _with_boards(_SHOWN) as (server, ends):
        shown = threading.Semaphore(0)
        for _ in range(browsers):
            threading.Thread(target=_look, args=(server.url, shown), daemon=True).start()
        for _ in range(browsers):
            shown.acquire()
        data = _games(_SHOWN, _LOAD_S)
        process = usage(server.process.pid)
        _send(ends, data, _LOAD_S)
        return process.cpu_percent() / 100


def _look(url: str, shown: threading.Semaphore) -> None:
    """Follow all boards, like a page, until the server ends."""
    connection = http.client.HTTPConnection(url.removeprefix("http://"))
    connection.request("GET", "/api/live")
    complete = False
    with contextlib.suppress(http.client.HTTPException, OSError):
        for line in connection.getresponse():
            message = json.loads(line.removeprefix(b"data: ").strip() or b"{}")
            if not complete and len(message.get("order", ())) == _SHOWN:
                complete = True
                shown.release()


def _memory_of_page() -> list[float]:
    """Bytes of the page's JavaScript after few and many games of a board."""
    with _with_boards(1) as (server, (end,)), open_chromium() as browser:
        page = browser.new_page()
        page.goto(f"{server.url}/boards")
        used = []
        dice, number = Random(1), 0
        for count in (_FEW_GAMES, _MANY_GAMES):
            while number < count:
                number += 1
                os.write(end, _as_lines(random_game("00000A83", number, dice)))
            page.get_by_text(f"game {number}").first.wait_for(timeout=120_000)
            session = page.context.new_cdp_session(page)
            session.send("HeapProfiler.enable")
            for _ in range(3):
                session.send("HeapProfiler.collectGarbage")
            session.send("Performance.enable")
            metrics = session.send("Performance.getMetrics")["metrics"]
            used += [metric["value"] for metric in metrics if metric["name"] == "JSHeapUsedSize"]
            session.detach()
        return used


PARTS: tuple[Part, ...] = (
    boards, resident, captured, store, rooms, page, leds, browsers
)  # fmt: skip
