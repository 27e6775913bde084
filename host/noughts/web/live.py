"""All connected boards, real and virtual: recorded, and shown in each browser.

    ports, drives and virtual boards --> Recorder, in a thread: store, then events
    events, LEDs, tasks --> LiveBoards --> a channel of words, and one of LEDs --> browsers

Browsers receive JSON objects with the changed values, by key.

    site            what is wrong with the store, ports that wait: a list of texts
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
import time
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from noughts.errors import BoardGoneError, NoughtsError, error_message, printable
from noughts.game.positions import after
from noughts.protocol.describe import LINE_NAMES, opponents, result, seated
from noughts.protocol.sentences import Boot, Game, is_same, score_array
from noughts.recording import events
from noughts.recording.data_logs import DataLogs
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.recorder import Recorder
from noughts.recording.session import BoardState, Session
from noughts.recording.sources import QueuedSource
from noughts.recording.virtual_boards import VirtualBoards
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.store.queries import names
from noughts.store.store import Store
from noughts.views.board import board_text
from noughts.views.situation import CONTROLS, Instructions, Observer, instructions, summary
from noughts.views.words import name_key, score
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import choice_in
from noughts.web.safety import Site

_SHUTDOWN_TIMEOUT_S = 0.9
_NO_GAME = {"marks": ".........", "title": "no game yet: A has no cell; B has no cell"}
"""For the picture of a board without a game."""
_TASKS = {"update": "Updating", "flash": "Flashing"}
_choice_in = lru_cache(16)(choice_in)  # it searches the whole flash


class Channel:
    """The newest values by key, encoded once for all browsers that follow.

    It belongs to the event loop's thread. refresh: sets the values, at these intervals.
    """

    def __init__(self, every_s: float, refresh: Callable[[], None]) -> None:
        self.every_s, self._refresh = every_s, refresh
        self._due_s = 0.0
        self._version = 0
        self._values: dict[str, tuple[int, str]] = {}

    def set(self, key: str, value: object) -> None:
        """Set a key's newest value; the same value changes nothing."""
        text = json.dumps({key: value}, separators=(",", ":"))[1:-1]
        if key not in self._values or self._values[key][1] != text:
            self._version += 1
            self._values[key] = self._version, text

    def since(self, version: int) -> tuple[int, str]:
        """The present version, and what has changed since an earlier one: JSON without braces."""
        if time.monotonic() >= self._due_s:
            self._due_s = time.monotonic() + self.every_s
            self._refresh()
        newer = [text for changed, text in self._values.values() if changed > version]
        return self._version, ",".join(newer)


class LiveBoards:
    """All boards, from `start()` to `close()`.

    Only the event loop's thread may use this state.
    """

    def __init__(self, site: Site) -> None:
        self._db = site.db
        self.virtual = VirtualBoards(
            site.boards, lambda *port: self.monitor.follow(*port), lambda name: None
        )
        self.session = Session()
        self.boards = {name: LiveBoard(name, kind) for name, kind in self.virtual.kinds.items()}
        """By id, gateways too."""
        self.words, self.leds = Channel(0.1, self._set_words), Channel(0.015, self._set_leds)
        self.busy: set[str] = set()
        """The ids of boards that a task works on; an empty id stands for all boards."""
        self.doctor: Mapping[str, object] | None = None
        """What `doctor` has found so far."""
        self._stopping = threading.Event()
        self._error = ""
        """Why games are not stored, in one line."""
        self._recorded = QueuedSource()

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

    def close(self) -> None:
        """End everything, with all games stored."""
        self._stopping.set()
        self._recording.join(_SHUTDOWN_TIMEOUT_S)  # all data is stored before boards end
        for each in (self.virtual, self.monitor, self._logs):
            each.close()

    def _record_in(self, path: Path) -> None:
        """In a thread. Boards are shown even if their games cannot be stored."""
        try:
            store = Store(path, create=True)
            self._take([events.BoardNamed(board, name) for board, name in names(store).items()])
            sources = (self.monitor, self._logs, self._recorded)
            with closing(Recorder(store, sources)) as recorder:
                recorder.run(self._stopping, self._take)
        except (NoughtsError, OSError) as error:
            if self._error:
                return
            self._error = f"games are not stored: {error_message(error)}"
            with tempfile.TemporaryDirectory(prefix="noughts-") as folder:
                self._record_in(Path(folder, "games.db"))

    def record(self, name: str, boot: Boot) -> None:
        """Record, in any thread, the start of a board, which a task has received."""
        self._recorded.put(Received.of(name, boot, timestamps.now()))

    def begins_anew(self, name: str) -> None:
        """Note, in any thread, that a virtual board is reset."""
        self._call(self.boards[name].observer.reset)

    def _take(self, new: list[events.Event]) -> None:
        """In the recorder's thread."""
        if new:
            self._call(self._follow, new)

    def _call(self, function: Callable[..., object], *values: object) -> None:
        """Call something in the event loop's thread."""
        with contextlib.suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(function, *values)

    def _follow(self, new: list[events.Event]) -> None:
        for event in new:
            self.session.take(event)
            match event:
                case events.BoardNamed() | events.BoardRefused():
                    pass  # these do not make a board appear
                case events.BoardEvent(board):
                    self.boards.setdefault(board, LiveBoard(board)).take(event)

    def _set_words(self) -> None:
        session, called = self.session, self.session.called
        waiting = [f"Waiting for {port}: {why}" for port, why in sorted(session.waiting.items())]
        notices = [*filter(None, [self._error or session.warning]), *waiting[:5]]
        self.words.set("site", [printable(text) for text in notices])
        shown = self.boards.keys() - {board.name for board in session.gateways}
        for name in shown:
            state, device = session.boards.get(name), self.virtual.running.get(name)
            ended = printable(self.virtual.errors.get(name, ""))
            record = self.boards[name].record(called(name), state, device, ended)
            self.words.set(f"board/{name}", record)
        self.words.set("order", sorted(shown, key=lambda name: (name_key(called(name)), name)))
        self.words.set("doctor", self.doctor)

    def _set_leds(self) -> None:
        for name, device in list(self.virtual.running.items()):
            try:
                leds, seconds = device.leds(), device.clock_us() // 1_000_000
            except BoardGoneError as error:
                if self.virtual.running.get(name) is device:  # else it is started again
                    self.virtual.errors.setdefault(name, str(error))
            else:
                self.boards[name].observer.see(leds)
                self.leds.set(f"leds/{name}", ["".join(map(str, leds)), seconds])


