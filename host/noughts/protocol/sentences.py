"""The sentences that boards send, in the manner of NMEA 0183 (docs/protocol.md has each field).

    $NB,1,<boot>,<board>,<release>,<table id>*hh                       once at boot
    $NM,<boot>,<choice>*hh                                             what the menu shows
    $NG,<boot>,<game>,<seats>,<first>,<moves>,<ms>,<end>*hh           a game so far
    $NR,<id>,<body of one of these>*hh                                 the same, received by radio

A board resends its stored games after `$NB`, word for word. Their boot is then not the one that
`$NB` has given.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import reduce
from operator import attrgetter, xor
from typing import NamedTuple

from noughts.errors import SentenceError, UnknownSentenceError
from noughts.game.positions import FULL, LINES, WON

MAX_LENGTH = 120
"""Of a sentence of protocol 1, with `$` and checksum."""

_BOOT_ID, _RADIO_ID = "[0-9A-F]{8}", "[0-9A-F]{8}"


# Not frozen, though nobody changes one: making a frozen one takes four times as long.
@dataclass(unsafe_hash=True)
class Boot:
    """A board has started. boot: the id of this run of the board, eight hex digits."""

    boot: str
    hardware: str
    """`V1` or `V2`."""
    release: str
    """The game's, such as `1.2.0`."""
    table_id: str
    """Four hex digits."""


@dataclass(unsafe_hash=True)
class Menu:
    """The menu shows a choice: the opponent's letter, `b` for buttons or `t` for tilt, and more."""

    boot: str
    choice: str


@dataclass(unsafe_hash=True)
class Game:
    """A game so far.

    number: counts from 1 since boot. seats: player A's and B's: `P` a person, else the letter of a
    level of the chip. first: who began. ms: since the game began. end: `-`, `A`, `B`, `=` or `x`
    (abandoned).

    >>> game = Game("00000A83", 1, "PH", "A", (4, 0), 1200, "-")
    >>> game.player(2), game.marks
    ('A', {4: 'A', 0: 'B'})
    """

    boot: str
    number: int
    seats: str
    first: str
    moves: tuple[int, ...]
    ms: int
    end: str

    def player(self, ply: int) -> str:
        """`A` or `B`, who makes a move; plies count from 0."""
        return player_of(self.first, ply)

    @property
    def marks(self) -> dict[int, str]:
        """By cell, `A` or `B`; the oldest mark first."""
        return {cell: self.player(ply) for ply, cell in enumerate(self.moves)}


Sentence = Boot | Menu | Game

BOOT_FIELDS = tuple(field.name for field in fields(Boot))
GAME_FIELDS = tuple(field.name for field in fields(Game))
"""The names of their fields, in the order in which a sentence has them."""
_MOVES = GAME_FIELDS.index("moves")
_DIGITS = "012345678"


def _pattern(head: str, names: Sequence[str], **patterns: str) -> re.Pattern[str]:
    """Matches the body of a sentence, with a group for each field, in the order of the names."""
    return re.compile(head + "".join(f",({patterns[name]})" for name in names))


_HEADS = {Boot: "NB,1", Menu: "NM", Game: "NG"}
_FORMATS = {
    sentence_class: head + ",%s" * len(fields(sentence_class))
    for sentence_class, head in _HEADS.items()
}
_GETTERS = {
    sentence_class: attrgetter(*(field.name for field in fields(sentence_class)))
    for sentence_class in _HEADS
}
"""By class: gives the values of all fields. `vars` would leave each sentence with a dict."""
_BOOT = _pattern(
    _HEADS[Boot],
    BOOT_FIELDS,
    boot=_BOOT_ID,
    hardware="V1|V2",
    release="[0-9A-Za-z.+-]{1,16}",
    table_id="[0-9A-F]{4}",
)
_GAME = _pattern(
    _HEADS[Game],
    GAME_FIELDS,
    boot=_BOOT_ID,
    number="[1-9][0-9]{0,8}",
    seats="[A-Z]{2}",
    first="[AB]",
    moves="[0-8]{0,9}",
    ms="0|[1-9][0-9]{0,9}",
    end="[-AB=x]",
)
_MENU = _pattern(
    _HEADS[Menu], ("boot", "choice"), boot=_BOOT_ID, choice="[A-Z][bt][0-9A-Za-z]{0,14}"
)
_RADIO = re.compile(rf"NR,({_RADIO_ID}),(N[BGM],.*)")
_LATER_VERSION = re.compile(r"NB,(?!1,)([1-9][0-9]{0,3}),")
_PLAIN = re.compile("[ -#%-)+-~]*")
"""Characters that any sentence may have."""


class ParsedSentence(NamedTuple):
    """A sentence, and how it came."""

    body: str
    """The part between `$` and `*`, without the `NR` and id of radio."""
    sentence: Sentence
    radio_id: str | None = None
    """The sender's, by radio; None by cable."""

    @property
    def line(self) -> str:
        """The sentence as it was sent, without a line end."""
        return framed(self.body, self.radio_id)


def is_of_earlier_run(sentence: Sentence, boot: Boot | None) -> bool:
    """Whether this is an end that may be long ago; boot: the board's last start."""
    if not isinstance(sentence, Game) or sentence.end == "-":
        return False
    return boot is None or sentence.boot != boot.boot


