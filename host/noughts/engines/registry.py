"""All engines by name, from the one that knows least to the one that searches most cleverly."""

from __future__ import annotations

from noughts.engines.device_levels import Chip
from noughts.engines.random_engine import Random
from noughts.engines.rule_based import Rules
from noughts.engines.search import AlphaBeta, Minimax, Transposition
from noughts.game.engine import Engine


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
