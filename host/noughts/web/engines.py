"""The engines that the page offers, and their answers.

These are the built-in ones: a browser must not start a program of the user's.
"""

import time
from collections.abc import Collection
from functools import cache

from noughts.engines.built_in import built_in_engine, engines
from noughts.game.engine import Engine, Reply
from noughts.game.positions import Position


def offered() -> Collection[Engine]:
    """All engines of the page, in the order of its list."""
    return engines().values()


@cache
def answered(name: str, position: Position) -> tuple[Reply, float]:
    """An engine's answer, and the time in ms that it took when it was first asked.

    Raises `UnknownEngineError` for a name that is not offered. Cached, because anyone who may watch
    may ask, and minimax takes a while.
    """
    engine = built_in_engine(name)
    start = time.perf_counter()
    reply = engine.reply(position)
    return reply, (time.perf_counter() - start) * 1000
