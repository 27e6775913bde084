"""The files that run on the chip: finding them, and running them in CPython."""

import builtins
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from noughts.errors import NoughtsError

SENDER, GATEWAY = "air.py", "gateway.py"


def device_dir() -> Path:
    """The folder with `main.py` and its modules.

    Raises `NoughtsError` if neither the wheel nor the repository has it.
    """
    here = Path(__file__).resolve()
    for folder in (here.parents[1] / "device", here.parents[3] / "device"):
        if (folder / "main.py").is_file():
            return folder
    raise NoughtsError("the device files are missing from this installation; install noughts again")


def device_sources() -> dict[str, bytes]:
    """The content of all files in that folder, by name and sorted."""
    return {path.name: path.read_bytes() for path in sorted(device_dir().glob("*.py"))}


def device_files() -> dict[str, bytes]:
    """The files of the game, by name and sorted: all but those of radio."""
    sources = device_sources()
    return {name: code for name, code in sources.items() if name not in (SENDER, GATEWAY)}


def load_device(name: str, files: Mapping[str, bytes] | None = None) -> ModuleType:
    """Run a device module, and those that it imports, separate from all other Python modules.

    files: the device's sources, by default the installed ones. Each call gives new modules.
    """
    sources = device_files() if files is None else files
    loaded: dict[str, ModuleType] = {}

    def import_device(name: str, *rest: Any, **named: Any) -> ModuleType:
        if name in loaded:
            return loaded[name]
        if f"{name}.py" not in sources:
            return builtins.__import__(name, *rest, **named)
        module = loaded[name] = ModuleType(name)
        module.__dict__["__builtins__"] = vars(builtins) | {"__import__": import_device}
        exec(compile(sources[f"{name}.py"], f"{name}.py", "exec"), module.__dict__)
        return module

    return import_device(name)
