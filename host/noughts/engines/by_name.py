"""Any engine by its name: a built-in one, a package's, or one in a file."""

from pathlib import Path

from noughts.engines.built_in import built_in_engine, engines
from noughts.engines.menace import SUFFIX, read_menace
from noughts.engines.own import LIMIT_S, OwnEngine, from_file, packaged
from noughts.errors import UnknownEngineError
from noughts.game.engine import Engine


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
