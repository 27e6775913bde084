"""What a board on a web page costs: the emulator in Chromium, in a game by random presses."""

import base64
from collections.abc import Callable, Iterator
from pathlib import Path

import microbit_emulator
from bench_rows import Row, at_least, at_most
from browser import open_chromium
from official import NEWEST, stepped

CORE = Path(microbit_emulator.__file__).with_name("core")
SITE = "http://bench.test/"
_SECONDS, _SLOWED = 8, 6
_SCRIPT = """
import { Microbit, loadCore, play } from "./microbit.js";
const bytes = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
window.measure = async ({ kind, flash, uicr, seconds }) => {
  const began = performance.now();
  const core = await loadCore(fetch("core.wasm").then((response) => response.arrayBuffer()));
  const board = new Microbit(core, kind, { flash: bytes(flash), uicr: bytes(uicr), seed: 1 });
  board.reset();
  while (!new TextDecoder().decode(board.receive()).includes("$NB")) board.runFor(10000);
  const menu = performance.now() - began;
  let spent = 0, frames = 0, seed = 1;
  const timed = { runFor: (us) => {
    const before = performance.now();
    seed = (seed * 16807) % 2147483647;
    if (frames % 12 === 0) board.press("AAB"[seed % 3]);
    if (frames % 12 === 6) { board.release("A"); board.release("B"); }
    board.runFor(us);
    board.leds();
    spent += performance.now() - before;
    frames++;
  } };
  const start = performance.now();
  const stop = play(timed);
  await new Promise((done) => setTimeout(done, 1000 * seconds));
  stop();
  const took = performance.now() - start;
  return { menu, share: spent / took, rate: (1000 * frames) / took };
};
"""


def _answer(route: object) -> None:
    assert hasattr(route, "fulfill") and hasattr(route, "request")
    name = route.request.url.removeprefix(SITE)
    if name in ("microbit.js", "ether.js", "core.wasm"):
        kind = "application/wasm" if name.endswith("wasm") else "text/javascript"
        route.fulfill(body=(CORE / name).read_bytes(), content_type=kind)
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
            flash, uicr = (base64.b64encode(each).decode() for each in (image.flash, image.uicr))
            words = {"kind": image.board, "flash": flash, "uicr": uicr, "seconds": _SECONDS}
            for slowed in (1, _SLOWED):
                page = chromium.new_page()
                page.route(SITE + "**", _answer)
                page.goto(SITE)
                page.wait_for_function("() => Boolean(window.measure)")
                session = page.context.new_cdp_session(page)
                session.send("Emulation.setCPUThrottlingRate", {"rate": slowed})
                found = page.evaluate("(words) => measure(words)", words)
                page.close()
                # Targets are for a V1, which the page has; a V2 has four times the clock.
                share, frames, menu_s = (4, 60, 2) if image.board == "V1" else (None, None, None)
                how = f"{name[:2]} in Chromium" + (", slowed down six times" if slowed > 1 else "")
                what = f"{how}: from the page to the menu"
                yield at_most(what, found["menu"] / 1000, menu_s, "{:.1f} s")
                if slowed > 1:
                    yield at_least(f"{how}: frames a second", found["rate"], frames, "{:.0f}")
                else:
                    what = f"{how}, in a game: share of a core"
                    yield at_most(what, found["share"] * 100, share, "{:.1f}%")


PARTS: tuple[Callable[[], Iterator[Row]], ...] = (in_browser,)
