"""The whole state of micro:bits at one time, so that they can return there.

A core's state is its memory, which is copied. Functions that others asked to be called stay.
"""

from collections.abc import Callable, Sequence

from microbit_emulator.chip import Chip


class Snapshot:
    """The state of micro:bits between two runs, and what others want to put back with it."""

    def __init__(self, chips: Sequence[Chip], *others: Callable[[], object]) -> None:
        self._states = [(chip, chip.state()) for chip in chips]
        self._others = others

    def restore(self) -> None:
        """Put everything back into this state, any number of times."""
        for chip, state in self._states:
            chip.restore(state)
        for put_back in self._others:
            put_back()
