"""`noughts stats` and `report`: the stored games of a class, counted."""

import csv
import io
import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from textwrap import fill

import click

from noughts import __version__
from noughts.cli import options
from noughts.errors import printable
from noughts.protocol.describe import counted
from noughts.store import timestamps
from noughts.store.game_filter import GameFilter
from noughts.store.queries import last_games
from noughts.store.statistics import Stats, board_record, met_positions, stats
from noughts.store.stored_game import RESULTS
from noughts.store.timestamps import When
from noughts.terminal.layout import grid, table
from noughts.terminal.plots import FORMATS, draw_statistics
from noughts.views import class_report
from noughts.views.export_columns import plain_text
from noughts.views.game_list import describe
from noughts.views.table import Table

_PLAYER = "games", "moves", "mistakes", "mistakes_a_game"


@options.command("noughts stats", "noughts stats --seats PH --plot stats.png")
@options.as_json("the statistics")
@options.output(
    "plot them to this file, .png or .svg",
    "--plot",
    endings=FORMATS,
)
@options.stored_games
def run_stats(as_json: bool, plot: Path | None, game_filter: GameFilter, db: Path | None) -> None:
    """Count results, first moves and mistakes."""
    with options.open_store(db) as store:
        totals = stats(store, game_filter)
        if not totals.games and (plot or not as_json):
            raise options.nothing_found(store)
    if plot is not None:
        draw_statistics(totals, plot)
    if as_json:
        print(json.dumps(_record(totals)))
        return
    _print(totals)
    if plot is not None:
        print("\n" + printable(f"{plot} written"))


def _print(totals: Stats) -> None:
    origins = ((totals.recovered, "recovered"), (totals.by_radio, "with last moves by radio only"))
    of_these = "".join(f", {number:,} {how}" for number, how in origins if number)
    print(f"{counted(totals.games, 'game')}{of_these}")
    _print_table(class_report.results(totals))
    if any(totals.first_moves):
        print("\nFirst moves of people, in games that were won or drawn\n")
        print(grid(class_report.first_moves(totals.first_moves).labels))
    _print_table(class_report.lengths(totals))
    _print_table(class_report.boards(totals, {}), without=("not_ended", "last_games"))
    _print_table(class_report.players(totals))
    print(f"\n{fill(class_report.MISTAKE, 80)}")


def _print_table(content: Table, without: Sequence[str] = ()) -> None:
    heading = f"{content.caption}: {content.note}" if content.note else content.caption
    print("", fill(heading, 80), "", *table(content, without), sep="\n")


def _record(totals: Stats) -> dict[str, object]:
    return {
        "games": totals.games,
        "told_late": totals.recovered,
        "by_radio": totals.by_radio,
        "results": [
            {"seats": seats, "first": first, "games": ends.total()}
            | {name: ends[end] for name, end in RESULTS.items()}
            for (seats, first), ends in totals.results.items()
        ],
        "first_moves": totals.first_moves,
        "lengths": {length: totals.lengths[length] for length in range(5, 10)},
        "boards": [board_record(board) for board in class_report.boards_by_name(totals)],
        "players": {
            seat: {name: getattr(player, name) for name in _PLAYER}
            | {"thought_ms": player.quartiles_ms()}
            for seat, player in totals.players.items()
        },
    }


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
            from noughts.web.pages import render

            text = render(
                "report.html",
                found=class_report.statistics(totals, last, met_positions(store, game_filter)),
                game_filter=describe(game_filter),
                made=timestamps.local(timestamps.now()),
                version=__version__,
            )
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
