"""Recording what boards say: it is stored first, and reported then."""

from __future__ import annotations

import contextlib
import gc
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot, is_late
from noughts.store import timestamps
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.store.store_files import StoreFiles, beside
from noughts.watch.events import (
    BoardNamed,
    BoardRefused,
    Event,
    NoiseReceived,
    SentenceStored,
    StoreBusy,
    StoreFree,
    StoreGone,
    UnknownSentence,
)
from noughts.watch.port_monitor import Change, DataReceived, PortClosed, PortOpened
from noughts.watch.radio_lines import RadioLines
from noughts.watch.raw_log import RawLog
from noughts.watch.told_again import ToldAgain

_REST_S = 0.02
_TIDY = 5000
"""Events between two collections: memory stays where it is from the first ten thousand on."""
_PATIENCE_S = 0.05
"""To wait for others who write to the store, before listening to the boards again."""
_SAY_BUSY_S = 2.0
_MAX_PENDING = 50_000
"""Of what is heard while the store cannot be written; some 30 MB. The raw lines hold the rest."""
_NAMES_S = 1.0
"""Between two looks at whether another program has named a board."""
_LAST_S = 0.25
"""After the end was asked for: to take in what boards have said by then."""


class _Heard(NamedTuple):
    """What a board has said, on its way to the store."""

    board: str
    item: Item
    at: int | None
    late: bool = False
    gateway: str | None = None


class Recorder:
    """What all boards say, line by line: into the raw log, the store, and events.

    What cannot be stored because another program is writing to the store is `pending`. known: ids
    of the boards that may be heard by radio; None: any, see `radio_lines.py`.
    """

    def __init__(
        self, store: Store, raw: RawLog | None, known: Collection[str] | None = None
    ) -> None:
        store.wait_for_others(_PATIENCE_S)
        self._store = store
        self._raw = raw
        self._streams: dict[str, Stream] = {}
        self._noise = 0  # of streams that have ended
        self._boots: dict[str, tuple[Boot, int | None]] = {}
        self._busy_since_s: float | None = None
        self._said_busy = False
        self._announced: dict[str, tuple[str, int | None]] = {}
        """By line: the boot that the last `$NB` on it named, and when."""
        self._told = ToldAgain()
        self._ended = False
        self.radio = RadioLines(known)
        self.pending: deque[Event | _Heard] = deque()
        self.left_out = 0
        """Sentences that are in the raw log only, because too many were pending."""

    @property
    def noise(self) -> int:
        """Bytes so far that were no part of a sentence."""
        return self._noise + sum(stream.noise for stream in self._streams.values())

    def hear(self, board: str, data: bytes, at: int | None) -> list[Event]:
        """Take bytes of a board, and store what can be stored; returns what came of that."""
        self.take(board, data, at)
        return self.settle()

    def end(self, board: str, at: int | None) -> list[Event]:
        """Note that nothing more will come from a board, and store its last line."""
        self.take_end(board, at)
        self._ended = True
        return self.settle()

    def take(self, board: str, data: bytes, at: int | None) -> None:
        """Write bytes of a board to the raw log; `settle` stores what they say."""
        stream = self._streams.setdefault(board, Stream())
        self._take(board, stream.feed(data), at)

    def take_end(self, board: str, at: int | None) -> None:
        """Note that nothing more will come from a board; its last line is stored by `settle`."""
        stream = self._streams.pop(board, Stream())
        self._take(board, stream.end(), at)
        self._noise += stream.noise
        # When it is back it may be amid what it tells of earlier runs, with its `$NB` not heard.
        self._announced.pop(board, None)

    def _take(self, line: str, items: Sequence[Item], at: int | None) -> None:
        taken = [each for item in items if (each := self._heard(line, item, at)) is not None]
        # All raw lines first: they are there, whatever becomes of the store.
        if self._raw is not None and at is not None:
            for each in taken:
                if isinstance(each, _Heard):
                    item = each.item
                    text = item.text if isinstance(item, Noise) else item.line
                    self._raw.write(each.board, text, at)
        for each in taken:
            if len(self.pending) < _MAX_PENDING:
                self.pending.append(each)
            elif isinstance(each, _Heard):
                self.left_out += isinstance(each.item, ParsedSentence)

    def _heard(self, line: str, item: Item, at: int | None) -> _Heard | BoardRefused | None:
        """Which board has said it, and whether it tells of what is long over."""
        if not isinstance(item, ParsedSentence):
            return _Heard(line, item, at)
        sentence = item.sentence
        if item.radio_id is not None:
            board = self.radio.board(line, item.radio_id)
            if not isinstance(board, str):
                return board
            # The end of a game is sent again some time later, so its moment tells little.
            late = not isinstance(sentence, Boot) and is_late(sentence, None)
            return _Heard(board, item, at, late, None if board == line else line)
        announced, since = self._announced.get(line, (None, None))
        if not isinstance(sentence, Boot):
            return _Heard(line, item, at, is_late(sentence, announced))
        if at is None or since is None or since <= at:  # else it has come a second time
            self._announced[line] = sentence.boot, at
        return _Heard(line, item, at)

    def settle(self) -> list[Event]:
        """Store what is pending, as far as other programs let us; gives what is kept by now.

        Raises `StoreError` when something cannot be kept; it stays pending.
        """
        events: list[Event] = []
        while self.pending:
            first = self.pending[0]
            try:
                if isinstance(first, _Heard):
                    events += self._keep(first)
                else:
                    if isinstance(first, PortClosed):
                        events += self._told.end(first.board)
                    events.append(first)
            except StoreBusyError:
                return events + self._wait()
            self.pending.popleft()
        if self._said_busy:
            events.append(StoreFree(str(self._store.path)))
        self._busy_since_s, self._said_busy = None, False
        return events + (self._told.end_all() if self._ended else self._told.end_quiet())

    def _wait(self) -> list[Event]:
        now_s = time.monotonic()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        if self._said_busy or now_s - self._busy_since_s < _SAY_BUSY_S:
            return []
        self._said_busy = True
        return [StoreBusy(str(self._store.path))]

    def _keep(self, heard: _Heard) -> list[Event]:
        board, item = heard.board, heard.item
        if isinstance(item, Noise):
            return [NoiseReceived(board, item.text)]
        if not isinstance(item, ParsedSentence):
            return [] if item.again else [UnknownSentence(board, item.what)]
        sentence = item.sentence
        kept = self._store.keep(board, sentence, heard.at, heard.late)
        if isinstance(sentence, Boot):
            self._boots[board] = sentence, heard.at
        # With the first sentence of the present run all kept games have been told.
        told = [] if heard.late else self._told.end(board)
        if heard.late and item.radio_id is None:
            self._told.count(board, kept.new)
        before = kept.played_before if heard.late else None
        return [
            *told,
            SentenceStored(board, sentence, kept.game, kept.new, heard.late, before, heard.gateway),
        ]

    def go_on_in(self, store: Store) -> None:
        """Keep in another store from now on; what boards said of themselves is kept there too."""
        store.wait_for_others(_PATIENCE_S)
        for board, (boot, at) in self._boots.items():
            store.keep(board, boot, at)
        self._store = store


