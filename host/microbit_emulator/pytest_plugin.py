"""For pytest: the fixture `microbit`, and the state of its boards in the report of a failure."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from microbit_emulator.microbit import Microbit
    from microbit_emulator.program import Program

_BOARDS = pytest.StashKey[list["Microbit"]]()


@pytest.fixture
def microbit(request: pytest.FixtureRequest) -> Callable[..., Microbit]:
    """Starts micro:bits, like `microbit_emulator.start`: `microbit("V2", program="main.py")`.

    Paths of programs are relative to the folder of the test's file.
    """
    from microbit_emulator.program import start

    boards = request.node.stash.setdefault(_BOARDS, [])
    folder = getattr(request.config, "cache", None)
    cache = folder.mkdir("microbit_emulator") if folder else None

    def start_board(board: str = "V2", program: Program = "main.py", **named: Any) -> Microbit:
        if not isinstance(program, Mapping):
            program = request.path.parent / program
        if named.get("hex"):
            named["hex"] = request.path.parent / named["hex"]
        started = start(board, program, cache=cache, **named)
        boards.append(started)
        return started

    return start_board


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Add the LEDs and the output of each board to the report of a failed test."""
    report = yield
    if report.failed:
        for board in item.stash.get(_BOARDS, []):
            report.sections.append(("micro:bit", str(board)))
    return report
