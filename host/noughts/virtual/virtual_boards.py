"""Several virtual boards: V2 and V1 by turns, started in the background; a source of a watch.

This package stands next to `recording`, and does not import it. So the ports of the boards are read
by what the caller gives, a `PortMonitor`, whose changes `poll` passes on.
"""

import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Generic, Protocol, TypeVar

import serial

from noughts.errors import BoardError, NoughtsError, ThreadFaults, error_message
from noughts.virtual.board import Air, VirtualBoard, autoplay, opening
from noughts.virtual.program import BOARDS, program

_Change = TypeVar("_Change", covariant=True)
"""What has happened at a port, in the words of the package that reads it."""

_AT_ONCE = 2
"""How many boards start at the same time: each needs a processor for a second."""
_MODELS = BOARDS[::-1]


class PortReader(Protocol[_Change]):
    """Reads serial ports, as `recording.port_monitor.PortMonitor` does."""

    def follow(self, board: str, port: str, opened: serial.SerialBase) -> None:
        """Read this open port from now on; board: its name in the store."""

    def released(self, board: str) -> AbstractContextManager[None]:
        """Close a board's port, so that something else can use it."""

    def poll(self) -> Sequence[_Change]:
        """What has happened since the last call."""

    def close(self) -> None:
        """Close all ports."""


@dataclass
class RestartableBoard:
    """A virtual board that is starting, runs, or has ended and can be started again."""

    name: str
    """Its name in the store."""
    model: str
    """`V1` or `V2`."""
    device: VirtualBoard | None = None
    """None until it has started."""
    error: str = ""
    """Why it does not run, in one line; empty while it is starting or runs."""

    def running(self) -> VirtualBoard:
        """The board. Raises `BoardError` if it has not started."""
        if self.device is None:
            raise BoardError(f"{self.name} is not running; wait until it has started")
        return self.device

    def note_end(self, device: VirtualBoard, why: str) -> None:
        """Note why this device has ended, unless another one was started in its place."""
        if self.device is device:
            self.error = self.error or why


class VirtualBoards(Generic[_Change]):
    """Boards `virtual-1`, `virtual-2` and so on, from `start()` to `close()`.

    ports: reads their ports; it is closed with them. changed: called, in any thread, with a board
    that now runs or cannot be started. start_board: starts one of this model; by default the game,
    in radio contact with the others.
    """

    def __init__(
        self,
        count: int,
        ports: PortReader[_Change],
        changed: Callable[[RestartableBoard], object] = lambda board: None,
        start_board: Callable[[str], VirtualBoard] | None = None,
    ) -> None:
        air = Air()
        names = [f"virtual-{number + 1}" for number in range(count)]
        models = [_MODELS[number % len(_MODELS)] for number in range(count)]
        self.boards = dict(zip(names, map(RestartableBoard, names, models), strict=True))
        """By name."""
        self._ports, self._changed = ports, changed
        self._start_board = start_board or (
            lambda model: VirtualBoard(partial(program, model), air=air)
        )
        self._closed = False
        self._faults = ThreadFaults()
        self._lock = threading.Lock()
        self._starting = threading.Semaphore(_AT_ONCE)

    def start(self) -> None:
        """Start all boards in the background."""
        for board in self.boards.values():
            self._start_in_background(board)

    def _start_in_background(self, board: RestartableBoard) -> None:
        threading.Thread(
            target=self._faults.keep, args=[self._start, board], name="start a board", daemon=True
        ).start()

    def restart(self, board: RestartableBoard) -> None:
        """Restart a board that no longer runs."""
        with self._lock:
            if not board.error:
                return  # another browser was first
            old, board.device, board.error = board.device, None, ""
        if old is not None:
            old.close()
        self._start_in_background(board)

    def _start(self, board: RestartableBoard) -> None:
        with self._starting:
            if self._closed:
                return
            try:
                device = self._start_board(board.model)
            except (NoughtsError, OSError) as error:
                board.error = error_message(error)
            else:
                with self._lock:
                    if self._closed:
                        device.close()
                        return
                    board.device = device
                self._ports.follow(board.name, device.port, device.serial)
            self._changed(board)

    @property
    def names_by_port(self) -> dict[str, str]:
        """The names of the running boards, by port."""
        return {
            board.device.port: board.name
            for board in self.boards.values()
            if board.device is not None and not board.error
        }

    def released(self, board: str) -> AbstractContextManager[None]:
        """Close a board's port, so that something else can use it."""
        return self._ports.released(board)

    def poll(self) -> Sequence[_Change]:
        """Everything that the boards have sent since the last call."""
        self._faults.raise_next()
        return self._ports.poll()

    def close(self) -> None:
        """End all boards. One that is just starting ends with this process."""
        with self._lock:
            self._closed = True
            devices = [board.device for board in self.boards.values() if board.device is not None]
        self._ports.close()
        for device in devices:
            device.close()


class AutoplayedBoards(VirtualBoards[_Change]):
    """Boards that play by themselves, as a demonstration, from the first `poll` on."""

    def __init__(self, count: int, ports: PortReader[_Change]) -> None:
        super().__init__(count, ports, self._play)
        self._has_started = False
        self._stop = threading.Event()

    def _play(self, board: RestartableBoard) -> None:
        if board.device is not None:
            number = [*self.boards].index(board.name)
            playing = autoplay, board.device, opening(number, len(self.boards)), number, self._stop
            threading.Thread(
                target=self._faults.keep, args=playing, name="autoplay", daemon=True
            ).start()

    def poll(self) -> Sequence[_Change]:
        """Everything that the boards have sent. Raises `BoardError` if one cannot start."""
        if not self._has_started:
            self._has_started = True
            self.start()
        for board in self.boards.values():
            if board.error:
                raise BoardError(board.error)
        return super().poll()

    def close(self) -> None:
        """End all boards, and their players."""
        self._stop.set()
        super().close()
