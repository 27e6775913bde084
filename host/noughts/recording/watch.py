"""Watching boards, for the terminal, the page and `noughts play`.

    sources --> Recorder, in a thread --> store --> sinks          a room's publisher
                                            |
                                            +--> the session       the state of all boards
                                            +--> subscribers       a screen, the page

Everything is stored before anybody is told.
"""

import threading
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Protocol

from noughts.errors import NoughtsError, StoreError, ThreadFault, error_message, fault_message
from noughts.recording.events import Event
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.recording.sources import Change, Pending, QueuedSource, Source
from noughts.store import queries
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame

Subscriber = Callable[[list[Event]], object]


class Sink(Protocol):
    """Passes on what was stored."""

    def pass_on(self, store: Store) -> Sequence[Event]:
        """Take what is new in this store, without waiting; gives events of its own.

        It is called in the watch's thread, after each look at the sources. The store may be another
        one than before.
        """

    def close(self) -> None:
        """Pass on what is left, while the store is still open."""


class Watch:
    """Records what sources give, tells sinks and subscribers, and knows the state of all boards.

    It runs in a thread from `start()` to `close()`, or in the caller's thread by `run()`. It owns
    its sources and sinks, and closes them when it ends.

    known_ids: of the boards to accept by radio; None accepts any, see `radio_lines.py`.
    has_fallback: if the store fails, go on with a temporary one; `error` then says why.

    What can be wrong, and what then says so:

        locked by another program      `session.warning`, until it is free again
        deleted, moved or damaged      `session.warning` and `moved`: games are in another store
        it failed, with a fallback     `failure`, `error`: games are stored until the watch ends
        it failed, without one         `failure`, `error`, and `stop` is set: games are not stored
        a fault in a source's thread   `failure`, `error`; without a fallback, `stop` is set, too:
                                       what was received is stored
    """

    def __init__(
        self,
        path: Path,
        sources: Sequence[Source] = (),
        sinks: Sequence[Sink] = (),
        *,
        known_ids: Collection[str] | None = None,
        has_fallback: bool = False,
    ) -> None:
        self.session = Session()
        """The state of all boards. Hold `lock` to read it."""
        self.lock = threading.RLock()
        """Held while the session and the subscribers get events."""
        self.stop = threading.Event()
        """Ends the watch once it is set, by anybody; it is set when the watch has ended."""
        self.failure: Exception | None = None
        """Why games are not stored, or not in the store that was asked for."""
        self.store_path = path
        """Where games are stored now."""
        self.noise = 0
        """Bytes so far that were not part of a sentence."""
        self.refused = 0
        """Sentences by radio that were refused."""
        self._path, self._known_ids, self._has_fallback = path, known_ids, has_fallback
        self._is_temporary = False
        """Whether the store has failed, and a temporary one takes its place."""
        self._received = QueuedSource()
        self._sources = [*sources, self._received]
        self._sinks = [*sinks]
        self._subscribers: list[Subscriber] = []
        self._pending: list[Pending] = []
        """What a store that failed has not stored."""
        self._thread: threading.Thread | None = None
        self._ending = threading.Lock()
        """Held while the sources and sinks end, so that the stores are closed after them."""

    @property
    def error(self) -> str:
        """Why games are not stored, in one line; empty if they are."""
        if self.failure is None:
            return ""
        if isinstance(self.failure, (NoughtsError, OSError)):
            return error_message(self.failure)
        return fault_message(self.failure)

    @property
    def moved(self) -> str:
        """If the store was deleted or damaged: where games are stored instead, in one line."""
        return self.session.moved

    @property
    def storage(self) -> str:
        """How games are stored if there is an `error`."""
        if self.stop.is_set():
            return "not stored"
        return "stored only until noughts ends" if self._is_temporary else "stored"

    def raise_fault(self) -> None:
        """Raise a failure that is a fault of noughts, so that its traceback can be reported."""
        if self.failure is not None and not isinstance(self.failure, (NoughtsError, OSError)):
            raise self.failure

    def subscribe(self, callback: Subscriber) -> None:
        """Call this with all events, in the watch's thread; it must not wait. Call before `start`.

        The session has taken the events by then.
        """
        self._subscribers.append(callback)

    def receive(self, change: Change) -> None:
        """Record, from any thread, what has come another way than from a source."""
        self._received.put(change)

    def game(self, number: int) -> StoredGame:
        """A stored game, for any thread. Raises `StoreError`."""
        with Store(self.store_path) as store:
            return queries.game(store, number)

    def start(self) -> None:
        """Begin, in a thread. What goes wrong there becomes the `failure`."""
        self._thread = threading.Thread(
            target=self._run_in_thread, name="record games", daemon=True
        )
        self._thread.start()

    def close(self, timeout_s: float | None = None) -> None:
        """End, once everything that was received is stored; but do not wait longer than this."""
        self.stop.set()
        if self._thread is not None:
            self._thread.join(timeout_s)
        self._close_sources_and_sinks()

    def _run_in_thread(self) -> None:
        try:
            self.run()
        except Exception as error:
            self.failure = self.failure or error
        finally:
            self.stop.set()

    def run(self) -> None:
        """Record in this thread until `stop` is set. Raises what goes wrong.

        Sources and sinks end before the stores are closed: sinks need their store, and closing a
        store releases all locks that this process has on it.
        """
        with ExitStack() as stores:
            try:
                self._record_into(stores, self._path)
            except Exception as error:
                if not self._has_fallback:
                    raise
                self._is_temporary = True
                self.failure = error
                import tempfile  # here, because it takes 0.7 MB and is rarely needed

                folder = stores.enter_context(tempfile.TemporaryDirectory(prefix="noughts-"))
                self._record_into(stores, Path(folder, "games.db"))
            finally:
                self._close_sources_and_sinks()
        if self.failure is not None and not self._has_fallback:
            raise self.failure

    def _note_fault(self, error: Exception | None) -> None:
        """Show a fault of ours in a thread; without a fallback, also end."""
        if error is None or self.failure is not None:
            return
        self.failure = error
        if not self._has_fallback:
            self.stop.set()

    def _record_into(self, stores: ExitStack, path: Path) -> None:
        recorder = Recorder(Store(path, create=True), self._sources, self._known_ids)
        stores.callback(recorder.close)
        recorder.pending += self._pending
        self._pending = recorder.pending
        with self.lock:
            self.session.names.update(recorder.names)
        try:
            recorder.run(self.stop, partial(self._tell, recorder))
        except Exception as error:
            if not isinstance(error, StoreError):
                self._pending = []  # one of these may be what it fails at
            raise

    def _tell(self, recorder: Recorder, events: Sequence[Event]) -> None:
        """Tell everybody what was stored: first the session and subscribers, then the sinks.

        An exception from a sink ends the watch. What was stored before it is still shown.
        """
        with self.lock:
            self.store_path = recorder.store.path
            self.noise, self.refused = recorder.noise, recorder.radio.refused
            self._show(events)
        self._note_fault(recorder.fault)
        for sink in self._sinks:
            try:
                sink_events = sink.pass_on(recorder.store)
            except ThreadFault as fault:
                self._note_fault(fault.error)
                continue
            with self.lock:
                self._show(sink_events)

    def _show(self, events: Sequence[Event]) -> None:
        """Give events to the session and subscribers."""
        for event in events:
            self.session.take(event)
        for callback in self._subscribers if events else ():
            callback([*events])

    def _close_sources_and_sinks(self) -> None:
        with self._ending:
            still_open: list[Sink | Source] = [*self._sinks, *self._sources]
            self._sinks, self._sources = [], []
            for part in still_open:
                part.close()
