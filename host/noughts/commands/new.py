"""`noughts new`: write the start of an engine of one's own."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path

from noughts.engines import own
from noughts.errors import NoughtsError, printable
from noughts.files import write_whole
from noughts.invocation import as_typed, quoted

_QUOTABLE = re.compile(r"[\w .-]+")
"""File names that may stand in a Python file as they are."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument("what", choices=("engine",), help="what to begin: an engine")
    parser.add_argument("file", metavar="FILE", type=_python_file, help="such as mine.py")


def _python_file(text: str) -> Path:
    path = Path(text)
    if path.suffix != ".py":
        raise argparse.ArgumentTypeError(f"{text!r} does not end in .py, as in mine.py")
    if path.stem in (*sys.stdlib_module_names, "noughts"):
        raise argparse.ArgumentTypeError(
            f"{path.name} would hide the module {path.stem}; choose another name"
        )
    return path


def run(args: argparse.Namespace) -> int:
    """Write the file, which must not be there."""
    path: Path = args.file
    if path.exists() or path.is_symlink():
        raise NoughtsError(f"{path} is there already; choose another name, or delete it first")
    start = Path(own.__file__).with_name("own_start.py").read_text("utf-8")
    if _QUOTABLE.fullmatch(path.name):
        start = start.replace("./mine.py", quoted(f"./{path.name}"))
    write_whole(path, start.encode())
    typed = quoted(str(path))
    print(printable(as_typed(f"{path} written; `noughts vs {typed}` plays against it")))
    print(printable(as_typed(f"`noughts prove {typed}` shows how it loses")))
    return 0
