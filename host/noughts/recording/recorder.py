"""Recording what boards send: it is stored first, and then reported."""

import contextlib
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from noughts.errors import StoreBusyError, StoreDamagedError, StoreError, ThreadFault
from noughts.files import atomic_write
from noughts.invocation import quoted
from noughts.protocol.parser import Item, Noise, ParsedSentence, Stream
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game, Menu, Runs, framed
from noughts.recording import events, sources
from noughts.recording.radio_lines import RadioLines
from noughts.store import timestamps
from noughts.store.capture import raw_line
from noughts.store.lines import Received, Stored
from noughts.store.queries import names
from noughts.store.store import Store, command_for, unused_path_near

_AT_ONCE = 2048
"""The most items stored in one transaction."""
_PAUSE_S, _LONG_PAUSE_S = 0.05, 0.1
"""Between two polls of the sources: storing many lines at once is cheaper."""
_SLOW_POLL_S = 0.005
"""A poll that takes this long has stored much, so the next one comes later."""
_LOCK_TIMEOUT_S = 0.05
"""To wait for another program that writes to the store, before polling the boards again."""
REPORT_BUSY_AFTER_S = 2.0
_QUIET_S = 1.0
"""A board that has sent no stored game for this long has sent all of them."""
MAX_PENDING = 50_000
"""Items held while the store cannot be written, about 30 MB; the rest stays at the sources.

A file and a broker lose nothing then, but a serial driver holds a few KB only.
"""
NAMES_S = 1.0
"""Between two checks whether another program has named a board."""
SHUTDOWN_TIMEOUT_S = 0.25
"""For receiving what boards have sent by the end."""


@dataclass
class _ResentCount:
    """Games that a board is resending."""

    already_stored: int = 0
    new: int = 0
    last_at_s: float = 0.0


