"""The built-in engines by name, from random play to the cleverest search.

After them come the one that plays to lose, and the one that learns.
"""

from noughts.engines.levels import Chip, Kind, Random, Rules
from noughts.engines.menace import Menace
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
        import difflib  # here, because it takes 0.3 MB, which `noughts watch` does not need

        near = difflib.get_close_matches(name, built_in, 1)
        hint = f"did you mean {near[0]}?" if near else f"choose one of {', '.join(built_in)}"
        raise UnknownEngineError(f"{name!r} is not an engine; {hint}")
    return built_in[name]
