"""A QEMU process with the `microbit` machine, and the three lines to it.

serial   the board's UART
qtest    QEMU's test protocol: reads and writes of device registers, and input pins, one line each
QMP      QEMU's control protocol: start, stop, reset, as JSON
"""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from noughts.boards import guard
from noughts.errors import BoardError, BoardGone

_START_S = 20.0
_ANSWER_S = 20.0


def find_qemu() -> str | None:
    """The path of `qemu-system-arm`, or None; `NOUGHTS_QEMU` names another."""
    return shutil.which(os.environ.get("NOUGHTS_QEMU") or "qemu-system-arm")


def how_to_install() -> str:
    """How to get QEMU on this machine, for the end of a message."""
    if sys.platform == "darwin":
        return "install it with `brew install qemu`"
    if sys.platform == "win32":
        return "install it with `winget install SoftwareFreedomConservancy.QEMU`"
    for tool, command in (
        ("apt-get", "sudo apt install qemu-system-arm"),
        ("dnf", "sudo dnf install qemu-system-arm"),
        ("pacman", "sudo pacman -S qemu-system-arm"),
        ("zypper", "sudo zypper install qemu-arm"),
    ):
        if shutil.which(tool):
            return f"install it with `{command}`"
    return "install the package that has qemu-system-arm"


