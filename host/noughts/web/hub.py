"""Every board that is there, real or virtual: watched, kept, and told to whoever looks on.

ports and virtual boards --(PortMonitor)--> RecorderThread: store, then events
events --> Session and LiveBoard --> channel `words`, ten times a second at most
LEDs of virtual boards ------------> channel `leds`, as long as somebody looks
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from noughts.errors import BoardGoneError, NoughtsError, in_words, printable
from noughts.hardware.ports import Port, find_ports
from noughts.protocol.describe import name_key
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.virtual.kept_flash import choice_in
from noughts.watch import raw_log
from noughts.watch.events import Event, SentenceStored
from noughts.watch.port_monitor import PortMonitor
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import RecorderThread, Watch
from noughts.watch.session import Session
from noughts.web.channel import Channel, Lookers
from noughts.web.live_board import LiveBoard
from noughts.web.site import Site
from noughts.web.virtual_boards import VirtualBoards

_WORDS_S = 0.1
_LEDS_S = 0.016
_CLOCK_MS = 200
_END_S = 0.9
_DIGITS = bytes(range(48, 58)).ljust(256, b"?")


class Hub:
    """The boards, from `start()` on until `close()`; `stop()` asks for that in advance.

    find: what lists the ports of real boards.
    """

    def __init__(self, site: Site, find: Callable[[], Sequence[Port]] = find_ports) -> None:
        self._site = site
        self._find = find
        self._lock = threading.Lock()
        self._session = Session()
        self._changed: set[str] = set()
        self._trouble = ""
        self._stopping = threading.Event()
        self._recording = threading.Event()
        """Set to end the present recording."""
        self._ended: threading.Thread | None = None
        self.virtual = VirtualBoards(site.boards, self._started)
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
        self.lookers, self.led_lookers = Lookers(), Lookers()
        self._changed.update(self._boards)
        self.monitor = PortMonitor(find=self._ports, boards=self.virtual.names)
        self._keeping = threading.Thread(target=self._keep, name="keep games", daemon=True)
        self._keeping.start()
        self.virtual.start()
        self._tasks = [
            self._loop.create_task(self._publish()),
            self._loop.create_task(self._look()),
        ]

    def stop(self) -> None:
        """Begin to end everything; returns at once."""
        if self._ended is None:
            self._stopping.set()
            self._recording.set()
            self._ended = threading.Thread(target=self._end, name="end boards", daemon=True)
            self._ended.start()

    async def close(self) -> None:
        """End everything, with all games kept."""
        for task in self._tasks:
            task.cancel()
        self.stop()
        assert self._ended is not None
        end_s = time.monotonic() + _END_S
        while self._ended.is_alive() and time.monotonic() < end_s:
            await asyncio.sleep(0.01)

    def _end(self) -> None:
        self._keeping.join(_END_S)  # what boards have said by now is kept before they end
        self.virtual.close()
        self.monitor.close()

    def _ports(self) -> Sequence[Port]:
        ports = self.virtual.ports()
        with contextlib.suppress(OSError):  # one that goes away while the system lists it
            ports += self._find()
        return ports

    def _started(self, name: str) -> None:
        """A virtual board runs, or could not be started."""
        self.monitor.look()  # before it says that it has started
        with self._lock:
            board = self._boards[name]
            board.trouble = self.virtual.trouble.get(name, "")
            if name in self.virtual.running:
                board.firmware = self.virtual.running[name].firmware
                board.observer.reset()
        self.changed(name)

    def _keep(self) -> None:
        """In a thread: keep what boards say; where that fails, go on without keeping it."""
        with tempfile.TemporaryDirectory(prefix="noughts-") as spare:
            for path in (self._site.db, Path(spare, "games.db")):
                self._recording = threading.Event()
                if self._stopping.is_set():
                    return
                try:
                    store = Store(path, create=True)
                    self._session.names.update(names(store))
                    watch = Watch(store, self.monitor, RawLog(raw_log.folder_of(path)))
                    recording = RecorderThread(watch, self._recording, self._take)
                    recording.start()
                    recording.wait()
                except (NoughtsError, OSError) as error:
                    self._trouble = f"games are not kept: {in_words(error)}"
                    self.changed()

    def _take(self, events: list[Event]) -> None:
        """In the recorder's thread."""
        changed = set()
        with self._lock:
            for event in events:
                self._session.take(event)
                name = getattr(event, "board", "")
                if name:
                    if name not in self._boards:
                        self._boards[name] = LiveBoard(name)
                    self._boards[name].take(event)
                    changed.add(name)
        if events:
            self.changed(*changed)

    def hear(self, name: str, event: SentenceStored) -> None:
        """Take what a board has said to somebody else, as when it was updated."""
        self._take([event])

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
        if self._boards[name].trouble:
            with self._lock:
                self._boards[name].trouble = ""
                self._boards[name].observer.reset()
            self.changed(name)
            self.virtual.again(name)

    async def _publish(self) -> None:
        while True:
            await self.lookers.there.wait()
            await self._news.wait()
            self._news.clear()
            self._tell()
            await asyncio.sleep(_WORDS_S)

    def _tell(self) -> None:
        with self._lock:
            changed, self._changed = self._changed, set()
            session, called = self._session, self._session.called
            known = {
                name: self._boards[name].record(called(name), session.boards.get(name))
                for name in changed
            }
            order = sorted(self._boards, key=lambda name: (name_key(called(name)), name))
            waiting = [f"{port}: {why}" for port, why in sorted(session.waiting.items())]
            site = {
                "trouble": printable(self._trouble or session.warning),
                "waiting": [printable(line) for line in waiting[:5]],
                "games": session.games,
            }
        self.words.set("site", site)
        for name, record in known.items():
            self.words.set(f"board/{name}", record)
        self.words.set("order", order)

    async def _look(self) -> None:
        """Look at the LEDs of virtual boards, as long as somebody does."""
        told: dict[str, tuple[bytes, int]] = {}
        flashes: dict[str, bytes] = {}
        while True:
            await self.led_lookers.there.wait()
            before_s = self._loop.time()
            for name, board in list(self.virtual.running.items()):
                try:
                    leds, ms = board.leds(), board.clock_us() // 1000
                except BoardGoneError as error:
                    self._note_end(name, error)
                    continue
                self._see(name, leds)
                last = told.get(name, (b"", 0))
                if leds != last[0] or abs(ms - last[1]) >= _CLOCK_MS:
                    told[name] = leds, ms
                    self.leds.set(f"leds/{name}", [leds.translate(_DIGITS).decode(), ms])
                flash = board.memory()
                if flashes.get(name) is not flash:
                    flashes[name] = flash
                    self._boards[name].controls = choice_in(flash)[1]
                    self.changed(name)
            await asyncio.sleep(max(_LEDS_S / 4, _LEDS_S - (self._loop.time() - before_s)))

    def _see(self, name: str, leds: bytes) -> None:
        with self._lock:
            observer = self._boards[name].observer
            before = observer.now
            observer.see(leds)
            changed = observer.now != before
        if changed:
            self.changed(name)

    def _note_end(self, name: str, error: BoardGoneError) -> None:
        board = self._boards[name]
        if not board.trouble:
            board.trouble = printable(str(error))
            self.changed(name)