@dataclass
class LiveBoard:
    """The facts of a board that a `Session` does not have."""

    id: str
    """Its name in the store."""
    kind: str = ""
    """Of a virtual board, `V1` or `V2`."""
    work: Mapping[str, object] | None = None
    """Its running task, or the result of the last one."""
    observer: Observer = field(default_factory=Observer)
    _last: deque[events.BoardEvent] = field(default_factory=lambda: deque(maxlen=6))

    def take(self, event: events.BoardEvent) -> None:
        if not event.resent:
            self._last.append(event)
        if isinstance(event, events.SentenceStored):
            sentence, now = event.sentence, self.observer.now.game
            # The LEDs do not show earlier games.
            if not event.late or isinstance(sentence, Boot) or is_same(sentence, now):
                self.observer.receive(sentence)

    def record(
        self,
        called: str,
        state: BoardState | None,
        device: VirtualBoard | None = None,
        error: str = "",
    ) -> dict[str, object]:
        """Everything that the page shows, as JSON.

        called: what people call the board. device: of a virtual board, once it has started; error:
        why it does not run, in one line.
        """
        virtual = bool(self.kind)
        state = state or BoardState(self.id, "", connected=virtual)  # one that starts
        game, boot, by_radio = state.game, state.boot, state.gateway is not None
        now = self.observer.now
        controls = _choice_in(device.memory())[1] if device else ""
        words, tile = instructions(now, controls), summary(state, now.phase == "menu")
        if error:
            words = Instructions("The virtual board does not run", error)
            tile = "does not run", ""
        elif not state.connected:
            what = "its gateway" if by_radio else "it"
            words = Instructions("Unplugged", f"Games appear again once {what} is plugged in.")
        elif game is None and now.phase == "starting" and not virtual:
            words = Instructions("Waiting for a game", "It sends every move once a game starts.")
        if self.work is not None and "result" not in self.work:
            # It may look unplugged during a task, but must not be.
            done = f" {self.work['done']} of {self.work['total']}" if self.work["total"] else ""
            headline = f"{_TASKS[str(self.work['what'])]}: leave it plugged in"
            words = Instructions(headline, f"{self.work['doing']}{done}".strip())
        facts = [device.firmware] if device else []
        if boot is not None:
            facts += [f"game {boot.release}", f"hard plays from table {boot.table_id}"]
        if controls and now.phase != "menu":
            facts.append(f"played by {CONTROLS[controls]}")
        if not virtual:
            facts.append(f"by radio, via {state.gateway}" if by_radio else state.port)
        kind = self.kind or (boot.board if boot else "")
        return {
            "id": self.id,
            "name": called,
            "virtual": virtual,
            "running": state.connected and not error,
            "ended": bool(error),
            "kind": f"virtual micro:bit {kind}" if virtual else f"micro:bit {kind}",
            "facts": printable(" · ".join(filter(None, facts))),
            "by_radio": by_radio,
            "headline": words.headline,
            "about": words.about,
            "player": words.player,
            "buttons": words.buttons,
            "game": _game(game, state.number) if game else _NO_GAME,
            "tile": tile,
            "score": f"score: {score(state.score)}" if state.score.total() else "",
            "lines": [_line(event) for event in self._last],
            "work": self.work,
        }


def _line(event: events.BoardEvent) -> tuple[str, str]:
    """An event of a board: its CSS class, and its text."""
    kind = "noise" if isinstance(event, (events.NoiseReceived, events.UnknownSentence)) else "event"
    return kind, printable(event.about)[:200]


def _game(game: Game, number: int | None) -> dict[str, object]:
    marks = "".join(game.marks.get(cell, ".") for cell in range(9))
    return {
        "marks": marks.translate({ord("A"): "X", ord("B"): "O"}),
        "last": game.moves[-1] if game.moves else None,
        "line": after(game.moves).won_cells,
        "title": f"{opponents(game.seats)}: {board_text(marks, 'AB')}",
        "seats": [seated(seat) for seat in game.seats],
        "scores": list(zip(LINE_NAMES, score_array(game.marks), strict=True)),
        "about": f"game {number}" + ("" if game.end == "-" else f": {result(game)}"),
    }
