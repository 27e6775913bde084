"""An engine's answers to all positions, asked beforehand: one that varies is found out.

What is proved of such an engine holds for the answers that it gave, and not for all that it may
give: so it is asked more often, and each of its answers counts as one that it may play.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from noughts.game.engine import Engine, Reply
from noughts.game.positions import Position, unfinished

_CALLS_IF_VARYING = 10


@dataclass
class Asked:
    """An engine that answers as another one did."""

    name: str
    about: str
    perfect: bool
    replies: dict[Position, Reply]
    calls: int
    """How often it was asked about each position."""
    varies: tuple[Position, Reply, Reply] | None
    """The first position, from the empty board on, to which it gave two answers, and these."""

    def reply(self, position: Position) -> Reply:
        """All cells that it has answered."""
        return self.replies[position]


def ask(engine: Engine, asked: Callable[[], None] = lambda: None) -> Asked:
    """Ask an engine twice about all 4,520 positions, and more often if its answers differ.

    asked: called after each answer.
    """
    replies: dict[Position, Reply] = {}
    varies: tuple[Position, Reply, Reply] | None = None
    calls = 2
    call = 0
    while call < calls:
        for position in unfinished():
            reply = engine.reply(position)
            asked()
            before = replies.setdefault(position, reply)
            if set(reply.cells) != set(before.cells):
                varies = varies or (position, before, reply)
                calls = _CALLS_IF_VARYING
                more = [cell for cell in reply.cells if cell not in before.cells]
                replies[position] = Reply((*before.cells, *more))
        call += 1
    return Asked(engine.name, engine.about, engine.perfect, replies, calls, varies)
