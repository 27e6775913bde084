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
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

from noughts.brain.device import device_files, device_sources

_ON_EVERY_BOARD = """
    now:_ cell:help chosen:MEH marks:YES pending:input player:love began:this until:pin2
    score:pin0 number:blit result:b target:panic sentence:pin1 cells:a level:authors file:fill
    THROUGH:HEART worth:pin4 light:pin6 seat:SMILE phase:ANGRY tilted:HAPPY shown:struct
    last:pin7 resent:SILLY best:ASLEEP resend:badaboom sent:pin3 stored:PULL_UP model:touch
    controls:pin10 choose:DUCK draw:pin8 boot:XMAS across:NO_PULL along:pin12 save:pin9
    seats:unused squares:CLOCK3 worths:pin13 moved:pin14 turn:n xor:pin16 changed:pin15
    moves:CLOCK1 weights:CLOCK5 first:CLOCK4 opening:pin20 place:pin19 move:CLOCK2 greet:a2
    ours:d theirs:f fields:r again:e4 heard:g frame:c me:b3 tell:height arrows:b5
    lost:c3 more:c4 digit:c5 following:d3 pick:d4 meet:a4
"""
_ON_A_V2 = """
    waiting:F by_cable:G ident:H LABELS:I tone:J draw_leds:K show_leds:L show_end:M cursor:N
    total:O touched:P offer:S hertz:T
"""
NAMES = dict(pair.split(":") for pair in (_ON_EVERY_BOARD + _ON_A_V2).split())
"""For each of our names, one that all firmwares have: of pins, pictures, registers or notes.

Frequent names get those that a V1 finds soonest: early in its firmware's list of names, and before
most keywords in the alphabet. Names that only a V2 imports become single letters, because a V2 has
memory to spare. Names in `table.py` stay, because a table is read without being unpacked. Where
the device's sources use one of these names themselves, the name that it would replace stays.
"""

MARK = b"# noughts:"
"""The beginning of each of our files, which tells them from others on the board."""

_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
_LETTER = re.compile(r"\w")
_WORD = re.compile(r"[^\W\d]\w*")
_FIELD = re.compile(r"{[^{}]*|%\([^()]*")
"""The beginning of a field in a text to format, with the names in it."""


class _Shrunk(NamedTuple):
    """A Python file without its comments and unneeded blanks."""

    source: bytes
    words: Sequence[tuple[str, str]] | None
    """Each name with the text before it; the last one is empty. None if the file has to stay as it
    is."""
    names: frozenset[str]
    """All names that it uses; perhaps more, if it has to stay as it is."""
    looked_up: frozenset[str]
    """Names that it may look up by their text while it runs."""

    @property
    def keeps_names(self) -> bool:
        """Whether its names stay, because it is another program's, or has to stay as it is."""
        return self.words is None or not self.source.startswith(MARK)


def files_for_boards() -> dict[str, bytes]:
    """All files of the game, packed, by name, which is their order."""
    return packed(device_files())


def packed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """These files, packed to run next to all others in the device's folder.

    A file with a syntax error is left as it is, and the board reports that.
    """
    programs = {name: _shrunk(code) for name, code in files.items() if name.endswith(".py")}
    names = _replacements({**_device_programs(), **programs})
    return {
        name: _renamed(programs[name], names) if name in programs else content
        for name, content in files.items()
    }


def pack(source: bytes) -> bytes:
    """Pack a single Python file; see `packed`."""
    return packed({"main.py": source})["main.py"]


def original_names() -> dict[str, str]:
    """For each name that replaces one of ours on boards, that one."""
    return {short: name for name, short in _replacements(_device_programs()).items()}


def _device_programs() -> dict[str, _Shrunk]:
    return {name: _shrunk(source) for name, source in device_sources().items()}


def _replacements(programs: Mapping[str, _Shrunk]) -> dict[str, str]:
    """The names to replace in these programs, each with its replacement.

    People change the game, and may use any name. One that stands anywhere cannot stand for another,
    too. One that a file keeps or looks up, or that is a module's, has to stay in all files.
    """
    used = {name for program in programs.values() for name in program.names}
    kept = {file.removesuffix(".py") for file in programs}
    for program in programs.values():
        kept |= program.looked_up
        if program.keeps_names:
            kept |= program.names
    return {name: short for name, short in NAMES.items() if name not in kept and short not in used}


