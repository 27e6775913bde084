"""`noughts stats`: statistics of the stored games."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from noughts.cli import options
from noughts.errors import printable
from noughts.protocol.describe import counted, seated
from noughts.store.statistics import (
    Stats,
    board_record,
    in_order,
    players_in_order,
    stats,
)
from noughts.store.stored_game import RESULTS
from noughts.terminal.layout import columns, grid
from noughts.terminal.plots import FORMATS, draw_statistics
from noughts.views.game_filter import ChosenGames
from noughts.views.statistics import players
from noughts.views.table import Value, shown

_BAR = 30
_OF_BOARD = "games", "won", "drawn", "lost", "between_people", "mistakes", "mistakes_a_game"
_WARMTH = ((40, 245), (50, 190), (75, 80))
"""Red, green and blue of no first move and of the most."""

RECORDS = """
--json prints one object: games; told_late (those of them that are only known to have been over at
some moment); by_radio (those that are known from the radio alone); results (a list: seats, first,
games, A, B, draw, abandoned, unfinished); first_moves (of people, in games that were won or drawn:
nine counts, cells in reading order); lengths (moves: games that were won or drawn); boards (a list:
board, name, games, won, drawn and lost against the chip, between_people, abandoned, unfinished,
mistakes and mistakes_a_game of people); players (by seat: games, moves, mistakes and
mistakes_a_game in games that were won or drawn; thought_ms: the quartiles of the time from the move
before to this one, or null).
"""


@options.command("noughts stats", "noughts stats --seats PH --plot stats.png", records=RECORDS)
@options.as_json("the statistics")
@options.output("plot them into this file, .png or .svg", "--plot", endings=FORMATS)
@options.stored_games
def run(as_json: bool, plot: Path | None, chosen: ChosenGames, db: Path | None) -> None:
    """Count results, first moves and mistakes."""
    with options.open_store(db) as store:
        found = stats(store, chosen.filter())
        if not found.games and (plot or not as_json):
            raise options.nothing_found(store)
    if plot is not None:
        draw_statistics(found, plot)
    if as_json:
        print(json.dumps(_record(found)))
    else:
        _tell(found)
        if plot is not None:
            print("\n" + printable(f"{plot} written"))


def _tell(found: Stats) -> None:
    origins = ((found.told_late, "recovered"), (found.by_radio, "by radio alone"))
    of_these = "".join(f", {number:,} {how}" for number, how in origins if number)
    print(f"{counted(found.games, 'game')}{of_these}\n")
    _print_columns(
        ("A", "B", "first", "games", "A won", "B won", "draw", "abandoned", "unfinished"),
        [
            (*map(seated, seats), first, ends.total(), *(ends[end] for end in RESULTS.values()))
            for seats, first, ends in in_order(found)
        ],
        left=3,
    )
    moved = sum(found.first_moves)
    if moved:
        print("\nFirst moves of people, in games that were won or drawn\n")
        _print_heat([count / moved for count in found.first_moves])
    ended = found.lengths.total()
    if ended:
        print("\nMoves in games that were won or drawn\n")
        most = max(found.lengths.values())
        for length in range(5, 10):
            count = found.lengths[length]
            bar = "#" * round(_BAR * count / most)
            print(f"{length}  {count:>{len(f'{ended:,}')},}  {bar}".rstrip())
    print("\nBoards: games of people against the chip, and between two people\n")
    _print_columns(
        ("", "games", "won", "drawn", "lost", "two people", "mistakes", "a game"),
        [
            (board.called, *(board_record(board)[key] for key in _OF_BOARD))
            for board in found.boards
        ],
    )
    print("\nPlayers: games that were won or drawn; seconds for a move, in all games\n")
    table = players(found)
    _print_columns(table.titles, table.rows)
    print("\nA game between two people counts once for each of them.", end="")
    print(" A mistake is a move that turns a win into a draw or a loss, or a draw into a loss.")


def _print_columns(head: Sequence[str], rows: Sequence[Sequence[Value]], left: int = 1) -> None:
    texts = [[shown(value, "-") for value in row] for row in rows]
    print("\n".join(columns([head, *texts], right=range(left, len(head)))))


def _print_heat(shares: list[float]) -> None:
    """A 3x3 map: the larger the share, the warmer; without a terminal, the numbers alone."""
    labels = [f"{share:.0%}" for share in shares]
    if not sys.stdout.isatty():
        print(grid(labels))
        return
    from rich.console import Console
    from rich.style import Style
    from rich.text import Text

    most = max(shares)
    console = Console(highlight=False)
    for row in (0, 3, 6):
        cells = [
            Style(color="black" if heat > 0.5 else "white", bgcolor=_warm(heat))
            for heat in (share / most for share in shares[row : row + 3])
        ]
        for texts in (("", "", ""), labels[row : row + 3], ("", "", "")):
            line = Text()
            for text, style in zip(texts, cells, strict=True):
                line.append(text.center(8), style)
            console.print(line)


def _warm(heat: float) -> str:
    return "#{:02x}{:02x}{:02x}".format(*(round(a + (b - a) * heat) for a, b in _WARMTH))


def _record(found: Stats) -> dict[str, object]:
    return {
        "games": found.games,
        "told_late": found.told_late,
        "by_radio": found.by_radio,
        "results": [
            {"seats": seats, "first": first, "games": sum(results.values())}
            | {name: results[end] for name, end in RESULTS.items()}
            for seats, first, results in in_order(found)
        ],
        "first_moves": found.first_moves,
        "lengths": {length: found.lengths[length] for length in range(5, 10)},
        "boards": [board_record(board) for board in found.boards],
        "players": {
            seat: {
                "games": player.games,
                "moves": player.moves,
                "mistakes": player.mistakes,
                "mistakes_a_game": player.mistakes_a_game,
                "thought_ms": player.quartiles_ms(),
            }
            for seat, player in players_in_order(found)
        },
    }
