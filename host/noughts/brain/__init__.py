"""The chip's brain: what `device/table.py` holds, and how it is made from the solved game.

weights    what a line is worth to the player to move, by its score (-2 to 2, from that player's
           side) and by whether it is straight or a diagonal: ten small numbers
value      of a free cell: the sum of the weights of its lines
fingerprint  of a position: the sum of the squares of the values of its free cells
book       the positions in which the cell of the greatest value is not the best move; an entry
           is 32 * fingerprint + the value of the cells to play instead

Ten weights and eight entries answer all 627 positions that differ under symmetry, because values
turn and mirror with the board. A table of the moves themselves needs an entry for each of the 101
quiet positions, and code to turn the board. `tools/find_weights.py` shows that no ten weights of
this form need fewer than eight entries, and that one of these weights must be 25 or more.
"""

import ast
import re
import textwrap
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from types import ModuleType

from noughts.brain.device import device_files, load_device
from noughts.errors import NoughtsError
from noughts.game import solver
from noughts.game.positions import LINES, Position, canonical, is_quiet, reachable, unfinished

WEIGHTS = (18, 2, 0, 11, 25, 25, 3, 3, 6, 25)
"""Five for straight lines, five for diagonals; found by `tools/find_weights.py`."""
_LINES_OF = tuple(
    tuple(line for line, cells in enumerate(LINES) if cell in cells) for cell in range(9)
)
"""The indexes in `LINES` of each cell's lines."""
_WEIGHT_OF_0 = tuple(2 if line < 6 else 7 for line in range(len(LINES)))
"""The index of the weight of a score of 0, for each line: straight ones, then diagonals."""


@dataclass(frozen=True)
class Table:
    """The chip's table: weights (ten of 0-255) and book (16-bit numbers, sorted)."""

    weights: tuple[int, ...]
    book: tuple[int, ...]

    @property
    def payload(self) -> bytes:
        """The weights, then the book's entries, as the chip stores them."""
        return bytes(self.weights) + b"".join(entry.to_bytes(2, "big") for entry in self.book)

    @property
    def id(self) -> str:
        """Four hex digits: the low half of the payload's CRC-32."""
        return f"{zlib.crc32(self.payload) & 0xFFFF:04X}"


def cell_values(position: Position, weights: tuple[int, ...]) -> dict[int, int]:
    """The value of each free cell, for the player to move."""
    scores = zip(position.scores(), _WEIGHT_OF_0, strict=True)
    line_weights = [weights[weight_of_0 + score] for score, weight_of_0 in scores]
    return {cell: sum([line_weights[line] for line in _LINES_OF[cell]]) for cell in position.free}


@dataclass(frozen=True)
class Choice:
    """The chip's choice in a position, with its steps."""

    values: Mapping[int, int]
    """Of each free cell."""
    entry: int | None
    """The book's entry for the position, if there is one."""
    cells: tuple[int, ...]
    """The cells, 0 to 8, of which the chip plays one; with a bad table even taken ones."""


def choose(position: Position, table: Table) -> Choice:
    """The choice of the device's `ai.best` at the level hard, with its steps.

    If several entries fit, which happens only with a bad table, the device takes any of them.
    """
    value_of = cell_values(position, table.weights)
    # A taken cell is worth less than any free one. Like the device's code, this does not check that
    # an entry's value belongs to a free cell: a bad table shows itself here, as on the chip.
    values_by_cell = [value_of.get(cell, -1) for cell in range(9)]
    fingerprint_part = 32 * fingerprint(value_of)
    fitting_entries = [entry for entry in table.book if entry - fingerprint_part in values_by_cell]
    played_values = {entry - fingerprint_part for entry in fitting_entries} or {max(values_by_cell)}
    cells = tuple(cell for cell in range(9) if values_by_cell[cell] in played_values)
    return Choice(value_of, fitting_entries[-1] if fitting_entries else None, cells)


def fingerprint(value_of: Mapping[int, int]) -> int:
    """The fingerprint of a position whose free cells have these values."""
    return sum(value * value for value in value_of.values())


def entries_of(fingerprint: int, values: Iterable[int]) -> list[int]:
    """The book's entries for playing the cells of each of these values, where one fits."""
    entries = [32 * fingerprint + value for value in sorted(values) if value < 32]
    return [entry for entry in entries if entry < 1 << 16]


def _book_entry(position: Position, weights: tuple[int, ...]) -> int | None:
    value_of = cell_values(position, weights)
    best_cells = set(solver.hard_moves(position))
    values_of_best_only = {value_of[cell] for cell in best_cells} - {
        value_of[cell] for cell in value_of if cell not in best_cells
    }
    if max(value_of.values()) in values_of_best_only:
        return None
    return max(entries_of(fingerprint(value_of), values_of_best_only), default=None)


@lru_cache(maxsize=1)  # `noughts learn` asks for it twice
def make_table(weights: tuple[int, ...] = WEIGHTS) -> Table:
    """Solve the game, and fill the book with the positions that the weights get wrong.

    With other weights, some positions may not fit; `check` finds them.
    """
    entries = (_book_entry(position, weights) for position in classes())
    return Table(weights, tuple(sorted({entry for entry in entries if entry is not None})))


@cache
def classes() -> tuple[Position, ...]:
    """One position of each of the 627 classes of unfinished positions under symmetry."""
    return tuple(sorted({canonical(position) for position in unfinished()}))


