"""`make soak`: hours of device time on the emulated V1, and one table of what came of them.

Exits 1 if anything was wrong, with the command that repeats it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from noughts.errors import NoughtsError
from soak.stretch import Result, Stretch

COMMAND = "PYTHONPATH=tools .venv/bin/python -m soak"


def main() -> int:
    """Run what the options ask for."""
    options = _options()
    try:
        if options.until is not None:
            result = Stretch(options.seed, options.until, print, _progress).run(options.firmware)
            results = [result]
        else:
            results = _soak(options)
    except NoughtsError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    print_table(rows(results))
    failed = [result for result in results if result.failure]
    for result in failed:
        print(f"\nFAILED, seed {result.seed}, at {result.device_s:.3f} s: {result.failure}")
        print(f"repeat: {COMMAND} --seed {result.seed} --until {result.device_s:.3f}")
        print("what came before:", *list(result.trace)[-40:], sep="\n")
    return 1 if failed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument("--hours", type=float, default=24, help="device time in all (24)")
    parser.add_argument("--runs", type=int, default=8, help="runs that it is split over (8)")
    parser.add_argument("--seed", type=int, default=1, help="of the first run (1); then 2, 3 …")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs at the same time")
    parser.add_argument("--firmware", type=Path, metavar="HEX", help="another official MicroPython")
    parser.add_argument(
        "--until", type=float, metavar="S", help="repeat one run up to this device second, in full"
    )
    return parser.parse_args()


def _progress(line: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def _quiet(line: str) -> None:
    pass


def _run(seed: int, device_s: float, firmware: Path | None) -> Result:
    result = Stretch(seed, device_s, _quiet, _progress).run(firmware)
    if result.failure:
        _progress(f"seed {seed} FAILED at {result.device_s:.3f} s: {result.failure}")
    return result


def _soak(options: argparse.Namespace) -> list[Result]:
    seeds = range(options.seed, options.seed + options.runs)
    run = partial(_run, device_s=options.hours * 3600 / options.runs, firmware=options.firmware)
    with multiprocessing.Pool(min(options.jobs, len(seeds))) as pool:
        return sorted(pool.imap_unordered(run, seeds), key=lambda result: result.seed)


def rows(results: Sequence[Result]) -> list[tuple[str, str]]:
    """What the table says."""
    games: Counter[str] = sum((result.games for result in results), Counter())
    ends: Counter[str] = sum((result.ends for result in results), Counter())
    found = [
        ("firmware", ", ".join(sorted({result.firmware for result in results}))),
        ("device time", f"{sum(result.device_s for result in results) / 3600:.2f} hours"),
        ("seeds", ", ".join(str(result.seed) for result in results)),
        ("contacts closed, bounces included", f"{sum(result.presses for result in results):,}"),
        ("games begun", f"{games.total():,}"),
    ]
    for level, name in (("P", "two people"), ("E", "easy"), ("M", "medium"), ("H", "hard")):
        ended = (("A won", "A"), ("B won", "B"), ("drawn", "="), ("abandoned", "x"))
        endings = ", ".join(f"{text} {ends[level + end]:,}" for text, end in ended)
        controls = f"{games[level + 'b']:,} by buttons, {games[level + 't']:,} by tilt"
        found.append((f"  {name}", f"{controls}: {endings}"))
    found += [
        ("lowest free heap", f"{min(result.lowest_free for result in results):,} bytes"),
        ("  sunk from first to last tenth", f"{max(result.drift for result in results)} bytes"),
        ("longest stall", f"{max(result.longest_gap_ms for result in results)} ms"),
        ("failures", str(sum(bool(result.failure) for result in results))),
    ]
    return found


def print_table(found: Sequence[tuple[str, str]]) -> None:
    """Two columns."""
    width = max(len(name) for name, _ in found)
    for name, value in found:
        print(f"{name.ljust(width)}  {value}")


if __name__ == "__main__":
    sys.exit(main())
