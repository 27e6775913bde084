"""All connected boards, real and virtual: recorded, and shown in each browser.

    ports, drives and virtual boards --> Recorder, in a thread: store, then events
    events, LEDs, tasks --> LiveBoards --> a channel of words, and one of LEDs --> browsers

What browsers get is a JSON object of what has changed, by key.

    site            what is wrong with the store, ports that wait
    order           the boards' ids, sorted by what people call them
    board/ID        all about one board: `LiveBoard.record`
    leds/ID         25 digits, and the device clock in seconds; on the channel of LEDs
    doctor          what `doctor` has found so far
"""

import asyncio
import contextlib
import json
import tempfile
import threading
from collections import deque
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from noughts.errors import BoardGoneError, NoughtsError, error_message, printable
from noughts.game.positions import after
from noughts.protocol.describe import LINE_NAMES, opponents, result, seated
from noughts.protocol.sentences import Boot, Game, is_same, score_array
from noughts.recording.data_logs import DataLogs
from noughts.recording.events import (
    BoardEvent,
    BoardNamed,
    BoardRefused,
    Event,
    NoiseReceived,
    PortClosed,
    PortOpened,
    SentenceStored,
    UnknownSentence,
)
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.recorder import Recorder
from noughts.recording.session import BoardState, Session
from noughts.recording.sources import QueuedSource
from noughts.recording.virtual_boards import VirtualBoards
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.queries import names
from noughts.store.store import Store
from noughts.views.situation import CONTROLS, Observer, instructions
from noughts.views.words import name_key, score
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import choice_in
from noughts.web.safety import Site

_WORDS_EVERY_S, _LEDS_EVERY_S = 0.1, 0.015
_SHUTDOWN_TIMEOUT_S, _TASK_TIMEOUT_S = 0.9, 0.6
_DIGITS = bytes(range(48, 58)).ljust(256, b"?")
_MARKS = {"A": "X", "B": "O", None: "."}
_NO_GAME = {"marks": ".........", "title": "no game yet: A has no cell; B has no cell"}
"""For the picture of a board without a game."""
_TASKS = {"update": "Updating", "flash": "Flashing"}


class Channel:
    """The newest values by key, encoded once for all browsers.

    It belongs to the event loop's thread.
    """

    def __init__(self) -> None:
        self.followed = asyncio.Event()
        """Set while a browser follows."""
        self._followers = self._version = 0
        self._values: dict[str, tuple[int, str]] = {}
        self._messages: dict[int, str] = {}
        self._changed = asyncio.Event()

    def set(self, key: str, value: object) -> None:
        """Set a key's newest value; the same value changes nothing."""
        text = json.dumps({key: value}, separators=(",", ":"))[1:-1]
        if key not in self._values or self._values[key][1] != text:
            self._version += 1
            self._values[key] = self._version, text
            self._messages.clear()
            self._changed.set()
            self._changed = asyncio.Event()

    async def follow(
        self, ready: Callable[[], Awaitable[object]], send: Callable[[str], Awaitable[object]]
    ) -> None:
        """Send one browser all values, and then all changes whenever it is ready."""
        self._followers += 1
        self.followed.set()
        version = 0
        try:
            while True:
                while self._version == version:
                    await self._changed.wait()
                await ready()
                message, version = self._since(version), self._version
                await send(message)
        finally:
            self._followers -= 1
            if not self._followers:
                self.followed.clear()

    def _since(self, version: int) -> str:
        if version not in self._messages:
            newer = (text for changed, text in self._values.values() if changed > version)
            self._messages[version] = "{" + ",".join(newer) + "}"
        return self._messages[version]


