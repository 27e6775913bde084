"""How `noughts` is called here: messages name commands as they can be typed."""

from __future__ import annotations

import sys


def as_typed(message: str) -> str:
    """A message that names commands such as `noughts put`, with the name that starts this program.

    That is `noughts` where the shell finds it, and in a clone `.venv/bin/noughts`, also from make.
    """
    return message.replace("`noughts ", f"`{_program()} ") if "`noughts " in message else message


def _program() -> str:
    # Imported here: together they take longer than what all commands import at their start.
    from pathlib import Path
    from shutil import which

    started = Path(sys.argv[0])
    if started.stem != "noughts":  # python -m noughts, or another program that imports it
        return "noughts"
    found = which("noughts")
    # On Windows one of them may end in .exe.
    if found and Path(found).resolve().with_suffix("") == started.resolve().with_suffix(""):
        return "noughts"
    return f'"{sys.argv[0]}"' if " " in sys.argv[0] else sys.argv[0]
