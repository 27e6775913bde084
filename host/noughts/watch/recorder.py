"""Recording what boards say: it is stored first, and then reported."""

from __future__ import annotations

import contextlib
import gc
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError
from noughts.files import write_whole
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream, Unknown
from noughts.protocol.runs import Runs
from noughts.protocol.sentences import Boot, Game, Sentence, write
from noughts.store import timestamps
from noughts.store.boards import names
from noughts.store.capture import raw_line
from noughts.store.lines import Kept, Received
from noughts.store.store import Store
from noughts.store.store_files import beside
from noughts.watch.events import (
    BoardNamed,
    BoardRefused,
    Event,
    NoiseReceived,
    PortClosed,
    PortOpened,
    ResentGames,
    SentenceStored,
    StoreBusy,
    StoreFree,
    StoreGone,
    UnknownSentence,
)
from noughts.watch.radio_lines import RadioLines
from noughts.watch.sources import (
    Change,
    DataReceived,
    Delivered,
    LineOpened,
    SentencesRead,
    Source,
)

_AT_ONCE = 512
"""Sentences in a transaction, when so many are there."""
_REST_S = 0.05
"""Between two looks at the sources: what comes together is cheaper to store."""
_LOCK_TIMEOUT_S = 0.05
"""To wait for others who write to the store, before listening to the boards again."""
_SAY_BUSY_S = 2.0
_QUIET_S = 1.0
"""A board that has sent no stored game for so long has sent all of them."""
_MAX_PENDING = 50_000
"""Of what is received while the store cannot be written; some 30 MB."""
_NAMES_S = 1.0
"""Between two looks at whether another program has named a board."""
_TIDY = 10_000
"""Events between two collections: memory stays where it is from the first ten thousand on."""
_SHUTDOWN_TIMEOUT_S = 0.25
"""After the end was asked for: to take in what boards have said by then."""


@dataclass
class _Resent:
    """How many of its stored games a board has sent since its start."""

    again: int = 0
    new: int = 0
    at_s: float = 0.0


class _Heard(NamedTuple):
    """What a board has said, on its way to the store."""

    received: Received
    item: Item | None
    """None: its port was opened."""
    gateway: str | None = None


