"""`noughts report`: a page about a class, or its table of boards."""

import csv
import io
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from noughts.cli import options
from noughts.errors import printable
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.store.game_filter import GameFilter
from noughts.store.queries import last_games
from noughts.store.statistics import Stats, board_record, met_positions, stats
from noughts.store.timestamps import When
from noughts.views import class_report
from noughts.views.export_columns import plain_text
from noughts.views.game_list import describe


@options.command("noughts report -o 7b.html", "noughts report --since monday --csv -o class.csv")
@options.output("the file to write, such as class.html (default, or -: standard output)")
@click.option(
    "--csv",
    "as_csv",
    is_flag=True,
    help="write the table of boards as CSV (see docs/scripts.md)",
)
@options.stored_games
def run_report(output: Path | None, as_csv: bool, game_filter: GameFilter, db: Path | None) -> None:
    """Write a page about a class."""
    ending = output.suffix.lower() if output else ""
    as_csv = as_csv or ending == ".csv"
    if not as_csv and ending not in ("", ".html", ".htm"):
        raise click.UsageError("a report is HTML; end the name in .html, or add --csv")
    if not (as_csv or output) and sys.stdout.isatty():
        raise click.UsageError("a report is for a browser; name a file, such as -o class.html")
    with options.open_store(db) as store:
        totals = stats(store, game_filter)
        if not totals.games:
            raise options.nothing_found(store)
        last = last_games(store, game_filter)
        if as_csv:
            text = _csv(totals, last)
        else:
            from noughts.web.report import report_page  # templates take time to import

            positions = met_positions(store, game_filter)
            figures = class_report.statistics(totals, last, positions)
            text = report_page(figures, describe(game_filter))
    with options.opened(output) as file:
        file.write(text.encode())
    if output is not None and output.is_file():
        boards = counted(len(totals.boards), "board")
        print(printable(f"{output} written: {counted(totals.games, 'game')} on {boards}"))


def _csv(totals: Stats, last: Mapping[str, When]) -> str:
    """One row per board; no text in it can be mistaken for a formula, a number or a date."""
    rows: list[dict[str, object]] = []
    for board in class_report.boards_by_name(totals):
        names = {"board": plain_text(board.board), "name": plain_text(board.name)}
        rate = board.people.mistakes_a_game
        times = zip(("last_utc", "last_before_utc"), last.get(board.board, When()), strict=True)
        ended = {name: at and timestamps.utc(at) for name, at in times}
        rounded = {"mistakes_a_game": rate and round(rate, 3)}
        rows.append({**board_record(board), **names, **rounded, **ended})
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue()
