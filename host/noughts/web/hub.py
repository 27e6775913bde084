"""Every board that is there, real or virtual: watched, recorded, and shown in each browser.

ports and virtual boards --(PortMonitor)--> Recorder: store, then events
events --> Session and LiveBoard --> channel `words`, ten times a second at most
LEDs of virtual boards ------------> channel `leds`, while a browser shows them
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path

from noughts.errors import NoughtsError, error_message, printable
from noughts.hardware.drive import Drive, find_drives
from noughts.hardware.ports import Port, find_ports
from noughts.protocol.describe import name_key
from noughts.protocol.sentences import Sentence
from noughts.store import timestamps
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.virtual.board import VirtualBoard
from noughts.watch.data_logs import DataLogs
from noughts.watch.events import (
    BoardEvent,
    BoardNamed,
    BoardRefused,
    Event,
    PortClosed,
    PortOpened,
)
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session
from noughts.watch.sources import QueuedSource, SentencesRead, Source
from noughts.watch.virtual_boards import VirtualBoards
from noughts.web.channel import Channel, ClientCount
from noughts.web.leds import stream_leds
from noughts.web.live_board import LiveBoard
from noughts.web.site import Site

_PUBLISH_EVERY_S = 0.1
_SHUTDOWN_TIMEOUT_S = 0.9
_TASK_TIMEOUT_S = 0.6


class Hub:
    """The boards, from `start()` on until `close()`; `stop()` asks for that in advance.

    find: what lists the ports of real boards; drives: their drives.
    """

    def __init__(
        self,
        site: Site,
        find: Callable[[], Sequence[Port]] = find_ports,
        drives: Callable[[], Sequence[Drive]] = find_drives,
    ) -> None:
        self._site = site
        self._find, self._drives = find, drives
        self._lock = threading.Lock()
        self._session = Session()
        self._changed: set[str] = set()
        self._findings: Mapping[str, object] | None = None
        self._recorded = QueuedSource()
        self._stopping = threading.Event()
        self._error = ""
        """Why games are not stored, in one line."""
        self._recording = threading.Thread(
            target=self._run_recorder, name="record games", daemon=True
        )
        self._ended: threading.Thread | None = None
        self.virtual = VirtualBoards(site.boards, self._plugged, self._started)
        self._background: list[threading.Thread] = []
        self._boards = {
            name: LiveBoard(name, virtual=True, kind=kind)
            for name, kind in self.virtual.kinds.items()
        }

    def start(self) -> None:
        """Begin to watch; called in the event loop."""
        self._loop = asyncio.get_running_loop()
        self.words, self.leds = Channel(), Channel()
        self._news = asyncio.Event()
        self._news.set()
        self.clients, self.led_clients = ClientCount(), ClientCount()
        self._changed.update(self._boards)
        self.monitor = PortMonitor(
            find=self._find,
            also=self.virtual.ports,
            boards=self.virtual.names,
            opened=self.virtual.opened,
        )
        self._logs = DataLogs(self._drives)
        self._recording.start()
        self.virtual.start()
        self._tasks = [
            self._loop.create_task(self._publish()),
            self._loop.create_task(stream_leds(self)),
        ]

    def stop(self) -> None:
        """Begin to end everything; returns at once."""
        if self._ended is None:
            self._stopping.set()
            self._ended = threading.Thread(target=self._end, name="end boards", daemon=True)
            self._ended.start()

    async def close(self) -> None:
        """End everything, with all games kept."""
        for task in self._tasks:
            task.cancel()
        self.stop()
        assert self._ended is not None
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        while self._ended.is_alive() and time.monotonic() < end_s:
            await asyncio.sleep(0.01)

    def _end(self) -> None:
        self._recording.join(_SHUTDOWN_TIMEOUT_S)  # all data is stored before boards end
        self.virtual.close()
        self.monitor.close()
        self._logs.close()
        for thread in self._background:  # they see that the end has come
            thread.join(_TASK_TIMEOUT_S)

    def run_in_background(self, work: Callable[[], None]) -> None:
        """Do something in a thread; `close()` waits a moment for it."""
        thread = threading.Thread(target=work, name="work on boards", daemon=True)
        self._background = [each for each in self._background if each.is_alive()] + [thread]
        thread.start()

    def _plugged(self) -> None:
        self.monitor.look()

    def _started(self, name: str) -> None:
        """A virtual board runs, or could not be started."""
        with self._lock:
            board = self._boards[name]
            board.error = self.virtual.errors.get(name, "")
            if name in self.virtual.running:
                board.firmware = self.virtual.running[name].firmware
        self.changed(name)

    def _run_recorder(self) -> None:
        """In a thread of its own; what boards say is shown also where it cannot be kept."""
        path = self._site.db
        sources: list[Source] = [self.monitor, self._logs, self._recorded]
        with ExitStack() as stack:
            while not self._stopping.is_set():
                try:
                    store = Store(path, create=True)
                    self._take([BoardNamed(board, name) for board, name in names(store).items()])
                    with closing(Recorder(store, sources)) as recorder:
                        recorder.run(self._stopping, self._take)
                except (NoughtsError, OSError) as error:
                    if self._error:
                        return
                    self._error = f"games are not stored: {error_message(error)}"
                    self.changed()
                    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="noughts-"))
                    path = Path(folder, "games.db")

    def _take(self, events: list[Event]) -> None:
        """In the recorder's thread."""
        changed = set()
        with self._lock:
            for event in events:
                self._session.take(event)
                match event:
                    case BoardNamed(name) | BoardRefused(name):
                        # The store knows boards that are not here, and others are never.
                        changed.update({name} & self._boards.keys())
                    case BoardEvent(name):
                        self._boards.setdefault(name, LiveBoard(name)).take(event)
                        changed.add(name)
                if isinstance(event, (PortOpened, PortClosed)):
                    playing = self._session.playing
                    changed.update(each.name for each in playing if each.gateway == event.board)
        if events:
            self.changed(*changed)

    def record(self, name: str, *sentences: Sentence) -> None:
        """Record what a board has said to a task, or what was in its files."""
        self._recorded.put(SentencesRead(name, sentences, timestamps.now()))

    @property
    def stopping(self) -> bool:
        """Whether the end was asked for."""
        return self._stopping.is_set()

    def known(self) -> list[str]:
        """The boards' ids."""
        with self._lock:
            return list(self._boards)

    def called(self, name: str) -> str:
        """A board as people know it."""
        with self._lock:
            return self._session.called(name)

    def port(self, name: str) -> str | None:
        """The port of a real board that is plugged in."""
        with self._lock:
            state = self._session.boards.get(name)
            return (state.port or None) if state is not None and state.connected else None

    def see(self, name: str, leds: bytes) -> None:
        """Take a look at the LEDs of a virtual board."""
        with self._lock:
            observer = self._boards[name].observer
            before = observer.now
            observer.see(leds)
            changed = observer.now != before
        if changed:
            self.changed(name)

    def note_controls(self, name: str, controls: str) -> None:
        """Note how a virtual board is played: `b` by buttons, `t` by tilting."""
        self._boards[name].controls = controls
        self.changed(name)

    def note_end(self, name: str, ended: VirtualBoard, why: str) -> None:
        """Note that a virtual board has ended by itself, if no other has taken its place."""
        with self._lock:
            board = self._boards[name]
            if board.error or self.virtual.running.get(name) is not ended:
                return
            board.error = printable(why)
        self.changed(name)

    def note_task(self, name: str, work: Mapping[str, object]) -> None:
        """Note what is being done with a board, or what came of that."""
        self._boards[name].work = work
        self.changed(name)

    def note_findings(self, findings: Mapping[str, object]) -> None:
        """Note what `doctor` has found so far."""
        self._findings = findings
        self.changed()

    def changed(self, *boards: str) -> None:
        """Note, in any thread, that something is to be told of these boards, or of the whole."""
        with self._lock:
            self._changed.update(boards)
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._news.set)

    def note_reset(self, name: str) -> None:
        """Note that a virtual board is reset: it begins anew."""
        with self._lock:
            self._boards[name].observer.reset()
        self.changed(name)

    def restart(self, name: str) -> None:
        """Start a virtual board anew that does not run any more."""
        with self._lock:
            board = self._boards[name]
            if not board.error:
                return  # another browser was first
            board.error = ""
            board.observer.reset()
            self.virtual.again(name)
        self.changed(name)

    async def _publish(self) -> None:
        while True:
            await self.clients.any_connected.wait()
            await self._news.wait()
            self._news.clear()
            self._tell()
            await asyncio.sleep(_PUBLISH_EVERY_S)

    def _tell(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, set()
            session, called = self._session, self._session.called
            gateways = {board.name for board in session.gateways}
            known = {
                name: self._boards[name].record(called(name), session.boards.get(name))
                for name in changed - gateways
            }
            order = sorted(
                self._boards.keys() - gateways, key=lambda name: (name_key(called(name)), name)
            )
            waiting = [f"{port}: {why}" for port, why in sorted(session.waiting.items())]
            site = {
                "trouble": printable(self._error or session.warning),
                "waiting": [printable(line) for line in waiting[:5]],
                "games": session.games,
            }
        self.words.set("site", site)
        for name, record in known.items():
            self.words.set(f"board/{name}", record)
        self.words.set("order", order)
        if self._findings is not None:
            self.words.set("doctor", self._findings)
