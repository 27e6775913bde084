"""`make bench`: what the game and its tools cost, beside their targets, in docs/measurements.md.

What a board costs is in device time on stepped boards, which repeats to the instruction. The rest
is seconds of this computer: CPU seconds where other programs may run beside it, the best of some.
The exit status is 1 where a target is missed. With `--print` the document stays as it is.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import bench_board
import bench_computer
import bench_emulator
import bench_ether
import bench_log
import bench_rooms
import bench_web
from bench_rows import Row, at_most
from microbit_emulator.firmware import V2
from noughts import brain
from noughts.boards import image
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import Radio, files_with
from noughts.files import write_whole
from official import firmwares

TABLE_FLOOR = 17.1
"""Bytes of information in hard's 101 choices where no line can be completed with one mark."""


DOCUMENT = Path(__file__).resolve().parents[1] / "docs" / "measurements.md"
_HEAD = "| what | measured | target |\n| --- | --- | --- |\n"


def main() -> int:
    """Measure, print one table and put it into the document; 1 where a target is missed."""
    print("device time on:", ", ".join(firmwares()))
    rows: list[Row] = []
    for part in PARTS:
        for row in part():
            rows.append(row)
            print(".", end="", flush=True, file=sys.stderr)
    print(file=sys.stderr)
    table = _HEAD + "".join(f"{row}\n" for row in rows)
    print(table, end="")
    if "--print" not in sys.argv[1:]:
        before, _, after = DOCUMENT.read_text().partition(_HEAD)
        write_whole(DOCUMENT, (before + table + after[after.index("\n\n") + 1 :]).encode())
        print(f"{DOCUMENT} written", file=sys.stderr)
    return 0 if all(row.met for row in rows) else 1


def sizes() -> Iterator[Row]:
    """Bytes in flash."""
    files: Mapping[str, bytes] = files_for_boards()
    for firmware in image.bundled().values():
        usage = firmware.usage(files)
        yield Row(f"file system used, {firmware.board}", f"{usage.used:,} of {usage.total:,} bytes")
    # A chunk is the same on both boards.
    yield at_most("files as they go onto a board", usage.used // 128, 80, "{} chunks of 128 bytes")
    usage = image.bundled_for(V2).usage(files_with(Radio(sends=255), V2, files))
    yield at_most("the same with radio, V2", usage.used // 128, 100, "{} chunks of 128 bytes")
    payload = len(brain.make().payload)
    note = f"the information in the choices is {TABLE_FLOOR}"
    yield at_most("table payload, index included", payload, 26, "{} bytes", note)


PARTS = (
    *bench_board.PARTS,
    sizes,
    *bench_computer.PARTS,
    *bench_emulator.PARTS,
    *bench_ether.PARTS,
    *bench_log.PARTS,
    *bench_rooms.PARTS,
    *bench_web.PARTS,
)


if __name__ == "__main__":
    sys.exit(main())
