"""What a learned table has to be before it is written: a brain that never loses."""

from __future__ import annotations

from noughts import brain
from noughts.engines.device_levels import Chip
from noughts.errors import NoughtsError
from noughts.game import proof


def prove(table: brain.Table) -> proof.Proof:
    """Play the device's own code, with this table, against everything, and ask it everywhere.

    Raises `NoughtsError` if it loses a game, or gives away value in any of the 4,520 positions.
    """
    found = proof.prove(Chip("hard", "H", "", perfect=True, ai=brain.device_code(table)))
    if found.value_losing_positions or not found.never_loses:
        raise NoughtsError(
            f"the table {table.id} does not keep the value of "
            f"{found.value_losing_positions:,} positions; it can lose, so do not use it"
        )
    return found
