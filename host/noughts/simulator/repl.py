"""What the firmware does around the device's program: start it, catch Ctrl-C, and the REPL."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Callable
from types import ModuleType
from typing import Any, Protocol

from noughts.device_files import load_device

BANNER = (
    "MicroPython v1.9.2-34-gd64154c73 on 2017-09-01; micro:bit v1.0.1 with nRF51822\n"
    'Type "help()" for more information.\n'
)
_RAW = "raw REPL; CTRL-B to exit\n>"


class Console(Protocol):
    """The serial line, as the REPL uses it."""

    def write(self, text: str) -> None: ...
    def read(self) -> str: ...
    def interruptible(self, on: bool) -> None: ...


class Repl:
    """One run of the firmware: `main.py`, then the REPL, until Ctrl-D begins another."""

    def __init__(
        self,
        console: Console,
        files: dict[str, bytes],
        fresh: Callable[[], tuple[dict[str, ModuleType], dict[str, Any]]],
    ) -> None:
        self._console = console
        self._files = files
        self._fresh = fresh
        self._raw = False

    def run(self) -> None:
        """Run for ever; each round is what lies between two soft reboots."""
        sys.displayhook = self._tell_value
        while True:
            self._modules, self._names = self._fresh()
            self._scope: dict[str, Any] = {"__name__": "__main__"}
            if not self._raw and "main.py" in self._files:
                self._guarded(
                    lambda: load_device("main", self._files, self._modules, self._names, alone=True)
                )
            while not (self._raw_repl() if self._raw else self._friendly_repl()):
                pass
            self._console.write("soft reboot\n")

    def _guarded(self, run: Callable[[], object]) -> str:
        """Run device code, which Ctrl-C may end; the traceback, also written out, if it fails."""
        try:
            try:
                self._console.interruptible(True)
                run()
            finally:
                self._console.interruptible(False)
        except SystemExit:
            return ""
        except BaseException as error:
            text = tell_fault(error, self._files)
            if not self._raw:
                self._console.write(text)
            return text
        return ""

    def _tell_value(self, value: object) -> None:
        if value is not None:
            self._console.write(f"{value!r}\n")

    def _execute(self, code: str, mode: str) -> str:
        def run() -> None:
            source = {"__repl__.py": b"", **self._files}
            self._scope["__builtins__"] = _builtins(source, self._modules, self._names)
            exec(compile(code, "<stdin>", mode), self._scope)

        return self._guarded(run)

    def _friendly_repl(self) -> bool:
        """True when a soft reboot was asked for, False when the raw REPL was."""
        self._console.write(BANNER + ">>> ")
        line = ""
        while True:
            letter = self._console.read()
            if letter == "\x01":
                self._raw = True
                return False
            if letter == "\x04" and not line:
                self._console.write("\n")
                return True
            if letter == "\x03":
                line = ""
                self._console.write("\n>>> ")
            elif letter == "\r":
                self._console.write("\n")
                if line.strip():
                    self._execute(line, "single")
                line = ""
                self._console.write(">>> ")
            elif letter == "\x02":
                line = ""
                self._console.write("\n" + BANNER + ">>> ")
            elif letter >= " ":
                line += letter
                self._console.write(letter)

    def _raw_repl(self) -> bool:
        """True when a soft reboot was asked for, False when the friendly REPL was."""
        self._console.write(_RAW)
        code = ""
        while True:
            letter = self._console.read()
            if letter == "\x01":
                code = ""
                self._console.write(_RAW)
            elif letter == "\x02":
                self._raw = False
                self._console.write("\n")
                return False
            elif letter == "\x03":
                code = ""
            elif letter == "\x04":
                if not code.strip():
                    self._console.write("OK\n")
                    return True
                self._console.write("OK")
                fault = self._execute(code.replace("\r", "\n"), "exec")
                self._console.write("\x04" + fault + "\x04>")
                code = ""
            else:
                code += letter


def _builtins(
    files: dict[str, bytes], modules: dict[str, ModuleType], names: dict[str, Any]
) -> dict[str, Any]:
    """The built-in names for code that is typed in."""
    module = load_device("__repl__", files, modules, names, alone=True)
    found: dict[str, Any] = module.__dict__["__builtins__"]
    return found


def tell_fault(error: BaseException, files: dict[str, bytes]) -> str:
    """An exception in MicroPython's words: only the device's own frames."""
    text = "Traceback (most recent call last):\n"
    for frame in traceback.extract_tb(error.__traceback__):
        if frame.filename in files or frame.filename == "<stdin>":
            name = "__main__" if frame.filename == "main.py" else frame.filename
            text += f'  File "{name}", line {frame.lineno}, in {frame.name}\n'
    return f"{text}{type(error).__name__}: {error}\n"
