"""A board as an SVG picture, for notebooks, lessons and pages; a table as HTML, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

_CELL = 60
SIZE = 3 * _CELL
"""Pixels, each way."""
_X, _O, _GRID, _LABEL, _WIN = "#c2410c", "#1d4ed8", "#64748b", "#475569", "#facc15"
_RADIUS = 18


def drawn(
    marks: str,
    line: tuple[int, ...] | None,
    labels: Mapping[int, object],
) -> str:
    """An SVG document of nine marks `X`, `O` and `.`; a line of cells; a label for each free cell.

    It has a white ground, so that it can be read on a dark page too.
    """
    title = escape(" / ".join(marks[row : row + 3] for row in (0, 3, 6)))
    size = f'width="{SIZE}" height="{SIZE}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {SIZE} {SIZE}" role="img">',
        f"<title>{title}</title>",
        *elements(marks, line, labels),
    ]
    return "\n".join([*parts, "</svg>\n"])


def elements(
    marks: str,
    line: tuple[int, ...] | None,
    labels: Mapping[int, object],
    grounds: Mapping[int, str] | None = None,
) -> list[str]:
    """What such a document consists of, to be put into another one; grounds: colours of cells."""
    parts = [f'<rect width="{SIZE}" height="{SIZE}" fill="white"/>']
    for cell, colour in {**(grounds or {}), **dict.fromkeys(line or (), _WIN)}.items():
        x, y = _corner(cell)
        parts.append(f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{colour}"/>')
    grid = " ".join(f"M{at} 0V{SIZE}M0 {at}H{SIZE}" for at in (_CELL, 2 * _CELL))
    parts.append(f'<path d="{grid}" stroke="{_GRID}" stroke-width="2"/>')
    for cell, mark in enumerate(marks):
        x, y = (at + _CELL // 2 for at in _corner(cell))
        if mark == "X":
            reach = f"M{x - _RADIUS} {y - _RADIUS}l{2 * _RADIUS} {2 * _RADIUS}m0 {-2 * _RADIUS}"
            path = f"{reach}l{-2 * _RADIUS} {2 * _RADIUS}"
            parts.append(f'<path d="{path}" stroke="{_X}" stroke-width="6" fill="none"/>')
        elif mark == "O":
            parts.append(
                f'<circle cx="{x}" cy="{y}" r="{_RADIUS}" stroke="{_O}" stroke-width="6" '
                'fill="none"/>'
            )
        elif cell in labels:
            parts.append(
                f'<text x="{x}" y="{y}" fill="{_LABEL}" font-family="sans-serif" font-size="14" '
                'text-anchor="middle" dominant-baseline="central">'
                f"{escape(str(labels[cell]))}</text>"
            )
    return parts


def _corner(cell: int) -> tuple[int, int]:
    return cell % 3 * _CELL, cell // 3 * _CELL


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table, as a notebook shows it.

    >>> table_html(["engine"], [["hard"]])
    '<table><tr><th>engine</th></tr><tr><td>hard</td></tr></table>'
    """
    lines = [("th", head), *(("td", row) for row in rows)]
    cells = ["".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row) for tag, row in lines]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