class Recorder:
    """Records what all boards send, in a store that it owns, and then reports events.

    Use it in one thread at a time, by `run()` or by repeated `poll()`, and `close()` it.

    known_ids: of the boards to accept by radio; None accepts any, see `radio_lines.py`.
    """

    def __init__(
        self,
        store: Store,
        followed: Iterable[sources.Source] = (),
        known_ids: Collection[str] | None = None,
    ) -> None:
        self.sources = list(followed)
        self.radio = RadioLines(known_ids)
        self.pending: list[sources.Pending] = []
        """Not stored yet, in order; it waits while another program writes to the store."""
        self._first_path = store.path
        self._use(store)
        self._streams: defaultdict[str, Stream] = defaultdict(Stream)
        self._runs = Runs()
        self._resent_counts: defaultdict[str, _ResentCount] = defaultdict(_ResentCount)
        """Of boards that may send more."""
        self._locked_since_s: float | None = None
        """Since when another program has been writing to the store."""
        self._lock_reported = False
        self.names = self.radio.named = names(store)
        """What people call boards."""
        self._names_checked_at_s = time.monotonic()
        self.fault: Exception | None = None
        """The first fault of ours in a thread of a source. Recording goes on."""
        self._last_changes: list[sources.Change] = []
        """From the last poll of the sources."""
        self._events: list[events.Event] = []
        """What happened, for the next report: even if storing fails later on."""

    def _use(self, store: Store) -> None:
        self.store = store
        """Replaced by another if it is deleted, moved or damaged."""
        store.wait_for_others(_LOCK_TIMEOUT_S)

    @property
    def noise(self) -> int:
        """Bytes so far that were not part of a sentence."""
        return sum(stream.noise for stream in self._streams.values())

    def run(self, stop: threading.Event, report: Callable[[list[events.Event]], None]) -> None:
        """Record until `stop` is set, including what boards have sent by then.

        report: gets the events, and must not block. Raises `StoreError`, after it has reported what
        is stored.
        """
        try:
            while not stop.is_set():
                start_s = time.monotonic()
                report(self.poll())
                took_s = time.monotonic() - start_s
                # A file or a broker gives more as soon as this is confirmed.
                has_more = any(
                    isinstance(change, sources.Delivered) for change in self._last_changes
                )
                if not has_more and took_s < _LONG_PAUSE_S:  # else it is behind
                    time.sleep(_PAUSE_S if took_s < _SLOW_POLL_S else _LONG_PAUSE_S)
            report(self.finish())
        except Exception:
            if self._events:
                report(self._take_events())
            raise

    # `poll`, `settle` and `finish` give the events; what they call only notes them in `_events`. So
    # if storing fails half way, `run` still reports what is stored.

    def _take_events(self) -> list[events.Event]:
        taken, self._events = self._events, []
        return taken

    def finish(self) -> list[events.Event]:
        """Store what boards have sent by now. Raises `StoreError` if that fails for some of it."""
        end_s = time.monotonic() + SHUTDOWN_TIMEOUT_S
        self._poll()  # at least once, even on a busy computer
        while (self._last_changes or self.pending) and time.monotonic() < end_s:
            self._poll()
        if left := sum(isinstance(item, Received) for item in self.pending):
            read = command_for(f"noughts watch --from {quoted(str(self.save()))}", self.store.path)
            raise StoreError(
                f"{self.store.path} is in use by another program, and {left:,} lines are not "
                f"stored; close that program and run {read}"
            )
        for board in list(self._resent_counts):
            self._sum_up(board)
        return self._take_events()

    def poll(self) -> list[events.Event]:
        """Poll all sources, and store what they give. Raises `StoreError` if that fails."""
        self._poll()
        return self._take_events()

    def _poll(self) -> None:
        self._last_changes = []
        for source in self.sources if len(self.pending) < MAX_PENDING else ():
            try:
                changes = source.poll()
            except ThreadFault as fault:  # what was received is stored all the same
                self.fault = self.fault or fault.error
                continue
            self._last_changes += changes
            for change in changes:
                self.take(change)
        self.pending += self._renamed()
        self._settle()

    def take(self, change: sources.Change) -> None:
        """Queue what a source gave; `settle` stores it."""
        match change:
            case sources.DataReceived(board, b"", at):  # its port was opened
                self._runs.opened(board, at)
                # An empty line in the store, as in a raw log: the board may have another boot now.
                self.pending.append(Received(board, None, "", at))
            case sources.DataReceived(board, data, at):
                self._take_items(board, self._streams[board].feed(data), at)
            case events.PortOpened(board) if board in self.names:
                self.pending += [events.BoardNamed(board, self.names[board]), change]
            case events.PortClosed(board):
                self._take_items(board, self._streams[board].feed(b"\n"), timestamps.now())
                self.pending.append(change)
            case _:
                self.pending.append(change)

    def _take_items(self, port_board: str, items: Iterable[Item], at: int | None) -> None:
        for item in items:
            if isinstance(item, ParsedSentence):
                text, sentence, radio = item
                board = port_board if radio is None else self.radio.board(port_board, radio)
                if isinstance(board, str):
                    late = self._runs.take(port_board, sentence, at, radio is not None)
                    gateway = None if board == port_board else port_board
                    self.pending.append(Received(board, sentence, text, at, late, gateway))
                elif board is not None:
                    self.pending.append(board)
            elif isinstance(item, Noise):
                self.pending.append(Received(port_board, None, item.text, at))
                self.pending.append(events.NoiseReceived(port_board, item.text))
            else:
                self.pending.append(Received(port_board, None, item.line, at))
                if not item.is_repeated:
                    self.pending.append(events.UnknownSentence(port_board, item.unknown_part))

    def _renamed(self) -> list[events.BoardNamed]:
        """Boards that another program has named since the last check."""
        if time.monotonic() - self._names_checked_at_s < NAMES_S:
            return []
        self._names_checked_at_s = time.monotonic()
        names_before = self.names
        with contextlib.suppress(StoreError):  # the next write reports what is wrong
            self.names = self.radio.named = names(self.store)
        changed = sorted(names_before.items() ^ self.names.items())
        return [events.BoardNamed(board, self.names.get(board)) for board in dict(changed)]

    def settle(self) -> list[events.Event]:
        """Store what is pending, and give the events of what was stored.

        If the store is gone, another one takes its place. Raises `StoreError` if something cannot
        be stored; it stays pending.
        """
        self._settle()
        return self._take_events()

    def _settle(self) -> None:
        try:
            if self.store.replaced():
                self._move()
            self._store_pending()
        except StoreDamagedError:
            self._move()
            self._store_pending()

    def _store_pending(self) -> None:
        """Store what is pending, in order, and note events; stop if another program is writing."""
        now_s = time.monotonic()
        while batch := self.pending[:_AT_ONCE]:
            lines = [item for item in batch if isinstance(item, Received)]
            try:
                stored = self.store.add_many(lines)
            except StoreBusyError:
                self._locked_since_s = self._locked_since_s or now_s
                if not self._lock_reported and now_s - self._locked_since_s >= REPORT_BUSY_AFTER_S:
                    self._lock_reported = True
                    self._events.append(events.StoreBusy(str(self.store.path)))
                return
            del self.pending[: len(batch)]
            results = iter(stored)
            for item in batch:
                if isinstance(item, Received):
                    self._report(item, next(results))
                elif isinstance(item, sources.Delivered):
                    item.confirm()
                else:
                    if isinstance(item, events.PortClosed):
                        self._sum_up(item.board)
                    self._events.append(item)
        if self._lock_reported:
            self._events.append(events.StoreFree(str(self.store.path)))
        self._locked_since_s, self._lock_reported = None, False
        for board, count in list(self._resent_counts.items()):
            if now_s - count.last_at_s >= _QUIET_S:
                self._sum_up(board)

    def _report(self, received: Received, stored: Stored) -> None:
        board, sentence, text, _, late, gateway = received
        game, new, played_before = stored
        if sentence is None:
            return
        if game is None and isinstance(sentence, Game):
            self._events.append(events.NoiseReceived(board, framed(text)))
            return
        if not late:
            played_before = None
            # A board that plays has resent all its games; it resends them while it is in the menu.
            if self._resent_counts and not isinstance(sentence, Menu):
                self._sum_up(board)
        elif not is_by_radio(board):
            count = self._resent_counts[board]
            count.already_stored += not new
            count.new += new
            count.last_at_s = time.monotonic()
        self._events.append(
            events.SentenceStored(board, sentence, game, new, late, played_before, gateway)
        )

    def _sum_up(self, board: str) -> None:
        """Sum up the games that a board has resent, if the store had some of them."""
        count = self._resent_counts.pop(board, None)
        if count and count.already_stored:
            self._events.append(events.ResentGames(board, count.already_stored, count.new))

    def _move(self) -> None:
        """Continue in another store, which gets the boards' names."""
        gone = self.store.path
        store = Store(unused_path_near(self._first_path), create=True)
        with contextlib.suppress(Exception):  # SQLite's errors about a lost file add nothing
            self.store.close()
        self._use(store)
        for board, name in self.names.items():
            store.name_board(board, name)
        self._events.append(events.StoreGone(str(gone), str(store.path)))

    def save(self) -> Path:
        """Write what is pending to a file next to the store. Raises `OSError`."""
        store = self.store.path
        path = store.with_name(f"{store.name}-not-stored-{timestamps.now()}.log")
        lines = [
            raw_line(line.board, line.text, line.at, is_sentence=line.sentence is not None)
            for line in self.pending
            if isinstance(line, Received)
        ]
        atomic_write(path, b"".join(lines))
        return path

    def close(self) -> None:
        """Close the store. What is pending is lost: `finish` stores it."""
        self.store.close()
