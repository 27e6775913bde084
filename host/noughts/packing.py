"""Device files as they go onto a board: the same program in fewer bytes, on the same lines.

Comments and trailing blanks go, indents become one space, continued lines lose theirs. Line breaks
stay, so that the line which a board's traceback names is the one in `device/`. Of a comment
in the first line what stands before its colon stays, too: `noughts put` knows our files by it.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Mapping
from functools import lru_cache

_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)


def packed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """These files, name to content, as they go onto a board."""
    return {
        name: pack(content) if name.endswith(".py") else content for name, content in files.items()
    }


@lru_cache(maxsize=64)
def pack(source: bytes) -> bytes:
    """A Python file made smaller; one that cannot be read stays as it is, for the board to say."""
    try:
        text = source.decode().replace("\r\n", "\n").replace("\r", "\n")
        smaller = _pack(text)
        # Such as a string of several lines that this Python's tokenize takes to pieces.
        if not _is_same(ast.parse(smaller), ast.parse(text)):
            return source
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        return source
    return smaller.encode()


def _pack(text: str) -> str:
    lines = text.split("\n")
    code_ends: dict[int, int] = {}  # where a line's comment begins
    levels: dict[int, int] = {}  # of the lines at which a statement begins
    in_string: set[int] = set()  # lines that begin within a string
    level = 0
    begins = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        row, column = token.start
        level += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        if token.type == tokenize.COMMENT:
            code_ends[row] = column
        if token.type not in _NOT_CODE:
            if begins:
                levels[row] = level
            begins = token.type == tokenize.NEWLINE
            in_string.update(range(row + 1, token.end[0] + 1))
    smaller = re.findall(r"#[^:]*:|.*", lines[0])[:1]
    for row, line in enumerate(lines[1:], 2):
        code = line[: code_ends.get(row)]
        if row + 1 not in in_string:
            code = code.rstrip()
        if row not in in_string and code:
            code = " " * levels.get(row, 0) + code.lstrip()
        smaller.append(code)
    return "\n".join(smaller).rstrip("\n") + "\n"


def _is_same(one: object, other: object) -> bool:
    """Whether two programs, or parts of them, say the same on the same lines."""
    if type(one) is not type(other):
        return False
    if isinstance(one, ast.AST):
        names = "lineno", *one._fields
        return all(_is_same(getattr(one, n, None), getattr(other, n, None)) for n in names)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_same, one, other))
    return one == other
