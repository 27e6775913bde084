"""noughts: tic-tac-toe on a BBC micro:bit, and the tools around it.

    >>> import noughts
    >>> board = noughts.Board("XX.OO....")
    >>> board.best_moves()
    (2,)
    >>> noughts.engine("minimax").reply(board).nodes
    157

See docs/python-api.md. The names are looked up when they are first used: the command line, which
imports this too, needs few of them.
"""

from noughts.version import __version__ as __version__

# Not from `typing`: hardly anything is imported here, so Ctrl-C at the start interrupts nothing.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from noughts.errors import (
        IllegalMoveError,
        IllegalPositionError,
        NoughtsError,
        OwnEngineError,
        ResignedError,
        StoreError,
        UnknownEngineError,
    )
    from noughts.game.board import Board
    from noughts.library import (
        Engine,
        MatchResult,
        engine,
        engine_names,
        games,
        games_in_capture,
        match,
        prove,
        review,
    )
    from noughts.protocol.sentences import Game
    from noughts.store.game_filter import GameFilter
    from noughts.store.stored_game import StoredGame

__all__ = [
    "Board", "Engine", "Game", "GameFilter", "IllegalMoveError", "IllegalPositionError",
    "MatchResult", "NoughtsError", "OwnEngineError", "ResignedError", "StoreError", "StoredGame",
    "UnknownEngineError", "engine", "engine_names", "games", "games_in_capture", "match", "prove",
    "review",
]  # fmt: skip


def __getattr__(name: str) -> "Any":
    if name not in __all__:
        raise AttributeError(f"module 'noughts' has no attribute {name!r}")
    from importlib import import_module

    module = "errors" if name.endswith("Error") else "library"
    return getattr(import_module(f"noughts.{module}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
