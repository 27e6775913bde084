"""`noughts stats`: the stored games of a class, counted."""

import json
from collections.abc import Sequence
from pathlib import Path
from textwrap import fill

from noughts.cli import options
from noughts.errors import printable
from noughts.protocol.describe import counted
from noughts.store.game_filter import GameFilter
from noughts.store.statistics import Stats, board_record, stats
from noughts.store.stored_game import RESULTS
from noughts.terminal.layout import grid, table
from noughts.terminal.plots import FORMATS, draw_statistics
from noughts.views import class_report
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
