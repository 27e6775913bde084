"""How `noughts` was started, so that messages name commands as users type them."""

import sys


def as_typed(message: str) -> str:
    """A message in which `noughts` in commands becomes the command that starts this program.

    That is `noughts` if the shell finds it, or else, in a clone, `.venv/bin/noughts`.
    """
    return message.replace("`noughts ", f"`{_program()} ") if "`noughts " in message else message


def _program() -> str:
    # Imported here, because they take longer than the imports of a short command.
    from pathlib import Path
    from shutil import which

    started = Path(sys.argv[0])
    if started.stem != "noughts":  # python -m noughts, or another program that imports it
        return "noughts"
    path = which("noughts")
    # On Windows one of them may end in .exe.
    if path and Path(path).resolve().with_suffix("") == started.resolve().with_suffix(""):
        return "noughts"
    return quoted(sys.argv[0])


def quoted(name: str) -> str:
    """A program's or a file's name for a shell, quoted if it has blanks."""
    return f'"{name}"' if " " in name else name
