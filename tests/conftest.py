"""Fixtures that several tests share: commands, stores, and boards that are always closed."""

from __future__ import annotations

import contextlib
import gc
import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

from mosquitto import Mosquitto, installed
from needed import long, missing
from needed import pytest_runtest_makereport as pytest_runtest_makereport
from noughts import cli
from noughts.recording.recorder import Recorder
from noughts.store.store import Store
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import program
from official import NEWEST, Start, firmwares, stepped
from programs import INSTALL
from stand_in_drive import StandInDrive
from stand_in_ports import FakePorts
from stepped_ports import Clock, SteppedBoard
from watcher import Watcher

if TYPE_CHECKING:
    from fed_port import Port
    from terminal import Terminal


if os.name != "posix":
    # They need what only POSIX has: pseudo-terminals, process limits or its shell.
    collect_ignore = [
        "e2e/test_flash.py",
        "e2e/test_play_terminal.py",
        "e2e/test_readme.py",
        "e2e/test_rooms.py",
        "e2e/test_standard_streams.py",
        "e2e/test_watch.py",
        "unit/test_ports.py",
    ]

# Shells start background jobs with Ctrl-C ignored, and processes that tests start inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
if hasattr(signal, "SIGHUP"):  # as `nohup` ignores it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


# One profile everywhere; Hypothesis would use another in CI. A busy computer may be as slow as it
# likes; a failure prints how to repeat it, and the next run tries it again.
slow = [HealthCheck.too_slow]
default = settings.get_profile("default")
settings.register_profile(
    "noughts", default, deadline=None, suppress_health_check=slow, print_blob=True
)
settings.load_profile("noughts")


SHARED = {
    "tests/page/": "the page's Chromium",
    "tests/web/": "the server's Chromium",
    "tests/unit/test_afterwards.py": "pandas and matplotlib",
    "tests/unit/test_menace.py": "pandas and matplotlib",
}
"""What takes seconds to start or to import, by the paths of the tests that need it."""


class _SharingScheduler(LoadFileScheduling):
    """Gives all tests that share something to one worker; of other tests, all of a file."""

    def _split_scope(self, nodeid: str) -> str:
        """The name of what goes to one worker together."""
        for path, what in SHARED.items():
            if nodeid.startswith(path):
                return what
        return super()._split_scope(nodeid)


@pytest.hookimpl(optionalhook=True)  # without xdist there is no such hook
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> LoadFileScheduling | None:
    return _SharingScheduler(config, log) if config.getoption("dist") == "loadfile" else None


