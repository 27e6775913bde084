"""A search's tree as an SVG picture: small boards, from the root on the left to the right.

Beside each board stand the move that led to it and what that is worth to who made it, and below
the window in which alpha-beta searched it. A thick line leads to the move that the search plays, a
dashed one to a move that it cut.
"""

from __future__ import annotations

from html import escape

from noughts.engines.search import INFINITE, format_score
from noughts.engines.tree import Node
from noughts.game import board_svg
from noughts.game.board import Board

_BOARD, _ROW, _PLY, _MARGIN, _HEAD = 48, 58, 200, 16, 70
"""Pixels: a board, from one to that below, from one ply to the next, the margin, the heading."""
_INK, _FAINT, _MOVED = "#0f172a", "#64748b", "#e2e8f0"
_BOARD_BYTES, _MARK_BYTES = 480, 86
"""About what a board takes in the picture, and each mark on it."""


def drawn(tree: Node, about: str) -> str:
    """An SVG document of the whole tree, with a heading."""
    boards: list[str] = []
    lines: list[str] = []
    rows = _draw(tree, 0, 0, boards, lines)
    width = max(_MARGIN * 2 + _PLY * (_plies(tree) + 1), 620)
    height = _HEAD + _ROW * rows + _MARGIN
    title = escape(f"{tree.position}: {about}")
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" font-family="sans-serif">',
            f"<title>{title}</title>",
            f'<rect width="{width}" height="{height}" fill="white"/>',
            _text(_MARGIN, 26, title, 16, _INK, "bold"),
            _text(_MARGIN, 48, _KEY, 12, _FAINT),
            *lines,
            *boards,
            "</svg>\n",
        ]
    )


_KEY = (
    "Beside a board: the move, and what it is worth to the player who makes it. "
    "Thick: the move that is played."
)


def estimated_bytes(tree: Node) -> int:
    """About how large the picture of a tree is."""
    return sum(_BOARD_BYTES + _MARK_BYTES * node.position.ply for node in tree)


def _plies(node: Node) -> int:
    return 1 + max(map(_plies, node.children)) if node.children else 0


def _draw(node: Node, ply: int, row: int, boards: list[str], lines: list[str]) -> int:
    """Draw a node and what is below it from a row on; how many rows that takes."""
    x, y = _place(ply, row)
    boards += _board(node, x, y)
    rows = 0
    for child in node.children:
        to_x, to_y = _place(ply + 1, row + rows)
        lines.append(_line(child, x + _BOARD // 2, y + _BOARD, to_x, to_y + _BOARD // 2))
        rows += _draw(child, ply + 1, row + rows, boards, lines)
    return max(rows, 1)


def _place(ply: int, row: int) -> tuple[int, int]:
    return _MARGIN + _PLY * ply, _HEAD + _ROW * row


def _line(node: Node, x: int, y: int, to_x: int, to_y: int) -> str:
    # A first child is level with its parent: the line is a short straight one.
    path = f"M{x + _BOARD // 2} {to_y}H{to_x}" if to_y < y else f"M{x} {y}V{to_y}H{to_x}"
    if node.score is None:
        style = f'stroke="{_FAINT}" stroke-dasharray="4 4"'
    else:
        style = f'stroke="{_INK}" stroke-width="{3 if node.best else 1}"'
    return f'<path d="{path}" fill="none" {style}/>'


def _board(node: Node, x: int, y: int) -> list[str]:
    whole = Board.of(node.position)
    faded = ' opacity="0.35"' if node.score is None else ""
    size = f'width="{_BOARD}" height="{_BOARD}" viewBox="0 0 {board_svg.SIZE} {board_svg.SIZE}"'
    moved = {} if node.cell is None else {node.cell: _MOVED}
    parts = board_svg.elements(str(node.position), whole.winning_line, {}, moved)
    beside = x + _BOARD + 8
    colour, weight = (_FAINT, "normal") if node.score is None else (_INK, "bold")
    texts = [_text(beside, y + 20, _worth(node), 13, colour, weight)]
    if node.score is not None and node.cell is not None:
        window = f"window {format_score(node.alpha)} to {format_score(node.beta)}"
        if (node.alpha, node.beta) != (-INFINITE, INFINITE):
            texts.append(_text(beside, y + 37, window, 11, _FAINT))
    return [f'<svg x="{x}" y="{y}" {size}{faded}>', *parts, "</svg>", *texts]


def _worth(node: Node) -> str:
    if node.cell is None:
        mover = "XO"[node.position.ply % 2]
        return f"{mover}: {format_score(-(node.score or 0))}"
    if node.score is None:
        return f"{node.cell + 1}: ✂ cut"
    return f"{node.cell + 1}: {node.bound and node.bound + ' '}{format_score(node.score)}"


def _text(x: int, y: int, text: str, size: int, colour: str, weight: str = "normal") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">'
        f"{text}</text>"
    )
