"""The files that run on the chip: where they are, and how they run in CPython."""

import builtins
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType
from typing import Any

from noughts.errors import NoughtsError

_FOR_RADIO = ("air.py", "gateway.py")


def device_dir() -> Path:
    """The folder that holds `main.py` and its modules.

    Raises `NoughtsError` where neither the wheel nor the repository has it.
    """
    here = Path(__file__).resolve()
    for folder in (here.parent / "device", here.parents[2] / "device"):
        if (folder / "main.py").is_file():
            return folder
    raise NoughtsError("the device files are missing from this installation; install noughts again")


def device_files() -> dict[str, bytes]:
    """Every file of the game, name to content, sorted by name; for others: `boards/radio.py`."""
    paths = sorted(device_dir().glob("*.py"))
    return {path.name: path.read_bytes() for path in paths if path.name not in _FOR_RADIO}


def load_device(name: str, files: Mapping[str, bytes] | None = None) -> ModuleType:
    """Run one device module, and those that it imports, apart from all other Python modules.

    `files` are the device's sources (by default those installed). Each call gives modules of its
    own.
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
