"""What a board on a web page costs: the emulator in Chromium, in a game by random presses.

Its cost is the CPU time of the page's scripts, against that of a loop of JavaScript in the same
page. Frames depend on what else runs: a page without a board shows how many a second there are now.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from playwright.sync_api import CDPSession, Page

import microbit_emulator
from bench_rows import Row, as_ratio, at_least, at_most, best_by_turns
from browser import open_chromium
from microbit_emulator import Microbit
from official import NEWEST, stepped

CORE = Path(microbit_emulator.__file__).with_name("core")
SITE = "http://bench.test/"
_SECONDS, _SLOWED, _TURNS = 4, 6, 5
MOST = 0.78
"""Two thirds of what the first sketch of a V1 in JavaScript takes: the median of five pages is 1.17
times the yardstick (0.94 to 1.43). Where it was made, that was 6% of a core, for a target of 4%."""
YARDSTICK = """
const stepThrough = (steps) => {
  const values = new Int32Array(8);
  let seed = 1;
  for (let step = 0; step < steps; step++) {
    seed = (Math.imul(seed, 1664525) + 1013904223) | 0;
    const to = (seed >>> 16) & 7, from = (seed >>> 20) & 7;
    switch (seed >>> 28) {
      case 0: values[to] = values[from] + 1; break;
      case 1: values[to] = values[from] - values[to]; break;
      case 2: values[to] = values[from] << 1; break;
      case 3: values[to] = values[from] >> 1; break;
      case 4: values[to] &= values[from]; break;
      case 5: values[to] |= values[from]; break;
      case 6: values[to] ^= values[from]; break;
      case 7: values[to] = seed; break;
      case 8: if (values[to] < 0) values[from] = 0; break;
      case 9: if (values[to] === values[from]) values[to]++; break;
      case 10: values[to] = ~values[from]; break;
      case 11: values[to] = -values[from]; break;
      case 12: values[to] = Math.imul(values[to], values[from]); break;
      case 13: values[to] = values[from] & 255; break;
      case 14: values[to] = values[from] >>> 4; break;
      default: values[to] += values[from];
    }
  }
  return values[0];
};
// A task of the page's own, as only those count as its scripts.
window.yardstick = () => new Promise((done) => setTimeout(() => done(stepThrough(4e6))));
"""
"""As many steps as a V1 has instructions in a second of a game, or a few more."""
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
        route.fulfill(body=YARDSTICK + _SCRIPT, content_type="text/javascript")
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
            most, frames, menu_s = (MOST, 60, 2) if image.board == "V1" else (None, None, None)
            for slowed in (1, _SLOWED):
                page = chromium.new_page()
                page.route(SITE + "**", partial(_answer, image))
                page.goto(SITE)
                page.wait_for_function("() => Boolean(window.inGame)")
                session = measured(page)
                session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
                how = f"{name[:2]} in Chromium" + (", slowed down six times" if slowed > 1 else "")
                took_s = page.evaluate("(kind) => toMenu(kind)", image.board) / 1000
                yield at_most(f"{how}: from the page to the menu", took_s, menu_s, "{:.1f} s")
                if slowed > 1:
                    yield _frames(page, f"{how}: frames a second", frames)
                else:
                    what = f"{how}, in a game: CPU, against a loop of JavaScript"
                    game_s, bare_s = best_by_turns(
                        partial(_game_s, page, session),
                        partial(yardstick_s, page, session),
                        tries=_TURNS,
                    )
                    yield as_ratio(what, game_s, bare_s, most, f"{game_s:.1%} of a core")
                page.close()


def _frames(page: Page, what: str, target: int | None) -> Row:
    bare = page.evaluate("() => inGame(2, false)")["rate"]
    rate = page.evaluate("(seconds) => inGame(seconds, true)", 2 * _SECONDS)["rate"]
    return at_least(what, round(rate), target, "{:.0f}", f"{bare:.0f} without a board")


def _game_s(page: Page, session: CDPSession) -> float:
    """CPU seconds for a device second of a game."""
    before_s = _script_s(session)
    game = page.evaluate("(seconds) => inGame(seconds, true)", _SECONDS)
    return float((_script_s(session) - before_s) / game["deviceSeconds"])


def yardstick_s(page: Page, session: CDPSession) -> float:
    """CPU seconds of the loop."""
    before_s = _script_s(session)
    page.evaluate("() => yardstick()")
    return _script_s(session) - before_s


def measured(page: Page) -> CDPSession:
    """Let Chromium count the CPU time of the page's scripts."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})
    return session


def _script_s(session: CDPSession) -> float:
    """CPU seconds of the page's scripts so far."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration"))


PARTS: tuple[Callable[[], Iterator[Row]], ...] = (in_browser,)
