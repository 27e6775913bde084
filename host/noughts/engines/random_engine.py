"""Playing by chance alone."""

from __future__ import annotations

from noughts.game.engine import Reply
from noughts.game.positions import Position


class Random:
    """Plays any free cell, each with the same probability."""

    name = "random"
    about = "any free cell"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """Every free cell."""
        return Reply(position.free)
