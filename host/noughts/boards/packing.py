"""Packing: the same device files in fewer bytes, for a board.

`shrinking.py` says what goes. What stays gets shorter names: a board interns each name that its
firmware does not have, and never frees that memory. So our names are replaced by names that the
firmware has.
"""

from collections.abc import Mapping, Sequence, Set

from noughts.boards.shrinking import Function, Shrunk, shrunk
from noughts.brain.device import device_files, device_sources

_ON_EVERY_BOARD = """
    now:_ chosen:c5 pending:c4 ids:bx theirs:tx ours:bl boot:e4 began:MEH number:d3 heard:pi
    THROUGH:YES model:d5 draw:e5 turn:f2 resent:help stored:d4 save:i2c
    choose:buf resend:COW me:id again:g5 file:scl greet:os opening:g4 meet:rx last:sda changed:this
    place:bpm result:ODE arrows:ldr tell:sep more:clz best:love move:pin0 pick:bin
"""
_ON_A_V2 = """
    ident:I until:U partner:P by_cable:C waiting:W LABELS:L sentence:S total:T
    cursor:N touched:E draw_leds:D show_leds:H show_end:F tone:J offer:O reader:K one:Y
    two:Z
"""
NAMES = dict(pair.split(":") for pair in (_ON_EVERY_BOARD + _ON_A_V2).split())
"""For each of our names, one that all firmwares have: of pins, pictures, registers or notes. These
are the names that several files or functions use; for a function's own, see `VARIABLES`.

The names are as short as a V1 can bear: the later one stands in its firmware's list of names, the
longer it takes to find; and each use of one that is not among the first 128 costs a byte of heap.
Names that only a V2 imports become single letters, because a V2 has memory to spare. Names in
`table.py` stay, because a table is read without being unpacked. Where the device's sources use one
of these names themselves, the name that it would replace stays.
"""

VARIABLES = (*"nabcdefgr", "up", "a2", "a4", "b3", "b4", "b5", "c3")
"""What stands for a function's variables, for the most frequent first; all firmwares have these."""

MARK = b"# noughts:"
"""The beginning of each of our files, which tells them from others on the board."""


def files_for_boards() -> dict[str, bytes]:
    """All files of the game, packed, by name, which is their order."""
    return packed(device_files())


def packed(files: Mapping[str, bytes]) -> dict[str, bytes]:
    """These files, packed to run next to all others in the device's folder.

    A file with a syntax error is left as it is, and the board reports that.
    """
    sources = {name: source for name, source in files.items() if name.endswith(".py")}
    all_sources = {**device_sources(), **sources}
    kept = _kept(all_sources)
    names = _replacements(all_sources, kept)
    return {
        name: _renamed(content, names, kept) if name in sources else content
        for name, content in files.items()
    }


def pack(source: bytes) -> bytes:
    """Pack a single Python file; see `packed`."""
    return packed({"main.py": source})["main.py"]


def original_names() -> dict[str, str]:
    """For each name that replaces one of ours on boards, that one; without functions' variables."""
    sources = device_sources()
    return {short: name for name, short in _replacements(sources, _kept(sources)).items()}


def rows_on_boards(source: bytes) -> Sequence[Sequence[int]]:
    """For each line of a packed file, the lines of the source that stand in it, from 1."""
    return shrunk(source).rows


def _replacements(sources: Mapping[str, bytes], kept: Set[str]) -> dict[str, str]:
    """The names to replace in these programs, each with its replacement; kept: those that stay.

    People change the game, and may use any name. One that stands anywhere cannot stand for another,
    too.
    """
    used = {name for source in sources.values() for name in shrunk(source).names}
    return {name: short for name, short in NAMES.items() if name not in kept and short not in used}


def _kept(sources: Mapping[str, bytes]) -> set[str]:
    """The names that have to stay in all files: of modules, and those that a file keeps."""
    kept = {file.removesuffix(".py") for file in sources}
    for source in sources.values():
        program = shrunk(source)
        kept |= program.looked_up
        if _keeps_names(source, program):
            kept |= program.names
    return kept


def _keeps_names(source: bytes, program: Shrunk) -> bool:
    """Whether its names stay, because it is another program's, or has to stay as it is."""
    return program.words is None or not source.startswith(MARK)


def _renamed(source: bytes, names: Mapping[str, str], kept: Set[str]) -> bytes:
    program = shrunk(source)
    if program.words is None:
        return source
    if _keeps_names(source, program):
        return "".join(word.leading + word.name for word in program.words).encode()
    of_functions = [_short_names(function, names, kept) for function in program.functions]
    text = ""
    for word in program.words:
        name = short = names.get(word.name, word.name)
        if word.function is not None:
            short = of_functions[word.function].get(word.name, name)
        text += word.leading + (f"{name} as {short}" if word.is_import and short != name else short)
    return text.encode()


def _short_names(function: Function, names: Mapping[str, str], kept: Set[str]) -> dict[str, str]:
    """What stands for a function's variables, and for its imports where that is shorter."""
    used = function.other_names | {*function.variables}
    free = [short for short in VARIABLES if short not in used]
    variables = [name for name in function.variables if name not in kept | {*VARIABLES}]
    short_names = dict(zip(variables, free, strict=False))
    free = free[len(variables) :]
    for name, uses in function.imports.items():
        if not free:
            break
        saved = uses * (len(names.get(name, name)) - len(free[0]))
        if saved > len(f" as {free[0]}"):
            short_names[name] = free.pop(0)
    return short_names
