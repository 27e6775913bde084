"""The boards of `noughts watch` as tiles: the marks of each, who plays, and the score."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from rich import box
from rich.cells import cell_len
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from noughts.errors import printable
from noughts.protocol.describe import name_key, result, score, seated
from noughts.terminal.palette import PLAYERS, as_ascii
from noughts.watch.session import BoardState

MIN_WIDTH = 26
"""Room for `person against medium` between the borders."""
_HEIGHT = 6


def shown(text: str, plain: bool) -> str:
    """Text that is safe for the terminal; `plain`: in ASCII, as far as it is ours."""
    text = "\n".join(map(printable, text.split("\n")))
    return as_ascii(text) if plain else text


def in_order(boards: Iterable[BoardState], called: Callable[[str], str]) -> list[BoardState]:
    """The boards by name, `table 2` before `table 10`."""
    return sorted(boards, key=lambda board: name_key(called(board.name)))


def fitted(text: str, room: int) -> str:
    """Text cut to so many columns: at its end, or a path or URL at its beginning."""
    if cell_len(text) <= room:
        return text
    if "/" in text or "\\" in text:
        return "…" + text[-max(room - 1, 1) :]
    line = Text(text)
    line.truncate(max(room, 1), overflow="ellipsis")
    return line.plain


def tiles(
    boards: Sequence[BoardState], called: Callable[[str], str], width: int, plain: bool
) -> Table:
    """The boards in as many columns as fit, which fill the width."""
    count = max(1, min(width // MIN_WIDTH, len(boards)))
    widths = [width // count + (column < width % count) for column in range(count)]
    table = Table.grid()
    for column in widths:
        table.add_column(width=column)
    for row in range(0, len(boards), count):
        table.add_row(
            *(
                _tile(board, called(board.name), room, plain)
                for board, room in zip(boards[row : row + count], widths, strict=False)
            )
        )
    return table


def _tile(board: BoardState, name: str, width: int, plain: bool) -> Panel:
    text = Text(no_wrap=True, overflow="ellipsis")
    text.append_text(_opponents(board)).append("\n")
    for row, fact in zip(_marks(board, plain), _facts(board), strict=True):
        text.append_text(row).append(f"  {fact}\n")
    text.right_crop(1)
    kind = board.boot.board if board.boot else ""
    title = f"{fitted(name, width - 7 - len(kind))} {kind}".strip()
    return Panel(
        text,
        box.ASCII if plain else box.ROUNDED,
        title=Text(shown(title, plain)),
        subtitle=Text(score(board.score)) if board.score.total() else None,
        width=width,
        height=_HEIGHT,
        style="" if board.connected else "dim",
        padding=(0, 1),
    )


def _opponents(board: BoardState) -> Text:
    if board.room_offline:
        return Text("room offline")
    if not board.connected:
        return Text("gateway unplugged" if board.gateway else "unplugged")
    if board.game is None:
        return Text("in the menu" if board.boot else "waiting for a game")
    a, b = map(seated, board.game.seats)
    return Text.assemble((a, PLAYERS["A"]), " against ", (b, PLAYERS["B"]))


def _facts(board: BoardState) -> tuple[str, str, str]:
    noise = f"noise {board.noise}" if board.noise else ""
    game = board.game
    if not board.connected or game is None:
        return ("", "", noise)
    turn = result(game) if game.end != "-" else f"{game.player(len(game.moves))}'s turn"
    return (f"game {board.number}", turn, noise)


def _marks(board: BoardState, plain: bool) -> list[Text]:
    cells = [Text(shown("·", plain), style="dim") for _ in range(9)]
    if board.game is not None:
        for ply, cell in enumerate(board.game.moves):
            player = board.game.player(ply)
            last = ply == len(board.game.moves) - 1
            cells[cell] = Text(player, style=PLAYERS[player] + " reverse" * last)
    return [Text(" ").join(cells[row : row + 3]) for row in (0, 3, 6)]
