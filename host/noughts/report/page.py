"""The page: results, a table of boards, first moves, mistakes, and positions to talk about.

It is one file: style and pictures are in it, nothing is loaded, and nothing runs. All text that
comes from the store or the command line goes through `_text`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from noughts import __version__
from noughts.errors import printable
from noughts.game.board import drawn
from noughts.store import timestamps
from noughts.store.people_moves import MetPosition
from noughts.store.statistics import Stats
from noughts.store.timestamps import When
from noughts.views.statistics import FirstMoves, PositionToTalkAbout, Statistics, statistics
from noughts.views.table import Table

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
    shown = statistics(found, last, positions)
    parts = [
        _heading(shown, chosen),
        f"<h2>Results</h2>\n{_table(shown.results)}",
        f"<h2>Boards</h2>\n{_table(shown.boards)}\n{_note(shown.boards.note)}",
    ]
    if shown.first_moves:
        parts.append(_first_moves(shown.first_moves))
    if positions:
        mistakes = shown.mistakes
        parts.append(f"<h2>Mistakes</h2>\n{_note(mistakes.note)}\n{_table(mistakes)}")
        parts.append(_positions(shown))
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
    names = "".join(f'<th scope="col">{_text(name)}</th>' for name in table.titles)
    lines = [
        "<tr>" + "".join(f"<td>{_text(value)}</td>" for value in row) + "</tr>"
        for row in table.shown()
    ]
    return (
        f'<div class="scroll"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


def _note(text: str) -> str:
    return f'<p class="note">{_text(text)}</p>'


def _heading(found: Statistics, chosen: str) -> str:
    items = "".join(f"<li><b>{number}</b>{what}</li>" for number, what in found.facts)
    which = f"Only {_text(chosen)}. " if chosen else ""
    made = timestamps.local(timestamps.now())
    return (
        "<h1>Noughts: a class report</h1>\n"
        f'<p class="made">{which}Made {made} with noughts {__version__}.</p>\n'
        f'<ul class="facts">{items}</ul>'
    )


def _first_moves(found: FirstMoves) -> str:
    most = max(found.counts)
    grounds = {cell: _warm(count / most) for cell, count in enumerate(found.counts)}
    return (
        "<h2>First moves</h2>\n<figure>"
        + drawn("." * 9, None, dict(enumerate(found.shares)), grounds)
        + f"<figcaption>{found.text}</figcaption></figure>"
    )


def _warm(heat: float) -> str:
    """Never so dark that the label could not be read."""
    return "#{:02x}{:02x}{:02x}".format(
        *(round(cold + (warm - cold) * heat * 0.5) for cold, warm in _WARMTH)
    )


def _positions(found: Statistics) -> str:
    if not found.positions:
        return "<h2>Positions to talk about</h2>\n<p>No person made a mistake.</p>"
    shown = "".join(map(_figure, found.positions))
    return (
        f'<h2 class="page">Positions to talk about</h2>\n{_note(found.positions_note)}\n'
        f'<div class="positions">\n{shown}</div>'
    )


def _figure(found: PositionToTalkAbout) -> str:
    labels = {cell: str(cell + 1) for cell, mark in enumerate(found.marks) if mark == "."}
    labels |= {cell: f"{cell + 1} right" for cell in found.right}
    labels |= {found.wrong: f"{found.wrong + 1} wrong"}
    grounds = {**dict.fromkeys(found.right, _RIGHT), found.wrong: _WRONG}
    how_many, wrong, right = found.text
    mover, rest = how_many.split(":", 1)
    return (
        f"<figure>{drawn(found.marks, None, labels, grounds)}<figcaption>\n"
        f"<p><b>{mover}</b>:{rest}</p>\n<p>{wrong}</p>\n<p>{right}</p></figcaption></figure>\n"
    )
