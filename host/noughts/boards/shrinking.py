"""Shrinking a Python file: the same program in fewer bytes, with the places of its names.

Comments, blank lines and unneeded blanks go, indents become one space, and short statements share a
line. In the first line, a comment stays up to its colon: `noughts put` recognizes our files by it.
`packing.py` replaces names.
"""

import ast
import io
import re
import tokenize
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeGuard

_ROWS_IN_A_LINE = 3
_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.INDENT, tokenize.DEDENT)
_WITH_OWN_VARIABLES = (
    ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda,
    ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp,
)  # fmt: skip
_BY_TEXT = {"eval", "exec", "locals", "vars"}
"""Functions that may find the variables of their caller by text."""
_LETTER = re.compile(r"\w")
_WORD = re.compile(r"[^\W\d]\w*")
_ESCAPE = re.compile(r"\\(?:x([0-9a-f]{2})(?![0-7])|.)", re.DOTALL)
"""An escape in a string, and its number if that can be octal."""
_FIELD = re.compile(r"{[^{}]*|%\([^()]*")
"""The beginning of a field in a text to format, with the names in it."""


class Function(NamedTuple):
    """A function that is not inside another one. All sequences begin with the most frequent."""

    variables: Sequence[str]
    """Its local variables and parameters."""
    imports: Mapping[str, int]
    """What it imports by the name that it uses, and how often it uses that."""
    other_names: frozenset[str]
    """All other names of variables, modules and functions in it."""


class Word(NamedTuple):
    """A name, and the text between it and the one before."""

    leading: str
    name: str
    """Empty at the end of the file."""
    function: int | None = None
    """The number of the function whose variable or import it is."""
    is_import: bool = False
    """Whether this is where the function imports it."""


class Shrunk(NamedTuple):
    """A Python file without what it does not need."""

    words: Sequence[Word] | None
    """None if the file has to stay as it is."""
    functions: Sequence[Function]
    rows: Sequence[Sequence[int]]
    """For each line, the rows of the source that stand in it, counted from 1."""
    names: frozenset[str]
    """All names that it uses; perhaps more, if it has to stay as it is."""
    looked_up: frozenset[str]
    """Names that it may look up by their text while it runs."""


Place = tuple[int, int]
"""Where a name begins: its row, counted from 1, and its column, in characters."""


@lru_cache(maxsize=64)
def shrunk(source: bytes) -> Shrunk:
    """A file, shrunk if it is valid Python."""
    text = source.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    try:
        source.decode()
        tree = ast.parse(text)
        nodes = [*ast.walk(tree)]
        functions, places = _functions(tree, lines)
        words, rows = _words(text, _separators(nodes, lines), places)
        # For example, this Python's tokenize may split a string of several lines.
        if _alike(ast.parse("".join(word.leading + word.name for word in words)), tree, rows):
            names = {word.name for word in words if word.name} | _names_in_f_strings(nodes)
            return Shrunk(words, functions, rows, frozenset(names), _looked_up(tree, nodes))
    except (SyntaxError, ValueError, tokenize.TokenError, RecursionError, MemoryError):
        pass
    rows = [[row] for row, _ in enumerate(lines, 1)]
    return Shrunk(None, (), rows, frozenset(_WORD.findall(text)), frozenset())


def _words(
    text: str, separators: Mapping[int, str], places: Mapping[Place, tuple[int, bool]]
) -> tuple[list[Word], list[list[int]]]:
    """The words of the shrunk file, and its lines' rows."""
    words = []
    # The first line's comment stays up to its colon; it is not among the tokens below.
    # leading: what stands between the name before and the next one.
    leading = (re.match(r"#[^:\n]*:", text) or [""])[0]
    rows = [[1]] if leading else []
    depth = 0  # open blocks: each indents its statements by one space, whatever the source has
    previous: tokenize.TokenInfo | None = None  # of the same statement
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        depth += (token.type == tokenize.INDENT) - (token.type == tokenize.DEDENT)
        if token.type in _NOT_CODE:
            continue
        if token.type in (tokenize.NEWLINE, tokenize.ENDMARKER):
            previous = None
            continue
        row, last_row = token.start[0], token.end[0]  # a string may have several rows
        if previous is None and row in separators:
            if not leading.endswith(";"):  # which may stand at the end of a row
                leading += separators[row]
        elif previous is None:
            leading += "\n" * bool(rows) + " " * depth
            rows.append([])
        elif _need_a_blank(previous, token):
            leading += " "
        if token.type == tokenize.NAME:
            words.append(Word(leading, token.string, *places.get(token.start, ())))
            leading = ""
        else:
            leading += _with_short_escapes(token.string)
        if row not in rows[-1]:
            rows[-1].append(row)
        rows += [[inner_row] for inner_row in range(row + 1, last_row + 1)]
        previous = token
    return [*words, Word(leading + "\n", "")], rows


