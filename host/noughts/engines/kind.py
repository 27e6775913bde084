"""Playing to lose: a search for the worst result, with its cost as the other searches count it.

Nobody can lose alone: the opponent has to complete a line. So a move is judged by two opponents.
One is glad to win: the sooner that one can, the better is the move. The other would rather lose,
too: of moves that are equal to the first, the one that leaves the second least is played. So no
game is won by accident, from either seat.

Where not even the first opponent can win any more, it says that it cannot be helped.
"""

from __future__ import annotations

from noughts.engines.search import WIN
from noughts.game.engine import Reply
from noughts.game.positions import WON, Position, canonical


def _remark(position: Position) -> str:
    return f"It cannot be helped: nothing lets {'OX'[position.ply % 2]} win now."


class Kind:
    """Plays to lose."""

    name = "kind"
    about = "plays to lose"
    perfect = False

    def reply(self, position: Position) -> Reply:
        """The first of the worst moves."""
        self._known: dict[tuple[Position, bool, bool], int] = {}
        self._nodes = 1
        worst: tuple[tuple[int, int], int] | None = None
        for cell in position.free:
            after = position.play(cell)
            scores = self._score(after, False, True), self._score(after, False, False)
            if worst is None or scores < worst[0]:
                worst = scores, cell
        assert worst is not None, "somebody has to move"
        score = worst[0][0]
        return Reply(
            (worst[1],), self._nodes, 0, score, remark=_remark(position) if score >= 0 else ""
        )

    def _score(self, position: Position, mine: bool, glad: bool) -> int:
        """What a position comes to for this player: 10 less the plies to a win, or the opposite.

        mine: whether this player is to move; glad: whether the opponent is glad to win.
        """
        key = canonical(position), mine, glad
        if key not in self._known:
            self._nodes += 1
            self._known[key] = self._searched(position, mine, glad)
        return self._known[key]

    def _searched(self, position: Position, mine: bool, glad: bool) -> int:
        if WON[position.other]:
            return 1 - WIN if mine else WIN - 1
        if position.over:
            return 0
        choose = min if mine or glad else max
        score = choose(self._score(position.play(cell), not mine, glad) for cell in position.free)
        return score - (score > 0) + (score < 0)