class Recorder:
    """What all boards say: into a store, which it owns, and then events. `close()` it.

    It is used in one thread at a time: line by line (`take`, `settle`), in `step()` after `step()`,
    or in a thread of its own, from `start()` on.

    known: ids of the boards that may be heard by radio; None: any, see `radio_lines.py`.
    """

    def __init__(
        self,
        store: Store,
        sources: Iterable[Source] = (),
        known: Collection[str] | None = None,
    ) -> None:
        self.sources = list(sources)
        self.radio = RadioLines(known)
        self.pending: deque[Event | Delivered | _Heard] = deque()
        """What another program keeps us from storing."""
        self.left_out = 0
        """Sentences that are lost, because too many were pending."""
        self.moved: Callable[[Path], object] = lambda path: None
        """Called with the path of another store, should the first one be deleted or overwritten."""
        self._store, self._first_path = store, store.path
        store.wait_for_others(_LOCK_TIMEOUT_S)
        store.replaced()  # from now on
        self._streams: dict[str, Stream] = {}
        self._noise = 0  # of streams that have ended
        self._boots: dict[str, tuple[Boot, int | None]] = {}
        self._runs = Runs()
        self._resent: dict[str, _Resent] = {}
        self._ended = False
        self._busy_since_s: float | None = None
        self._said_busy = False
        self._others_wrote = store.others_wrote()
        self._names = self.radio.named = names(store)
        self._named_at_s = time.monotonic()
        self._events = 0
        self._thread: threading.Thread | None = None
        self.failure: BaseException | None = None
        """What has ended the thread."""

    @property
    def noise(self) -> int:
        """Bytes so far that were no part of a sentence."""
        return self._noise + sum(stream.noise for stream in self._streams.values())

    @property
    def path(self) -> Path:
        """The file in which games are kept; a new one if the first was deleted or overwritten."""
        return self._store.path

    def start(self, stop: threading.Event, tell: Callable[[list[Event]], None]) -> None:
        """Record in a thread of its own, until `stop` is set: it is, too, when that has failed.

        tell: gets the events, in that thread, and must not wait for anybody.
        """

        def record() -> None:
            try:
                self.run(stop, tell)
            except BaseException as error:  # `wait` raises it where somebody sees it
                self.failure = error
            finally:
                stop.set()

        self._thread = threading.Thread(target=record, name="record what boards say", daemon=True)
        self._thread.start()

    def join(self) -> None:
        """Wait until the thread has ended."""
        while self._thread is not None and self._thread.is_alive():
            self._thread.join(0.1)  # Windows looks at Ctrl-C only between two waits

    def wait(self) -> None:
        """Wait until it has ended, and all is kept. Raises `StoreError` if something is not."""
        self.join()
        if self.failure is not None:
            raise self.failure

    def run(self, stop: threading.Event, tell: Callable[[list[Event]], None]) -> None:
        """Record until `stop` is set, and what boards have said by then."""
        while not stop.is_set():
            tell(self.step())
        tell(self.finish())

    def step(self) -> list[Event]:
        """Take what is there, after a short rest. Raises `StoreError` if it cannot be kept."""
        start_s = time.monotonic()
        arrived, events = self._step()
        is_behind = time.monotonic() - start_s > 2 * _REST_S
        if Delivered not in arrived and not is_behind:  # nobody waits
            time.sleep(_REST_S)
        return events

    def finish(self) -> list[Event]:
        """Take in what boards have said by now. Raises `StoreError` if not all could be stored."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        events: list[Event] = []
        arrived: Collection[type] = (DataReceived,)
        while arrived or self.pending:
            arrived, more = self._step()
            events += more
            if time.monotonic() > end_s:  # also a computer that is too busy takes one step
                break
        left = self.left_out + len(self.pending)
        if left:
            raise StoreError(
                f"{self.path} is in use by another program, and {left:,} sentences are not stored; "
                f"`noughts watch --from FILE` reads them from {self.save()}"
            )
        return events

    def _step(self) -> tuple[Collection[type], list[Event]]:
        """Gives what kinds of data have come, and the events."""
        left_out = self.left_out
        arrived = set()
        for change in [change for source in self.sources for change in source.poll()]:
            if not isinstance(change, Event):
                arrived.add(type(change))
            if isinstance(change, Delivered) and self.left_out > left_out:
                continue  # it will be sent again
            self._take_change(change)
        self.pending += self._renamed()
        events = self.settle()
        self._events += len(events)
        if self._events >= _TIDY:
            # CPython keeps lists of freed tuples and the like, which only this gives back.
            gc.collect()
            self._events = 0
        return arrived, events

    def _take_change(self, change: Change) -> None:
        match change:
            case DataReceived(board, data, at):
                self.take(board, data, timestamps.now() if at is None else at)
            case LineOpened(board, at):
                self.take_opened(board, timestamps.now() if at is None else at)
            case SentencesRead(board, sentences, from_log):
                self.take_sentences(board, sentences, timestamps.now(), from_log)
            case _:
                if isinstance(change, PortClosed):
                    self.take_end(change.board, timestamps.now())
                if isinstance(change, PortOpened) and change.board in self._names:
                    self.pending.append(BoardNamed(change.board, self._names[change.board]))
                self.pending.append(change)

    def _renamed(self) -> list[BoardNamed]:
        """Boards that another program has named since the last look."""
        if time.monotonic() - self._named_at_s < _NAMES_S:
            return []
        self._named_at_s = time.monotonic()
        before = self._names
        with contextlib.suppress(StoreError):  # to store something says what is wrong
            others_wrote = self._store.others_wrote()
            if others_wrote != self._others_wrote:
                self._names = self.radio.named = names(self._store)
                self._others_wrote = others_wrote
        changed = sorted(before.items() ^ self._names.items())
        return [BoardNamed(board, self._names.get(board)) for board in dict(changed)]

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
        """Take bytes of a board; `settle` stores what they say."""
        stream = self._streams.setdefault(board, Stream())
        self._take(board, stream.feed(data), at)

    def take_opened(self, board: str, at: int | None) -> None:
        """Note that a board's port was opened."""
        self._runs.opened(board, at)
        self._queue([_Heard(Received(board, None, "", at), None)])

    def take_end(self, board: str, at: int | None) -> None:
        """Note that nothing more will come from a board; its last line is stored by `settle`."""
        stream = self._streams.pop(board, Stream())
        self._take(board, stream.end(), at)
        self._noise += stream.noise

    def take_sentences(
        self, board: str, sentences: Iterable[Sentence], at: int | None, from_log: bool = False
    ) -> None:
        """Take sentences of a board; those of a data log are of games played at earlier times."""
        items = [ParsedSentence(write(sentence), sentence) for sentence in sentences]
        if from_log:
            told = [Received(board, item.sentence, item.body, at, late=True) for item in items]
            self._queue([_Heard(*each) for each in zip(told, items, strict=True)])
        else:
            self._take(board, items, at)

    def _take(self, line: str, items: Sequence[Item], at: int | None) -> None:
        self._queue([each for item in items if (each := self._heard(line, item, at))])

    def _queue(self, taken: Sequence[_Heard | BoardRefused]) -> None:
        for each in taken:
            if len(self.pending) < _MAX_PENDING:
                self.pending.append(each)
            elif isinstance(each, _Heard):
                self.left_out += isinstance(each.item, ParsedSentence)

    def _heard(self, line: str, item: Item, at: int | None) -> _Heard | BoardRefused | None:
        """Which board has said it, and whether it tells of what is long over."""
        if not isinstance(item, ParsedSentence):
            text = item.text if isinstance(item, Noise) else item.line
            return _Heard(Received(line, None, text, at), item)
        radio = item.radio_id
        board = line if radio is None else self.radio.board(line, radio)
        if not isinstance(board, str):
            return board
        late = self._runs.is_late(line, item, at)
        received = Received(board, item.sentence, item.body, at, late)
        return _Heard(received, item, None if board == line else line)

    def settle(self) -> list[Event]:
        """Store what is pending, as far as other programs let us; gives what is kept by now.

        In another store, should this one not be there any more. Raises `StoreError` when something
        cannot be kept; it stays pending.
        """
        pending = self.pending.copy()
        delivered: list[Delivered] = []
        try:
            events = self._settle(delivered)
            gone = self._store.replaced()
        except StoreError as error:
            gone = self._store.replaced() or isinstance(error, StoreDamagedError)
            if not gone:
                raise
        if gone:
            # What was stored just now may be in the file that is gone: once more, in the new one.
            self.pending = pending
            delivered.clear()
            events = [self._move(), *self._settle(delivered)]
        for each in delivered:
            each.stored()
        return events

    def _settle(self, delivered: list[Delivered]) -> list[Event]:
        events: list[Event] = []
        while self.pending:
            some = list(islice(self.pending, _AT_ONCE))
            try:
                heard = [each.received for each in some if isinstance(each, _Heard)]
                kept = iter(self._store.keep_many(heard))
            except StoreBusyError:
                return events + self._wait()
            for each in some:
                if isinstance(each, Delivered):
                    delivered.append(each)
                else:
                    events += self._happened(each, kept)
                self.pending.popleft()
        if self._said_busy:
            events.append(StoreFree(str(self.path)))
        self._busy_since_s, self._said_busy = None, False
        before_s = time.monotonic() - _QUIET_S
        return events + self._sum_up(
            board for board, sent in self._resent.items() if self._ended or sent.at_s <= before_s
        )

    def _sum_up(self, boards: Iterable[str]) -> list[Event]:
        """Sum up the stored games that boards have sent, where the store had some of them."""
        found = [(board, self._resent.pop(board)) for board in list(boards)]
        return [ResentGames(board, sent.again, sent.new) for board, sent in found if sent.again]

    def _wait(self) -> list[Event]:
        now_s = time.monotonic()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        if self._said_busy or now_s - self._busy_since_s < _SAY_BUSY_S:
            return []
        self._said_busy = True
        return [StoreBusy(str(self.path))]

    def _happened(self, each: Event | _Heard, kept: Iterator[Kept]) -> list[Event]:
        """What is to be reported of something that was pending; what was heard is the next kept."""
        if isinstance(each, Event):
            if isinstance(each, PortClosed) and each.board in self._resent:
                return [*self._sum_up([each.board]), each]
            return [each]
        stored, (received, item, gateway) = next(kept), each
        match item:
            case ParsedSentence(sentence=sentence):
                if stored.game is None and isinstance(sentence, Game):
                    return [NoiseReceived(received.board, item.line)]
                return self._stored(received, sentence, stored, gateway, item.radio_id is None)
            case Noise():
                return [NoiseReceived(received.board, item.text)]
            case Unknown(again=False):
                return [UnknownSentence(received.board, item.what)]
        return []

    def _stored(
        self, received: Received, sentence: Sentence, kept: Kept, gateway: str | None, cable: bool
    ) -> list[Event]:
        board, late = received.board, received.late
        if isinstance(sentence, Boot):
            self._boots[board] = sentence, received.at
        # With the first sentence of the present run a board has sent all that it had stored.
        events = [] if late or board not in self._resent else self._sum_up([board])
        if late and cable:
            sent = self._resent.setdefault(board, _Resent())
            sent.again += not kept.new
            sent.new += kept.new
            sent.at_s = time.monotonic()
        before = kept.played_before if late else None
        event = SentenceStored(board, sentence, kept.game, kept.new, late, before, gateway)
        return [*events, event]

    def _move(self) -> StoreGone:
        """Go on in another store, with the names of boards and what they said of themselves."""
        gone = self.path
        try:
            store = Store(beside(self._first_path), create=True)
        except OSError as error:
            raise StoreError(
                f"{gone} is gone, and no new store can be made next to it ({error.strerror}); "
                "check the folder"
            ) from error
        with contextlib.suppress(Exception):  # what SQLite says of a file that is gone is no news
            self._store.close()
        self._store = store
        store.wait_for_others(_LOCK_TIMEOUT_S)
        store.replaced()
        for board, (boot, at) in self._boots.items():
            store.keep(board, boot, at)
        for board, name in self._names.items():
            store.name_board(board, name)
        self._others_wrote = store.others_wrote()
        self.moved(store.path)
        return StoreGone(str(gone), str(store.path))

    def save(self) -> Path:
        """Write what is pending into a file beside the store. Raises `OSError`."""
        path = self.path.with_name(f"{self.path.name}-not-stored-{timestamps.now()}.log")
        lines = [
            raw_line(said.board, getattr(each.item, "line", said.text), said.at)
            for each in self.pending
            if isinstance(each, _Heard) and (said := each.received).at is not None
        ]
        write_whole(path, b"".join(lines))
        return path

    def close(self) -> None:
        """Close the store."""
        self._store.close()
