"""What several tests need: the device's modules on CPython, and boards that are always closed."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import uflash
from hypothesis import HealthCheck, settings

from noughts.boards.emulated import EmulatedBoard
from noughts.boards.qemu import find_qemu
from noughts.boards.simulated import SimulatedBoard
from noughts.firmware import image

if TYPE_CHECKING:
    from terminal import Terminal


# A shell starts jobs in the background with Ctrl-C ignored, and what the tests start inherits that.
signal.signal(signal.SIGINT, signal.default_int_handler)


# One profile everywhere; Hypothesis has another of its own where CI is set. A busy computer may be
# as slow as it likes; what fails prints how to repeat it, and is tried again the next time.
settings.register_profile(
    "noughts",
    settings.get_profile("default"),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=False,
    print_blob=True,
)
settings.load_profile("noughts")


@pytest.fixture
def qemu() -> None:
    """Skips a test where QEMU is missing. In CI that is a failure."""
    if find_qemu() is None:
        missing = "QEMU is missing (qemu-system-arm); sh tools/get_qemu.sh installs it"
        if os.environ.get("CI"):
            pytest.fail(missing)
        pytest.skip(missing)


@pytest.fixture
def emulated(qemu: None) -> Iterator[Callable[..., EmulatedBoard]]:
    """Starts emulated boards, and ends them."""
    boards: list[EmulatedBoard] = []

    def start(*args: object, **named: object) -> EmulatedBoard:
        boards.append(EmulatedBoard(*args, **named))  # type: ignore[arg-type]
        return boards[-1]

    yield start
    for board in boards:
        board.close()


@pytest.fixture(params=["1.1.1", "1.0.1"])
def v1_firmware(request: pytest.FixtureRequest, tmp_path: Path) -> Path | None:
    """Both V1 firmwares that boards have: ours, and the one that uflash and old editors carry."""
    if request.param == "1.1.1":
        return None
    path = tmp_path / "v1.0.1.hex"
    older = image.read(uflash._RUNTIME, "uflash")["V1"]
    assert older.release == request.param
    older.memory.write_hex_file(str(path))
    return path


@pytest.fixture
def simulated() -> Iterator[Callable[..., SimulatedBoard]]:
    """Starts simulated boards, and ends them."""
    boards: list[SimulatedBoard] = []

    def start(*args: object) -> SimulatedBoard:
        boards.append(SimulatedBoard(*args))  # type: ignore[arg-type]
        return boards[-1]

    yield start
    for board in boards:
        board.close()


@pytest.fixture
def repository() -> Path:
    """The folder that holds README.md."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture
def terminal() -> Iterator[Callable[..., Terminal]]:
    """Runs `noughts` in terminals, and ends it."""
    from terminal import Terminal  # only POSIX has the like

    opened: list[Terminal] = []

    def start(*words: str, **named: object) -> Terminal:
        opened.append(Terminal(*words, **named))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
