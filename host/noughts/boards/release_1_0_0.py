"""What release 1.0.0 left on a board: games that it sent again after each reset, and the choice.

    V1  "0" to "64"    100017 Pb $NG,...*hh     the game's number, the menu's choice, a sentence
    V2  "0"            100000 Pb
        "~@" to "~W"   a number of two bytes, then one to seven games of 17 bytes each

A power cut left some without their end, or with bytes behind it that were never written.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from microbit_emulator.firmware import V1, V2
from noughts.boards.files import BoardFile, BoardFiles
from noughts.errors import SentenceError
from noughts.protocol.sentences import Game, game_of, read

_START = re.compile(rb"1\d{5}[PEMH][bt]")
_FILE = re.compile(rb"(1\d{5})([PEMH][bt])(?:\$(?:NG,[ -~]*)?)?\xff*")
_NUMBERS = {str(number) for number in range(65)}
_CHOICE_WHILE_MOVED = "~c"
_PACKS = {f"~{chr(letter)}" for letter in range(0x40, 0x58)}
_LONGEST = {V1: 62, V2: 121}
"""Bytes of its files; a V1 that reads beyond them may end."""
_RECORD = struct.Struct("<IIIIB")


@dataclass(frozen=True)
class Left:
    """What 1.0.0 left: which files are its own, the games in them, and the menu's choice."""

    files: tuple[str, ...] = ()
    games: tuple[Game, ...] = ()
    choice: bytes = b""


def left_on(board: BoardFiles, kind: str, present: Mapping[str, BoardFile]) -> Left:
    """What it left among the files of a survey. Raises `BoardError`."""
    names = candidates(kind, {name: file.start for name, file in present.items()})
    return left_in(board.read(names, _LONGEST[kind])) if names else Left()


def recovered(games: Sequence[Game]) -> str:
    """The message about stored games."""
    count = "1 game" if len(games) == 1 else f"{len(games)} games"
    return f"recovered {count} that release 1.0.0 had stored on the board"


def candidates(kind: str, starts: Mapping[str, bytes]) -> list[str]:
    """The files that may be its own; starts: the first bytes of each, by its name."""
    names = {name for name in _NUMBERS & starts.keys() if _START.match(starts[name])}
    if kind != V1:
        names |= (_PACKS | {_CHOICE_WHILE_MOVED}) & starts.keys()
    return sorted(names)


def left_in(contents: Mapping[str, bytes]) -> Left:
    """What these files are; contents: of the candidates, as far as `_LONGEST`."""
    files: list[str] = []
    choices: list[tuple[bytes, bytes]] = []
    found: list[tuple[int, list[Game]]] = []
    for name, content in contents.items():
        if name in _PACKS:
            games = _unpacked(content)
            if not games:
                continue
            found.append((int.from_bytes(content[:2], "big"), games))
        else:
            match = _FILE.fullmatch(content)
            if match is None:
                continue
            choices.append((match[1], match[2]))
            found.append((int(match[1]), _said(content[8:].rstrip(b"\xff"))))
        files.append(name)
    found.sort(key=lambda pair: pair[0])
    ordered = tuple(game for _, games in found for game in games)
    return Left(tuple(files), ordered, max(choices)[1] if choices else b"")


def _said(line: bytes) -> list[Game]:
    try:
        sentence = read(line.decode("ascii"))
    except SentenceError:  # what a power cut left of one, or none
        return []
    return [sentence] if isinstance(sentence, Game) else []


def _unpacked(content: bytes) -> list[Game]:
    """The games in a file of a V2; none where any of it could not be a game."""
    try:
        return [_game(*fields) for fields in _RECORD.iter_unpack(content.rstrip(b"\xff")[2:])]
    except (SentenceError, struct.error):
        return []


def _game(boot: int, number: int, cells: int, ms: int, rest: int) -> Game:
    digits = str(cells)  # a 1 before them, so that a 0 counts
    if digits[0] != "1" or rest >= 64 or rest // 4 % 4 > 1:
        raise SentenceError("not what 1.0.0 wrote; ignore the file")
    seat, first, end = "PEMH"[rest // 16], "AB"[rest // 4 % 4], "AB=x"[rest % 4]
    return game_of(f"NG,{boot:08X},{number},P{seat},{first},{digits[1:]},{ms},{end}")
