"""For pytest: the fixture `microbit`, and the state of its boards in the report of a failure."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any

import pytest

from microbit_emulator.errors import EmulatorError

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
        __tracebackhide__ = True  # the test's own line says where a wrong name is
        if not isinstance(program, Mapping):
            program = request.path.parent / program
        if named.get("hex"):
            named["hex"] = request.path.parent / named["hex"]
        try:
            started = start(board, program, cache=cache, **named)
        except EmulatorError as error:
            raise error.with_traceback(None) from None
        boards.append(started)
        return started

    return start_board


# Of the older style: every pytest loads this plugin, also one with a pluggy before 1.2.
@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, Any, None]:
    """Add the LEDs and the output of each board to the report of a failed test."""
    outcome = yield
    report = outcome.get_result()
    if report.failed:
        for board in item.stash.get(_BOARDS, []):
            report.sections.append(("micro:bit", str(board)))