def best_cells(ai: ModuleType, position: Position, level: str = "H") -> list[int]:
    """The answer of the device's own `ai.best`, with player A to move."""
    marks = [(position.mover >> cell & 1) - (position.other >> cell & 1) for cell in range(9)]
    cells: list[int] = ai.best(marks, position.scores(), 1, level)
    return cells


def check(table: Table) -> None:
    """Compare the device's own code, with this table, with the solved game.

    Raises `NoughtsError` for the first position in which it might play a move that is not hard's.
    """
    ai = load_device("ai", {**device_files(), "table.py": source(table).encode()})
    for position in classes():
        if not set(best_cells(ai, position)) <= set(solver.hard_moves(position)):
            raise NoughtsError(f"the table is wrong in {position}; find other weights")


def flaw(table: Table) -> str | None:
    """The first position whose value the table can give away, in words; None if there is none.

    Values turn and mirror with the board, so one position of each class stands for all 4,520.
    """
    for position in sorted(classes(), key=lambda position: position.ply):
        spoiling = {*choose(position, table).cells} - {*solver.value_preserving_moves(position)}
        if spoiling:
            cell = min(spoiling) + 1
            return f"the table {table.id} gives away value by playing {cell} in {position}"
    return None


def prove(table: Table, remedy: str = "make another with `noughts table`") -> None:
    """Check a table in all 4,520 positions. Raises `NoughtsError` if `flaw` finds something."""
    if problem := flaw(table):
        raise NoughtsError(f"{problem}; {remedy}")


def source(table: Table, maker: str = "noughts table", objective: str = "") -> str:
    """The text of `device/table.py`; the same table gives the same text.

    maker: the command that made it. objective: the opponent that it is made for, by default random
    play.
    """
    objective = objective or (
        f"random play ({solver.win_chance()} of the games moving first, "
        f"{solver.win_chance(hard_to_move=False)} moving second)"
    )
    aim = (
        "Objective: never give away the value of a position; among the moves that keep it, play "
        f"one that wins most often against {objective}."
    )
    weights = "".join(f"\\x{weight:02x}" for weight in table.weights)
    return _SOURCE.format(
        id=table.id,
        size=len(table.payload),
        entries=len(table.book),
        weights=weights,
        book=" ".join(f"{entry}," for entry in table.book),
        maker=maker,
        aim="\n".join(textwrap.wrap(aim, 80, initial_indent="# ", subsequent_indent="# ")),
    )


def parse_table(text: str, name: str) -> Table:
    """The table in the text of a `table.py`, which is never run; name: for messages.

    Raises `NoughtsError` if it is not a table, or if its ID does not match.
    """
    match = _CODE.fullmatch(re.sub(r"#.*", "", text))
    book = tuple(map(int, re.findall(r"[0-9]+", match["book"]))) if match else ()
    if not match or any(entry >> 16 for entry in book):
        raise NoughtsError(f"{name} is not a table; make one with `noughts table -o FILE`")
    table = Table(tuple(ast.literal_eval(match["weights"])), book)
    if table.id != match["id"]:
        raise NoughtsError(
            f"{name} is damaged or was edited: its ID is {match['id']!r}, its contents have "
            f"{table.id!r}; make it again with `noughts table -o FILE`"
        )
    return table


def table_in(files: Mapping[str, bytes]) -> Table:
    """The table among the device's files. Raises `NoughtsError`, also if there is none."""
    if "table.py" not in files:
        raise NoughtsError("device/table.py is missing; make it with `noughts table`")
    return parse_table(files["table.py"].decode(errors="replace"), "device/table.py")


def summary(table: Table) -> dict[str, int | str]:
    """Facts about a table, for `noughts table --json`."""
    return {
        "positions": len(reachable()),
        "unfinished": sum(1 for _ in unfinished()),
        "classes": len({canonical(position) for position in reachable()}),
        "unfinished_classes": len(classes()),
        "quiet_classes": sum(is_quiet(position) for position in classes()),
        "payload_bytes": len(table.payload),
        "book_entries": len(table.book),
        "table_id": table.id,
        "wins_first": str(solver.win_chance()),
        "wins_second": str(solver.win_chance(hard_to_move=False)),
    }


_SOURCE = """\
# noughts: hard's brain, made by `{maker}`; regenerate it, do not edit it.
#
{aim}
#
# WEIGHTS is what a line is worth to the player to move when its score is -2,
# -1, 0, 1, 2: five numbers for rows and columns, then five for diagonals. A
# free cell is worth the sum of its lines, and the best cell is played; except
# in a position that is in BOOK, as 32 * (the sum of the squares of the free
# cells' values) + (the value of the cells to play instead).
#
# {size} bytes of payload: 10 weights, and {entries} entries of two bytes. ID is the low
# half of the payload's CRC-32; it comes last, so that a file cut short has none.
WEIGHTS = b"{weights}"
BOOK = ({book})
ID = "{id}"
"""
_CODE = re.compile(
    r'\s*WEIGHTS ?= ?(?P<weights>b"(\\(x[0-9a-f]{2}|[0-3]?[0-7]{1,2})){10}")'
    r"[;\s]*BOOK ?= ?\((?P<book>( ?[0-9]{1,5},)*)\)"
    r'[;\s]*ID ?= ?"(?P<id>[0-9A-F]{4})"\s*'
)
"""The statements of this text, also as they are packed for a board."""
