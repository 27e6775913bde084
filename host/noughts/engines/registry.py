"""All engines by name, from random play to the cleverest search.

After them come the one that plays to lose, and the one that learns. For engines in files, see `own`
and `menace`.
"""

import difflib
from pathlib import Path

from noughts.engines.levels import Chip, Kind, Random, Rules
from noughts.engines.menace import SUFFIX, Menace, read_menace
from noughts.engines.own import LIMIT_S, OwnEngine, from_file, packaged
from noughts.engines.search import AlphaBeta, Minimax, Transposition
from noughts.errors import UnknownEngineError
from noughts.game.engine import Engine


def engines() -> dict[str, Engine]:
    """Each engine, newly made, by its name."""
    in_order: list[Engine] = [Random(), Chip("E"), Chip("M"), Rules(), Chip("H")]
    in_order += [Minimax(), AlphaBeta(), Transposition(), Kind(), Menace()]
    return {engine.name: engine for engine in in_order}


def name_in_lists(name: str) -> str:
    """An engine's name in a list for people: our own MENACE has not learned anything."""
    return "menace (untrained)" if name == "menace" else name


def built_in_engine(name: str) -> Engine:
    """The built-in engine with this name; a browser may ask for no others.

    Raises `UnknownEngineError`, which suggests the nearest name.
    """
    built_in = engines()
    if name not in built_in:
        near = difflib.get_close_matches(name, built_in, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(built_in)}"
        raise UnknownEngineError(f"{name!r} is not an engine; {hint}")
    return built_in[name]


def engine_named(name: str, limit_s: float = LIMIT_S) -> Engine:
    """A built-in engine, a package's, one in a `.py` file, or a MENACE in a `.json` file.

    limit_s: for each answer of an engine that is not built in. Raises `NoughtsError`, or `OSError`
    for a `.json` file that cannot be read.
    """
    if name.lower().endswith(SUFFIX):
        return read_menace(name)
    if name.lower().endswith(".py"):
        return from_file(name, limit_s)
    if name not in engines() and name in packaged():
        return OwnEngine(name, limit_s, choose=name)
    if name not in engines() and Path(name).is_file():
        raise UnknownEngineError(
            f"{name} is not an engine: its name ends in neither .py (your own) nor .json (a "
            "trained MENACE); rename it, or choose another"
        )
    return built_in_engine(name)
