"""All connected boards, real and virtual: recorded, and shown in each browser.

    ports, drives and virtual boards --> Watch, in a thread: the store, then its session and events
    session, events, LEDs, tasks --> LiveBoards --> a channel of words, and one of LEDs --> browsers

Browsers receive JSON objects with the changed values, by key.

    site            what is wrong with the store, ports that wait: a list of texts
    order           the boards' ids, sorted by what people call them
    board/ID        all about one board: `LiveBoard.record`
    stream          the id of this stream, for what a page holds down: see `controls.py`
    leds/ID         25 digits, the device clock in seconds, and the tone in Hz or 0; on the channel
                    of LEDs
    doctor          what `doctor` has found so far
"""

import json
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager

from noughts.errors import BoardGoneError, printable
from noughts.game.positions import position_after
from noughts.protocol.describe import LINE_NAMES, opponents, result, seated
from noughts.protocol.sentences import Boot, Game, is_same, score_array
from noughts.recording import events
from noughts.recording.data_logs import DataLogs
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.session import BoardState
from noughts.recording.sources import Change
from noughts.recording.watch import Watch
from noughts.store import timestamps
from noughts.store.lines import Received
from noughts.views.board_pictures import board_text
from noughts.views.situation import CONTROLS, Instructions, Observer, instructions, summary
from noughts.views.words import name_key, score
from noughts.virtual.board import VirtualBoard
from noughts.virtual.virtual_boards import RestartableBoard, VirtualBoards
from noughts.web.safety import Site

Hold = tuple[str, str]
"""A board, and its button `A` or `B`, or `tilt`."""
_SHUTDOWN_TIMEOUT_S = 0.9
_WORDS_EVERY_S, _LEDS_EVERY_S = 0.1, 0.015
"""Words are read; LEDs scroll, and a screen shows a new picture every 16 ms."""
_NO_GAME = {"marks": ".........", "title": "no game yet: A has no cell; B has no cell"}
"""For the picture of a board without a game."""
_LISTED = 6
"""A board's last events on its card."""
_TASKS = {"update": "Updating", "flash": "Flashing"}


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
        # The first browser that asks in each interval refreshes the values for all of them. So 30
        # browsers cost one refresh, and without a browser nothing is done.
        if time.monotonic() >= self._due_s:
            self._due_s = time.monotonic() + self.every_s
            self._refresh()
        # A browser that is slow, or new, gets only the last value of each key, so nothing queues.
        newer = [text for changed, text in self._values.values() if changed > version]
        return self._version, ",".join(newer)