def is_same(game: Game, other_game: Game | None) -> bool:
    """Whether two sentences are about one game."""
    if other_game is None:
        return False
    return (game.boot, game.number) == (other_game.boot, other_game.number)


class Runs:
    """The current run of each board with a port, as far as its sentences show it."""

    def __init__(self) -> None:
        self._announced: dict[str, tuple[str | None, int | None]] = {}
        """By board: the boot of its run, None if unknown; and since when."""

    def opened(self, port_board: str, at: int | None, boot: str | None = None) -> None:
        """Note that a port was opened: its board may be resending games of earlier runs."""
        since = self._announced.get(port_board, (None, None))[1]
        if at is None or since is None or since <= at:  # else this is late or repeated
            self._announced[port_board] = boot, at

    def take(self, port_board: str, sentence: Sentence, at: int | None, by_radio: bool) -> bool:
        """Take the next sentence of a port. Returns whether a game had ended some time before."""
        if isinstance(sentence, Game) and sentence.end != "-":
            # By radio, an end is resent some time later, so its time is not exact.
            return by_radio or sentence.boot != self._announced.get(port_board, (None, None))[0]
        if not by_radio:
            # An unfinished game shows its run too: `$NB` may have come before the port was open.
            self.opened(port_board, at, sentence.boot)
        return False


def player_of(first: str, ply: int) -> str:
    """`A` or `B`, who makes a move; plies count from 0."""
    return "AB"[(ply + (first == "B")) % 2]


def score_array(marks: Mapping[int, str]) -> list[int]:
    """The sum of each line: A's marks count +1 and B's -1, as on the board (`device/rules.py`)."""
    return [sum({"A": 1, "B": -1}[marks[cell]] for cell in line if cell in marks) for line in LINES]


def checksum(body: str) -> str:
    """Two hex digits for the part between `$` and `*`: the XOR of its bytes."""
    return f"{reduce(xor, body.encode('ascii', 'replace'), 0):02X}"


def framed(text: str, radio_id: str | None = None) -> str:
    """A sentence as a board sends it, without a line end; radio_id: the sender's, by radio."""
    if radio_id is not None:
        text = f"NR,{radio_id},{text}"
    return f"${text}*{checksum(text)}"


def values(sentence: Sentence) -> list[str | int]:
    """Its fields as a sentence and the store have them: moves are digits."""
    plain = list(_GETTERS[type(sentence)](sentence))
    if isinstance(sentence, Game):
        plain[_MOVES] = "".join(map(_DIGITS.__getitem__, sentence.moves))
    return plain


def body(sentence: Sentence) -> str:
    """The part between `$` and `*` of a sentence by cable."""
    return _FORMATS[type(sentence)] % tuple(values(sentence))  # faster than a join


def parse(body: str) -> ParsedSentence:
    """The sentence with this part between `$` and `*`, by cable or radio.

    Raises `UnknownSentenceError` if a later version may have sent it, else `SentenceError`.
    """
    radio_id = None
    if body.startswith("NR") and (match := _RADIO.fullmatch(body)):
        radio_id, body = match.groups()
    if match := _GAME.fullmatch(body):
        return ParsedSentence(body, _game(match), radio_id)
    if match := _BOOT.fullmatch(body):
        return ParsedSentence(body, Boot(*match.groups()), radio_id)
    if match := _MENU.fullmatch(body):
        return ParsedSentence(body, Menu(*match.groups()), radio_id)
    if _PLAIN.fullmatch(body):
        if later := _LATER_VERSION.match(body):
            raise UnknownSentenceError(f"protocol version {later[1]}")
        if (sentence_type := body.split(",")[0]) not in ("NB", "NM", "NG", "NR"):
            raise UnknownSentenceError(f"sentence type ${sentence_type[:12]}")
    raise SentenceError("not a valid sentence; ignore the line")


def _game(match: re.Match[str]) -> Game:
    # The groups have the order of the fields, see `_pattern`.
    boot, number, seats, first, moves, ms, end = match.groups()
    result = outcome(moves, first)
    if end != result and not (end == "x" and result == "-"):
        raise SentenceError("the end of the game does not follow from its moves; ignore the line")
    # Not with `map`, which has no length: Python makes such tuples anew, and keeps 2,000 of each
    # length that are not used any more, 0.6 MB in all.
    cells = tuple(moves.encode().translate(_CELLS))
    return Game(boot, int(number), seats, first, cells, int(ms), end)


def outcome(moves: Iterable[int] | str, first: str) -> str:
    """The result of these moves, cells or digits, by the rules: `-`, `A`, `B` or `=`.

    Raises `SentenceError` if a cell is taken twice, or for a move after the end.
    """
    digits = moves if isinstance(moves, str) else "".join(map(str, moves))
    mover = other = 0  # the marks of the player to move, and of the other one
    for digit in digits:
        if WON[other]:
            raise SentenceError("a move after the end of the game; ignore the line")
        bit = _BITS[digit]
        if (mover | other) & bit:
            raise SentenceError(f"cell {digit} is taken twice; ignore the line")
        mover, other = other, mover | bit
    if WON[other]:
        return player_of(first, len(digits) - 1)
    return "=" if mover | other == FULL else "-"


_BITS = {digit: 1 << cell for cell, digit in enumerate(_DIGITS)}
_CELLS = bytes.maketrans(_DIGITS.encode(), bytes(range(9)))
