"""How `noughts` was installed and is called here: messages name commands as they can be typed."""

import sys


def as_typed(message: str) -> str:
    """A message that names commands such as `noughts put`, with the name that starts this program.

    That is `noughts` where the shell finds it, and in a clone `.venv/bin/noughts`, also from make.
    """
    return message.replace("`noughts ", f"`{_program()} ") if "`noughts " in message else message


def installing(package: str) -> str:
    """The command that adds a package to the environment in which this program runs."""
    from pathlib import Path

    # Environments of `uv tool` and `pipx` have no pip. Each keeps a file of its own in them.
    if Path(sys.prefix, "uv-receipt.toml").is_file():
        return f"uv pip install --python {quoted(sys.executable)} {package}"
    if Path(sys.prefix, "pipx_metadata.json").is_file():
        return f"pipx inject noughts {package}"
    return f"{quoted(sys.executable)} -m pip install {package}"


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
    return quoted(sys.argv[0])


def quoted(name: str) -> str:
    """A program's or a file's name as a shell takes it, with its blanks."""
    return f'"{name}"' if " " in name else name
