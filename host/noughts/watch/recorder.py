"""Recording what boards say: it is stored first, and reported then."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from noughts.errors import StoreBusyError
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.sentences import Boot, Game, is_late, write
from noughts.store.lines import Kept
from noughts.store.store import Store, Told
from noughts.watch.events import (
    BoardRefused,
    Event,
    NoiseReceived,
    SentenceStored,
    StoreBusy,
    StoreFree,
    UnknownSentence,
)
from noughts.watch.port_monitor import PortClosed
from noughts.watch.radio_lines import RadioLines
from noughts.watch.raw_log import RawLog
from noughts.watch.told_again import ToldAgain

_AT_ONCE = 64
"""Sentences in a transaction, when so many are there."""
_PATIENCE_S = 0.05
"""To wait for others who write to the store, before listening to the boards again."""
_SAY_BUSY_S = 2.0
_MAX_PENDING = 50_000
"""Of what is heard while the store cannot be written; some 30 MB. The raw lines hold the rest."""


@dataclass(frozen=True)
class Delivered:
    """Comes after bytes whose sender waits to be told that they are stored."""

    stored: Callable[[], None]


class _Heard(NamedTuple):
    """What a board has said, on its way to the store."""

    board: str
    item: Item
    at: int | None
    late: bool = False
    gateway: str | None = None


def _is_sentence(each: object) -> bool:
    return isinstance(each, _Heard) and isinstance(each.item, ParsedSentence)


def _told(heard: Any) -> Told:
    return heard.board, heard.item.sentence, heard.at, heard.late


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
        self._announced: dict[str, tuple[str | None, int | None]] = {}
        """By line: the boot of the run it is in, None until something tells; and since when."""
        self._told = ToldAgain()
        self._ended = False
        self.radio = RadioLines(known)
        self.pending: deque[Event | Delivered | _Heard] = deque()
        self.delivered: list[Delivered] = []
        """What was pending until here is stored."""
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

    def take_opened(self, board: str, at: int | None) -> None:
        """Note that a board's port was opened."""
        if self._raw is not None and at is not None:
            self._raw.write_opened(board, at)
        # It may be amid what it tells of earlier runs, with its `$NB` not heard.
        self._announce(board, None, at)

    def take(self, board: str, data: bytes, at: int | None) -> None:
        """Write bytes of a board to the raw log; `settle` stores what they say."""
        stream = self._streams.setdefault(board, Stream())
        self._take(board, stream.feed(data), at)

    def take_end(self, board: str, at: int | None) -> None:
        """Note that nothing more will come from a board; its last line is stored by `settle`."""
        stream = self._streams.pop(board, Stream())
        self._take(board, stream.end(), at)
        self._noise += stream.noise

    def take_log(self, board: str, games: Iterable[Game], at: int | None) -> None:
        """Take games from a board's data log, played at some earlier time; `settle` stores them."""
        if self._raw is not None and at is not None:
            # They may be of the present run; read again, the end of a game is late after this.
            self._raw.write_opened(board, at)
        late = [_Heard(board, ParsedSentence(write(game), game), at, late=True) for game in games]
        self._queue(late, at)

    def _take(self, line: str, items: Sequence[Item], at: int | None) -> None:
        self._queue([each for item in items if (each := self._heard(line, item, at))], at)

    def _queue(self, taken: Sequence[_Heard | BoardRefused], at: int | None) -> None:
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
        announced, _ = self._announced.get(line, (None, None))
        if not isinstance(sentence, Boot) and sentence.end != "-":
            return _Heard(line, item, at, is_late(sentence, announced))
        # A game that goes on is of this run, too: its `$NB` may have come before the port was open.
        self._announce(line, sentence.boot, at)
        return _Heard(line, item, at)

    def _announce(self, line: str, boot: str | None, at: int | None) -> None:
        _, since = self._announced.get(line, (None, None))
        if at is None or since is None or since <= at:  # else it comes late, or a second time
            self._announced[line] = boot, at

    def settle(self) -> list[Event]:
        """Store what is pending, as far as other programs let us; gives what is kept by now.

        Raises `StoreError` when something cannot be kept; it stays pending.
        """
        events: list[Event] = []
        while self.pending:
            some = list(islice(self.pending, _AT_ONCE))
            try:
                kept = iter(self._store.keep_many(list(map(_told, filter(_is_sentence, some)))))
            except StoreBusyError:
                return events + self._wait()
            for each in some:
                events += self._happened(each, kept)
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

    def _happened(self, each: Event | Delivered | _Heard, kept: Iterator[Kept]) -> list[Event]:
        """What is to be reported of something that was pending; a sentence is the next kept."""
        if isinstance(each, Delivered):
            self.delivered.append(each)
            return []
        if not isinstance(each, _Heard):
            return [*self._told.end(each.board), each] if isinstance(each, PortClosed) else [each]
        if isinstance(each.item, Noise):
            return [NoiseReceived(each.board, each.item.text)]
        if isinstance(each.item, ParsedSentence):
            return self._stored(each, each.item, next(kept))
        return [] if each.item.again else [UnknownSentence(each.board, each.item.what)]

    def _stored(self, heard: _Heard, item: ParsedSentence, kept: Kept) -> list[Event]:
        board, sentence, late = heard.board, item.sentence, heard.late
        if isinstance(sentence, Boot):
            self._boots[board] = sentence, heard.at
        # With the first sentence of the present run all kept games have been told.
        told = [] if late else self._told.end(board)
        if late and item.radio_id is None:
            self._told.count(board, kept.new)
        before = kept.played_before if late else None
        event = SentenceStored(board, sentence, kept.game, kept.new, late, before, heard.gateway)
        return [*told, event]

    def go_on_in(self, store: Store) -> None:
        """Keep in another store from now on; what boards said of themselves is kept there too."""
        store.wait_for_others(_PATIENCE_S)
        for board, (boot, at) in self._boots.items():
            store.keep(board, boot, at)
        self._store = store
        self.delivered.clear()  # that was in the store that is gone
