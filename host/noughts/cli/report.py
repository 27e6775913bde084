"""`noughts report`: a class's games as one page to read and print."""

from __future__ import annotations

import csv
import io
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from noughts import __version__
from noughts.cli import options
from noughts.errors import printable
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.store.people_moves import met_positions
from noughts.store.queries import last_games
from noughts.store.statistics import BoardStats, Stats, board_record, stats
from noughts.store.timestamps import UNKNOWN, When
from noughts.terminal.output import progress
from noughts.views.export_columns import plain_text
from noughts.views.game_filter import ChosenGames
from noughts.views.statistics import statistics
from noughts.web.pages import render

_PAGES = (".html", ".htm")

RECORDS = """
The page is one file that opens offline in any browser, and prints: results, a table of boards,
first moves, mistakes, and the positions in which people made most of them.

--csv, or a file that ends in .csv: one row per board. board, name; games; won, drawn and lost
against the chip; between_people (won or drawn); abandoned, unfinished; mistakes (of people, in
games that were won or drawn), mistakes_a_game; last_utc (when the latest game began), or
last_before_utc (of a recovered game: a moment at which it was over).
"""


@options.command(
    "noughts report -o 7b.html", "noughts report --since monday --csv -o class.csv", records=RECORDS
)
@options.output("the file to write, such as class.html (standard output, also as -)")
@click.option("--csv", "as_csv", is_flag=True, help="write the table of boards as CSV")
@options.stored_games
def run(output: Path | None, as_csv: bool, chosen: ChosenGames, db: Path | None) -> None:
    """Write a page on a class: results, mistakes."""
    path = None if output == Path("-") else output
    ending = path.suffix.lower() if path else ""
    as_csv = as_csv or ending == ".csv"
    if not as_csv and ending not in ("", *_PAGES):
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
    text = io.StringIO(newline="")
    rows = [_row(board, last.get(board.board, UNKNOWN)) for board in found.boards]
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()


def _row(board: BoardStats, when: When) -> dict[str, str | int | float | None]:
    """A board's row; no text in it is taken for a formula, a number or a day."""
    row = board_record(board)
    for name, value in row.items():
        if isinstance(value, str):
            row[name] = plain_text(value)
    rate = board.people.mistakes_a_game
    row["mistakes_a_game"] = None if rate is None else round(rate, 3)
    return row | {"last_utc": _utc(when.started), "last_before_utc": _utc(when.played_before)}


def _utc(at: int | None) -> str | None:
    return None if at is None else timestamps.iso(at)[:-1].replace("T", " ")
