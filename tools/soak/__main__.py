"""`make soak`: hours of device time on both boards, emulated, and one table of the results.

Exits 1 if anything was wrong, with the command that repeats it.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import pickle
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple, TypeVar

from noughts.errors import NoughtsError
from noughts.files import write_whole
from noughts.virtual.program import BOARDS
from soak import endurance, table
from soak.cuts import Cuts
from soak.serial_noise import SerialNoise
from soak.session import Session

Run = Callable[[Path | None], table.Result]


_Number = TypeVar("_Number", int, float)


class Task(NamedTuple):
    """A run, and a name with everything that its result depends on except the firmware."""

    name: str
    run: Run


CHAIN = 10
"""Power cuts, or interruptions by noise, in a row on one board."""

DEFAULTS: Mapping[str, Mapping[str, int]] = {
    "hours": {"V1": 24, "V2": 8},
    "cuts": {"V1": 500, "V2": 200},
    "noise": {"V1": 100, "V2": 40},
    "changes": {"V1": 300, "V2": 300},
}
"""A second of a V2 takes twice as much of the computer's time."""

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "measurements.md"
_HEADING = "\n## The soak\n"

COMMAND = "PYTHONPATH=tools .venv/bin/python -m soak"


def main() -> int:
    """Run what the options ask for."""
    options = _options()
    try:
        if options.until is not None:
            (board,) = options.board
            session = Session(board, options.seed, options.until, print, progress)
            found: list[table.Result] = [session.run(options.firmware)]
        else:
            found = _run_all(options)
    except NoughtsError as error:
        print(f"soak: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    text = as_text(table.sections(found))
    print(text)
    failed = [result for result in found if result.failure]
    missed = list(table.too_few_in_writes(found))
    if options.document and not failed and not missed:
        put_into_document(text)
        print(f"{DOCUMENT} written", file=sys.stderr)
    for line in missed:
        print(f"\nFAILED: {line}")
    for result in failed:
        print(f"\nFAILED: {result.failure}")
        print(f"repeat: {COMMAND} {result.repeat}")
        print(*result.trace, sep="\n")
    return 1 if failed or missed else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="soak", description=__doc__)
    parser.add_argument(
        "--board", choices=("v1", "v2", "both"), default="both", help="which micro:bit (both)"
    )
    parser.add_argument("--hours", type=_time, help=f"device time{_by_board('hours')}")
    parser.add_argument("--runs", type=_count, default=12, help="runs that it is split over (12)")
    parser.add_argument("--cuts", type=_count, help=f"power cuts{_by_board('cuts')}")
    parser.add_argument(
        "--in-writes", action="store_true", help="cut the power only while flash is changed"
    )
    parser.add_argument(
        "--noise",
        type=_count,
        help=f"floods and interruptions on the serial line{_by_board('noise')}",
    )
    parser.add_argument(
        "--changes",
        type=_count,
        help=f"games with another choice, to measure the wear of flash{_by_board('changes')}",
    )
    parser.add_argument(
        "--seed", type=_count, default=1, help="seed of the first run (1); the rest take 2, 3 …"
    )
    parser.add_argument(
        "--jobs",
        type=_count,
        default=os.cpu_count(),
        help="runs at the same time (one for each core)",
    )
    parser.add_argument("--firmware", type=Path, metavar="HEX", help="another official MicroPython")
    parser.add_argument(
        "--until", type=_time, metavar="S", help="repeat one run up to this device second, in full"
    )
    parser.add_argument(
        "--keep",
        type=Path,
        metavar="FOLDER",
        help="keep the result of each run in this folder; runs whose result is there are skipped",
    )
    parser.add_argument(
        "--document", action="store_true", help="put the table into docs/measurements.md"
    )
    options = parser.parse_args()
    options.board = BOARDS if options.board == "both" else (options.board.upper(),)
    if options.until is None:
        if all(getattr(options, name) == 0 for name in DEFAULTS):
            parser.error("nothing to do: --hours, --cuts, --noise and --changes are all 0")
        if options.hours != 0 and not options.runs:
            parser.error("--hours needs at least one run; give --runs 1 or more")
    elif len(options.board) > 1:
        parser.error("--until needs one board; give --board v1 or --board v2")
    return options


def _by_board(name: str) -> str:
    defaults = ", ".join(f"{board} {count:g}" for board, count in DEFAULTS[name].items())
    return f" for each board ({defaults})"


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
    """Print a line on stderr, with the time of day."""
    print(f"{time.strftime('%H:%M:%S')} {line}", file=sys.stderr, flush=True)


