"""What the page that needs nothing installed costs: bytes, its first paint, a move, a micro:bit."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import psutil
from playwright.sync_api import Browser, Page

import build_page
from bench_browser import YARDSTICK, measured, yardstick_s
from bench_rows import Row, at_most, best_by_turns
from browser import open_chromium
from noughts.boards.flash import our_hex

_KB = 1000
_PAINTS = 25
_ONE_WORD = "<!doctype html><title>x</title><p>word"
_GAME_S = 8

_FIRST_PAINT = """() => new Promise((resolve) => {
  new PerformanceObserver((list) => resolve(list.getEntries()[0].startTime))
    .observe({ type: 'paint', buffered: true });
})"""

_MOVE_MS = """async () => {
  const { best, LEVELS } = await import('page/chip.js');
  const { reachable } = await import('page/solver.js');
  const { isOver, turn } = await import('page/rules.js');
  const positions = reachable().filter((marks) => !isOver(marks));
  const moveMs = (marks, level) => {
    const start = performance.now();
    best(marks, turn(marks), level);
    return performance.now() - start;
  };
  const tries = [1, 2, 3, 4, 5]; // other programs may delay some of them
  const worst = (marks, level) => Math.min(...tries.map(() => moveMs(marks, level)));
  return Math.max(...positions.flatMap((marks) => LEVELS.map((level) => worst(marks, level))));
}"""


def noughts_html() -> Iterator[Row]:
    """The page that needs nothing installed, in Chromium."""
    whole = build_page.whole_page(our_hex(), build_page.usb_library())
    alone = build_page.play_alone()
    yield at_most("`noughts.html`", len(whole.encode()) / _KB, 850, "{:,.0f} KB")
    yield at_most("the same without flash images", len(alone.encode()) / _KB, 120, "{:,.0f} KB")
    with TemporaryDirectory() as folder, open_chromium() as browser:
        page_file, word_file = Path(folder, "noughts.html"), Path(folder, "word.html")
        page_file.write_text(whole, "utf-8")
        word_file.write_text(_ONE_WORD)
        word_ms, page_ms = first_paints_ms(browser, word_file, page_file)
        yield at_most(
            "first paint of the page, opened from a file, to that of a page of one word",
            page_ms / word_ms,
            2,
            "{:.1f} times",
            f"{page_ms:.0f} ms",
        )
        tab = opened(browser, page_file)
        yield at_most("a move of the chip, worst position", tab.evaluate(_MOVE_MS), 5, "{:.1f} ms")
        yield from screen_board(tab)


def opened(browser: Browser, path: Path) -> Page:
    tab = browser.new_page(locale="en-GB")
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-ready]")
    return tab


def first_paints_ms(browser: Browser, *paths: Path) -> list[float]:
    """The median time of the first paint of each file, opened by turns."""
    times: dict[Path, list[float]] = {path: [] for path in paths}
    for _ in range(_PAINTS):
        for path in paths:
            tab = browser.new_page()
            tab.goto(path.as_uri())
            times[path].append(tab.evaluate(_FIRST_PAINT))
            tab.close()
    return [statistics.median(times[path]) for path in paths]


def screen_board(tab: Page) -> Iterator[Row]:
    """The micro:bit on the screen: how soon its menu is there, and its share of a core."""
    tab.get_by_role("link", name="On the screen").click()
    menu_s = tab.evaluate(
        """async () => {
          const start = performance.now();
          document.getElementById('switch-on').click();
          const text = () => document.querySelector('.screen-board .who')?.textContent;
          while (!text()?.startsWith('In the menu:')) {
            await new Promise((resolve) => requestAnimationFrame(resolve));
          }
          return (performance.now() - start) / 1000;
        }"""
    )
    yield at_most(
        "the micro:bit on the screen: from the click to its menu", menu_s, 1.5, "{:.1f} s"
    )
    tab.get_by_text("micro:bit V1").wait_for()
    tab.get_by_role("button", name="Button B").click()
    tab.locator(".screen-board").get_by_text("to move").wait_for()
    tab.evaluate(f"() => {{ {YARDSTICK} }}")
    game_s, bare_s = best_by_turns(
        partial(_second_s, tab), partial(yardstick_s, tab, measured(tab))
    )
    # No ratio: how painting compares with a loop of JavaScript differs from computer to computer.
    what = "the micro:bit on the screen, in a game: share of a core"
    yield at_most(what, game_s, 0.04, "{:.1%}", f"{game_s / bare_s:.1f} times a loop of JavaScript")


def _second_s(tab: Page) -> float:
    """CPU seconds for a second of the page."""
    before_s = tab_cpu_s()
    tab.wait_for_timeout(_GAME_S * 1000)
    return (tab_cpu_s() - before_s) / _GAME_S


def tab_cpu_s() -> float:
    """CPU seconds of the browser's page processes."""
    times = [
        process.cpu_times()
        for process in psutil.Process().children(recursive=True)
        if "--type=renderer" in process.cmdline()
    ]
    return sum(time.user + time.system for time in times)


PARTS = (noughts_html,)
