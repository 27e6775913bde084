"""What learning gains: simulated classes play on emulated boards, before and after.

Each class plays games against the level hard on a stepped board, by its buttons; what the board
says is kept, a table is learned from it, proved, and sent to a board, and the class plays as many
games again. The rows are those of docs/measurements.md. It takes a second of CPU or more a game:

    PYTHONPATH=tools:tests/support .venv/bin/python tools/learn_from_classes.py --games 100
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from classes import at_random, blind_to_diagonals, blocks_only, centre_first
from classes_on_boards import circle

CLASSES = {
    "takes the centre first": centre_first,
    "never sees diagonals": blind_to_diagonals,
    "blocks, but never completes": blocks_only,
    "plays at random": at_random,
}


def main() -> None:
    """Print a row for each class."""
    parser = argparse.ArgumentParser(description=__doc__, allow_abbrev=False)
    parser.add_argument("--games", type=int, default=100, help="by each class, before and after")
    parser.add_argument("--board", choices=("V1", "V2"), default="V1")
    args = parser.parse_args()
    print("| the class | won before | foretold gain, 95 % interval | won after | gain |")
    print("| --- | --- | --- | --- | --- |")
    for what, person in CLASSES.items():
        with TemporaryDirectory() as folder:
            found = circle(person, args.games, Path(folder), args.board)
        low, high = (f"{100 * each:+.1f}" for each in found.learned["gain"])
        before, after = (100 * won / args.games for won in (found.before, found.after))
        print(
            f"| {what} | {before:.0f} % | {low} to {high} points | {after:.0f} % "
            f"| {after - before:+.0f} points |",
            flush=True,
        )


if __name__ == "__main__":
    main()