class LiveBoards:
    """All boards, from `start()` to `close()`.

    What is known of them belongs to the event loop's thread; other threads call the methods that
    say so.
    """

    def __init__(self, site: Site) -> None:
        self._db = site.db
        self.virtual = VirtualBoards(
            site.boards, lambda *port: self.monitor.follow(*port), self.changed
        )
        self.session = Session()
        self.boards = {
            name: LiveBoard(name, virtual=True, kind=kind)
            for name, kind in self.virtual.kinds.items()
        }
        """By id, gateways too."""
        self.words, self.leds = Channel(), Channel()
        self.busy: set[str] = set()
        """The ids of boards that a task works on; an empty id stands for all boards."""
        self.stopping = threading.Event()
        """Set when the server is to end."""
        self._changed = set(self.boards)
        self._news = asyncio.Event()
        self._news.set()
        self._error = ""
        """Why games are not stored, in one line."""
        self._recorded = QueuedSource()
        self._threads: list[threading.Thread] = []

    def start(self) -> None:
        """Begin to watch; called in the event loop."""
        self._loop = asyncio.get_running_loop()
        self.monitor = PortMonitor()
        self._logs = DataLogs()
        self._recording = threading.Thread(
            target=self._record_in, args=(self._db,), name="record games", daemon=True
        )
        self._recording.start()
        self.virtual.start()
        self._tasks = [asyncio.create_task(each) for each in (self._tell(), self._look())]

    async def close(self) -> None:
        """End everything, with all games stored."""
        for task in self._tasks:
            task.cancel()
        await asyncio.to_thread(self._end)

    def _end(self) -> None:
        self.stopping.set()
        self._recording.join(_SHUTDOWN_TIMEOUT_S)  # all data is stored before boards end
        for each in (self.virtual, self.monitor, self._logs):
            each.close()
        for thread in self._threads:  # they see `stopping`
            thread.join(_TASK_TIMEOUT_S)

    def run_in_background(self, work: Callable[[], None]) -> None:
        """Run something in a thread; `close()` waits a moment for it."""
        self._threads.append(threading.Thread(target=work, name="work on boards", daemon=True))
        self._threads[-1].start()

    def _record_in(self, path: Path) -> None:
        """In a thread. Boards are shown even if their games cannot be stored."""
        try:
            store = Store(path, create=True)
            self._take([BoardNamed(board, name) for board, name in names(store).items()])
            sources = (self.monitor, self._logs, self._recorded)
            with closing(Recorder(store, sources)) as recorder:
                recorder.run(self.stopping, self._take)
        except (NoughtsError, OSError) as error:
            if self._error:
                return
            self._error = f"games are not stored: {error_message(error)}"
            self.changed()
            with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
                self._record_in(Path(folder, "games.db"))

    def record(self, name: str, boot: Boot) -> None:
        """Record, in any thread, the start of a board, which a task has received."""
        self._recorded.put(Received.of(name, boot, timestamps.now()))

    def changed(self, *names: str, after: Callable[[], object] = lambda: None) -> None:
        """Show, from any thread, changes of these boards or of the whole; `after` runs first."""

        def change() -> None:
            after()
            self._changed.update(names)
            self._news.set()

        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(change)

    def begins_anew(self, name: str) -> None:
        """Note, in any thread, that a virtual board is reset."""
        self.changed(name, after=self.boards[name].observer.reset)

    def _take(self, events: list[Event]) -> None:
        """In the recorder's thread."""
        if events:
            self.changed(after=partial(self._follow, events))

    def _follow(self, events: list[Event]) -> None:
        for event in events:
            self.session.take(event)
            if isinstance(event, (PortOpened, PortClosed)):
                self._changed.update(self.boards)  # boards by radio depend on their gateway
            if isinstance(event, BoardEvent):
                self._changed.add(event.board)
                # The store has names of boards that are not here, and others are refused.
                if not isinstance(event, (BoardNamed, BoardRefused)):
                    if event.board not in self.boards:
                        self.boards[event.board] = LiveBoard(event.board)
                    self.boards[event.board].take(event)

    async def _tell(self) -> None:
        while True:
            await self.words.followed.wait()
            await self._news.wait()
            self._news.clear()
            session, called = self.session, self.session.called
            waiting = [printable(f"{port}: {why}") for port, why in sorted(session.waiting.items())]
            error = printable(self._error or session.warning)
            self.words.set("site", {"error": error, "waiting": waiting[:5]})
            shown = self.boards.keys() - {board.name for board in session.gateways}
            for name in self._changed & shown:
                error = printable(self.virtual.errors.get(name, ""))
                record = self.boards[name].record(called(name), session.boards.get(name), error)
                self.words.set(f"board/{name}", record)
            self._changed.clear()
            self.words.set("order", sorted(shown, key=lambda name: (name_key(called(name)), name)))
            await asyncio.sleep(_WORDS_EVERY_S)

    async def _look(self) -> None:
        while True:
            await self.leds.followed.wait()
            for name, device in list(self.virtual.running.items()):
                self._look_at(name, device)
            await asyncio.sleep(_LEDS_EVERY_S)

    def _look_at(self, name: str, device: VirtualBoard) -> None:
        board = self.boards[name]
        before = board.observer.now, board.controls, board.firmware
        try:
            leds, seconds = device.leds(), device.clock_us() // 1_000_000
        except BoardGoneError as error:
            if name not in self.virtual.errors and self.virtual.running.get(name) is device:
                self.virtual.errors[name] = str(error)
                self.changed(name)
            return
        board.observer.see(leds)
        board.firmware = device.firmware
        if device.memory() is not board.flash:
            board.flash = device.memory()
            board.controls = choice_in(board.flash)[1]
        if (board.observer.now, board.controls, board.firmware) != before:
            self.changed(name)
        self.leds.set(f"leds/{name}", [leds.translate(_DIGITS).decode(), seconds])