class Qemu:
    """QEMU, stopped before the chip's first instruction; `resume()` lets it run.

    image: an Intel HEX file with the firmware. icount: QEMU's `-icount` options, which make device
    time a count of instructions. options: more of QEMU's own.
    """

    serial: socket.socket

    def __init__(self, image: Path, icount: str, options: Sequence[str] = ()) -> None:
        program = find_qemu()
        if program is None:
            raise BoardError(f"QEMU is not installed; {how_to_install()}, or use --board simulated")
        self._lock = threading.Lock()
        self._closed = False
        self._pid = 0
        self._stderr = tempfile.TemporaryFile()  # noqa: SIM115 - open as long as QEMU runs
        self._guard: subprocess.Popen[bytes] | None = None
        with contextlib.ExitStack() as stack:
            stack.callback(self.close)
            listeners = stack.enter_context(_Listeners())
            command = [program, "-M", "microbit", "-display", "none", "-nodefaults", "-S"]
            command += ["-accel", "tcg"]
            if icount:
                command += ["-icount", icount]
            command += ["-device", f"loader,file={str(image).replace(',', ',,')}"]
            for name in ("serial", "qtest", "qmp"):
                command += ["-chardev", f"socket,id={name},{listeners.option(name)}"]
            command += ["-serial", "chardev:serial", "-qtest", "chardev:qtest"]
            command += ["-qtest-log", os.devnull, "-mon", "chardev=qmp,mode=control"]
            command += options
            self._start(command)
            self.serial = self._accept(listeners, "serial")
            self._qtest = self._accept(listeners, "qtest")
            self._qtest_lines = self._qtest.makefile("rb")
            self._qmp = self._accept(listeners, "qmp")
            self._qmp_lines = self._qmp.makefile("rb")
            self._read_qmp()  # the greeting
            self.qmp("qmp_capabilities")
            stack.pop_all()  # it runs: do not close
            listeners.__exit__()

    def _start(self, command: list[str]) -> None:
        self._guard = subprocess.Popen(
            [sys.executable, "-I", "-S", str(guard.__file__), *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,  # a Ctrl-C is the owner's to handle
        )
        assert self._guard.stdout is not None
        self._pid = int(self._guard.stdout.readline() or 0)
        self._guard.stdout.close()

    def _accept(self, listeners: _Listeners, name: str) -> socket.socket:
        listener = listeners.listener(name)
        listener.settimeout(0.1)
        assert self._guard is not None
        for _ in range(int(_START_S / 0.1)):
            with contextlib.suppress(TimeoutError):
                connection, _ = listener.accept()
                connection.settimeout(None if name == "serial" else _ANSWER_S)
                return connection
            if self._guard.poll() is not None:
                break
        self._stderr.seek(0)
        lines = self._stderr.read().decode(errors="replace").strip().splitlines()
        reason = lines[-1].removeprefix("qemu-system-arm: ") if lines else "no answer"
        raise BoardError(f"QEMU does not start ({reason}); try a newer QEMU, or --board simulated")

    def _gone(self) -> BoardGone:
        return BoardGone("QEMU is not running any more (closed or killed?); start again")

    def registers(self, commands: list[str]) -> list[int]:
        """Send qtest commands together; the value of each that has one, else 0.

        Raises `BoardGone` when QEMU has died.
        """
        with self._lock:
            try:
                self._qtest.sendall("".join(f"{command}\n" for command in commands).encode())
                answers = [self._qtest_lines.readline() for _ in commands]
            except (OSError, ValueError) as error:
                raise self._gone() from error
        values = []
        for answer in answers:
            if not answer.startswith(b"OK"):
                raise self._gone()
            values.append(int(answer[3:] or b"0", 16))
        return values

    def memory(self, address: int, size: int) -> bytes:
        """Read the board's memory."""
        value = self.registers([f"read 0x{address:x} {size}"])[0]
        return value.to_bytes(size, "big")

    def qmp(self, command: str) -> None:
        """Run a QMP command without arguments, and wait for its answer."""
        with self._lock:
            try:
                self._qmp.sendall(json.dumps({"execute": command}).encode() + b"\n")
                while "return" not in self._read_qmp():
                    pass
            except (OSError, ValueError) as error:
                raise self._gone() from error

    def reset(self) -> None:
        """Reset the machine, which must be stopped, and wait until that is done."""
        with self._lock:
            try:
                self._qmp.sendall(b'{"execute": "system_reset"}\n')
                while self._read_qmp().get("event") != "RESET":
                    pass
            except (OSError, ValueError) as error:
                raise self._gone() from error

    def _read_qmp(self) -> dict[str, Any]:
        line = self._qmp_lines.readline()
        if not line:
            raise self._gone()
        answer: dict[str, Any] = json.loads(line)
        return answer

    @property
    def pid(self) -> int:
        """QEMU's process id."""
        return self._pid

    def close(self) -> None:
        """End QEMU, whatever state it is in."""
        if self._closed:
            return
        self._closed = True
        if self._guard is not None:
            assert self._guard.stdin is not None
            self._guard.stdin.close()  # the guard kills QEMU
            try:
                self._guard.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._guard.kill()
                self._guard.wait()
            if self._guard.returncode == -9 and self._pid:  # then QEMU may be left alone
                with contextlib.suppress(OSError):
                    os.kill(self._pid, signal.SIGTERM)
        for name in ("serial", "_qtest_lines", "_qtest", "_qmp_lines", "_qmp", "_stderr"):
            part = getattr(self, name, None)
            if part is not None:
                with contextlib.suppress(OSError):
                    part.close()


class _Listeners:
    """Sockets that QEMU connects to: in a folder of our own, or on the loopback on Windows."""

    def __enter__(self) -> _Listeners:
        self._folder = tempfile.TemporaryDirectory(prefix="noughts-")
        self._sockets: dict[str, socket.socket] = {}
        return self

    def option(self, name: str) -> str:
        """Open a listener; the chardev option that connects to it."""
        if hasattr(socket, "AF_UNIX"):
            path = str(Path(self._folder.name) / name)
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(path)
            listener.listen(1)
            option = f"path={path.replace(',', ',,')},server=off"
        else:
            listener = socket.create_server(("127.0.0.1", 0))
            option = f"host=127.0.0.1,port={listener.getsockname()[1]},server=off,nodelay=on"
        self._sockets[name] = listener
        return option

    def listener(self, name: str) -> socket.socket:
        return self._sockets[name]

    def __exit__(self, *_: object) -> None:
        for listener in self._sockets.values():
            listener.close()
        self._folder.cleanup()