def _with_short_escapes(token: str) -> str:
    r"""A string with escapes such as `\2` in place of `\x02`; any other token as it is."""
    if not token.startswith(("'", '"', "b'", 'b"')):
        return token
    return _ESCAPE.sub(lambda match: f"\\{int(match[1], 16):o}" if match[1] else match[0], token)


def _need_a_blank(left: tokenize.TokenInfo, right: tokenize.TokenInfo) -> bool:
    if left.type == tokenize.NUMBER and right.type == tokenize.NAME:
        return True
    # From Python 3.12 on, a token of an f-string may be empty.
    return bool(_LETTER.match(left.string[-1:]) and _LETTER.match(right.string[:1]))


def _separators(nodes: Sequence[ast.AST], lines: Sequence[str]) -> dict[int, str]:
    """The rows whose statement goes on the line of the one before, with what separates them.

    A line has the statements of at most three rows, so that a traceback still tells where it was.
    """
    separators = {}
    for node in nodes:
        for block in [getattr(node, field, None) for field in ("body", "orelse", "finalbody")]:
            if not (isinstance(block, list) and block):
                continue
            is_short = all(map(_is_simple, block)) and sum(map(_rows, block)) < _ROWS_IN_A_LINE
            follows_colon = is_short and not isinstance(node, ast.Module)
            rows_left = _ROWS_IN_A_LINE - 1 if follows_colon else 0
            for statement in block:
                if not _is_simple(statement):
                    rows_left = 0
                elif _rows(statement) > rows_left:
                    rows_left = _ROWS_IN_A_LINE - _rows(statement)
                else:
                    rows_left -= _rows(statement)
                    row, column = _place(statement, lines)
                    if not lines[row - 1][:column].strip():
                        is_first = follows_colon and statement is block[0]
                        separators[row] = "" if is_first else ";"
    return separators


def _is_simple(statement: ast.stmt) -> bool:
    """Whether it has no block, and so may share a line."""
    return not {"body", "cases"} & {*statement._fields}


def _rows(statement: ast.stmt) -> int:
    return (statement.end_lineno or statement.lineno) - statement.lineno + 1


def _place(node: ast.stmt | ast.expr | ast.arg | ast.alias, lines: Sequence[str]) -> Place:
    # A syntax tree counts a column in bytes.
    return node.lineno, len(lines[node.lineno - 1].encode()[: node.col_offset].decode())


def _functions(
    tree: ast.Module, lines: Sequence[str]
) -> tuple[list[Function], dict[Place, tuple[int, bool]]]:
    """A program's functions; and where their variables and imports stand, as `Word` says it."""
    functions, places = [], {}
    for number, definition in enumerate(_outer_functions(tree.body)):
        body = ast.Module(definition.body, [])  # default values belong to what is around it
        bound = [*_bound(definition)]
        imports = [node for node in bound if isinstance(node, ast.alias)]
        imported = {node.name for node in imports}
        assigned = {_name(node) for node in bound if not isinstance(node, ast.alias)}
        parts = [*ast.walk(body)]
        fixed = _fixed_names(parts, imports) | _names_in_f_strings(parts)
        nodes: list[ast.Name | ast.arg] = [*_parameters(definition)]
        nodes += [part for part in parts if isinstance(part, (ast.Name, ast.arg))]
        uses = Counter(map(_name, nodes))
        variables, aliases = assigned - imported - fixed, imported - assigned - fixed
        if _BY_TEXT & uses.keys():
            variables = aliases = set()
        functions.append(
            Function(
                [name for name, _ in uses.most_common() if name in variables],
                {name: count for name, count in uses.most_common() if name in aliases},
                frozenset((uses.keys() | fixed | imported) - variables),
            )
        )
        for node in nodes:
            if _name(node) in variables | aliases:
                places[_place(node, lines)] = number, False
        for imported_name in imports:
            if imported_name.name in aliases:
                places[_place(imported_name, lines)] = number, True
    return functions, places