class LiveBoard:
    """All that is known of a board.

    state: what the watch knows of it. virtual: the virtual board, if it is one.
    """

    def __init__(self, state: BoardState, virtual: RestartableBoard | None = None) -> None:
        self.state, self.virtual = state, virtual
        if virtual is not None:  # nobody can unplug it, and its port opens once it has started
            state.connected = True
        self.work: Mapping[str, object] | None = None
        """Its running task, or the last one with its `result`: what `tasks.py` shows."""
        self.observer = Observer()
        self._last_events: deque[events.BoardEvent] = deque(maxlen=_LISTED)

    @property
    def id(self) -> str:
        """Its name in the store."""
        return self.state.name

    @property
    def device(self) -> VirtualBoard | None:
        """The virtual board while it runs."""
        return self.virtual.device if self.virtual else None

    @property
    def error(self) -> str:
        """Why a virtual board does not run, in one line."""
        return printable(self.virtual.error) if self.virtual else ""

    @property
    def is_busy(self) -> bool:
        """Whether it is being updated or flashed."""
        return self.work is not None and "result" not in self.work

    def device_state(self) -> tuple[bytes, int, int] | None:
        """What a virtual board shows: LEDs, seconds since its start, and the tone in Hz or 0.

        None if none runs here.
        """
        if self.virtual is None or (device := self.virtual.device) is None:
            return None
        try:
            return device.leds(), device.clock_us() // 1_000_000, device.tone_hz()
        except BoardGoneError as error:
            self.virtual.note_end(device, str(error))
            return None

    def take(self, event: events.BoardEvent) -> None:
        """Take an event of this board, after the watch's session."""
        if not event.resent:
            self._last_events.append(event)
        if isinstance(event, events.SentenceStored):
            sentence, shown_game = event.sentence, self.observer.situation.game
            # The LEDs do not show earlier games.
            if not event.late or not isinstance(sentence, Game) or is_same(sentence, shown_game):
                self.observer.receive(sentence)

    def record(self, display_name: str) -> dict[str, object]:
        """Everything that the page shows, as JSON; display_name: what people call the board."""
        state = self.state
        instructions = self._instructions()
        model = self.virtual.model if self.virtual else (state.boot.hardware if state.boot else "")
        return {
            "id": self.id,
            "name": display_name,
            "virtual": self.virtual is not None,
            "running": state.connected and not self.error,
            "ended": bool(self.error),
            "kind": f"virtual micro:bit {model}" if self.virtual else f"micro:bit {model}",
            "facts": printable(" · ".join(filter(None, self._facts()))),
            "by_radio": state.gateway is not None,
            "headline": instructions.headline,
            "about": instructions.about,
            "player": instructions.player,
            "buttons": instructions.buttons,
            "game": _game(state.game, state.number) if state.game else _NO_GAME,
            "tile": self._tile(),
            "score": f"score: {score(state.score)}" if state.score.total() else "",
            "lines": [_event_row(event) for event in self._last_events],
            "work": self.work,
        }

    def _instructions(self) -> Instructions:
        if self.work is not None and self.is_busy:
            # It may look unplugged during a task, but must not be.
            done = f" {self.work['done']} of {self.work['total']}" if self.work["total"] else ""
            headline = f"{_TASKS[str(self.work['what'])]}: leave it plugged in"
            return Instructions(headline, f"{self.work['doing']}{done}".strip())
        if self.error:
            return Instructions("The virtual board does not run", self.error)
        if not self.state.connected and not self.state.port and self.state.gateway is None:
            about = "Its stored games were read; moves appear once its port can be opened."
            return Instructions("Its port is not open", about)
        if not self.state.connected:
            unplugged_part = "it" if self.state.gateway is None else "its gateway"
            about = f"Games appear again once {unplugged_part} is plugged in."
            return Instructions("Unplugged", about)
        situation = self.observer.situation
        if self.state.game is None and situation.phase == "starting" and self.virtual is None:
            return Instructions("Waiting for a game", "It sends every move once a game starts.")
        return instructions(situation)

    def _tile(self) -> tuple[str, str]:
        """Two short lines for the page Class."""
        if self.error:
            return "does not run", ""
        return summary(self.state)

    def _facts(self) -> Iterator[str]:
        if self.device:
            yield self.device.firmware
        if boot := self.state.boot:
            yield f"game {boot.release}"
            yield f"hard plays from table {boot.table_id}"
        situation = self.observer.situation
        if situation.controls and situation.phase != "menu":
            yield f"played by {CONTROLS[situation.controls]}"
        if self.virtual is None:
            gateway = self.state.gateway
            yield self.state.port if gateway is None else f"by radio, via {gateway}"


