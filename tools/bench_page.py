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
from bench_rows import Row, at_most, best_by_turns
from browser import open_chromium
from noughts.boards.flash import our_hex

_KB = 1000
_PAINTS = 60
_ONE_WORD = "<!doctype html><title>x</title><p>word"
_MEASURED_S = 6
_SETTLED_MS = 1500  # after a press, or when it is shown, a micro:bit is drawn more often at first
_ROUNDS = 8
_MOST = 0.7
"""What 4% of a core is of the yardstick: 0.51 to 0.69, in four runs that took 3.3 to 4.7%."""
_REPAINTING = """<!doctype html><title>x</title><canvas width="250" height="275"></canvas>
<script type="module">
  const onPage = document.querySelector('canvas').transferControlToOffscreen();
  const context = onPage.getContext('2d');
  let frames = 0;
  function paint() {
    frames += 1;
    for (let at = 0; at < 25; at++) {
      context.fillStyle = (at + frames) % 2 ? 'red' : 'maroon';
      context.fillRect((at % 5) * 50, Math.floor(at / 5) * 55, 25, 35);
    }
  }
  window.repaint = (seconds) => new Promise((resolve) => {
    const end = performance.now() + seconds * 1000;
    const goOn = () => {
      paint();
      if (performance.now() < end) requestAnimationFrame(goOn);
      else resolve();
    };
    goOn();
  });
</script>"""
"""The yardstick for a micro:bit on the screen. A loop of JavaScript would not do: from one
hour of a computer to another its time changes by a third, and that of painting threefold."""

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
        repainting_file = Path(folder, "repainting.html")
        repainting_file.write_text(_REPAINTING)
        repainting = browser.new_page()
        repainting.goto(repainting_file.as_uri())
        yield from screen_board(tab, repainting)


def opened(browser: Browser, path: Path) -> Page:
    tab = browser.new_page(locale="en-GB")
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-ready]")
    return tab


def first_paints_ms(browser: Browser, *paths: Path) -> list[float]:
    """The mean time of each file's first paint, opened by turns. Its clock has steps of 4 ms."""
    times: dict[Path, list[float]] = {path: [] for path in paths}
    for _ in range(_PAINTS):
        for path in paths:
            tab = browser.new_page()
            tab.goto(path.as_uri())
            times[path].append(tab.evaluate(_FIRST_PAINT))
            tab.close()
    return [statistics.fmean(times[path]) for path in paths]


def screen_board(tab: Page, repainting: Page) -> Iterator[Row]:
    """The micro:bit on the screen: how soon its menu is there, and the CPU time of a game."""
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
    _show(tab, "play")  # meanwhile the board rests
    game_s, repainting_s = best_by_turns(
        partial(_game_s, tab), partial(_repainting_s, repainting), tries=_ROUNDS
    )
    what = "the micro:bit on the screen, in a game: CPU, "
    what += "against a page that draws LEDs 60 times a second"
    yield at_most(what, game_s / repainting_s, _MOST, "{:.2f} times", f"{game_s:.1%} of a core")


def _show(tab: Page, part: str) -> None:
    tab.evaluate("(part) => (location.hash = part)", part)


def _game_s(tab: Page) -> float:
    """CPU seconds for a second of the game, while the player thinks."""
    _show(tab, "screen_board")
    tab.wait_for_timeout(_SETTLED_MS)
    before_s = tab_cpu_s()
    tab.wait_for_timeout(_MEASURED_S * 1000)
    game_s = tab_cpu_s() - before_s
    _show(tab, "play")
    return game_s / _MEASURED_S


def _repainting_s(page: Page) -> float:
    """CPU seconds for a second of the page that does nothing but draw."""
    before_s = tab_cpu_s()
    page.evaluate("(seconds) => repaint(seconds)", _MEASURED_S)
    return (tab_cpu_s() - before_s) / _MEASURED_S


def tab_cpu_s() -> float:
    """CPU seconds of the browser's page processes."""
    times = [
        process.cpu_times()
        for process in psutil.Process().children(recursive=True)
        if "--type=renderer" in process.cmdline()
    ]
    return sum(time.user + time.system for time in times)


PARTS = (noughts_html,)
