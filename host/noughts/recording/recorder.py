"""Recording what boards say: it is stored first, and then reported."""

from __future__ import annotations

import contextlib
import gc
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError
from noughts.files import write_whole
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.radio_boards import id_of, is_by_radio
from noughts.protocol.sentences import Boot, Runs, body, framed
from noughts.recording.events import (
    BoardNamed,
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
from noughts.recording.radio_lines import RadioLines
from noughts.recording.sources import (
    Change,
    DataReceived,
    Delivered,
    LineEnded,
    LineOpened,
    SentencesRead,
    Source,
)
from noughts.store import timestamps
from noughts.store.boards import names
from noughts.store.capture import raw_line
from noughts.store.lines import Received, Stored
from noughts.store.store import Store
from noughts.store.store_files import unused_path_near

_AT_ONCE = 2048
"""What is stored in a transaction, when so much is there."""
_REST_S, _BUSY_REST_S = 0.05, 0.08
"""Between two looks at the sources: what comes together is cheaper to store."""
_BUSY_S = 0.005
"""A look that takes so long has found much; to look less often is cheaper then."""
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


class Recorder:
    """What all boards say: into a store, which it owns, and then events. `close()` it.

    It is used in one thread at a time: in `poll()` after `poll()`, or in a thread of its own, from
    `start()` on.

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
        self.pending: list[Event | Delivered | LineEnded | Received] = []
        """What another program prevents us from storing, and what comes after that."""
        self.left_out = 0
        """Sentences that are lost, because too many were pending."""
        self.store = store
        """Another one, should this be deleted or overwritten."""
        self._first_path = store.path
        store.wait_for_others(_LOCK_TIMEOUT_S)
        store.replaced()  # from now on
        self._streams: dict[str, Stream] = {}
        self._noise = 0  # of streams that have ended
        self._boots: dict[str, tuple[Boot, int | None]] = {}
        self._runs = Runs()
        self._resent: dict[str, _Resent] = {}
        self._busy_since_s: float | None = None
        self._said_busy = False
        self._others_wrote = store.others_wrote()
        self._names = self.radio.named = names(store)
        self._named_at_s = time.monotonic()
        self._events = 0
        self._arrived: set[type] = set()
        """What kinds of data the last look at the sources has found."""
        self._thread: threading.Thread | None = None
        self.failure: BaseException | None = None
        """What has ended the thread."""

    @property
    def noise(self) -> int:
        """Bytes so far that were no part of a sentence."""
        return self._noise + sum(stream.noise for stream in self._streams.values())

    @property
    def path(self) -> Path:
        """The file in which games are stored; a new one if the first was deleted or overwritten."""
        return self.store.path

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
        """Wait until it has ended, and all is stored. Raises `StoreError` if something is not."""
        self.join()
        if self.failure is not None:
            raise self.failure

    def run(self, stop: threading.Event, tell: Callable[[list[Event]], None]) -> None:
        """Record until `stop` is set, and what boards have said by then."""
        while not stop.is_set():
            start_s = time.monotonic()
            tell(self.poll())
            took_s = time.monotonic() - start_s
            # Who waits for a confirmation, and who is behind, does not rest.
            if Delivered not in self._arrived and took_s < _BUSY_REST_S:
                time.sleep(_REST_S if took_s < _BUSY_S else _BUSY_REST_S)
        tell(self.finish())

    def finish(self) -> list[Event]:
        """Take in what boards have said by now. Raises `StoreError` if not all could be stored."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        events = self.poll()  # also a computer that is too busy takes one look
        while (self._arrived or self.pending) and time.monotonic() < end_s:
            events += self.poll()
        left = self.left_out + sum(isinstance(each, Received) for each in self.pending)
        if left:
            raise StoreError(
                f"{self.path} is in use by another program, and {left:,} sentences are not stored; "
                f"`noughts watch --from FILE` reads them from {self.save()}"
            )
        return events

    def poll(self) -> list[Event]:
        """Take what is there. Raises `StoreError` if it cannot be stored."""
        left_out = self.left_out
        self._arrived.clear()
        for change in [change for source in self.sources for change in source.poll()]:
            if not isinstance(change, Event):
                self._arrived.add(type(change))
            if isinstance(change, Delivered) and self.left_out > left_out:
                continue  # it will be sent again
            self.take(change)
        self.pending += self._renamed()
        events = self.settle()
        self._events += len(events)
        if self._events >= _TIDY:
            # CPython holds on to lists of freed tuples and the like, which only this gives back.
            gc.collect()
            self._events = 0
        return events

    def hear(self, board: str, data: bytes, at: int | None) -> list[Event]:
        """Take bytes of a board, and store what can be stored; returns what came of that."""
        self.take(DataReceived(board, data, at))
        return self.settle()

    def end(self, board: str, at: int | None) -> list[Event]:
        """Note that nothing more will come from a board, and store its last line."""
        self.take(LineEnded(board, at))
        return self.settle()

    def take(self, change: Change) -> None:
        """Take what has happened; `settle` stores what is to be stored of it."""
        match change:
            case DataReceived(board, data, at):
                stream = self._streams.get(board)
                if stream is None:
                    stream = self._streams[board] = Stream()
                self._take_items(board, stream.feed(data), at)
            case LineOpened(board, at):
                self._runs.opened(board, at)
                self._queue(Received(board, None, "", at))
            case SentencesRead(board, sentences, at, from_log):
                for each in sentences:
                    late = from_log or self._runs.is_late(board, each, False, at)
                    self._queue(Received(board, each, body(each), at, late))
            case PortOpened(board) if board in self._names:
                self.pending += [BoardNamed(board, self._names[board]), change]
            case PortClosed(board) | LineEnded(board):
                stream = self._streams.pop(board, Stream())
                at = change.at if isinstance(change, LineEnded) else timestamps.now()
                self._take_items(board, stream.end(), at)
                self._noise += stream.noise
                self.pending.append(change)
            case _:
                self.pending.append(change)

    def _take_items(self, line: str, items: Iterable[Item], at: int | None) -> None:
        for item in items:
            if isinstance(item, ParsedSentence):
                _, sentence, radio = item
                board = line if radio is None else self.radio.board(line, radio)
                if isinstance(board, str):
                    late = self._runs.is_late(line, sentence, radio is not None, at)
                    gateway = None if board == line else line
                    self._queue(Received(board, sentence, item.body, at, late, gateway))
                elif board is not None:
                    self.pending.append(board)
            elif isinstance(item, Noise):
                self._queue(Received(line, None, item.text, at), NoiseReceived(line, item.text))
            elif item.again:
                self._queue(Received(line, None, item.line, at))
            else:
                unknown = UnknownSentence(line, item.what)
                self._queue(Received(line, None, item.line, at), unknown)

    def _queue(self, received: Received, *events: Event) -> None:
        if len(self.pending) < _MAX_PENDING:
            self.pending += received, *events
        else:
            self.left_out += received.sentence is not None

    def _renamed(self) -> list[BoardNamed]:
        """Boards that another program has named since the last look."""
        if time.monotonic() - self._named_at_s < _NAMES_S:
            return []
        self._named_at_s = time.monotonic()
        before = self._names
        with contextlib.suppress(StoreError):  # to store something says what is wrong
            others_wrote = self.store.others_wrote()
            if others_wrote != self._others_wrote:
                self._names = self.radio.named = names(self.store)
                self._others_wrote = others_wrote
        changed = sorted(before.items() ^ self._names.items())
        return [BoardNamed(board, self._names.get(board)) for board in dict(changed)]

    def settle(self) -> list[Event]:
        """Store what is pending, as far as other programs let us; gives what is stored so far.

        In another store, should this one not be there any more. Raises `StoreError` when something
        cannot be stored; it stays pending.
        """
        pending = self.pending.copy()
        delivered: list[Delivered] = []
        try:
            events = self._settle(delivered)
            gone = self.store.replaced()
        except StoreError as error:
            gone = self.store.replaced() or isinstance(error, StoreDamagedError)
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
        while some := self.pending[:_AT_ONCE]:
            try:
                kept = self.store.keep_many([each for each in some if isinstance(each, Received)])
            except StoreBusyError:
                return events + self._wait()
            del self.pending[: len(some)]
            self._report(some, iter(kept), events, delivered)
        if self._said_busy:
            events.append(StoreFree(str(self.path)))
        self._busy_since_s, self._said_busy = None, False
        before_s = time.monotonic() - _QUIET_S
        for board in [board for board, sent in self._resent.items() if sent.at_s <= before_s]:
            events += self._sum_up(board)
        return events

    def _wait(self) -> list[Event]:
        now_s = time.monotonic()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        if self._said_busy or now_s - self._busy_since_s < _SAY_BUSY_S:
            return []
        self._said_busy = True
        return [StoreBusy(str(self.path))]

    def _report(
        self,
        some: Sequence[Event | Delivered | LineEnded | Received],
        kept: Iterator[Stored],
        events: list[Event],
        delivered: list[Delivered],
    ) -> None:
        """Add what is to be reported of what was pending, and stored."""
        for each in some:
            if isinstance(each, Received):
                self._report_received(each, next(kept), events)
            elif isinstance(each, Delivered):
                delivered.append(each)
            else:
                if isinstance(each, (PortClosed, LineEnded)):
                    events += self._sum_up(each.board)
                if isinstance(each, Event):
                    events.append(each)

    def _report_received(self, received: Received, kept: Stored, events: list[Event]) -> None:
        board, sentence, text, at, late, gateway = received
        game, new, played_before = kept
        if isinstance(sentence, Boot):
            self._boots[board] = sentence, at
        elif sentence is None:
            return
        elif game is None:
            events.append(NoiseReceived(board, framed(text)))
            return
        if late:
            if not is_by_radio(board):
                sent = self._resent.setdefault(board, _Resent())
                sent.again += not new
                sent.new += new
                sent.at_s = time.monotonic()
        else:
            played_before = None
            if board in self._resent:  # it is in the present run, so it has sent all that it had
                events += self._sum_up(board)
        events.append(SentenceStored(board, sentence, game, new, late, played_before, gateway))

    def _sum_up(self, board: str) -> list[Event]:
        """Sum up the stored games that a board has sent, where the store had some of them."""
        sent = self._resent.pop(board, _Resent())
        return [ResentGames(board, sent.again, sent.new)] if sent.again else []

    def _move(self) -> StoreGone:
        """Go on in another store, with the names of boards and what they said of themselves."""
        gone = self.path
        try:
            store = Store(unused_path_near(self._first_path), create=True)
        except OSError as error:
            raise StoreError(
                f"{gone} is gone, and no new store can be made next to it ({error.strerror}); "
                "check the folder"
            ) from error
        with contextlib.suppress(Exception):  # what SQLite says of a file that is gone is no news
            self.store.close()
        self.store = store
        store.wait_for_others(_LOCK_TIMEOUT_S)
        store.replaced()
        for board, (boot, at) in self._boots.items():
            store.keep(board, boot, at)
        for board, name in self._names.items():
            store.name_board(board, name)
        self._others_wrote = store.others_wrote()
        return StoreGone(str(gone), str(store.path))

    def save(self) -> Path:
        """Write what is pending into a file next to the store. Raises `OSError`."""
        path = self.path.with_name(f"{self.path.name}-not-stored-{timestamps.now()}.log")
        lines = []
        for each in self.pending:
            if isinstance(each, Received) and each.at is not None:
                board, sentence, text, *_ = each
                if sentence is not None:
                    text = framed(text, id_of(board) if is_by_radio(board) else None)
                lines.append(raw_line(board, text, each.at))
        write_whole(path, b"".join(lines))
        return path

    def close(self) -> None:
        """Close the store."""
        self.store.close()