class LiveBoards:
    """All boards, from `start()` to `close()`.

    watch: has `ports` and `virtual` among its sources. for_all_readers: makes a text fit for all
    who read the page. Use a board's state only within `lock`.
    """

    def __init__(
        self,
        watch: Watch,
        ports: PortMonitor,
        virtual: VirtualBoards[Change],
        for_all_readers: Callable[[str], str] = str,
    ) -> None:
        self.watch, self.virtual = watch, virtual
        self.session, self.lock = watch.session, watch.lock
        self.boards = {
            name: LiveBoard(self.session.board(name), board)
            for name, board in virtual.boards.items()
        }
        """By id, gateways too."""
        self.words = Channel(_WORDS_EVERY_S, self._set_words)
        self.leds = Channel(_LEDS_EVERY_S, self._set_leds)
        self.holds: dict[str, set[Hold]] = {}
        """By the stream of a page that may press buttons: what it holds down."""
        self.is_checking = False
        """Whether `doctor` runs, which needs all boards."""
        self.doctor: Mapping[str, object] | None = None
        """What `doctor` has found so far."""
        self._ports, self._for_all_readers = ports, for_all_readers
        watch.subscribe(self._take)

    def start(self) -> None:
        """Begin to watch, and start the virtual boards."""
        self.watch.start()
        self.virtual.start()

    def close(self) -> None:
        """End everything, with all games stored."""
        self.watch.close(_SHUTDOWN_TIMEOUT_S)

    def record(self, name: str, boot: Boot) -> None:
        """Record, in any thread, the start of a board, which a task has received."""
        self.watch.receive(Received.of(name, boot, timestamps.now()))

    def all(self) -> list[LiveBoard]:
        """The present boards; the watch's thread may add one at any time."""
        with self.lock:
            return [*self.boards.values()]

    def note_reset(self, name: str) -> None:
        """Note, in any thread, that a virtual board is reset."""
        with self.lock:
            self.boards[name].observer.reset()

    def end_holds(self, stream: str, holds: set[Hold]) -> set[Hold]:
        """Note that a stream no longer holds these; gives those that no other one holds either."""
        if stream in self.holds:
            self.holds[stream] = self.holds[stream] - holds
        return holds - set().union(*self.holds.values())

    def released(self, name: str) -> AbstractContextManager[None]:
        """Close a board's port, so that a task can use it."""
        return (self.virtual if name in self.virtual.boards else self._ports).released(name)

    def _take(self, new: list[events.Event]) -> None:
        """In the watch's thread."""
        for event in new:
            match event:
                case events.BoardNamed() | events.BoardRefused():
                    pass  # these do not make a board appear
                case events.BoardEvent(name):
                    if name not in self.boards:
                        self.boards[name] = LiveBoard(self.session.board(name))
                    self.boards[name].take(event)

    def _set_words(self) -> None:
        with self.lock:
            session, display_name = self.session, self.session.display_name
            watch = self.watch
            error = f"games are {watch.storage}: {watch.error}" if watch.error else ""
            waiting = [
                f"Waiting for {port}: {why}" for port, why in sorted(session.waiting.items())
            ]
            logs = [f"{display_name(board)}: {why}" for board, why in session.data_logs.items()]
            notices = [*filter(None, [error or session.warning]), *logs[:5], *waiting[:5]]
            visible_boards = [board for board in self.boards.values() if not board.state.is_gateway]
            records = {board.id: board.record(display_name(board.id)) for board in visible_boards}
            order = sorted(records, key=lambda name: (name_key(display_name(name)), name))
        self._show("site", [printable(text) for text in notices])
        for name, record in records.items():
            self._show(f"board/{name}", record)
        self.words.set("order", order)  # ids
        self._show("doctor", self.doctor)

    def _show(self, key: str, value: object) -> None:
        self.words.set(key, _for_readers(value, self._for_all_readers))

    def _set_leds(self) -> None:
        for board in self.all():
            if state := board.device_state():
                leds, seconds, tone_hz = state
                with self.lock:
                    board.observer.see(leds)
                self.leds.set(f"leds/{board.id}", ["".join(map(str, leds)), seconds, tone_hz])


def live_boards(site: Site) -> LiveBoards:
    """All micro:bits that are plugged in, and the virtual boards of this site."""
    ports, virtual = PortMonitor(), VirtualBoards(site.boards, PortMonitor(find=list))
    watch = Watch(site.db, [ports, DataLogs(), virtual], has_fallback=True)
    return LiveBoards(watch, ports, virtual, site.for_all_readers)


def _for_readers(value: object, fit: Callable[[str], str]) -> object:
    """A value with all its texts made fit for all readers; ids stay, as pages send them back."""
    match value:
        case str():
            return fit(value)
        case Mapping():
            return {
                key: item if key == "id" else _for_readers(item, fit) for key, item in value.items()
            }
        case list() | tuple():
            return [_for_readers(item, fit) for item in value]
    return value


def _event_row(event: events.BoardEvent) -> tuple[str, str]:
    """An event of a board: its CSS class, and its text."""
    css_class = (
        "noise" if isinstance(event, (events.NoiseReceived, events.UnknownSentence)) else "event"
    )
    return css_class, printable(event.about)[:200]


def _game(game: Game, number: int | None) -> dict[str, object]:
    marks = "".join(game.marks.get(cell, ".") for cell in range(9))
    return {
        "marks": marks.translate({ord("A"): "X", ord("B"): "O"}),
        "last": game.moves[-1] if game.moves else None,
        "line": position_after(game.moves).won_cells,
        "title": f"{opponents(game.seats)}: {board_text(marks, 'AB')}",
        "seats": [seated(seat) for seat in game.seats],
        "scores": list(zip(LINE_NAMES, score_array(game.marks), strict=True)),
        "about": f"game {number}" + ("" if game.end == "-" else f": {result(game)}"),
    }