class Source(Protocol):
    """Where changes come from: a `PortMonitor`, or a board of this program."""

    def poll(self) -> Sequence[Change]:
        """What has happened since the last time."""


class Watch:
    """Follows ports and keeps what they say, in `step()` after `step()`. `close()` it.

    The store is closed with it: it may be another by then, where the first one was deleted. known:
    as for a `Recorder`.
    """

    def __init__(
        self,
        store: Store,
        monitor: Source,
        raw: RawLog,
        known: Collection[str] | None = None,
    ) -> None:
        self._first_path = store.path
        self._store = store
        self._files = StoreFiles(store.path)
        self._recorder = Recorder(store, raw, known)
        self._monitor = monitor
        self._raw = raw
        self._events = 0
        self._others_wrote = store.others_wrote()
        self._names = self._recorder.radio.named = names(store)
        self._named_at_s = time.monotonic()

    @property
    def noise(self) -> int:
        """Bytes so far that were no part of a sentence."""
        return self._recorder.noise

    @property
    def refused(self) -> int:
        """Sentences so far that came by radio, and are not kept; see `radio_lines.py`."""
        return self._recorder.radio.refused

    @property
    def path(self) -> Path:
        """The file in which games are kept; a new one if the first was deleted or overwritten."""
        return self._store.path

    def step(self) -> list[Event]:
        """Take what is there, after a short rest if it is nothing.

        Raises `StoreError` when something could not be kept.
        """
        arrived, events = self._step()
        if not arrived:
            time.sleep(_REST_S)
        return events

    def _step(self) -> tuple[bool, list[Event]]:
        arrived = False
        for change in self._monitor.poll():
            if isinstance(change, DataReceived):
                arrived = True
                self._recorder.take(change.board, change.data, timestamps.now())
                continue
            if isinstance(change, PortClosed):
                self._recorder.take_end(change.board, timestamps.now())
            if isinstance(change, PortOpened) and change.board in self._names:
                self._recorder.pending.append(BoardNamed(change.board, self._names[change.board]))
            self._recorder.pending.append(change)
        self._recorder.pending += self._renamed()
        self._raw.flush()
        events = self._settle()
        self._events += len(events)
        if self._events >= _TIDY:
            # CPython keeps lists of freed tuples and the like, which only this gives back.
            gc.collect()
            self._events = 0
        return arrived, events

    def _renamed(self) -> list[BoardNamed]:
        """Boards that another program has named since the last look."""
        if time.monotonic() - self._named_at_s < _NAMES_S:
            return []
        self._named_at_s = time.monotonic()
        before = self._names
        with contextlib.suppress(StoreError):  # to store something says what is wrong
            others_wrote = self._store.others_wrote()
            if others_wrote != self._others_wrote:
                self._names = self._recorder.radio.named = names(self._store)
                self._others_wrote = others_wrote
        changed = sorted(before.items() ^ self._names.items())
        return [BoardNamed(board, self._names.get(board)) for board in dict(changed)]

    def _settle(self) -> list[Event]:
        """Store what is pending: in another store, should this one not be there any more."""
        pending = self._recorder.pending.copy()
        try:
            events = self._recorder.settle()
            if not self._files.replaced():
                return events
        except StoreDamagedError:
            self._files.replaced()
        except StoreError:
            if not self._files.replaced():
                raise
        # What was stored just now may be in the file that is gone: once more, in the new one.
        self._recorder.pending = pending
        gone = self._store.path
        self._move()
        return [StoreGone(str(gone), str(self.path)), *self._recorder.settle()]

    def _move(self) -> None:
        try:
            store = Store(beside(self._first_path), create=True)
        except OSError as error:
            raise StoreError(
                f"{self.path} is gone, and no new store can be made beside it ({error.strerror}); "
                f"check the folder; what boards said is in {self._raw.folder}"
            ) from error
        self._leave()
        self._store = store
        self._files = StoreFiles(store.path)
        self._recorder.go_on_in(store)
        for board, name in self._names.items():
            store.name_board(board, name)
        self._others_wrote = store.others_wrote()

    def _leave(self) -> None:
        if self._files.overwritten:
            # What SQLite has not brought into the store yet must not go into what is there now.
            with contextlib.suppress(OSError):
                os.truncate(f"{os.path.realpath(self.path)}-wal", 0)
        with contextlib.suppress(Exception):  # what SQLite says of a file that is gone is no news
            self._store.close()
        self._files.close()

    def finish(self) -> list[Event]:
        """Take in what boards have said by now. Raises `StoreError` if not all could be stored."""
        end_s = time.monotonic() + _LAST_S
        events: list[Event] = []
        arrived = True
        while (arrived or self._recorder.pending) and time.monotonic() < end_s:
            arrived, more = self._step()
            events += more
        left = self._recorder.left_out + len(self._recorder.pending)
        if left:
            raise StoreError(
                f"{self.path} is in use by another program, and {left:,} sentences are not stored; "
                f"`noughts watch --from FILE` reads them from the raw lines in {self._raw.folder}"
            )
        return events

    def close(self) -> None:
        """Close the store and the raw log. Raises `StoreError`."""
        self._store.close()
        self._files.close()
        self._raw.close()


