"""How people move: each position that they met, up to symmetry, and what they did there."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from noughts.game.positions import FULL, SYMMETRIES, Position, canonical, turned
from noughts.game.solver import value, value_preserving_moves
from noughts.store.queries import GameFilter, played, sound
from noughts.store.store import Store


@dataclass(frozen=True)
class MetPosition:
    """A position in which people had to move, with all that are the same up to symmetry."""

    position: Position
    """Canonical."""
    moves: Counter[int]
    """How often each cell was chosen; of cells that are the same up to symmetry, the least."""
    right: tuple[int, ...]
    """The cells that preserve the position's value, including equivalent ones."""

    @property
    def met(self) -> int:
        """How often people had to move here."""
        return self.moves.total()

    @property
    def mistakes(self) -> int:
        """How often they gave away a win or a draw."""
        return sum(count for cell, count in self.moves.items() if cell not in self.right)

    @property
    def commonest_mistake(self) -> tuple[int, int]:
        """The wrong cell that was chosen most often, and how often; there must be one."""
        wrong = {cell: count for cell, count in self.moves.items() if cell not in self.right}
        cell = max(wrong, key=lambda cell: (wrong[cell], -cell))
        return cell, wrong[cell]

    def kept(self, cell: int) -> int:
        """What the position is worth to the mover after this move: 1 a win, 0, -1 a loss."""
        return -value(self.position.play(cell))


def met_positions(store: Store, wanted: GameFilter) -> list[MetPosition]:
    """Over the games that fit and were won or drawn; the one with most mistakes comes first.

    Raises `StoreError`, also for a store that holds nonsense.
    """
    with sound(store.path):
        counts = _counted(store, wanted)
    met: dict[Position, Counter[int]] = {}
    for (masks, cell), count in counts.items():
        position = Position(masks >> 9, masks & FULL)
        least = canonical(position)
        met.setdefault(least, Counter())[_turned(position, least, cell)] += count
    positions = [
        MetPosition(position, moves, tuple(value_preserving_moves(position)))
        for position, moves in met.items()
    ]
    positions.sort(key=lambda each: (-each.mistakes, -each.met, each.position))
    return positions


def _counted(store: Store, wanted: GameFilter) -> Counter[tuple[int, int]]:
    """How often people chose a cell, by the mover's marks (bits 9 to 17) and the other's."""
    counts: Counter[tuple[int, int]] = Counter()
    for _, seats, first, moves, _, end in played(store, wanted):
        if end not in "AB=" or "P" not in seats:
            continue
        people = [seat == "P" for seat in (seats if first == "A" else seats[::-1])]
        mover = other = 0
        for ply, cell in enumerate(map(int, moves)):
            if people[ply & 1]:
                counts[mover << 9 | other, cell] += 1
            mover, other = other, mover | 1 << cell
    return counts


def _turned(position: Position, least: Position, cell: int) -> int:
    """The cell where the position is turned and mirrored into its canonical one."""
    return min(to[cell] for to in SYMMETRIES if turned(position, to) == least)