def _renamed(program: _Shrunk, names: Mapping[str, str]) -> bytes:
    if program.words is None:
        return program.source
    return _text(program.words, {} if program.keeps_names else names).encode()


def _text(words: Sequence[tuple[str, str]], names: Mapping[str, str]) -> str:
    """A program; names: the names to replace."""
    return "".join(leading + names.get(name, name) for leading, name in words)


@lru_cache(maxsize=64)
def _shrunk(source: bytes) -> _Shrunk:
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    try:
        source.decode()
        words, tree = _words(text), ast.parse(text)
        # For example, this Python's tokenize may split a string of several lines.
        if _alike(ast.parse(_text(words, {})), tree):
            used = {name for _, name in words if name} | _names_in_f_strings(tree)
            return _Shrunk(source, words, frozenset(used), frozenset(_looked_up(tree)))
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        pass
    return _Shrunk(source, None, frozenset(_WORD.findall(text)), frozenset())


def _looked_up(tree: ast.Module) -> set[str]:
    """The names of a program that must stay because texts or keywords name them, too.

    A function takes `score=1` as the text "score" if it is the firmware's, or has `**arguments`.
    Texts name attributes for `getattr`, keys of `globals()`, and fields of `format` and `%`. Our
    labels of a data log's columns are not looked up.
    """
    names = _names_in_f_strings(tree)
    labels = {id(part) for node in tree.body if _are_labels(node) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if id(node) in labels:
            continue
        if isinstance(node, ast.keyword) and node.arg is not None:
            names.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
            for field in _FIELD.findall(node.value):
                names.update(_WORD.findall(field))
    return names


def _names_in_f_strings(tree: ast.Module) -> set[str]:
    """Variables and attributes in f-strings, which are single tokens before Python 3.12."""
    strings = (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr))
    parts = [part for node in strings for part in ast.walk(node)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _are_labels(node: ast.stmt) -> bool:
    """Whether this is `LABELS = ...`."""
    if not isinstance(node, ast.Assign):
        return False
    target = node.targets[0]
    return isinstance(target, ast.Name) and target.id == "LABELS"


def _words(text: str) -> list[tuple[str, str]]:
    """The same program on the same lines, in fewer characters, as in `_Shrunk`."""
    lines = text.split("\n")
    words = []
    # The first line's comment stays up to its colon, as `MARK`; it is not among the tokens below.
    # leading: what stands between the name before and the next one.
    leading = (re.findall(r"#[^:]*:", lines[0]) or [""])[0] if lines[0][:1] == "#" else ""
    row = 1
    depth = 0  # open blocks: each indents its statements by one space, whatever the source has
    previous: tokenize.TokenInfo | None = None  # of the same statement
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        if token.type in _NOT_CODE:
            continue
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            previous = None
            continue
        skipped_rows = token.start[0] - row
        if previous is not None and skipped_rows and lines[row - 1].endswith("\\"):
            # Outside of brackets, only a backslash lets a statement go on in the next line; it is
            # not a token.
            leading += "\\"
        # Lines without code stay, empty: a traceback's line numbers are those of the source.
        leading += "\n" * skipped_rows
        if previous is None:
            leading += " " * depth
        elif not skipped_rows and _need_a_blank(previous, token):
            leading += " "
        if token.type == tokenize.NAME:
            words.append((leading, token.string))
            leading = ""
        else:
            leading += token.string
        row = token.end[0]  # a string may have several lines
        previous = token
    return [*words, (leading + "\n", "")]


def _need_a_blank(left: tokenize.TokenInfo, right: tokenize.TokenInfo) -> bool:
    if left.type == tokenize.NUMBER and right.type == tokenize.NAME:
        return True
    # From Python 3.12 on, a token of an f-string may be empty.
    return bool(_LETTER.match(left.string[-1:]) and _LETTER.match(right.string[:1]))


def _alike(left: object, right: object) -> bool:
    """Whether two syntax trees, or parts of them, are the same, with their line numbers."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_alike, left, right))
    if not isinstance(left, ast.AST):
        return left == right
    return getattr(left, "lineno", 0) == getattr(right, "lineno", 0) and all(
        _alike(value, getattr(right, field)) for field, value in ast.iter_fields(left)
    )