# Modules and tests stay until the end: nothing looks for garbage among them.
gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture
def anyio_backend() -> str:
    """Where tests run that are coroutines, marked `anyio`."""
    return "asyncio"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in which the test runs; the data folder is inside it."""
    monkeypatch.chdir(tmp_path)
    for name in ("HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    return tmp_path


@pytest.fixture
def closing() -> Iterator[Callable[..., Any]]:
    """Returns its argument, and closes it when the test ends."""
    with contextlib.ExitStack() as stack:
        yield lambda opened: stack.enter_context(contextlib.closing(opened))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "games.db", create=True) as opened:
        yield opened


@pytest.fixture
def recorder(store: Store) -> Recorder:
    """A recorder that writes to `store`."""
    return Recorder(store)


@pytest.fixture
def in_zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets this computer's time zone, which decides where days begin; at first, it is UTC."""

    def change(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    change("UTC")
    yield change
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def stored() -> Path | None:
    """The store that commands read; tests that need one override this."""
    return None


@pytest.fixture
def noughts(
    stored: Path | None, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in this process; returns its exit status, its output and its errors."""

    def run(*words: object, db: Path | None = stored) -> tuple[int, str, str]:
        store = [] if db is None else ["--db", str(db)]
        status = cli.main([*map(str, words), *store])
        return status, *capsys.readouterr()

    return run


@pytest.fixture
def printed(noughts: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Runs a command, which must succeed; returns its output."""

    def run(*words: object, **named: Any) -> str:
        status, out, err = noughts(*words, **named)
        assert status == 0, err
        return out

    return run


@pytest.fixture
def fails(noughts: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Runs a command, which must fail with a line that says what to do; returns that line."""

    def run(*words: object, printed: str | None = None, **named: Any) -> str:
        status, out, err = noughts(*words, **named)
        assert (status, err.count("\n")) == (1, 1) and printed in (None, out)
        assert err.startswith("noughts: ") and "; " in err
        return err

    return run


@pytest.fixture
def refused(fails: Callable[..., str]) -> Callable[..., str]:
    """The same for a command that prints only that line."""
    return partial(fails, printed="")


@pytest.fixture
def misused(noughts: Callable[..., tuple[int, str, str]]) -> Callable[..., str]:
    """Runs a command with arguments that it rejects; returns the line that says why."""

    def run(*words: object) -> str:
        status, out, err = noughts(*words)
        assert (status, out) == (2, "") and "\x1b" not in err
        assert "error: " in err and err.count("\n") == 1
        return err

    return run


@pytest.fixture
def watch(tmp_path: Path, closing: Callable[..., Any]) -> Callable[..., Watcher]:
    """Starts `noughts watch --json` with a store of this name, and ends it."""
    return lambda name, *words: closing(Watcher(tmp_path / f"{name}.db", *words))


@pytest.fixture
def started() -> Iterator[Callable[..., subprocess.Popen[Any]]]:
    """Starts a command in its own process, and ends it; the test reads its output.

    through: another command that runs it, of `launcher`.
    """
    running: list[subprocess.Popen[Any]] = []

    def start(*words: object, through: Sequence[str] = (), **named: Any) -> subprocess.Popen[Any]:
        command = [*through, sys.executable, "-m", "noughts", *map(str, words)]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        running.append(subprocess.Popen(command, **{**pipes, **named}))
        return running[-1]

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture
def broken_wasmtime(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Boards' processes cannot load wasmtime, as on a computer without a wheel for it."""
    folder = tmp_path / "broken"
    folder.mkdir()
    (folder / "wasmtime.py").write_text("raise ImportError('no library for this computer')\n")
    monkeypatch.syspath_prepend(folder)  # these processes get this path


@pytest.fixture
def port(tmp_path: Path, closing: Callable[..., Any]) -> Callable[[str], Port]:
    """Makes serial ports that send what the test wants."""
    from fed_port import Port

    return lambda name: closing(Port(tmp_path / name))


@pytest.fixture
def mosquitto(tmp_path: Path, closing: Callable[..., Any]) -> Callable[..., Mosquitto]:
    """Starts MQTT brokers, and ends them. Without mosquitto, it skips the test, except in CI."""
    if installed("mosquitto") is None or installed("mosquitto_passwd") is None:
        missing(f"mosquitto is missing; {INSTALL}")
    folders = (tmp_path / f"broker{number}" for number in itertools.count())
    return lambda **named: closing(Mosquitto(next(folders), **named))


@pytest.fixture(params=["V1 1.1.1", long("V2 2.1.2")])
def start(request: pytest.FixtureRequest) -> Start:
    """Starts stepped boards with the firmware that we ship."""
    return stepped(request.param)


@pytest.fixture(params=["V1 1.1.1", *map(long, firmwares()[1:])])
def start_any(request: pytest.FixtureRequest) -> Start:
    """Starts stepped boards with each firmware in use."""
    return stepped(request.param)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """Device time: in this test, waiting for a board or a drive takes no real time."""
    return Clock(monkeypatch)


@pytest.fixture
def plugged_in(clock: Clock) -> Callable[..., SteppedBoard]:
    """Starts boards behind serial ports, in device time."""

    def start(files: Mapping[str, bytes] | None = None, board: str = "V1") -> SteppedBoard:
        (name,) = (name for name in NEWEST if name.startswith(board))
        return SteppedBoard(clock, stepped(name)(files))

    return start


@pytest.fixture
def drive(tmp_path: Path, clock: Clock) -> Callable[..., StandInDrive]:
    """Makes stand-in drives, in a time that passes only while a program waits for them."""
    paths = (tmp_path / f"MICROBIT{number or ''}" for number in itertools.count())
    return lambda *board, **named: StandInDrive(next(paths), *board, clock=clock, **named)


@pytest.fixture
def plugged(monkeypatch: pytest.MonkeyPatch) -> FakePorts:
    """The micro:bits that the system reports: none, until the test adds some."""
    ports = FakePorts()
    monkeypatch.setattr("serial.tools.list_ports.comports", ports.comports)
    monkeypatch.setattr("psutil.disk_partitions", ports.disk_partitions)
    monkeypatch.setattr("noughts.recording.port_monitor.LOOK_S", 0.02)
    return ports


@pytest.fixture
def virtual(closing: Callable[..., Any]) -> Callable[..., VirtualBoard]:
    """Starts virtual boards, in step with real time, and ends them."""
    return lambda files=None, board="V1", **named: closing(
        VirtualBoard(program(board, files), **named)
    )


@pytest.fixture
def repository() -> Path:
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def terminal(folder: Path, closing: Callable[..., Any]) -> Callable[..., Terminal]:
    """Runs `noughts` in a terminal, and ends it."""
    if os.name != "posix":
        pytest.skip("Windows has no pseudo-terminals that tests can use")
    from terminal import Terminal

    return lambda *words, **named: closing(Terminal(*words, **named))
