"""Sentences described in words."""

import re
from functools import cache, lru_cache

from noughts.engines.built_in import engines
from noughts.engines.levels import LEVELS
from noughts.errors import printable
from noughts.game.positions import Position, position_after
from noughts.protocol.sentences import Boot, Game, Sentence, player_of

CELLS = (
    "in the top-left corner", "on the top edge", "in the top-right corner",
    "on the left edge", "in the centre", "on the right edge",
    "in the bottom-left corner", "on the bottom edge", "in the bottom-right corner",
)  # fmt: skip

LINE_NAMES = (
    "left column", "middle column", "right column",
    "top row", "middle row", "bottom row",
    "diagonal from the top left", "diagonal from the top right",
)  # fmt: skip

RESULTS = {"A": "A", "B": "B", "=": "draw", "x": "abandoned", "-": "unfinished"}
"""By a game's `end`: its name in filters, JSON and exports."""

_ENGINES = {engine.seat: name for name, engine in engines().items() if engine.seat not in LEVELS}
"""Opponents that only the page has, by the letters with which it stores games."""

_SEATED = {"P": "person", **{letter: level.name for letter, level in LEVELS.items()}, **_ENGINES}
"""By the seat's letter, in the order of lists. Boards have people and the chip's levels."""
_COPY = re.compile(r"(?P<room>([^/]+/)*)file-(?P<name>.+?)(\.(html?|csv|log|txt))?", re.IGNORECASE)
"""The board of a copied log, perhaps in a room; see `recording/data_logs.py`."""
CONTROLS = {"b": "buttons", "t": "tilt"}
"""By the second letter of a menu's choice."""
SEATS_MEANING = f"P a person, {' '.join(LEVELS)} the chip, " + ", ".join(
    f"{letter} {name}" for letter, name in _ENGINES.items()
)


def describe(sentence: Sentence, number: int | None = None) -> str:
    """Describe a sentence in one line; number: the game's, instead of the board's own count."""
    if isinstance(sentence, Game):
        return _describe_game(sentence, number or sentence.number)
    if isinstance(sentence, Boot):
        return (
            f"board started: micro:bit {sentence.hardware}, game {sentence.release}, "
            f"table {sentence.table_id}"
        )
    return f"menu: {_opponent(sentence.choice)}, {CONTROLS[sentence.choice[1]]}"


def _describe_game(game: Game, number: int) -> str:
    plies = len(game.moves)
    if game.end == "x":
        return f"game {number}: abandoned after {counted(plies, 'move')}"
    if not game.moves:
        a, b = map(seated_in_full, game.seats)
        return f"game {number}: A is {a}, B is {b}; {game.first} begins"
    player = player_of(game.first, plies - 1)
    move = f"game {number}, move {plies}: {player} {CELLS[game.moves[-1]]}"
    if game.end in "AB":
        return f"{move}; {player} wins ({line_names(position_after(game.moves))})"
    return f"{move}; a draw" if game.end == "=" else move


def _opponent(choice: str) -> str:
    if choice[0] == "R":
        channel = f", channel {choice[3]}" if choice[3:] else ""
        return f"a friend by radio{channel}"
    return "two people" if choice[0] == "P" else seated_in_full(choice[0])


def describe_whole(game: Game, number: int | None = None) -> str:
    """Describe a finished game in one line, if its moves were not reported one by one."""
    moves = counted(len(game.moves), "move")
    return f"game {number or game.number}: {opponents(game.seats)}, {result(game)} after {moves}"


def result(game: Game) -> str:
    """`A won`, `draw`, `unfinished`."""
    return won(RESULTS[game.end])


def counted(number: int, noun: str) -> str:
    """`1 game`, `2,000 games`."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def skipped_rows(rows: int, first_row: int) -> str:
    """`2 damaged rows skipped, the first in line 5 of the data`."""
    first = f"the first in line {first_row}" if rows > 1 else f"line {first_row}"
    return f"{counted(rows, 'damaged row')} skipped, {first} of the data"


@cache
def line_names(position: Position) -> str:
    """`top row and left column`: the lines that the last move has completed."""
    return " and ".join(LINE_NAMES[line] for line in position.won_lines)


def seated(seat: str) -> str:
    """`person`, `hard`, `minimax`; the letter itself for a level that only its board knows."""
    return _SEATED.get(seat, seat)


def seated_in_full(seat: str) -> str:
    """`a person`, `the chip (hard)`, `minimax`."""
    if seat == "P":
        return "a person"
    return f"the chip ({seated(seat)})" if is_chip(seat) else seated(seat)


def is_chip(seat: str) -> bool:
    """Whether a level of the chip plays here, perhaps one that only its board knows."""
    return seat != "P" and not is_page_engine(seat)


def is_page_engine(seat: str) -> bool:
    """Whether an engine plays here that only the page has."""
    return seat in _ENGINES


def seat_order(seat: str) -> tuple[int, str]:
    """A sort key: people first, then the chip's levels, the page's engines and unknown letters."""
    letters = list(_SEATED)
    return letters.index(seat) if seat in letters else len(letters), seat


def seat_of(engine: str) -> str:
    """The letter of an engine's seat, from its name."""
    return next(letter for letter, name in _SEATED.items() if name == engine)


def opponents(seats: str) -> str:
    """`person against hard`."""
    return f"{seated(seats[0])} against {seated(seats[1])}"


def won(result: str) -> str:
    """`A won`, from a result such as `A`."""
    return f"{result} won" if result in ("A", "B") else result


@lru_cache(maxsize=256)
def short(board: str) -> str:
    """A board's name without its kind, and without the digits that all micro:bits share.

    Their USB serial number is 48 hex digits: 8 for the model, 32 for the interface chip (the second
    half differs least), and 8 for its kind (DAPLink's documentation). A copy of a log has the name
    of its file, without the ending.
    """
    if copy := _COPY.fullmatch(board):
        return printable(copy["room"] + copy["name"])
    if board.startswith("usb-") and len(board) == 52:
        return f"usb-…{board[12:28]}"
    return printable(board)


def display_name(board: str, name: str | None) -> str:
    """A board's name for people: the one that they gave it, else its short name."""
    return printable(name)[:40] if name else short(board)
