"""What learning gains, estimated on games that were not learned from.

The games are dealt into `FOLDS` parts. For each part a table is learned from all the others, and
held against the habits that this part shows by itself, hardly smoothed. The interval is that of
Student's t over the parts (cross-validation: Stone, Cross-validatory choice and assessment of
statistical predictions, 1974).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

from noughts.brain import Table
from noughts.learning.chances import Chances, by_table
from noughts.learning.fit import fit
from noughts.learning.habits import Habits, PeopleGame

FOLDS = 10
PRIOR = 0.05
"""A part is small: what smooths more makes its habits weaker than they are, and so the gain."""
_T = 2.262
"""Student's t for a 95 % interval and nine degrees of freedom."""


@dataclass(frozen=True)
class Estimate:
    """How likely a game is to be won by the table before, and by one that was learned."""

    before: float
    after: float
    gain: tuple[float, float]
    """A 95 % interval of the difference."""

    @property
    def shows_gain(self) -> bool:
        """Whether there is a gain, as far as one can tell."""
        return self.gain[0] > 0


def estimate(games: Sequence[PeopleGame], before: Table) -> Estimate | None:
    """Cross-validate; None where there are fewer games than parts."""
    if len(games) < FOLDS:
        return None
    pairs = []
    for part in range(FOLDS):
        habits = Habits(games[part::FOLDS], PRIOR)
        learned = fit(Habits(game for at, game in enumerate(games) if at % FOLDS != part))
        pairs.append([Chances(by_table(table), habits).win for table in (before, learned)])
    gains = [after - once for once, after in pairs]
    mean = sum(gains) / FOLDS
    spread = _T * sqrt(sum((gain - mean) ** 2 for gain in gains) / (FOLDS - 1) / FOLDS)
    old, new = (sum(each) / FOLDS for each in zip(*pairs, strict=True))
    return Estimate(old, new, (mean - spread, mean + spread))
