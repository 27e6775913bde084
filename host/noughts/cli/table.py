"""`noughts table` and `learn`: the chip's brain, against random play or against your players."""

import json
from datetime import date
from pathlib import Path

import click

from noughts import brain
from noughts.brain import learn
from noughts.brain.device import device_dir
from noughts.brain.learn import Habits
from noughts.cli import options
from noughts.errors import NoughtsError, printable
from noughts.files import atomic_write, read_small
from noughts.invocation import as_typed, quoted
from noughts.protocol.describe import counted
from noughts.store.game_filter import GameFilter
from noughts.store.statistics import people_games
from noughts.terminal.layout import board, columns, side_by_side

_LEARNED = b"# noughts: hard's brain, made by `noughts learn`"
_SUMMARY = """\
positions       {positions:,} reachable, {unfinished:,} unfinished
up to symmetry  {classes} reachable, {unfinished_classes} unfinished, {quiet_classes} of them quiet
table           {payload_bytes} bytes: 10 weights, {book_entries} in the book
table id        {table_id}
against random  wins {wins_first} moving first, {wins_second} moving second; never loses"""
_LEARNED_SUMMARY = """\
table {table_id} was made by `noughts learn`: {payload_bytes} bytes, {book_entries} in the book"""
_SHOWN = 6


@options.command("noughts table --check")
@options.output("the table file (device/table.py)", endings=[".py"])
@click.option(
    "--check",
    is_flag=True,
    help="write nothing; exit 1 unless the file is the generated table, or a learned one that "
    "never loses",
)
@options.as_json("the summary")
def run_table(output: Path | None, check: bool, as_json: bool) -> None:
    """Make or check the table the chip plays by."""
    path = output or device_dir() / "table.py"
    new_table = brain.make_table()
    brain.check(new_table)
    content = brain.source(new_table).encode()
    facts, summary = brain.summary(new_table), _SUMMARY
    done = "is up to date" if check else "written"
    if not check:
        atomic_write(path, content)
    elif (present := read_small(path)).startswith(_LEARNED):
        table = brain.parse_table(present.decode("latin-1"), str(path))
        brain.prove(table)
        facts = {
            "payload_bytes": len(table.payload),
            "book_entries": len(table.book),
            "table_id": table.id,
            "never_loses": True,
        }
        summary = _LEARNED_SUMMARY
        done = "never loses, and keeps the value of all 4,520 positions"
    elif present != content:
        make = f"noughts table -o {quoted(str(path))}" if output else "noughts table"
        raise NoughtsError(f"{path} differs from the table that is generated; run `{make}`")
    if as_json:
        print(json.dumps(facts))
    else:
        print(summary.format(**facts))
        print(printable(f"{path} {done}"))


@options.command("noughts learn", "noughts learn --since monday -o table.py")
@options.output("write the table here", endings=[".py"])
@options.as_json("what was learned")
@options.stored_games
def run_learn(output: Path | None, as_json: bool, game_filter: GameFilter, db: Path | None) -> None:
    """Make the chip win more against your players."""
    with options.open_store(db) as store:
        games = list(people_games(store, game_filter))
        if not games:
            raise options.nothing_found(store)
    habits, hard = Habits(games), brain.make_table()
    table = learn.fit(habits)
    brain.prove(table)
    estimated = learn.estimate(games, hard)
    changed, missed = learn.changes(hard, table, habits), learn.left_out(table, habits)
    if output:
        aim = (
            f"the people of {counted(habits.games, 'game')} ({counted(habits.moves, 'move')} of "
            f"theirs), learned from on {date.today()}"
        )
        atomic_write(output, brain.source(table, "noughts learn", aim).encode())
    if not as_json:
        _print(habits, table, estimated, changed, missed)
        if output:
            send = as_typed(f"`noughts put --table {output}`")
            print(printable(f"{output} written; {send} sends it to a board"))
        return
    record = {
        "games": habits.games,
        "moves": habits.moves,
        "habits": [
            {
                "kind": ready.kind,
                "could": ready.opportunities,
                "did": ready.played_share,
                "by_chance": ready.by_chance,
            }
            for ready in habits.readiness()
        ],
        "before": estimated and estimated.chance_before,
        "after": estimated and estimated.chance_after,
        "gain": estimated and estimated.gain,
        "most": learn.best(habits),
        "table": {"id": table.id, "bytes": len(table.payload)},
        "changes": [
            {
                "position": str(change.position),
                "before": change.old_cells,
                "after": change.new_cells,
                "reach": change.reach,
                "gain": change.gain,
                "mistakes": [{"cell": cell, "chance": chance} for cell, chance in change.mistakes],
            }
            for change in changed
        ],
        "left_out": [
            {
                "position": str(change.position),
                "played": change.old_cells,
                "better": change.new_cells[0],
                "gain": change.gain,
            }
            for change in missed
        ],
    }
    print(json.dumps(record))


def _print(
    habits: Habits,
    table: brain.Table,
    estimated: learn.Estimate | None,
    changed: list[learn.Change],
    missed: list[learn.Change],
) -> None:
    games, moves = counted(habits.games, "game"), counted(habits.moves, "move")
    print(f"learned from {games}, {moves} of people")
    print("\nWhat people do when they can, compared with random play\n")
    rows = [
        (
            ready.kind,
            counted(ready.opportunities, "time"),
            f"{ready.played_share:.0%}",
            f"{ready.by_chance:.0%}",
        )
        for ready in habits.readiness()
    ]
    print("\n".join(columns([("", "they could", "did", "at random"), *rows], right=[1, 2, 3])))
    print("\nHow often the chip wins against them, measured on games that were not learned from\n")
    if estimated is None:
        print(f"no gain can be shown yet: that takes at least {learn.FOLDS} games")
    else:
        low, high = (f"{100 * bound:+.1f}" for bound in estimated.gain)
        print(f"before  {estimated.chance_before:.1%}\nafter   {estimated.chance_after:.1%}")
        print(f"gain    {low} to {high} points (95% interval)")
        if estimated.gain[0] <= 0:
            print("no gain can be shown yet")
    where = counted(len(changed), "position")
    key = ": now (+), before (-), mistake to wait for (?)" if changed else ""
    print(f"\nIt plays differently in {where}{key}")
    for change in changed[:_SHOWN]:
        print("\n" + _picture(change))
    if missed:
        print("\nWhat did not fit into the table: it plays (-) where (+) would win more")
    for change in missed[:_SHOWN]:
        labels = dict.fromkeys(change.old_cells, "-") | {change.new_cells[0]: "+"}
        picture = board(change.position, labels)
        print("\n" + side_by_side([picture, f"would gain {100 * change.gain:.2f} points"]))
    print(
        f"\ntable {table.id}: {len(table.payload)} bytes, {len(table.book)} positions in the "
        "book; proved: it keeps the value\nof all 4,520 positions, and loses no game from either "
        "seat"
    )


def _picture(change: learn.Change) -> str:
    """The position with the chip's choice, and the reply that loses most often."""
    now = dict.fromkeys(change.old_cells, "-") | dict.fromkeys(change.new_cells, "+")
    words = [f"comes up in {change.reach:.1%} of games", f"gains {100 * change.gain:.2f} points"]
    pictures = [board(change.position, now)]
    if change.mistakes:
        cell, chance = change.mistakes[0]
        first_cell = change.new_cells[0]
        pictures.append(board(change.position.play(first_cell), {cell: "?"}, first_cell))
        words.append(f"{chance:.0%} of people then play {cell + 1}, and lose")
    return side_by_side([*pictures, "\n".join(words)])
