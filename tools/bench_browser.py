"""What a board on a web page costs: the emulator in Chromium, in a game by random presses.

The share of a core is the CPU time of the page's scripts, which other programs do not change much.
Frames they do change: a page without a board shows how many a second this computer has now.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import microbit_emulator
from bench_rows import Row, at_least, at_most
from browser import open_chromium
from microbit_emulator import Microbit
from official import NEWEST, stepped

CORE = Path(microbit_emulator.__file__).with_name("core")
SITE = "http://bench.test/"
_SECONDS, _SLOWED = 8, 6
_SCRIPT = """
import { Microbit, loadCore, play } from "./microbit.js";
const bytes = async (name) => new Uint8Array(await (await fetch(name)).arrayBuffer());
const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));
let board;
window.toMenu = async (kind) => {
  const began = performance.now();
  const core = await loadCore(bytes("core.wasm"));
  const [flash, uicr] = await Promise.all(["flash", "uicr"].map(bytes));
  board = new Microbit(core, kind, { flash, uicr, seed: 1 });
  board.reset();
  while (!new TextDecoder().decode(board.receive()).includes("$NB")) board.runFor(10000);
  return performance.now() - began;
};
window.inGame = async (seconds, hasBoard) => {
  let frames = 0, seed = 1;
  const player = { runFor: (us) => {
    frames++;
    if (!hasBoard) return;
    seed = (seed * 16807) % 2147483647;
    if (frames % 12 === 1) board.press("AAB"[seed % 3]);
    if (frames % 12 === 7) { board.release("A"); board.release("B"); }
    board.runFor(us);
    board.leds();
  } };
  const start = performance.now(), from = board.clockUs;
  const stop = play(player);
  await pause(seconds);
  stop();
  const s = (performance.now() - start) / 1000;
  return { rate: frames / s, deviceSeconds: (board.clockUs - from) / 1e6 };
};
"""


def _answer(image: Microbit, route: object) -> None:
    assert hasattr(route, "fulfill") and hasattr(route, "request")
    name = route.request.url.removeprefix(SITE)
    if name in ("microbit.js", "ether.js", "core.wasm"):
        kind = "application/wasm" if name.endswith("wasm") else "text/javascript"
        route.fulfill(body=(CORE / name).read_bytes(), content_type=kind)
    elif name in ("flash", "uicr"):
        route.fulfill(body=getattr(image, name), content_type="application/octet-stream")
    elif name == "bench.js":
        route.fulfill(body=_SCRIPT, content_type="text/javascript")
    else:
        script = "<script type=module src=bench.js></script>"
        page = f"<!doctype html><link rel=icon href=data:,>{script}"
        route.fulfill(body=page, content_type="text/html")


def in_browser() -> Iterator[Row]:
    """A board in real time, by animation frames; also on a computer that is six times slower."""
    with open_chromium() as chromium:
        for name in NEWEST:
            image = stepped(name)()
            # Targets are for a V1, which the page has; a V2 has four times the clock.
            share, frames, menu_s = (4, 60, 2) if image.board == "V1" else (None, None, None)
            for slowed in (1, _SLOWED):
                page = chromium.new_page()
                page.route(SITE + "**", partial(_answer, image))
                page.goto(SITE)
                page.wait_for_function("() => Boolean(window.inGame)")
                session = page.context.new_cdp_session(page)
                session.send("Performance.enable", {"timeDomain": "threadTicks"})
                session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
                how = f"{name[:2]} in Chromium" + (", slowed down six times" if slowed > 1 else "")
                took_s = page.evaluate("(kind) => toMenu(kind)", image.board) / 1000
                yield at_most(f"{how}: from the page to the menu", took_s, menu_s, "{:.1f} s")
                bare = page.evaluate("() => inGame(2, false)")["rate"]
                before_s = _script_s(session)
                game = page.evaluate("(seconds) => inGame(seconds, true)", _SECONDS)
                cost_s = _script_s(session) - before_s
                page.close()
                if slowed > 1:
                    note = f"{bare:.0f} without a board"
                    what = f"{how}: frames a second"
                    yield at_least(what, round(game["rate"]), frames, "{:.0f}", note)
                else:
                    what = f"{how}, in a game: share of a core"
                    used = 100 * cost_s / game["deviceSeconds"]
                    yield at_most(what, used, share, "{:.1f}%")


def _script_s(session: object) -> float:
    """CPU seconds of the page's scripts so far."""
    assert hasattr(session, "send")
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration"))


PARTS: tuple[Callable[[], Iterator[Row]], ...] = (in_browser,)
