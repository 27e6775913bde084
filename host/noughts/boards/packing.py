"""Packing: the same device files in fewer bytes, for a board.

Comments and unneeded blanks go, and indents become one space. Line breaks stay, so a traceback from
a board names the line in `device/`. In the first line, a comment stays up to its colon:
`noughts put` recognizes our files by it.

A board interns each name that its firmware does not have, and never frees that memory. So our names
are replaced by names that the firmware has.
"""

import ast
import io
import re
import tokenize
from collections.abc import Mapping
from functools import lru_cache

from noughts.brain.device import device_files

_ON_EVERY_BOARD = """
    now:MEH cell:YES marks:love player:COW pending:this chosen:blit score:fill until:pin0
    number:pin1 result:pin2 cells:pin3 target:pin4 level:pin6 THROUGH:pin7 worth:pin8 light:a
    last:pin9 file:n seat:HEART phase:HAPPY tilted:ANGRY worths:DUCK choose:SMILE resent:b
    best:XMAS resend:SILLY squares:c draw:touch boot:pin10 load:pin12 across:a2 along:pin13
    weights:a4 seats:up moved:pin14 turn:pin15 xor:pin16 save:pin19 first:authors place:pin20
    move:d sent:ASLEEP
"""
_ON_A_V2 = "frame:E waiting:F by_cable:G ident:H LABELS:I"
NAMES = dict(pair.split(":") for pair in (_ON_EVERY_BOARD + _ON_A_V2).split())
"""For each of our names, one that all firmwares have: of pins, pictures, registers or notes.

Frequent names get those that a V1 finds soonest: early in its firmware's list of names, and before
most keywords in the alphabet. Names that only a V2 imports become single letters, because a V2 has
memory to spare. Names in `table.py` stay, because a table is read without being unpacked.
"""

MARK = b"# noughts:"
"""The beginning of each of our files, which tells them from others on the board."""

_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
_IDENTIFIER = re.compile(r"\w")


def files_for_boards() -> dict[str, bytes]:
    """All files of the game, packed, by name, which is their order."""
    return packed(device_files())


def packed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    return {
        name: pack(content) if name.endswith(".py") else content for name, content in files.items()
    }


@lru_cache(maxsize=64)
def pack(source: bytes) -> bytes:
    """Pack a Python file. One with a syntax error is left as it is, and the board reports that."""
    try:
        text = source.decode().replace("\r\n", "\n").replace("\r", "\n")
        smaller = _pack(text, {})
        # For example, this Python's tokenize may split a string of several lines.
        if _statements(smaller) != _statements(text):
            return source
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return source
    return (_pack(smaller, NAMES) if source.startswith(MARK) else smaller).encode()


def _pack(text: str, names: Mapping[str, str]) -> str:
    lines = text.split("\n")
    smaller = ["" for _ in lines]
    smaller[0] = (re.findall(r"#[^:]*:", lines[0]) or [""])[0] if lines[0][:1] == "#" else ""
    level = 0
    last: tokenize.TokenInfo | None = None  # of the same statement
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        level += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        if token.type in _NOT_CODE:
            continue
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            last = None
            continue
        row = token.start[0] - 1
        if last is None:
            smaller[row] += " " * level
        elif last.end[0] - 1 == row:
            smaller[row] += " " * _apart(last, token)
        elif lines[last.end[0] - 1].endswith("\\"):
            smaller[last.end[0] - 1] += "\\"
        word = names.get(token.string, token.string) if token.type == tokenize.NAME else None
        for i, part in enumerate((word or token.string).split("\n")):
            smaller[row + i] += part
        last = token
    return "\n".join(smaller).rstrip("\n") + "\n"


def _apart(one: tokenize.TokenInfo, other: tokenize.TokenInfo) -> bool:
    """Whether two tokens need a blank between them."""
    if one.type == tokenize.NUMBER and other.type == tokenize.NAME:
        return True
    return bool(_IDENTIFIER.match(one.string[-1]) and _IDENTIFIER.match(other.string[0]))


def _statements(text: str) -> str:
    """A program's syntax tree with its line numbers, as text."""
    tree = ast.dump(ast.parse(text), include_attributes=True)
    return re.sub(r"(end_lineno|col_offset|end_col_offset)=\d+", "", tree)
