"""MENACE, Donald Michie's machine of matchboxes that learns noughts and crosses by playing.

There is a box for each position, up to symmetry, in which the machine has a choice. It contains
beads; each colour is a cell that it may play. It draws one at random and plays it. After the game,
every box that was opened gets three more beads of the colour drawn if the game was won, and one if
it was a draw; if it was lost, the bead is taken away.

Before the first game, each move has 4 beads in the box of the machine's first move, 3 in those of
its second, then 2 and 1; of moves that are alike by symmetry, only one has beads. All this is from
D. Michie, "Experiments on the mechanization of game-learning. Part I: Characterization of the model
and its parameters", The Computer Journal 6(3), 1963, 232-236, https://doi.org/10.1093/comjnl/6.3.232

His machine always moved first. It has a choice in 304 positions up to symmetry (1, 12, 108 and 183
by stage), as in all later copies. He counts 287, without the 17 in which the opponent threatens two
lines and no move helps. Three things are not in that paper:

- When a box is empty, the machine resigns, as M. Gardner's for hexapawn (Scientific American, March
  1962) and later copies of MENACE do.
- The last bead of its first move stays. Otherwise it would resign all games, and never learn again.
- 289 more boxes are for moving second, filled in the same way.

A trained one is stored in a file, such as `menace.json`:

    {"format": "noughts menace", "version": 1, "games": 500,
     "boxes": {".........": {"0": 12, "1": 0, "4": 31}, ...}}

Each cell with its own colour, 0 to 8, has its beads. A file may come from anywhere, so all of it is
checked.
"""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from random import Random

from noughts.errors import NoughtsError, printable
from noughts.files import atomic_write, read_small
from noughts.game.engine import Engine, Replies, Reply, play
from noughts.game.positions import EMPTY, Position, alike, canonical, unfinished

REWARDS = {1: 3, 0: 1, -1: -1}
"""Beads for each move of a won, drawn or lost game."""

_FIRST_BEADS = 4

SUFFIX = ".json"
_FORMAT, _VERSION = "noughts menace", 1


class Menace(Engine):
    """The machine: its boxes, and how it learns."""

    seat = "D"

    def __init__(self, name: str = "menace", games: int = 0) -> None:
        """games: how many it has learned from."""
        self.name, self.games = name, games
        self.about = f"Michie's matchboxes, {'trained' if games else 'before the first game'}"

    @cached_property
    def boxes(self) -> dict[Position, dict[int, int]]:
        """By canonical position with a choice, the beads of each cell with its own colour.

        They are filled when they are first used, because that takes a moment.
        """
        boxes: dict[Position, dict[int, int]] = {}
        for position in map(canonical, unfinished()):
            if len(position.free) > 1 and position not in boxes:
                beads = _FIRST_BEADS - position.ply // 2
                boxes[position] = dict.fromkeys(sorted(set(alike(position).values())), beads)
        return boxes

    def beads(self, position: Position) -> dict[int, int] | None:
        """The beads of each free cell in a position's box, or None if only one cell is free.

        Of symmetric cells, only the first has any.
        """
        box = self.boxes.get(canonical(position))
        if box is None:
            return None
        slots = alike(position)
        first = {slot: cell for cell, slot in reversed(slots.items())}
        return {cell: box[slot] if first[slot] == cell else 0 for cell, slot in slots.items()}

    def reply(self, position: Position) -> Reply:
        """The cells with beads, weighted by these; none if the box is empty."""
        beads = self.beads(position)
        if beads is None:
            return Reply(position.free)
        beads_by_cell = {cell: count for cell, count in beads.items() if count}
        return Reply(tuple(beads_by_cell), weights=tuple(beads_by_cell.values()))

    def learn(
        self, cells: Sequence[int], winner: int, sides: Sequence[bool] = (True, False)
    ) -> list[int]:
        """Learn from a game; returns the moves that got or lost beads.

        winner: 1 the side that moved first, -1 the other, 0 nobody. sides: for which it learns;
        True is the side that moved first.
        """
        self.games += 1
        changed = []
        position = EMPTY
        for ply, cell in enumerate(cells):
            first = ply % 2 == 0
            box = self.boxes.get(canonical(position))
            if box is not None and first in sides:
                slot = alike(position)[cell]
                beads = box[slot]
                is_last_bead = ply < 2 and beads == sum(box.values())
                box[slot] = max(
                    1 if is_last_bead else 0, beads + REWARDS[winner if first else -winner]
                )
                if box[slot] != beads:
                    changed.append(cell)
            position = position.play(cell)
        return changed

    def empty_boxes(self) -> list[Position]:
        """The canonical positions in which it resigns."""
        return [position for position, box in self.boxes.items() if not any(box.values())]


def train(
    menace: Menace, opponent: Replies, games: int, seats: Sequence[bool], random: Random
) -> Iterator[int]:
    """Let it play and learn; yields 1, 0 or -1 for each game that it won, drew or lost.

    seats: whether it moves first, in turn. If the opponent's replies are its own, it learns from
    both sides of each game.
    """
    for number in range(games):
        first = seats[number % len(seats)]
        cells, result = play(menace.reply, opponent, first, random)
        sides = (True, False) if opponent == menace.reply else (first,)
        menace.learn(cells, result if first else -result, sides)
        yield result


def read_menace(path: str | Path) -> Menace:
    """The machine in a file, named after it. Raises `NoughtsError`, `OSError`."""
    content = read_small(Path(path))
    try:
        stored = json.loads(content)
        if (stored["format"], stored["version"]) != (_FORMAT, _VERSION):
            raise ValueError
        menace = Menace(printable(Path(path).name), _count(stored["games"]))
        for position, box in menace.boxes.items():
            for cell in box:
                box[cell] = _count(stored["boxes"][str(position)][str(cell)])
        return menace
    except (ValueError, TypeError, LookupError, RecursionError):
        raise NoughtsError(
            f"{path} is not a MENACE file of this version, or is damaged; "
            "make one with `noughts train menace -o FILE`"
        ) from None


def _count(value: object) -> int:
    if type(value) is not int or not 0 <= value <= 10**12:
        raise ValueError
    return value


def write_menace(menace: Menace, path: Path) -> None:
    """Store a machine in a file."""
    boxes = {str(position): box for position, box in menace.boxes.items()}
    content = {"format": _FORMAT, "version": _VERSION, "games": menace.games, "boxes": boxes}
    atomic_write(path, json.dumps(content, indent=1).encode())


def refuse_other(path: Path) -> None:
    """Raise `NoughtsError` if writing a machine there would replace another file."""
    if path.exists():
        try:
            read_menace(path)
        except NoughtsError as error:
            raise NoughtsError(
                f"{path} already exists and is not a MENACE file; choose another name for -o"
            ) from error
