"""The page: results, a table of boards, first moves, mistakes, and positions to talk about.

It is one file: style and pictures are in it, nothing is loaded, and nothing runs. All text that
comes from the store or the command line goes through `_text`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from noughts import __version__
from noughts.errors import printable
from noughts.game.board_svg import drawn
from noughts.store import figures, timestamps
from noughts.store.figures import Table
from noughts.store.people_moves import MetPosition
from noughts.store.statistics import BoardStats, Stats
from noughts.store.timestamps import When

_SHOWN = 9
"""Positions: a page of print."""
_WRONG, _RIGHT = "#fecaca", "#bbf7d0"
_WARMTH = ((239, 59), (246, 130), (255, 246))
"""Red, green and blue of no first move and of the most."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

Last = Mapping[str, When]
"""By board, when its latest game was played."""

_CSS = """
:root { color-scheme: light; }
body { font: 16px/1.5 system-ui, "Segoe UI", "DejaVu Sans", sans-serif; color: #1f2937;
  background: white; max-width: 66rem; margin: 2rem auto; padding: 0 1rem; }
h1 { margin-bottom: 0; } h2 { margin: 2rem 0 .5rem; border-bottom: 2px solid #e2e8f0; }
.made, .note { color: #475569; } .made { margin-top: .25rem; }
.facts { display: flex; flex-wrap: wrap; gap: 1rem; padding: 0; list-style: none; }
.facts li { border: 1px solid #cbd5e1; border-radius: .5rem; padding: .5rem 1rem; }
.facts b { display: block; font-size: 1.5rem; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
th, td { padding: .25rem .6rem; border-bottom: 1px solid #e2e8f0; text-align: right;
  font-variant-numeric: tabular-nums; white-space: nowrap; }
th { color: #475569; vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; white-space: normal; min-width: 11rem;
  overflow-wrap: anywhere; }
.positions { display: grid; grid-template-columns: repeat(auto-fill, minmax(17rem, 1fr));
  gap: 1.5rem; }
figure { margin: 0; } figure svg { display: block; border: 1px solid #cbd5e1; }
figcaption { margin-top: .5rem; } figcaption p { margin: .25rem 0; }
@media print {
  body { font-size: 10pt; max-width: none; margin: 0; padding: 0; }
  * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  .positions { grid-template-columns: repeat(3, 1fr); gap: 1rem; }
  figure svg { width: 38mm; height: 38mm; }
  h2 { break-after: avoid; } h2.page { break-before: page; } thead { display: table-header-group; }
  tr, figure, .facts { break-inside: avoid; } .scroll { overflow: visible; }
}
"""
"""For a screen and for print; it needs nothing but itself."""


def page(found: Stats, last: Last, positions: Sequence[MetPosition], chosen: str) -> str:
    """The whole page; chosen: which games, in words, empty for all."""
    parts = [_heading(found, chosen), _results(found), _boards(found.boards, last)]
    if any(found.first_moves):
        parts.append(_first_moves(found.first_moves))
    if positions:
        parts.append(_mistakes(positions))
        parts.append(_positions(positions))
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Noughts: a class report</title>\n<style>{_CSS}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _text(text: object) -> str:
    return escape(printable(str(text)))


def _table(table: Table) -> str:
    names = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.head)
    lines = [
        "<tr>" + "".join(f"<td>{_text(_shown(value))}</td>" for value in row) + "</tr>"
        for row in table.rows
    ]
    return (
        f'<div class="scroll"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


def _note(text: str) -> str:
    return f'<p class="note">{_text(text)}</p>'


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _heading(found: Stats, chosen: str) -> str:
    items = "".join(f"<li><b>{number}</b>{what}</li>" for number, what in figures.facts(found))
    which = f"Only {_text(chosen)}. " if chosen else ""
    made = timestamps.local(timestamps.now())
    return (
        "<h1>Noughts: a class report</h1>\n"
        f'<p class="made">{which}Made {made} with noughts {__version__}.</p>\n'
        f'<ul class="facts">{items}</ul>'
    )


def _results(found: Stats) -> str:
    return f"<h2>Results</h2>\n{_table(figures.results(found))}"


def _boards(boards: Sequence[BoardStats], last: Last) -> str:
    table = figures.boards(boards, last)
    return f"<h2>Boards</h2>\n{_table(table)}\n{_note(table.note)}"


def _first_moves(openings: Sequence[int]) -> str:
    total, most = sum(openings), max(openings)
    labels = {cell: f"{count / total:.0%}" for cell, count in enumerate(openings)}
    grounds = {cell: _warm(count / most) for cell, count in enumerate(openings)}
    return (
        "<h2>First moves</h2>\n<figure>"
        + drawn("." * 9, None, labels, grounds)
        + f"<figcaption>{figures.first_moves(openings)}</figcaption></figure>"
    )


def _warm(heat: float) -> str:
    """Never so dark that the label could not be read."""
    return "#{:02x}{:02x}{:02x}".format(
        *(round(cold + (warm - cold) * heat * 0.5) for cold, warm in _WARMTH)
    )


def _mistakes(positions: Sequence[MetPosition]) -> str:
    table = figures.mistakes(positions)
    return f"<h2>Mistakes</h2>\n{_note(table.note)}\n{_table(table)}"


def _positions(positions: Sequence[MetPosition]) -> str:
    shown = [_figure(each) for each in positions[:_SHOWN] if each.mistakes]
    if not shown:
        return "<h2>Positions to talk about</h2>\n<p>No person made a mistake.</p>"
    return (
        f'<h2 class="page">Positions to talk about</h2>\n{_note(figures.POSITIONS_NOTE)}\n'
        f'<div class="positions">\n{"".join(shown)}</div>'
    )


def _figure(met: MetPosition) -> str:
    position = met.position
    cell, _ = met.commonest_mistake
    labels = {each: str(each + 1) for each in position.free}
    labels |= {each: f"{each + 1} right" for each in met.right} | {cell: f"{cell + 1} wrong"}
    grounds = {**dict.fromkeys(met.right, _RIGHT), cell: _WRONG}
    how_many, wrong, right = figures.position(met)
    mover, rest = how_many.split(":", 1)
    return (
        f"<figure>{drawn(str(position), None, labels, grounds)}<figcaption>\n"
        f"<p><b>{mover}</b>:{rest}</p>\n<p>{wrong}</p>\n<p>{right}</p></figcaption></figure>\n"
    )
