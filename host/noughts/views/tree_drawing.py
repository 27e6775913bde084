"""The tree of a search, with the branches that alpha-beta cuts, drawn as SVG."""

from html import escape

from noughts.engines.search import INFINITE, Node, format_score
from noughts.game.board import Board
from noughts.markup import SIZE, board_elements

_BOARD, _ROW, _PLY, _MARGIN, _HEAD = 48, 58, 220, 16, 70
"""Pixels: a board, the distances between boards and between plies, the margin, the heading."""
_INK, _FAINT, _MOVED = "#0f172a", "#64748b", "#e2e8f0"


def tree_svg(tree: Node, about: str) -> str:
    """An SVG document of the whole tree, from the root on the left to the right, with a heading.

    Text next to each board shows the move that led to it, its value to the player who made it and,
    below that, the window in which alpha-beta searched it. A thick line leads to the move that is
    played, a dashed one to a move that was cut.
    """
    boards: list[str] = []
    lines: list[str] = []
    rows = _draw(tree, 0, 0, boards, lines)
    plies = max(node.position.ply for node in tree) - tree.position.ply
    width = max(_MARGIN * 2 + _PLY * (plies + 1), 620)
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
    "Next to a board: the move, and its value to the player who makes it. "
    "Thick: the move that is played."
)


def _draw(node: Node, ply: int, row: int, boards: list[str], lines: list[str]) -> int:
    """Draw a node and its descendants, from this row on; returns the number of rows."""
    x, y = _MARGIN + _PLY * ply, _HEAD + _ROW * row
    boards += _board(node, x, y)
    rows = 0
    for child in node.children:
        middle = y + _ROW * rows + _BOARD // 2
        # A first child is level with its parent: the line is a short straight one.
        start = f"M{x + _BOARD // 2} {y + _BOARD}V{middle}" if rows else f"M{x + _BOARD} {middle}"
        style = f'stroke="{_INK}" stroke-width="{3 if child.best else 1}"'
        if child.score is None:
            style = f'stroke="{_FAINT}" stroke-dasharray="4 4"'
        lines.append(f'<path d="{start}H{x + _PLY}" fill="none" {style}/>')
        rows += _draw(child, ply + 1, row + rows, boards, lines)
    return max(rows, 1)


def _board(node: Node, x: int, y: int) -> list[str]:
    faded = ' opacity="0.35"' if node.score is None else ""
    size = f'width="{_BOARD}" height="{_BOARD}" viewBox="0 0 {SIZE} {SIZE}"'
    moved = {} if node.cell is None else {node.cell: _MOVED}
    text_x = x + _BOARD + 8
    made = node.position.turn if node.cell is None else node.number
    text = f"{made}: {'✂ cut' if node.score is None else node.value}"
    colour, weight = (_FAINT, "normal") if node.score is None else (_INK, "bold")
    parts = [
        f'<svg x="{x}" y="{y}" {size}{faded}>',
        *board_elements(str(node.position), Board.of(node.position).winning_line or (), {}, moved),
        "</svg>",
        _text(text_x, y + 20, text, 13, colour, weight),
    ]
    if (node.alpha, node.beta) != (-INFINITE, INFINITE):
        window = f"window {format_score(node.alpha)} to {format_score(node.beta)}"
        parts.append(_text(text_x, y + 37, window, 11, _FAINT))
    return parts


def _text(x: int, y: int, text: str, size: int, colour: str, weight: str = "normal") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{colour}">'
        f"{text}</text>"
    )
