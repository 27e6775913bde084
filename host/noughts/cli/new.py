"""`noughts new`: write the start of an engine of one's own."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from noughts.cli import options
from noughts.engines import own
from noughts.errors import NoughtsError, printable
from noughts.files import write_whole
from noughts.invocation import as_typed, quoted

_QUOTABLE = re.compile(r"[\w .-]+")
"""File names that may stand in a Python file as they are."""


def _python_file(text: str) -> Path:
    path = Path(text)
    if path.suffix != ".py":
        raise ValueError(f"{text!r} does not end in .py, as in mine.py")
    if path.stem in (*sys.stdlib_module_names, "noughts"):
        raise ValueError(f"{path.name} would hide the module {path.stem}; choose another name")
    return path


@options.command("noughts new engine mine.py")
@click.argument("what", type=click.Choice(["engine"]), help="what to begin: an engine")
@click.argument("file", type=_python_file, help="such as mine.py")
def run(what: str, file: Path) -> None:
    """Write the start of an engine of your own."""
    if file.exists() or file.is_symlink():
        raise NoughtsError(f"{file} is there already; choose another name, or delete it first")
    start = Path(own.__file__).with_name("start.py").read_text("utf-8")
    if _QUOTABLE.fullmatch(file.name):
        start = start.replace("./mine.py", quoted(f"./{file.name}"))
    write_whole(file, start.encode())
    typed = quoted(str(file))
    print(printable(as_typed(f"{file} written; `noughts vs {typed}` plays against it")))
    print(printable(as_typed(f"`noughts prove {typed}` shows how it loses")))
