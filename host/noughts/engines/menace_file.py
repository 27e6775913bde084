"""The file in which a MENACE that has learned is kept, such as `menace.json`.

    {
     "format": "noughts menace",
     "version": 1,
     "games": 500,
     "boxes": {
      ".........": {"0": 12, "1": 0, "4": 31},
      ...

`games` is from how many games it has learned. There are all its boxes: the key is the position as
it is drawn on the box (X moved first), then come the cells that have a colour, 0 to 8 in reading
order, and their beads. It may come from anywhere, so all of it is checked.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noughts.engines.menace import Boxes, Menace, new_boxes
from noughts.errors import NoughtsError, printable
from noughts.files import write_whole

SUFFIX = ".json"
FORMAT = "noughts menace"
VERSION = 1

_MAX_BYTES = 1_000_000
_MAX_COUNT = 10**12
"""Games, and beads of a colour."""


class _WrongError(Exception):
    """What is wrong with a file's content."""


def read(path: str | Path) -> Menace:
    """The machine of a file, named as the file is. Raises `NoughtsError`."""
    named = printable(str(path))
    try:
        with Path(path).open("rb") as file:
            content = file.read(_MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        why = (isinstance(error, OSError) and error.strerror) or "not a file's name"
        raise NoughtsError(
            f"cannot read {named} ({why}); `noughts train menace -o FILE` writes such a file"
        ) from error
    try:
        if len(content) > _MAX_BYTES:
            raise _WrongError("it is too long")
        found = json.loads(content, object_pairs_hook=_once)
        if not isinstance(found, dict) or found.get("format") != FORMAT:
            raise _WrongError(f'it has no "format": "{FORMAT}"')
        if found.get("version") != VERSION:
            raise _WrongError(f"its version is not {VERSION}; this noughts may be too old for it")
        return Menace(named, _boxes(found.get("boxes")), _count(found.get("games"), "games"))
    except (_WrongError, ValueError, RecursionError) as error:
        # What JSON's reader says would not help anybody.
        why = str(error) if isinstance(error, _WrongError) else "it is not JSON"
        raise NoughtsError(
            f"{named} is not a MENACE file: {why}; make one with `noughts train menace -o FILE`"
        ) from error


def write(menace: Menace, path: Path) -> None:
    """Keep a machine in a file. Raises `NoughtsError`."""
    boxes = ",\n".join(
        f"  {json.dumps(str(position))}: {json.dumps(box)}"
        for position, box in menace.boxes.items()
    )
    head = f'"format": "{FORMAT}",\n "version": {VERSION},\n "games": {menace.games}'
    write_whole(path, f'{{\n {head},\n "boxes": {{\n{boxes}\n }}\n}}\n'.encode())


def refuse_other(path: Path) -> None:
    """Raise `NoughtsError` if writing a machine there would replace what is not one, or fail."""
    if path.exists():
        try:
            read(path)
        except NoughtsError as error:
            raise NoughtsError(
                printable(f"{path} is there and is not a MENACE file; choose another name for -o")
            ) from error
    elif not path.parent.is_dir():
        raise NoughtsError(
            printable(f"cannot write {path} (no such folder); make the folder, or choose another")
        )


def learn_game(
    path: Path, cells: Sequence[int], first: bool, result: int
) -> tuple[Menace, list[int]]:
    """Let the machine of a file learn from one more game, and keep it.

    It is read again, so that what it has learned elsewhere during the game stays. The rest is as in
    `Menace.learn`. Raises `NoughtsError`.
    """
    menace = read(path)
    changed = menace.learn(cells, first, result)
    menace.games += 1
    write(menace, path)
    return menace, changed


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _WrongError("a name stands in it twice")
    return found


def _boxes(found: object) -> Boxes:
    """The boxes of the file, if they are all that there must be."""
    boxes = new_boxes()
    if not isinstance(found, dict) or found.keys() != {str(position) for position in boxes}:
        raise _WrongError(f"its boxes are not the {len(boxes)} that there must be")
    for position, box in boxes.items():
        beads = found[str(position)]
        if not isinstance(beads, dict) or beads.keys() != {str(cell) for cell in box}:
            cells = ", ".join(map(str, box))
            raise _WrongError(f"the box {position} must have beads for the cells {cells}")
        for cell in box:
            box[cell] = _count(beads[str(cell)], f"the box {position}, cell {cell},")
    return boxes


def _count(found: object, what: str) -> int:
    if type(found) is not int or not 0 <= found <= _MAX_COUNT:
        raise _WrongError(f"{what} must be a number from 0 to {_MAX_COUNT:,}")
    return found
