"""What rooms, a broker and a collector cost: delay, sentences a second, processor and memory.

    PYTHONPATH=tests/support:tools .venv/bin/python tools/bench_rooms.py --seconds 60

The broker is a real mosquitto and the collector the command as it is. The rooms are publishers of
the command's own code, all in this one process, for 40 commands would need more memory and more
processors than this computer has to spare; the bench writes to their stores in place of recorders,
which `tools/bench_log.py` measures. A delay is from the moment at which a sentence was heard in its
room until the collector, which has stored it, prints it.

A busy class: in a game against the chip a person takes some 2.6 s for a move and the chip 0.4 s for
its own, and both are sentences, so each board sends one every 1.5 s.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from bench_rows import Row, at_most
from rooms_load import BOARDS, INTERVAL_S, ROOMS, busy_classes, catch_up

_SECONDS = 20.0
_CATCH_UP = 30_000


def rows(seconds: float = _SECONDS) -> Iterator[Row]:
    """The rows of `make bench`."""
    load = busy_classes(ROOMS, BOARDS, seconds)
    what = f"{ROOMS * BOARDS:,} boards in {ROOMS} rooms, a sentence every {INTERVAL_S} s each"
    text = f"{load.stored:,} of {load.sent:,} sentences stored, {load.again:,} came twice"
    yield Row(what, text, "all", load.stored == load.sent)
    yield Row("… from heard to stored at the collector, median", f"{load.percentile(0.5)} ms")
    yield at_most("… 99th percentile", load.percentile(0.99), 1000, "{} ms")
    yield Row("… through the broker, in and out", f"{load.bytes / load.sent:.0f} bytes a sentence")
    for name, cost in load.costs.items():
        yield Row(f"… the {name}", f"{cost.cpu:.0%} of a core, {cost.mib:.0f} MB")
    for count in (1, ROOMS):
        load = catch_up(count, BOARDS, _CATCH_UP)
        what = f"sentences a second when a broker is back, {count} room{'s' * (count > 1)}"
        met = load.stored == load.sent
        yield Row(what, f"{load.stored / load.seconds:,.0f}", "none lost", met)


PARTS = (rows,)


def main() -> int:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seconds", type=float, default=60.0)
    args = parser.parse_args()
    measured = []
    for row in rows(args.seconds):
        print(row, flush=True)
        measured.append(row)
    return 0 if all(row.met for row in measured) else 1


if __name__ == "__main__":
    sys.exit(main())
