"""Hard's choice on an emulated board: what the chip's own code answers, and how long it takes."""

from typing import NamedTuple

from noughts.brain import Table, source
from noughts.brain.device import device_sources
from noughts.game.positions import EMPTY, Position, canonical
from official import printed

# The board walks through the positions by the steps in a file: 0-8 places a mark, 9-17 removes one.
# Garbage is collected between choices, never during one, so each time is that of the choice alone.
_BACK = 9
_WALK = b"""# noughts: asks the chip, on an emulated board.
from microbit import display
from utime import ticks_us, ticks_diff
import gc, rules, table, ai
marks = [0] * 9
score = [0] * 8
def ask(player):
    start = ticks_us()
    cells = ai.best(marks, score, player, "H")
    took = ticks_diff(ticks_us(), start)
    mask = 0
    for cell in cells:
        mask |= 1 << cell
    print(took, mask)
def walk(file):
    player = 1
    ask(player)
    while True:
        steps = file.read(16)
        if not steps:
            return
        gc.collect()
        for step in steps:
            if step < 9:
                rules.place(marks, score, step, player)
                player = -player
                ask(player)
            else:
                rules.place(marks, score, step - 9, player)
                marks[step - 9] = 0
                player = -player
display.show("?")
gc.disable()
with open("steps", "rb") as file:
    walk(file)
"""


class Answer(NamedTuple):
    """The cells that level hard considers best, and the device time in µs that the choice took."""

    cells: list[int]
    us: int


def ask_hard(
    firmware: str, table: Table | None = None, up_to_symmetry: bool = False
) -> dict[Position, Answer]:
    """What `ai.best` answers at level hard in each of the 4,520 positions with a choice.

    firmware: such as `V1 1.1.1`. table: replaces hard's own. up_to_symmetry: in one position per
    class. Raises `RuntimeError` when the board reports an error.
    """
    sources = device_sources()
    files = {name: sources[name] for name in ("ai.py", "rules.py", "table.py")}
    if table is not None:
        files["table.py"] = source(table).encode()
    steps = bytearray()
    positions: dict[Position, Position] = {}

    def tour(position: Position) -> None:
        """Visit each new position, or class of positions, depth first."""
        positions[canonical(position) if up_to_symmetry else position] = position
        for cell in position.free:
            position_after = position.play(cell)
            if (
                not position_after.over
                and (canonical(position_after) if up_to_symmetry else position_after)
                not in positions
            ):
                steps.append(cell)
                tour(position_after)
                steps.append(_BACK + cell)

    tour(EMPTY)
    text = printed(firmware, {**files, "main.py": _WALK, "steps": bytes(steps)})
    numbers = [int(word) for word in text.split()]
    return {
        position: Answer([cell for cell in range(9) if mask >> cell & 1], us)
        for position, us, mask in zip(positions.values(), numbers[::2], numbers[1::2], strict=True)
    }
