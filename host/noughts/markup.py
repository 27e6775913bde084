"""A board as SVG, and a table as HTML: for files and notebooks.

A picture in a file has its colours in itself. Those on pages get theirs from a stylesheet, which
follows dark mode and forced colours; so `web/pages/macros.html` draws boards otherwise.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from html import escape

_CELL = 60
SIZE = 3 * _CELL
"""Of a picture, in pixels each way."""
X_COLOUR, O_COLOUR = "#c2410c", "#1d4ed8"
"""On white; pages have the same in `web/static/colours.css`."""
_WIN = "#facc15"
_GRID = '<path d="M60 0V180M0 60H180M120 0V180M0 120H180" stroke="#64748b" stroke-width="2"/>'
_MARKS = {
    "X": '<path d="M{x} {y}m-18 -18l36 36m0 -36l-36 36" '
    f'stroke="{X_COLOUR}" stroke-width="6"/>',
    "O": f'<circle cx="{{x}}" cy="{{y}}" r="18" stroke="{O_COLOUR}" stroke-width="6" fill="none"/>',
}
_LABEL = (
    '<text x="{x}" y="{y}" fill="#475569" font-family="sans-serif" font-size="14" '
    'text-anchor="middle" dominant-baseline="central">{text}</text>'
)


def board_svg(
    marks: str, winning_cells: Collection[int], labels: Mapping[int, object] | None = None
) -> str:
    """A board as an SVG document.

    marks: nine of X, O and `.`. labels: texts for free cells, such as their values.
    """
    title = " / ".join(marks[row : row + 3] for row in (0, 3, 6))
    size = f'width="{SIZE}" height="{SIZE}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {SIZE} {SIZE}"'
    elements = board_elements(marks, winning_cells, labels or {})
    return "\n".join([f'{head} role="img">', f"<title>{title}</title>", *elements, "</svg>\n"])


def board_elements(
    marks: str,
    winning_cells: Collection[int],
    labels: Mapping[int, object],
    backgrounds: Mapping[int, str] | None = None,
) -> list[str]:
    """The elements of a board's picture; backgrounds: colours of cells.

    The whole background is white, so that it can be read on a dark page too.
    """
    elements = [f'<rect width="{SIZE}" height="{SIZE}" fill="white"/>']
    colours = {**(backgrounds or {}), **dict.fromkeys(winning_cells, _WIN)}
    for cell, colour in colours.items():
        x, y = cell % 3 * _CELL, cell // 3 * _CELL
        elements.append(f'<rect x="{x}" y="{y}" width="{_CELL}" height="{_CELL}" fill="{colour}"/>')
    elements.append(_GRID)
    for cell, mark in enumerate(marks):
        x, y = cell % 3 * _CELL + _CELL // 2, cell // 3 * _CELL + _CELL // 2
        if mark in _MARKS or cell in labels:
            text = escape(str(labels.get(cell, "")))
            elements.append(_MARKS.get(mark, _LABEL).format(x=x, y=y, text=text))
    return elements


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """An HTML table for a notebook.

    >>> table_html(["engine"], [["hard"]])
    '<table><tr><th>engine</th></tr><tr><td>hard</td></tr></table>'
    """
    lines = [("th", head), *(("td", row) for row in rows)]
    cells = ["".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in row) for tag, row in lines]
    return f"<table>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>"