def _outer_functions(statements: Sequence[ast.stmt]) -> Iterator[ast.FunctionDef]:
    """The functions of a program that are not inside others; methods too."""
    for statement in statements:
        if isinstance(statement, ast.FunctionDef):
            yield statement
            continue
        for _, block in ast.iter_fields(statement):
            if isinstance(block, list):
                yield from _outer_functions([part for part in block if isinstance(part, ast.stmt)])


def _parameters(function: ast.FunctionDef) -> list[ast.arg]:
    return [node for node in ast.iter_child_nodes(function.args) if isinstance(node, ast.arg)]


def _bound(function: ast.FunctionDef) -> Iterator[ast.Name | ast.arg | ast.alias]:
    """Where a function itself binds variables and imports, not those inside it."""
    yield from _parameters(function)
    nodes: list[ast.AST] = [*function.body]
    while nodes:
        node = nodes.pop()
        if _binds(node):
            yield node
        if not isinstance(node, _WITH_OWN_VARIABLES):
            nodes += ast.iter_child_nodes(node)


def _binds(node: ast.AST) -> TypeGuard[ast.Name | ast.alias]:
    if isinstance(node, ast.alias):
        return node.asname is None and "." not in node.name
    return isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)


def _fixed_names(parts: Sequence[ast.AST], imports: Sequence[ast.alias]) -> set[str]:
    """The names that statements in a function give as text, such as `global` and `except`."""
    names = set()
    for node in parts:
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            names.update(node.names)
        elif not isinstance(node, (ast.expr, ast.expr_context)) and node not in imports:
            texts = [getattr(node, field, None) for field in ("name", "asname", "rest")]
            names.update(text.partition(".")[0] for text in texts if isinstance(text, str))
    return names


def _name(node: ast.Name | ast.arg) -> str:
    return node.id if isinstance(node, ast.Name) else node.arg


def _looked_up(tree: ast.Module, nodes: Sequence[ast.AST]) -> frozenset[str]:
    """The names of a program that must stay because texts or keywords name them, too.

    A function takes `score=1` as the text "score" if it is the firmware's, or has `**arguments`.
    Texts name attributes for `getattr`, keys of `globals()`, and fields of `format` and `%`. Our
    labels of a data log's columns are not looked up.
    """
    names = _names_in_f_strings(nodes)
    labels = {id(part) for node in tree.body if _are_labels(node) for part in ast.walk(node)}
    for node in nodes:
        if id(node) in labels:
            continue
        if isinstance(node, ast.keyword) and node.arg is not None:
            names.add(node.arg)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
            for field in _FIELD.findall(node.value):
                names.update(_WORD.findall(field))
    return frozenset(names)


def _names_in_f_strings(nodes: Sequence[ast.AST]) -> set[str]:
    """Variables and attributes in f-strings, which are single tokens before Python 3.12."""
    strings = (node for node in nodes if isinstance(node, ast.JoinedStr))
    parts = [part for node in strings for part in ast.walk(node)]
    names = {part.id for part in parts if isinstance(part, ast.Name)}
    return names | {part.attr for part in parts if isinstance(part, ast.Attribute)}


def _are_labels(node: ast.stmt) -> bool:
    """Whether this is `LABELS = ...`."""
    if not isinstance(node, ast.Assign):
        return False
    target = node.targets[0]
    return isinstance(target, ast.Name) and target.id == "LABELS"


def _alike(left: object, right: object, rows: Sequence[Sequence[int]]) -> bool:
    """Whether two syntax trees, or parts of them, are the same, the left one's on these rows."""
    if type(left) is not type(right):
        return False
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(
            _alike(one, other, rows) for one, other in zip(left, right, strict=True)
        )
    if not isinstance(left, ast.AST):
        return left == right
    if isinstance(left, ast.stmt) and getattr(right, "lineno", 0) not in rows[left.lineno - 1]:
        return False
    return all(_alike(value, getattr(right, field), rows) for field, value in ast.iter_fields(left))
