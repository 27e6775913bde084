"""Games of people, of which habits and tables are learned."""

from typing import NamedTuple


class PeopleGame(NamedTuple):
    """A game, and which of its sides were people."""

    moves: tuple[int, ...]
    """Cells, 0 to 8."""
    people: tuple[bool, bool]
    """Whether a person moved first, and whether a person moved second."""
