"""Long-running tasks with boards: updating their files, flashing them, `doctor`.

Each runs in a thread; its progress and its result are sent to all browsers.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext
from functools import partial

from noughts import brain
from noughts.boards import drive as drives
from noughts.boards.flash import flash, our_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import Port, open_port
from noughts.boards.probe import Check, find_boards, of_board, of_computer, probe
from noughts.boards.put import bring_up_to_date
from noughts.boards.start import confirm_start
from noughts.errors import BoardError, NoughtsError, error_message, printable
from noughts.invocation import as_typed
from noughts.recording.port_monitor import name_of
from noughts.virtual.program import program, try_emulator
from noughts.web.live import LiveBoards

_LINES = 40


class _EndedError(Exception):
    """The server ends: the task is given up."""


class _TaskProgress:
    """The progress of one task, as browsers show it; also the `Steps` of what does it."""

    def __init__(self, boards: LiveBoards, name: str, what: str) -> None:
        self._boards, self._name = boards, name
        self._done = 0
        self._lines: list[str] = []
        self._work: dict[str, object] = {"what": what, "doing": "", "total": 0}
        self._send()

    @contextmanager
    def progress(self, total: int) -> Iterator[_TaskProgress]:
        self._send(total=total)
        yield self

    def doing(self, what: str) -> None:
        self._send(doing=printable(what))

    def advance(self, amount: int) -> None:
        self._done += amount
        self._send()

    def say(self, line: str) -> None:
        self._lines.append(printable(line))
        self._send()

    def end(self, good: bool, result: str, details: Sequence[str] = ()) -> None:
        self._lines += map(printable, details)
        self._send(good=good, result=printable(as_typed(result)))

    def _send(self, **more: object) -> None:
        if self._boards.stopping.is_set():
            raise _EndedError
        self._work |= {"done": self._done, "lines": self._lines[-_LINES:], **more}
        self._boards.boards[self._name].work = dict(self._work)
        self._boards.changed(self._name)


class BoardTasks:
    """Begins tasks. One board has one at a time; `doctor` has all boards."""

    def __init__(self, boards: LiveBoards) -> None:
        self._boards = boards
        self._busy: set[str] = set()
        """Boards' ids; empty for all of them."""
        self._lock = threading.Lock()

    def begin(self, what: str, name: str = "") -> None:
        """Begin to `update` or `flash` a board, or to `check` everything.

        Raises `BoardError` if that cannot begin.
        """
        if what == "check":
            name, work = "", self._check
        elif name not in self._boards.boards:
            raise BoardError(f"there is no board {name[:60]!r}; choose another one")
        else:
            work = partial(self._do, what, name)
        with self._lock:
            if self._busy & {name, ""} or (self._busy and not name):
                which = "this" if name else "a"
                raise BoardError(f"{which} board is being worked on; wait until that is done")
            self._busy.add(name)

        def run() -> None:
            try:
                work()
            except _EndedError:
                return
            finally:
                with self._lock:
                    self._busy.discard(name)

        self._boards.run_in_background(run)

    def _do(self, what: str, name: str) -> None:
        task = _TaskProgress(self._boards, name, what)
        try:
            task.end(True, (self._update if what == "update" else self._flash)(name, task))
        except (NoughtsError, OSError) as error:
            task.end(False, error_message(error), getattr(error, "details", ()))

    def _update(self, name: str, task: _TaskProgress) -> str:
        port, files = self._port(name), files_for_boards()
        brain.prove(brain.of(files))
        with self._boards.monitor.released(name):
            return bring_up_to_date(
                port,
                files,
                False,
                task.say,
                task.progress,
                started=partial(self._boards.record, name),
            )

    def _port(self, name: str) -> str:
        if name in self._boards.virtual.kinds:
            return self._boards.virtual.board(name).port
        state = self._boards.session.boards.get(name)
        if state is None or not state.connected or not state.port:
            raise BoardError("the board is unplugged; plug it in and try again")
        return state.port

    def _flash(self, name: str, task: _TaskProgress) -> str:
        with self._boards.monitor.released(name):
            if name in self._boards.virtual.kinds:
                return self._flash_virtual(name)
            drive, what = self._drive(name), our_hex()
            assert what.table is not None
            brain.prove(what.table)
            flash(
                drive,
                what,
                task.say,
                task.progress,
                started=partial(self._boards.record, name),
            )
        return "flashed"

    def _drive(self, name: str) -> drives.Drive:
        for drive in drives.find_drives():
            if drive.usb_id and name_of(Port("", drive.usb_id)) == name:
                return drive
        raise BoardError(f"its drive was not found: {drives.NO_DRIVE}")

    def _flash_virtual(self, name: str) -> str:
        board = self._boards.virtual.board(name)
        new = program(self._boards.virtual.kinds[name])
        with closing(open_port(board.port)) as port:
            self._boards.begins_anew(name)
            board.flash(new)
            table_id = brain.of(files_for_boards()).id
            return confirm_start(port, table_id, started=partial(self._boards.record, name))

    def _check(self) -> None:
        found: list[dict[str, object]] = []

        def show(doing: str) -> None:
            report = {"doing": printable(doing), "told": list(found)}
            self._boards.changed(after=partial(self._boards.words.set, "doctor", report))

        def note(name: str, checks: Sequence[Check]) -> None:
            found.append({"name": name, "checks": [_record(check) for check in checks]})

        try:
            show("this computer")
            virtual = self._boards.virtual.names
            boards = find_boards(list(virtual))
            note("This computer", of_computer(bool(boards), try_emulator))
            for board in boards:
                name = ""
                if board.port is not None:
                    name = virtual.get(board.port.name) or name_of(board.port)
                show(name)
                with self._boards.monitor.released(name) if name else nullcontext():
                    probe(board, restart=True)
                if board.boot is not None:
                    self._boards.record(name, board.boot)
                called = self._boards.session.called(name) if name else "A board without a port"
                note(called, of_board(board))
        except (NoughtsError, OSError) as error:
            note("Stopped", [Check("doctor", False, error_message(error))])
        show("")


def _record(check: Check) -> dict[str, object]:
    return {
        "what": check.what,
        "good": check.good,
        "found": printable(as_typed(check.found)),
        "details": [printable(line) for line in check.details],
    }
