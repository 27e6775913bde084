"""Long-running tasks with boards: updating their files, flashing them, `doctor`.

Each runs in a thread; all browsers see its progress and its result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, nullcontext
from functools import partial
from threading import Thread
from typing import Any

from noughts import brain
from noughts.boards import drive as drives
from noughts.boards.doctor import Check, find_boards, of_board, of_computer, probe
from noughts.boards.flash import flash, our_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import Port, find_ports, open_port
from noughts.boards.put import bring_up_to_date
from noughts.boards.wait_for_start import Start, confirm_start
from noughts.errors import BoardError, NoughtsError, error_message, fault_message, printable
from noughts.invocation import as_typed
from noughts.recording.port_monitor import name_of
from noughts.virtual.program import program
from noughts.virtual.virtual_boards import RestartableBoard
from noughts.web.live import LiveBoard, LiveBoards


def begin(boards: LiveBoards, action: str, name: str) -> None:
    """Begin to `update` or `flash` a board, or to `check` everything; called in the event loop.

    A board has one task at a time; `check` has all boards. Raises `BoardError` if it cannot begin.
    """
    needed = boards.all() if action == "check" else [_board(boards, name)]
    if boards.is_checking or any(board.is_busy for board in needed):
        raise BoardError("another task is using a board; wait until it has finished")
    if action == "check":
        boards.is_checking = True
        run = partial(_check, boards)
    else:
        (board,) = needed
        run = partial(_run_task, boards, board, action, _Task(board, action))
    Thread(target=run, name="work on boards", daemon=True).start()


def _board(boards: LiveBoards, name: str) -> LiveBoard:
    if name not in boards.boards:
        raise BoardError(f"there is no board {name[:60]!r}; choose another one")
    return boards.boards[name]


class _Task:
    """A task with one board, as browsers show it; it also serves as `Steps`.

    The board is busy from here until `end`.
    """

    def __init__(self, board: LiveBoard, action: str) -> None:
        self._board = board
        begun = {"what": action, "doing": "", "total": 0, "done": 0, "lines": []}
        self._work: dict[str, Any] = begun
        self._show()

    @contextmanager
    def progress(self, total: int) -> Iterator[_Task]:
        self._show(total=total)
        yield self

    def describe(self, step: str) -> None:
        self._show(doing=printable(step))

    def advance(self, amount: int) -> None:
        self._show(done=self._work["done"] + amount)

    def say(self, *lines: str) -> None:
        self._show(lines=[*self._work["lines"], *map(printable, lines)])

    def end(self, good: bool, result: str) -> None:
        self._show(good=good, result=printable(as_typed(result)))

    def _show(self, **more: object) -> None:
        self._work = self._board.work = self._work | more


def _run_task(boards: LiveBoards, board: LiveBoard, action: str, task: _Task) -> None:
    try:
        start = _update_or_flash(boards, board, action, task)
    except (NoughtsError, OSError) as error:
        task.say(*getattr(error, "details", ()))
        task.end(False, error_message(error))
    except Exception as error:
        task.end(False, fault_message(error))
        raise
    else:
        task.end(True, start.message)


def _update_or_flash(boards: LiveBoards, board: LiveBoard, action: str, task: _Task) -> Start:
    """Update or flash a board; returns how it started."""
    files = files_for_boards()
    brain.prove(brain.table_in(files))
    port = _port(board) if action == "update" else ""
    with boards.released(board.id):
        start: Start | None
        if action == "update":
            start = bring_up_to_date(port, files, False, task.say, task.progress)
        elif board.virtual is not None:
            start = _flash_virtual(boards, board.virtual, brain.table_in(files).id)
        else:
            start = flash(_drive(board.id), our_hex(), task.say, task.progress)
        assert start is not None, "it is always verified"
        if start.boot is not None:
            boards.record(board.id, start.boot)
    return start


def _port(board: LiveBoard) -> str:
    state = board.state
    if not state.connected or not state.port:
        raise BoardError("the board's port is not open; plug the board in and try again")
    return state.port


def _drive(name: str) -> drives.Drive:
    present = drives.find_drives()
    for drive, port in drives.pair(present, find_ports()):
        if drive is not None and name_of(port or Port(str(drive.path), drive.usb_id)) == name:
            return drive
    if any(drive.maintenance for drive in present):
        raise BoardError(f"the board is {drives.MAINTENANCE}")
    raise drives.refusal() or BoardError(
        "the board's drive was not found; plug it in again, without holding reset"
    )


def _flash_virtual(boards: LiveBoards, board: RestartableBoard, table_id: str) -> Start:
    device = board.running()
    new = program(board.model)
    with closing(open_port(device.port)) as port:
        boards.note_reset(board.name)
        device.flash(new)
        return confirm_start(port, table_id)


def _check(boards: LiveBoards) -> None:
    results: list[dict[str, object]] = []

    def show(step: str) -> None:
        boards.doctor = {"doing": printable(step), "results": list(results)}

    def note(name: str, checks: Iterable[Check]) -> None:
        results.append({"name": name, "checks": [_record(check) for check in checks]})

    try:
        show("this computer")
        virtual = boards.virtual.names_by_port
        found_boards = find_boards(list(virtual))
        note("This computer", of_computer(bool(found_boards)))
        for board in found_boards:
            name = ""
            if board.port is not None:
                name = virtual.get(board.port.name) or name_of(board.port)
            show(name)
            with boards.released(name) if name else nullcontext():
                probe(board, restart=True)
            if board.start and board.start.boot:
                boards.record(name, board.start.boot)
            note(
                boards.session.display_name(name) if name else "A board without a port",
                of_board(board),
            )
    except (NoughtsError, OSError) as error:
        note("Stopped", [Check("doctor", False, error_message(error))])
    except Exception as error:
        note("Stopped", [Check("doctor", False, fault_message(error))])
        raise
    finally:
        show("")
        boards.is_checking = False


def _record(check: Check) -> dict[str, object]:
    details = [printable(line) for line in check.details]
    return check.record() | {"found": printable(as_typed(check.facts)), "details": details}