@dataclass
class LiveBoard:
    """The facts of a board that a `Session` does not have."""

    id: str
    """Its name in the store."""
    virtual: bool = False
    kind: str = ""
    firmware: str = ""
    flash: bytes | None = None
    """Of a virtual board, at the last look."""
    controls: str = ""
    """`b` buttons, `t` tilt, or empty if not known."""
    work: Mapping[str, object] | None = None
    """Its running task, or the result of the last one."""
    observer: Observer = field(default_factory=Observer)
    _last: deque[BoardEvent] = field(default_factory=lambda: deque(maxlen=6))

    def take(self, event: BoardEvent) -> None:
        if not event.resent:
            self._last.append(event)
        if isinstance(event, SentenceStored):
            sentence, now = event.sentence, self.observer.now.game
            # The LEDs do not show earlier games.
            if not event.late or isinstance(sentence, Boot) or is_same(sentence, now):
                self.observer.receive(sentence)

    def record(self, called: str, state: BoardState | None, error: str = "") -> dict[str, object]:
        """Everything that the page shows, as JSON.

        called: what people call the board. error: why a virtual board does not run, in one line.
        """
        known = state is not None
        state = state or BoardState(self.id, "", connected=False)
        game, boot, by_radio = state.game, state.boot, state.gateway is not None
        running = state.connected and not error
        now = self.observer.now
        words = instructions(now, self.controls)
        headline, about = words.headline, words.about
        tile = _tile(game, now.phase == "menu")
        if error:
            headline, about = "The virtual board does not run", error
            tile = "does not run", ""
        elif not state.connected:
            tile = "gateway unplugged" if by_radio else "unplugged", ""
            what = "its gateway" if by_radio else "it"
            if known or not self.virtual:
                headline, about = "Unplugged", f"It goes on as soon as {what} is plugged in again."
        elif game is None and now.phase == "starting" and not self.virtual:
            headline, about = "Waiting for a game", "It sends every move once a game goes on."
        if self.work is not None and "result" not in self.work:
            # It may look unplugged during a task, but must not be.
            done = f" {self.work['done']} of {self.work['total']}" if self.work["total"] else ""
            headline = f"{_TASKS[str(self.work['what'])]}: leave it plugged in"
            about = f"{self.work['doing']}{done}".strip()
        facts = [self.firmware]
        if boot is not None:
            facts += [f"game {boot.release}", f"hard plays from table {boot.table_id}"]
        if self.controls and now.phase != "menu":
            facts.append(f"played by {CONTROLS[self.controls]}")
        if not self.virtual:
            facts.append(f"by radio, at {state.gateway}" if by_radio else state.port)
        kind = self.kind or (boot.board if boot else "")
        return {
            "id": self.id,
            "name": called,
            "virtual": self.virtual,
            "running": running,
            "ended": bool(error),
            "kind": f"virtual micro:bit {kind}" if self.virtual else f"micro:bit {kind}",
            "facts": printable(" · ".join(filter(None, facts))),
            "by_radio": by_radio,
            "headline": headline,
            "about": about,
            "player": words.player if running else "",
            "buttons": words.buttons if running else (),
            "game": _game(game, state.number) if game else _NO_GAME,
            "tile": tile,
            "score": f"score: {score(state.score)}" if state.score.total() else "",
            "lines": [_line(event) for event in self._last],
            "work": self.work,
        }


def _line(event: BoardEvent) -> tuple[str, str]:
    """An event of a board: its CSS class, and its text."""
    kind = "noise" if isinstance(event, (NoiseReceived, UnknownSentence)) else "event"
    return kind, printable(event.about)[:200]


def _game(game: Game, number: int | None) -> dict[str, object]:
    marks = game.marks

    def has(player: str) -> str:
        cells = ", ".join(str(cell + 1) for cell in sorted(marks) if marks[cell] == player)
        return f"{player} has {cells or 'no cell'}"

    return {
        "marks": "".join(_MARKS[marks.get(cell)] for cell in range(9)),
        "last": game.moves[-1] if game.moves else None,
        "line": after(game.moves).won_cells,
        "title": f"{opponents(game.seats)}: {has('A')}; {has('B')}",
        "seats": [seated(seat) for seat in game.seats],
        "scores": list(zip(LINE_NAMES, score_array(marks), strict=True)),
        "about": f"game {number}" + ("" if game.end == "-" else f": {result(game)}"),
    }


def _tile(game: Game | None, menu: bool) -> tuple[str, str]:
    """Two short lines for the class: the opponents, and whose turn it is or the result."""
    if game is None or game.end == "x":
        return "in the menu" if menu else "waiting for a game", ""
    if menu:
        return "in the menu", f"last: {opponents(game.seats)}, {result(game)}"
    turn = f"{game.player(len(game.moves))}'s turn" if game.end == "-" else result(game)
    return opponents(game.seats), turn
