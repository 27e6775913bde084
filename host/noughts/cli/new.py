"""`noughts new`: write a template for a user's own engine."""

import re
import sys
from pathlib import Path

import click

from noughts.cli import options
from noughts.errors import NoughtsError, printable
from noughts.files import atomic_write
from noughts.invocation import as_typed, quoted


def _python_file(text: str) -> Path:
    path = Path(text)
    if not re.fullmatch(r"[\w .-]+\.py", path.name):  # it is in the file, without quotes
        raise ValueError(f"{text!r} is not the name of a Python file, such as mine.py")
    if path.stem in (*sys.stdlib_module_names, "noughts"):
        raise ValueError(f"{path.name} would hide the module {path.stem}; choose another name")
    return path


@options.command("noughts new engine mine.py")
@click.argument("what", type=click.Choice(["engine"]), help="what to write: an engine")
@click.argument("file", type=_python_file, help="the file to write, such as mine.py")
def run_new(what: str, file: Path) -> None:
    """Write a template for your own engine."""
    if file.exists() or file.is_symlink():
        raise NoughtsError(f"{file} already exists; choose another name, or delete it first")
    typed = quoted(str(file))
    atomic_write(file, _START.replace("./mine.py", quoted(f"./{file.name}")).encode())
    print(printable(as_typed(f"{file} written; `noughts vs {typed}` plays against it")))
    print(printable(as_typed(f"`noughts prove {typed}` shows how it loses")))


_START = '''\
"""An engine of your own: it finishes a line if it can, else it picks any free cell.

    noughts vs ./mine.py              play against it
    noughts prove ./mine.py           see how it loses, and how it does against all others
    noughts duel ./mine.py medium     let it play another engine

Cells are numbered from 0:    0 | 1 | 2
                              3 | 4 | 5
                              6 | 7 | 8
"""


def choose(board):
    """Return the cell to play, or several in a list, of which any may be played.

    board.turn           which player you are: "X" (moved first) or "O"
    board.other          the other player
    board.legal_moves    the free cells, such as (1, 2, 5)
    board[4]             what is in the centre: "X", "O", or "." if it is free
    board.play(5)        the board after your move in cell 5; this board stays as it is
    board.winner         "X" or "O" if one has a line, else None
    """
    # Rule 1: complete a line. Try each free cell, and see whether that wins.
    for cell in board.legal_moves:
        if board.play(cell).winner == board.turn:
            return cell

    # Rule 2 is yours: do not let the other complete a line. These are the cells to block:
    # board.completing(board.other)

    # Where no rule has decided: any free cell.
    return board.legal_moves
'''
