"""All engines by name, from the one that knows least to the one that searches most cleverly."""

from __future__ import annotations

from noughts.engines.chip import Chip
from noughts.engines.engine import Engine, Reply
from noughts.engines.rules import Rules
from noughts.engines.search import AlphaBeta, Minimax, Transposition
from noughts.positions import Position


class Random:
    """Any free cell."""

    name = "random"
    about = "any free cell"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """Every free cell."""
        return Reply(position.free)


def engines() -> dict[str, Engine]:
    """Each engine, newly made, by its name."""
    made: list[Engine] = [
        Random(),
        Chip("easy", "E", "the chip at easy", perfect=False),
        Chip("medium", "M", "the chip at medium", perfect=False),
        Rules(),
        Chip("hard", "H", "the chip at hard", perfect=True),
        Minimax(),
        AlphaBeta(),
        Transposition(),
    ]
    return {engine.name: engine for engine in made}
