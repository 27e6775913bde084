"""`noughts stats` and `report`: what the stored games say of a class."""

from __future__ import annotations

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import click

from noughts import __version__
from noughts.cli import options
from noughts.cli.options import option
from noughts.errors import printable
from noughts.protocol.describe import counted, seated
from noughts.store import timestamps
from noughts.store.queries import last_games
from noughts.store.statistics import (
    Stats,
    board_record,
    in_order,
    met_positions,
    players_in_order,
    stats,
)
from noughts.store.stored_game import RESULTS
from noughts.store.timestamps import UNKNOWN, When
from noughts.terminal.layout import columns, grid
from noughts.terminal.output import progress
from noughts.terminal.plots import FORMATS, draw_statistics
from noughts.views.export_columns import plain_text
from noughts.views.game_filter import ChosenGames
from noughts.views.statistics import players, statistics
from noughts.views.table import Value, shown

_BAR = 30
_OF_BOARD = "games", "won", "drawn", "lost", "between_people", "mistakes", "mistakes_a_game"
_OF_PLAYER = "games", "moves", "mistakes", "mistakes_a_game"
_WARMTH = ((40, 245), (50, 190), (75, 80))
"""Red, green and blue of no first move and of the most."""
_STATS = """
--json prints one object: games; told_late (those of them that are only known to have been over at
some moment); by_radio (those that are known from the radio alone); results (a list: seats, first,
games, A, B, draw, abandoned, unfinished); first_moves (of people, in games that were won or drawn:
nine counts, cells in reading order); lengths (moves: games that were won or drawn); boards (a list:
board, name, games, won, drawn and lost against the chip, between_people, abandoned, unfinished,
mistakes and mistakes_a_game of people); players (by seat: games, moves, mistakes and
mistakes_a_game in games that were won or drawn; thought_ms: the quartiles of the time from the move
before to this one, or null).
"""
_REPORT = """
The page is one file that opens offline in any browser, and prints: results, a table of boards,
first moves, mistakes, and the positions in which people made most of them.

--csv, or a file that ends in .csv: one row per board. board, name; games; won, drawn and lost
against the chip; between_people (won or drawn); abandoned, unfinished; mistakes (of people, in
games that were won or drawn), mistakes_a_game; last_utc (when the latest game began), or
last_before_utc (of a recovered game: a moment at which it was over).
"""


@options.command("noughts stats", "noughts stats --seats PH --plot stats.png", records=_STATS)
@options.as_json("the statistics")
@options.output("plot them into this file, .png or .svg", "--plot FILE", endings=FORMATS)
@options.stored_games
def run_stats(as_json: bool, plot: Path | None, chosen: ChosenGames, db: Path | None) -> None:
    """Count results, first moves and mistakes."""
    with options.open_store(db) as store:
        found = stats(store, chosen.filter())
        if not found.games and (plot or not as_json):
            raise options.nothing_found(store)
    if plot is not None:
        draw_statistics(found, plot)
    if as_json:
        print(json.dumps(_record(found)))
        return
    _print(found)
    if plot is not None:
        print("\n" + printable(f"{plot} written"))


def _print(found: Stats) -> None:
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
    if moved := sum(found.first_moves):
        print("\nFirst moves of people, in games that were won or drawn\n")
        _print_heat([count / moved for count in found.first_moves])
    if ended := found.lengths.total():
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
    print(
        "\nA game between two people counts once for each of them. "
        "A mistake is a move that turns a win into a draw or a loss, or a draw into a loss."
    )


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
    from rich.text import Text

    console = Console(highlight=False)
    for row in (0, 3, 6):
        grounds = [_warm(share / max(shares)) for share in shares[row : row + 3]]
        for texts in (("", "", ""), labels[row : row + 3], ("", "", "")):
            cells = zip((text.center(8) for text in texts), grounds, strict=True)
            console.print(Text.assemble(*cells))


def _warm(heat: float) -> str:
    ground = "#{:02x}{:02x}{:02x}".format(*(round(a + (b - a) * heat) for a, b in _WARMTH))
    return f"{'black' if heat > 0.5 else 'white'} on {ground}"


def _record(found: Stats) -> dict[str, object]:
    return {
        "games": found.games,
        "told_late": found.told_late,
        "by_radio": found.by_radio,
        "results": [
            {"seats": seats, "first": first, "games": ends.total()}
            | {name: ends[end] for name, end in RESULTS.items()}
            for seats, first, ends in in_order(found)
        ],
        "first_moves": found.first_moves,
        "lengths": {length: found.lengths[length] for length in range(5, 10)},
        "boards": [board_record(board) for board in found.boards],
        "players": {
            seat: {name: getattr(player, name) for name in _OF_PLAYER}
            | {"thought_ms": player.quartiles_ms()}
            for seat, player in players_in_order(found)
        },
    }


@options.command(
    "noughts report -o 7b.html", "noughts report --since monday --csv -o class.csv", records=_REPORT
)
@options.output("the file to write, such as class.html (standard output, also as -)")
@option("--csv", "write the table of boards as CSV", "as_csv")
@options.stored_games
def run_report(output: Path | None, as_csv: bool, chosen: ChosenGames, db: Path | None) -> None:
    """Write a page on a class: results, mistakes."""
    path = None if output == Path("-") else output
    ending = path.suffix.lower() if path else ""
    as_csv = as_csv or ending == ".csv"
    if not as_csv and ending not in ("", ".html", ".htm"):
        raise click.UsageError(
            f"a report is HTML; end the name in .html instead of {ending}, or say --csv"
        )
    if output is None and not as_csv and sys.stdout.isatty():
        raise click.UsageError(
            "a report is a page for a browser; name a file with -o, such as -o class.html"
        )
    which = chosen.filter()
    with options.open_store(db) as store, progress(1 if as_csv else 2, "passes") as steps:
        steps.doing("counting")
        found = stats(store, which)
        if not found.games:
            raise options.nothing_found(store)
        last = last_games(store, which)
        steps.advance(1)
        if as_csv:
            text = _csv(found, last)
        else:
            from noughts.web.pages import render

            text = render(
                "report.html",
                found=statistics(found, last, met_positions(store, which)),
                chosen=chosen.describe(),
                made=timestamps.local(timestamps.now()),
                version=__version__,
            )
            steps.advance(1)
    with options.opened(path) as file:
        file.write(text.encode())
    if path is not None and path.is_file():
        boards = counted(len(found.boards), "board")
        print(printable(f"{path} written: {counted(found.games, 'game')} on {boards}"))


def _csv(found: Stats, last: Mapping[str, When]) -> str:
    """A row for each board; no text in it is taken for a formula, a number or a day."""
    rows = []
    for board in found.boards:
        record = board_record(board)
        row = {
            key: plain_text(each) if isinstance(each, str) else each for key, each in record.items()
        }
        rate, when = board.people.mistakes_a_game, last.get(board.board, UNKNOWN)
        row["mistakes_a_game"] = None if rate is None else round(rate, 3)
        row |= {"last_utc": _utc(when.started), "last_before_utc": _utc(when.played_before)}
        rows.append(row)
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _utc(at: int | None) -> str | None:
    return None if at is None else timestamps.iso(at)[:-1].replace("T", " ")