class RecorderThread:
    """Keeps what boards say, in a thread of its own, whatever those do who look on.

    `tell` gets the events, in that thread, and must not wait for anybody. It ends when `stop` is
    set, and sets it when it ends by itself.
    """

    def __init__(
        self, watch: Watch, stop: threading.Event, tell: Callable[[list[Event]], None]
    ) -> None:
        self._watch = watch
        self._stop = stop
        self._tell = tell
        self._failure: BaseException | None = None
        self._thread = threading.Thread(target=self._keep, name="keep what boards say", daemon=True)

    def start(self) -> None:
        """Start recording in a thread of its own."""
        self._thread.start()

    def _keep(self) -> None:
        try:
            try:
                while not self._stop.is_set():
                    self._tell(self._watch.step())
                self._tell(self._watch.finish())
            finally:
                self._stop.set()
                self._watch.close()
        except BaseException as error:  # `wait` raises it where somebody sees it
            self._failure = error

    def join(self) -> None:
        """Wait until the thread has ended."""
        while self._thread.is_alive():
            self._thread.join(0.1)  # Windows looks at Ctrl-C only between two waits

    def wait(self) -> None:
        """Wait until it has ended, and all is kept. Raises `StoreError` if something is not."""
        self.join()
        if self._failure is not None:
            raise self._failure
