"""Recording what boards say: it is stored first, and then reported."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from noughts.errors import StoreBusyError
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.runs import Runs
from noughts.protocol.sentences import Boot, Game, Sentence, write
from noughts.store.capture import raw_line
from noughts.store.lines import Kept, Received
from noughts.store.store import Store
from noughts.watch.events import (
    BoardRefused,
    Event,
    KeptGamesTold,
    NoiseReceived,
    SentenceStored,
    StoreBusy,
    StoreFree,
    UnknownSentence,
)
from noughts.watch.port_monitor import PortClosed
from noughts.watch.radio_lines import RadioLines

_AT_ONCE = 256
"""Sentences in a transaction, when so many are there."""
_PATIENCE_S = 0.05
"""To wait for others who write to the store, before listening to the boards again."""
_SAY_BUSY_S = 2.0
_QUIET_S = 1.0
"""A board that has sent no stored game for so long has sent all of them."""
_MAX_PENDING = 50_000
"""Of what is received while the store cannot be written; some 30 MB."""


@dataclass(frozen=True)
class Delivered:
    """Comes after bytes whose sender waits to be told that they are stored."""

    stored: Callable[[], None]


@dataclass
class _Resent:
    """How many of its stored games a board has sent since its start."""

    again: int = 0
    new: int = 0
    at_s: float = 0.0


class _Heard(NamedTuple):
    """What a board has said, on its way to the store."""

    board: str
    item: Item | None
    """None: its port was opened."""
    at: int | None
    late: bool = False
    gateway: str | None = None

    @property
    def received(self) -> Received:
        """As the store takes it."""
        return self.board, self.sentence or self.text, self.at, self.late

    @property
    def sentence(self) -> Sentence | None:
        return self.item.sentence if isinstance(self.item, ParsedSentence) else None

    @property
    def text(self) -> str:
        """As it stands in raw lines."""
        if self.item is None:
            return ""
        return self.item.text if isinstance(self.item, Noise) else self.item.line


class Recorder:
    """What all boards say, line by line: into the store, and events.

    What cannot be stored because another program is writing to the store is `pending`. known: ids
    of the boards that may be heard by radio; None: any, see `radio_lines.py`.
    """

    def __init__(self, store: Store, known: Collection[str] | None = None) -> None:
        store.wait_for_others(_PATIENCE_S)
        self._store = store
        self._streams: dict[str, Stream] = {}
        self._noise = 0  # of streams that have ended
        self._boots: dict[str, tuple[Boot, int | None]] = {}
        self._busy_since_s: float | None = None
        self._said_busy = False
        self._runs = Runs()
        self._resent: dict[str, _Resent] = {}
        self._ended = False
        self.radio = RadioLines(known)
        self.pending: deque[Event | Delivered | _Heard] = deque()
        self.delivered: list[Delivered] = []
        """What was pending until here is stored."""
        self.left_out = 0
        """Sentences that are lost, because too many were pending."""

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

    def take_opened(self, board: str, at: int | None) -> None:
        """Note that a board's port was opened."""
        self._runs.opened(board, at)
        self._queue([_Heard(board, None, at)])

    def take(self, board: str, data: bytes, at: int | None) -> None:
        """Take bytes of a board; `settle` stores what they say."""
        stream = self._streams.setdefault(board, Stream())
        self._take(board, stream.feed(data), at)

    def take_end(self, board: str, at: int | None) -> None:
        """Note that nothing more will come from a board; its last line is stored by `settle`."""
        stream = self._streams.pop(board, Stream())
        self._take(board, stream.end(), at)
        self._noise += stream.noise

    def take_log(self, board: str, games: Iterable[Game], at: int | None) -> None:
        """Take games from a board's data log, played at some earlier time; `settle` stores them."""
        self._queue(
            [_Heard(board, ParsedSentence(write(game), game), at, late=True) for game in games]
        )

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
            return _Heard(line, item, at)
        if item.radio_id is None:
            return _Heard(line, item, at, self._runs.is_late(line, item, at))
        board = self.radio.board(line, item.radio_id)
        if not isinstance(board, str):
            return board
        late = self._runs.is_late(line, item, at)
        return _Heard(board, item, at, late, None if board == line else line)

    def settle(self) -> list[Event]:
        """Store what is pending, as far as other programs let us; gives what is kept by now.

        Raises `StoreError` when something cannot be kept; it stays pending.
        """
        events: list[Event] = []
        while self.pending:
            some = list(islice(self.pending, _AT_ONCE))
            try:
                heard = [each.received for each in some if isinstance(each, _Heard)]
                kept = iter(self._store.keep_many(heard))
            except StoreBusyError:
                return events + self._wait()
            for each in some:
                events += self._happened(each, kept)
                self.pending.popleft()
        if self._said_busy:
            events.append(StoreFree(str(self._store.path)))
        self._busy_since_s, self._said_busy = None, False
        before_s = time.monotonic() - _QUIET_S
        return events + self._sum_up(
            board for board, sent in self._resent.items() if self._ended or sent.at_s <= before_s
        )

    def _sum_up(self, boards: Iterable[str]) -> list[Event]:
        """Sum up the stored games that boards have sent, where the store had some of them."""
        found = [(board, self._resent.pop(board)) for board in list(boards)]
        return [KeptGamesTold(board, sent.again, sent.new) for board, sent in found if sent.again]

    def _wait(self) -> list[Event]:
        now_s = time.monotonic()
        if self._busy_since_s is None:
            self._busy_since_s = now_s
        if self._said_busy or now_s - self._busy_since_s < _SAY_BUSY_S:
            return []
        self._said_busy = True
        return [StoreBusy(str(self._store.path))]

    def _happened(self, each: Event | Delivered | _Heard, kept: Iterator[Kept]) -> list[Event]:
        """What is to be reported of something that was pending; what was heard is the next kept."""
        if isinstance(each, Delivered):
            self.delivered.append(each)
            return []
        if not isinstance(each, _Heard):
            if isinstance(each, PortClosed) and each.board in self._resent:
                return [*self._sum_up([each.board]), each]
            return [each]
        stored = next(kept)
        if each.item is None:
            return []
        if isinstance(each.item, Noise):
            return [NoiseReceived(each.board, each.item.text)]
        if isinstance(each.item, ParsedSentence):
            if stored.game is None and isinstance(each.sentence, Game):
                return [NoiseReceived(each.board, each.item.line)]
            return self._stored(each, each.item, stored)
        return [] if each.item.again else [UnknownSentence(each.board, each.item.what)]

    def _stored(self, heard: _Heard, item: ParsedSentence, kept: Kept) -> list[Event]:
        board, sentence, late = heard.board, item.sentence, heard.late
        if isinstance(sentence, Boot):
            self._boots[board] = sentence, heard.at
        # With the first sentence of the present run a board has sent all that it had stored.
        events = [] if late or board not in self._resent else self._sum_up([board])
        if late and item.radio_id is None:
            sent = self._resent.setdefault(board, _Resent())
            sent.again += not kept.new
            sent.new += kept.new
            sent.at_s = time.monotonic()
        before = kept.played_before if late else None
        event = SentenceStored(board, sentence, kept.game, kept.new, late, before, heard.gateway)
        return [*events, event]

    def unsaved(self) -> bytes:
        """What is pending, as raw lines."""
        return b"".join(
            raw_line(each.board, each.text, each.at)
            for each in self.pending
            if isinstance(each, _Heard) and each.at is not None
        )

    def go_on_in(self, store: Store) -> None:
        """Keep in another store from now on; what boards said of themselves is kept there too."""
        store.wait_for_others(_PATIENCE_S)
        for board, (boot, at) in self._boots.items():
            store.keep(board, boot, at)
        self._store = store
        self.delivered.clear()  # that was in the store that is gone
