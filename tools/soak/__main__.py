"""`make soak`: hours of device time on the emulated V1, and one table of what came of them.

Exits 1 if anything was wrong, with the command that repeats it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from multiprocessing.sharedctypes import Synchronized
from pathlib import Path
from typing import NamedTuple, TypeVar

from noughts.errors import NoughtsError
from noughts.files import write_whole
from soak import endurance, table
from soak.cuts import Cuts
from soak.shouts import Shouts
from soak.stretch import Stretch

Run = Callable[[Path | None], table.Result]


_Number = TypeVar("_Number", int, float)


class Task(NamedTuple):
    """A run, and a name that says all that its result depends on but the firmware."""

    name: str
    run: Run


CHAIN = 25
"""Power cuts, or shouts, in a row on one board."""

COMMAND = "PYTHONPATH=tools .venv/bin/python -m soak"


def main() -> int:
    """Run what the options ask for."""
    options = _options()
    try:
        if options.until is not None:
            stretch = Stretch(options.seed, options.until, print, progress)
            found: list[table.Result] = [stretch.run(options.firmware)]
        else:
            found = _run_all(options)
    except NoughtsError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print_table(table.rows(found))
    failed = [result for result in found if result.failure]
    for result in failed:
        print(f"\nFAILED: {result.failure}")
        print(f"repeat: {COMMAND} {result.repeat}")
        print(*result.trace, sep="\n")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--hours", type=_time, default=24.0, help="device time in all (24)")
    parser.add_argument("--runs", type=_count, default=12, help="runs that it is split over (12)")
    parser.add_argument("--cuts", type=_count, default=500, help="power cuts in all (500)")
    parser.add_argument(
        "--in-writes", action="store_true", help="cut the power only while flash is written"
    )
    parser.add_argument("--shouts", type=_count, default=100, help="floods, interruptions (100)")
    parser.add_argument(
        "--changes", type=_count, default=200, help="of settings, for the wear of flash (200)"
    )
    parser.add_argument("--seed", type=_count, default=1, help="of the first run (1); then 2, 3 …")
    parser.add_argument("--jobs", type=_count, default=os.cpu_count(), help="runs at the same time")
    parser.add_argument("--firmware", type=Path, metavar="HEX", help="another official MicroPython")
    parser.add_argument(
        "--until", type=_time, metavar="S", help="repeat one run up to this device second, in full"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the result of each run there; what is there already is not run again",
    )
    options = parser.parse_args()
    if options.until is None:
        if not (options.hours or options.cuts or options.shouts or options.changes):
            parser.error("nothing is asked for")
        if options.hours and not options.runs:
            parser.error("--hours needs one of the --runs at least")
    return options


def _time(text: str) -> float:
    return _within(text, float, 10_000_000)


def _count(text: str) -> int:
    return _within(text, int, 1_000_000)


def _within(text: str, kind: Callable[[str], _Number], most: int) -> _Number:
    try:
        value = kind(text)
    except ValueError:
        value = kind("-1")
    if not 0 <= value <= most:
        raise argparse.ArgumentTypeError(f"{text[:20]!r} is not from 0 to {most:,}")
    return value


def progress(line: str) -> None:
    """Tell how far it is."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def _run_all(options: argparse.Namespace) -> list[table.Result]:
    tasks: list[Task] = []
    if options.hours > 0:
        device_s = options.hours * 3600 / options.runs
        for seed in range(options.seed, options.seed + options.runs):
            tasks.append(Task(f"stretch-{seed}-{device_s:g}", partial(_stretch, seed, device_s)))
    cut = partial(_cuts, in_writes=options.in_writes)
    cuts_name = "cuts-in-writes" if options.in_writes else "cuts"
    for name, part, total in ((cuts_name, cut, options.cuts), ("shouts", _shouts, options.shouts)):
        for number, start in enumerate(range(0, total, CHAIN)):
            seed, count = options.seed + number, min(CHAIN, total - start)
            tasks.append(Task(f"{name}-{seed}-{count}", partial(part, seed, count)))
    if options.changes > 0:
        run = partial(_endurance, options.changes, options.seed)
        tasks.append(Task(f"endurance-{options.seed}-{options.changes}", run))
    if options.keep is not None:
        try:
            options.keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NoughtsError(
                f"cannot keep results in {options.keep} ({error.strerror}); name another folder"
            ) from error
    jobs = max(1, min(options.jobs, len(tasks)))
    with multiprocessing.Pool(jobs, _share_processors, (multiprocessing.Value("i"),)) as pool:
        run_one = partial(_run, firmware=options.firmware, kept=options.keep)
        found = list(pool.imap_unordered(run_one, tasks, chunksize=1))
    return sorted(found, key=lambda result: (result.kind, result.seed))


def _share_processors(before: Synchronized[int]) -> None:
    """Keep this job to one processor, and each to another one while there are enough."""
    if hasattr(os, "sched_setaffinity"):
        processors = sorted(os.sched_getaffinity(0))
        with before.get_lock():
            os.sched_setaffinity(0, {processors[before.value % len(processors)]})
            before.value += 1


def _run(task: Task, firmware: Path | None, kept: Path | None) -> table.Result:
    path = None if kept is None else kept / f"{task.name}.pickle"
    if path is not None and path.exists():
        try:
            result: table.Result = pickle.loads(path.read_bytes())
        except Exception as error:  # pickle raises whatever it comes across
            raise NoughtsError(f"{path} is damaged; remove it, and it is run again") from error
        return result
    result = task.run(firmware)
    if result.failure:
        progress(f"FAILED ({result.repeat}): {result.failure}")
    if path is not None:
        write_whole(path, pickle.dumps(result))
    return result


def _stretch(seed: int, device_s: float, firmware: Path | None) -> table.Result:
    return Stretch(seed, device_s, lambda line: None, progress).run(firmware)


def _cuts(seed: int, count: int, firmware: Path | None, in_writes: bool) -> table.Result:
    result = Cuts(seed, firmware, in_writes).run(count)
    progress(f"seed {seed}: {result.cuts} of {count} power cuts")
    return result


def _shouts(seed: int, count: int, firmware: Path | None) -> table.Result:
    result = Shouts(seed, firmware).run(count)
    progress(f"seed {seed}: {result.interruptions} of {count} floods and interruptions")
    return result


def _endurance(changes: int, seed: int, firmware: Path | None) -> table.Result:
    result = endurance.count(changes, seed, firmware)
    progress(f"{result.changes} changes of the settings")
    return result


def print_table(found: Sequence[tuple[str, str]]) -> None:
    """Two columns."""
    width = max(len(name) for name, _ in found)
    for name, value in found:
        print(f"{name.ljust(width)}  {value}")


if __name__ == "__main__":
    sys.exit(main())
