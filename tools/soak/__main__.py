"""`make soak`: hours of device time on both boards, emulated, and one table of the results.

Exits 1 if anything was wrong, with the command that repeats it.
"""

import argparse
import multiprocessing
import os
import pickle
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from noughts.files import atomic_write
from noughts.virtual.program import BOARDS
from soak.changes import play_changes
from soak.cuts import Cuts
from soak.result import Result, Row, Task, sections
from soak.serial_noise import SerialNoise
from soak.session import Session

CHAIN = 10
"""Power cuts, or interruptions by noise, in a row on one board."""

DEFAULTS: Mapping[str, Mapping[str, int]] = {
    "hours": {"V1": 24, "V2": 8},
    "cuts": {"V1": 500, "V2": 200},
    "noise": {"V1": 100, "V2": 40},
    "changes": {"V1": 300, "V2": 300},
}
"""A second of a V2 takes twice as much of the computer's time."""


def main() -> int:
    options = _options()
    if options.until is not None:
        task = Task(options.board[0], "session", options.seed, options.until)
        results = [(task, run(task, show=True))]
    else:
        asked = [task for board in options.board for task in tasks(board, options)]
        if options.keep is not None:
            options.keep.mkdir(parents=True, exist_ok=True)
        with multiprocessing.Pool(options.jobs) as pool:
            run_one = partial(_run_or_load, results_folder=options.keep)
            results = sorted(pool.imap_unordered(run_one, asked, chunksize=1))
    print(as_text(list(sections(results))))
    failed = [(task, result) for task, result in results if result.failure]
    for task, result in failed:
        print(f'\nFAILED: {result.failure}\nrepeat: make soak SOAK="{task.repeat}"')
        print(*result.trace, sep="\n")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    add = parser.add_argument
    add("--board", choices=("v1", "v2", "both"), default="both", help="which micro:bit (both)")
    add("--hours", type=float, help=f"device time{_by_board('hours')}")
    add("--runs", type=int, default=12, help="runs that the hours are split over (12)")
    add("--cuts", type=int, help=f"power cuts{_by_board('cuts')}")
    add("--in-writes", action="store_true", help="cut the power only while flash is changed")
    add("--noise", type=int, help=f"floods and interruptions on the line{_by_board('noise')}")
    add("--changes", type=int, help=f"games with another choice{_by_board('changes')}")
    add("--seed", type=int, default=1, help="seed of the first run (1); the rest take 2, 3 …")
    add("--jobs", type=int, default=os.cpu_count(), help="runs at a time (one for each core)")
    add("--until", type=float, metavar="S", help="show one run up to this device second")
    add("--keep", type=Path, metavar="FOLDER", help="store results; skip runs that are there")
    options = parser.parse_args()
    options.board = BOARDS if options.board == "both" else (options.board.upper(),)
    if options.until is not None and len(options.board) > 1:
        parser.error("--until needs one board; give --board v1 or --board v2")
    if options.until is None and all(getattr(options, name) == 0 for name in DEFAULTS):
        parser.error("nothing to do: --hours, --cuts, --noise and --changes are all 0")
    return options


def _by_board(name: str) -> str:
    defaults = ", ".join(f"{board} {count:g}" for board, count in DEFAULTS[name].items())
    return f" for each board ({defaults})"


def tasks(board: str, options: argparse.Namespace) -> Iterator[Task]:
    asked = {
        name: default[board] if getattr(options, name) is None else getattr(options, name)
        for name, default in DEFAULTS.items()
    }
    if asked["hours"]:
        for number in range(options.runs):
            device_s = asked["hours"] * 3600 / options.runs
            yield Task(board, "session", options.seed + number, device_s)
    cuts = "cuts-in-writes" if options.in_writes else "cuts"
    for kind, total in ((cuts, asked["cuts"]), ("noise", asked["noise"])):
        for number, start in enumerate(range(0, total, CHAIN)):
            yield Task(board, kind, options.seed + number, min(CHAIN, total - start))
    if asked["changes"]:
        yield Task(board, "changes", options.seed, asked["changes"])


def _run_or_load(task: Task, results_folder: Path | None) -> tuple[Task, Result]:
    name = "-".join(map(str, task))
    path = results_folder and results_folder / f"{name}.pickle"
    if path is not None and path.exists():
        result: Result = pickle.loads(path.read_bytes())
        return task, result
    result = run(task)
    what = f"FAILED: {result.failure}" if result.failure else "done"
    print(time.strftime("%H:%M:%S"), f"{name}: {what}", file=sys.stderr, flush=True)
    if path is not None:
        atomic_write(path, pickle.dumps(result))
    return task, result


def run(task: Task, show: bool = False) -> Result:
    """Run it. show: print each line of a session."""
    board, kind, seed, amount = task
    if kind == "session":
        start_s = time.process_time()
        result = Session(board, seed, amount, print if show else lambda line: None).run()
        result.cpu_s = time.process_time() - start_s
        return result
    if kind == "noise":
        return SerialNoise(board, seed).run(int(amount))
    if kind == "changes":
        return play_changes(board, int(amount), seed)
    return Cuts(board, seed, in_writes=kind == "cuts-in-writes").run(int(amount))


def as_text(all_sections: Sequence[Sequence[Row]]) -> str:
    width = max(len(name) for section in all_sections for name, _ in section)
    return "\n\n".join(
        "\n".join(f"{name.ljust(width)}  {value}" for name, value in section)
        for section in all_sections
    )


if __name__ == "__main__":
    sys.exit(main())