def _run_all(options: argparse.Namespace) -> list[table.Result]:
    asked = [task for board in options.board for task in tasks(board, options)]
    if options.keep is not None:
        try:
            options.keep.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise NoughtsError(
                f"cannot keep results in {options.keep} ({error.strerror}); name another folder"
            ) from error
    jobs = max(1, min(options.jobs, len(asked)))
    with multiprocessing.Pool(jobs) as pool:
        run_one = partial(_run, firmware=options.firmware, kept=options.keep)
        found = list(pool.imap_unordered(run_one, asked, chunksize=1))
    return sorted(found, key=lambda result: (result.board, result.kind, result.seed))


def tasks(board: str, options: argparse.Namespace) -> Iterator[Task]:
    """The runs that the options ask for on a board."""
    asked = {
        name: default[board] if getattr(options, name) is None else getattr(options, name)
        for name, default in DEFAULTS.items()
    }
    if asked["hours"] > 0:
        device_s = asked["hours"] * 3600 / options.runs
        for seed in range(options.seed, options.seed + options.runs):
            name = f"{board}-session-{seed}-{device_s:g}"
            yield Task(name, partial(_session, board, seed, device_s))
    cut = partial(_cuts, in_writes=options.in_writes)
    cuts_name = "cuts-in-writes" if options.in_writes else "cuts"
    for name, part, total in (
        (cuts_name, cut, asked["cuts"]),
        ("noise", _noise, asked["noise"]),
    ):
        for number, start in enumerate(range(0, total, CHAIN)):
            seed, count = options.seed + number, min(CHAIN, total - start)
            yield Task(f"{board}-{name}-{seed}-{count}", partial(part, board, seed, count))
    if asked["changes"] > 0:
        run = partial(_endurance, board, asked["changes"], options.seed)
        yield Task(f"{board}-endurance-{options.seed}-{asked['changes']}", run)


def _run(task: Task, firmware: Path | None, kept: Path | None) -> table.Result:
    path = None if kept is None else kept / f"{task.name}.pickle"
    if path is not None and path.exists():
        try:
            result: table.Result = pickle.loads(path.read_bytes())
        except Exception as error:  # pickle raises whatever it comes across
            raise NoughtsError(f"{path} is damaged; remove it to repeat the run") from error
        return result
    result = task.run(firmware)
    if result.failure:
        progress(f"FAILED ({result.repeat}): {result.failure}")
    if path is not None:
        write_whole(path, pickle.dumps(result))
    return result


def _session(board: str, seed: int, device_s: float, firmware: Path | None) -> table.Result:
    start_s = time.process_time()
    result = Session(board, seed, device_s, lambda line: None, progress).run(firmware)
    result.cpu_s = time.process_time() - start_s
    return result


def _cuts(
    board: str, seed: int, count: int, firmware: Path | None, in_writes: bool
) -> table.Result:
    result = Cuts(board, seed, firmware, in_writes).run(count)
    progress(f"{board}, seed {seed}: {result.cuts} of {count} power cuts")
    return result


def _noise(board: str, seed: int, count: int, firmware: Path | None) -> table.Result:
    result = SerialNoise(board, seed, firmware).run(count)
    progress(f"{board}, seed {seed}: {result.interruptions} of {count} floods and interruptions")
    return result


def _endurance(board: str, changes: int, seed: int, firmware: Path | None) -> table.Result:
    result = endurance.count(board, changes, seed, firmware)
    progress(f"{board}: {result.others.times} games with another choice")
    return result


def as_text(sections: Sequence[Sequence[table.Row]]) -> str:
    """A section of two columns for each board."""
    width = max((len(name) for section in sections for name, _ in section), default=0)
    return "\n\n".join(
        "\n".join(f"{name.ljust(width)}  {value}" for name, value in section)
        for section in sections
    )


def put_into_document(text: str) -> None:
    """Replace the soak's table in docs/measurements.md."""
    before, head, after = DOCUMENT.read_text("utf-8").partition(_HEADING)
    intro, _, rest = after.partition("```\n")
    _, _, rest = rest.partition("\n```\n")
    write_whole(DOCUMENT, f"{before}{head}{intro}```\n{text}\n```\n{rest}".encode())


if __name__ == "__main__":
    sys.exit(main())
