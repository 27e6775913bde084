"""All engines by name, from the one that knows least to the one that searches most cleverly.

After them come the one that plays to lose, and the one that learns.
"""

from __future__ import annotations

import difflib

from noughts.engines.device_levels import Chip
from noughts.engines.kind import Kind
from noughts.engines.menace import Menace
from noughts.engines.menace_file import SUFFIX, read
from noughts.engines.random_engine import Random
from noughts.engines.rule_based import Rules
from noughts.engines.search import AlphaBeta, Minimax, Transposition
from noughts.errors import UnknownEngineError
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
        Kind(),
        Menace(),
    ]
    return {engine.name: engine for engine in made}


def engine_named(name: str) -> Engine:
    """The engine of this name, or of this file. Raises `NoughtsError`.

    Who names it may open files of this computer: what a network asks for is `known_engine`.
    """
    if name.lower().endswith(SUFFIX):
        return read(name)
    return known_engine(name)


def known_engine(name: str) -> Engine:
    """The engine of this name. Raises `UnknownEngineError`, with the nearest name."""
    known = engines()
    if name not in known:
        near = difflib.get_close_matches(name, known, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(known)}"
        raise UnknownEngineError(f"{name!r} is not an engine; {hint}")
    return known[name]
