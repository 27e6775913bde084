"""Long-running tasks with boards: updating their files, flashing them, `doctor`.

Each runs in a thread; its progress and its result are sent to all browsers.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager, nullcontext

from noughts import brain
from noughts.boards import drive as drives
from noughts.boards.flash import flash, our_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import Port, open_port
from noughts.boards.probe import Check, ProbedBoard, find_boards, of_board, of_computer, probe
from noughts.boards.put import bring_up_to_date
from noughts.boards.radio import OFF
from noughts.boards.start import confirmed_start, wait_for_start
from noughts.errors import BoardError, NoughtsError, error_message, printable
from noughts.invocation import as_typed
from noughts.protocol.sentences import Boot, Game
from noughts.virtual.program import program, try_emulator
from noughts.watch.port_monitor import name_of
from noughts.web.hub import Hub

_LINES = 40
_DOCTOR = "doctor"
"""Who has all boards, instead of a board's name."""


class _EndedError(Exception):
    """The server ends: the task is given up."""


class _TaskProgress:
    """The progress of one task, as browsers show it; also the `Steps` of what does it."""

    def __init__(self, hub: Hub, board: str, what: str) -> None:
        self._hub, self._board, self._what = hub, board, what
        self._doing, self._total, self._done = "", 0, 0
        self._lines: list[str] = []
        self._send()

    @contextmanager
    def progress(self, total: int) -> Iterator[_TaskProgress]:
        self._total = total
        self._send()
        yield self

    def doing(self, what: str) -> None:
        self._doing = what
        self._send()

    def advance(self, amount: int) -> None:
        self._done += amount
        self._send()

    def say(self, line: str) -> None:
        self._lines.append(printable(line))
        del self._lines[:-_LINES]
        self._send()

    def end(self, good: bool, result: str, details: tuple[str, ...] = ()) -> None:
        self._lines += map(printable, details)
        self._send(good=good, result=printable(as_typed(result)))

    def _send(self, **more: object) -> None:
        if self._hub.stopping and not more:
            raise _EndedError
        work = {
            "what": self._what,
            "doing": printable(self._doing),
            "done": self._done,
            "total": self._total,
            "lines": list(self._lines),
            **more,
        }
        self._hub.note_task(self._board, work)


class BoardTasks:
    """Begins tasks. One board has one at a time; `doctor` has all boards."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._busy: set[str] = set()
        self._lock = threading.Lock()

    def update(self, name: str) -> None:
        """Bring a board's files up to date. Raises `BoardError` where that cannot begin."""

        def work(task: _TaskProgress) -> str:
            port, files = self._port(name), files_for_boards()
            brain.prove(brain.of(files))
            with self._hub.monitor.released(name):
                return bring_up_to_date(
                    port,
                    files,
                    False,
                    task.say,
                    task.progress,
                    self._boot(name),
                    keep=self._keep(name),
                )

        self._begin(name, "update", work)

    def flash(self, name: str) -> None:
        """Copy the whole program to a board. Raises `BoardError` where that cannot begin."""
        virtual = name in self._hub.virtual.kinds

        def work(task: _TaskProgress) -> str:
            with self._hub.monitor.released(name):
                if virtual:
                    return self._flash_virtual(name)
                drive, what = self._drive(name), our_hex()
                if what.table is not None:
                    brain.prove(what.table)
                flash(
                    drive,
                    what,
                    task.say,
                    task.progress,
                    started=self._boot(name),
                    keep=self._keep(name),
                )
            return "flashed"

        self._begin(name, "flash", work)

    def check(self) -> None:
        """See what `doctor` finds. Raises `BoardError` where that cannot begin."""
        with self._lock:
            if self._busy:
                raise BoardError("a board is being worked on; wait until that is done")
            self._busy.add(_DOCTOR)
        self._hub.run_in_background(self._check)

    def _begin(self, name: str, what: str, work: Callable[[_TaskProgress], str]) -> None:
        if name not in self._hub.known():
            raise BoardError(f"there is no board {name[:60]!r}; choose another one")
        with self._lock:
            if self._busy & {name, _DOCTOR}:
                raise BoardError("this board is being worked on; wait until that is done")
            self._busy.add(name)
        self._hub.run_in_background(lambda: self._do(name, what, work))

    def _do(self, name: str, what: str, work: Callable[[_TaskProgress], str]) -> None:
        try:
            task = _TaskProgress(self._hub, name, what)
            try:
                task.end(True, work(task))
            except (NoughtsError, OSError) as error:
                task.end(False, error_message(error), getattr(error, "details", ()))
        except _EndedError:
            pass
        finally:
            with self._lock:
                self._busy.discard(name)

    def _port(self, name: str) -> str:
        if name in self._hub.virtual.kinds:
            return self._hub.virtual.board(name).port
        port = self._hub.port(name)
        if port is None:
            raise BoardError("the board is unplugged; plug it in and try again")
        return port

    def _boot(self, name: str) -> Callable[[Boot], None]:
        """Records what a board sends when it starts, as if the watch had received it."""
        return lambda boot: self._hub.record(name, boot)

    def _keep(self, name: str) -> Callable[[Sequence[Game]], None]:
        """Records the games in a board's files, as if it had sent them after a reset."""
        return lambda games: self._hub.record(name, *games)

    def _drive(self, name: str) -> drives.Drive:
        for drive in drives.find_drives():
            if drive.usb_id and name_of(Port("", drive.usb_id)) == name:
                return drive
        raise BoardError(f"its drive was not found: {drives.NO_DRIVE}")

    def _flash_virtual(self, name: str) -> str:
        board = self._hub.virtual.board(name)
        new = program(self._hub.virtual.kinds[name])
        with closing(open_port(board.port)) as port:
            self._hub.note_reset(name)
            board.flash(new)
            start = wait_for_start(port)
        if start.boot is not None:
            self._hub.record(name, start.boot)
        return confirmed_start(start, brain.of(files_for_boards()).id, OFF)

    def _check(self) -> None:
        found: list[dict[str, object]] = []
        names = dict(self._hub.virtual.names)
        try:
            self._send(found, "this computer")
            boards = find_boards(self._hub.virtual.ports())
            here = of_computer(bool(boards), try_emulator)
            found.append({"name": "This computer", "checks": _records(here)})
            for board in boards:
                name = names.get(board.port.name) if board.port else None
                name = name or (name_of(board.port) if board.port else "")
                self._send(found, name)
                self._probe(name, board)
                called = self._hub.called(name) if name else "A board without a port"
                found.append({"name": called, "checks": _records(of_board(board))})
        except (NoughtsError, OSError) as error:
            check = Check("doctor", False, error_message(error))
            found.append({"name": "Stopped", "checks": _records([check])})
        finally:
            with self._lock:
                self._busy.discard(_DOCTOR)
        self._send(found, "")

    def _probe(self, name: str, board: ProbedBoard) -> None:
        with self._hub.monitor.released(name) if name else nullcontext():
            probe(board, restart=True)
        if board.boot is not None:
            self._hub.record(name, board.boot)

    def _send(self, found: list[dict[str, object]], doing: str) -> None:
        self._hub.note_findings({"doing": printable(doing), "told": list(found)})


def _records(checks: list[Check]) -> list[dict[str, object]]:
    return [
        {
            "what": check.what,
            "good": check.good,
            "found": printable(as_typed(check.found)),
            "details": [printable(line) for line in check.details],
        }
        for check in checks
    ]
