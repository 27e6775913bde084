"""Following boards: what a source gives is recorded, in another store if the first one is gone."""

from __future__ import annotations

import contextlib
import gc
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Protocol

from noughts.errors import StoreDamagedError, StoreError
from noughts.files import write_whole
from noughts.store import timestamps
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.store.store_files import beside
from noughts.watch.data_logs import DataLogRead, LogChange
from noughts.watch.events import BoardNamed, Event, StoreGone
from noughts.watch.port_monitor import Change, DataReceived, LineOpened, PortClosed, PortOpened
from noughts.watch.recorder import Delivered, Recorder
from noughts.watch.room_events import RoomEvent

_REST_S = 0.02
_TIDY = 5000
"""Events between two collections: memory stays where it is from the first ten thousand on."""
_NAMES_S = 1.0
"""Between two looks at whether another program has named a board."""
_LAST_S = 0.25
"""After the end was asked for: to take in what boards have said by then."""


class Source(Protocol):
    """Where changes come from: a `PortMonitor`, drives, a broker, or a board of this program."""

    def poll(self) -> Sequence[Change | LogChange | RoomEvent | Delivered]:
        """What has happened since the last time."""


class Watch:
    """Follows ports and keeps what they say, in `step()` after `step()`. `close()` it.

    The store is closed with it: it may be another by then, where the first one was deleted, and
    `moved` is called with its path. known: as for a `Recorder`.
    """

    def __init__(
        self,
        store: Store,
        monitor: Source,
        known: Collection[str] | None = None,
        moved: Callable[[Path], object] = lambda path: None,
    ) -> None:
        self._first_path = store.path
        self._store = store
        store.replaced()  # from now on
        self._recorder = Recorder(store, known)
        self._monitor = monitor
        self._moved = moved
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
        left_out = self._recorder.left_out
        for change in self._monitor.poll():
            if isinstance(change, DataReceived):
                arrived = True
                at = timestamps.now() if change.at is None else change.at
                self._recorder.take(change.board, change.data, at)
                continue
            if isinstance(change, DataLogRead):
                arrived = True
                self._recorder.take_log(change.board, change.games, timestamps.now())
                continue
            if isinstance(change, Delivered) and self._recorder.left_out > left_out:
                continue  # it will be sent again
            if isinstance(change, PortClosed):
                self._recorder.take_end(change.board, timestamps.now())
            if isinstance(change, LineOpened):
                at = timestamps.now() if change.at is None else change.at
                self._recorder.take_opened(change.board, at)
                continue
            if isinstance(change, PortOpened) and change.board in self._names:
                self._recorder.pending.append(BoardNamed(change.board, self._names[change.board]))
            self._recorder.pending.append(change)
        self._recorder.pending += self._renamed()
        events = self._settle()
        for each in self._recorder.delivered:
            each.stored()
        self._recorder.delivered.clear()
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
            if not self._store.replaced():
                return events
        except StoreDamagedError:
            self._store.replaced()
        except StoreError:
            if not self._store.replaced():
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
                "check the folder"
            ) from error
        with contextlib.suppress(Exception):  # what SQLite says of a file that is gone is no news
            self._store.close()
        self._store = store
        store.replaced()
        self._recorder.go_on_in(store)
        for board, name in self._names.items():
            store.name_board(board, name)
        self._others_wrote = store.others_wrote()
        self._moved(store.path)

    def finish(self) -> list[Event]:
        """Take in what boards have said by now. Raises `StoreError` if not all could be stored."""
        end_s = time.monotonic() + _LAST_S
        events: list[Event] = []
        arrived = True
        while arrived or self._recorder.pending:
            arrived, more = self._step()
            events += more
            if time.monotonic() > end_s:  # also a computer that is too busy takes one step
                break
        left = self._recorder.left_out + len(self._recorder.pending)
        if left:
            raise StoreError(
                f"{self.path} is in use by another program, and {left:,} sentences are not stored; "
                f"`noughts watch --from FILE` reads them from {self._save()}"
            )
        return events

    def _save(self) -> Path:
        """Write what is pending into a file beside the store. Raises `OSError`."""
        path = self.path.with_name(f"{self.path.name}-not-stored-{timestamps.now()}.log")
        write_whole(path, self._recorder.unsaved())
        return path

    def close(self) -> None:
        """Close the store."""
        self._store.close()
