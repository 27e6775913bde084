"""Keeping what boards say, and going on without that where it fails."""

from __future__ import annotations

import tempfile
import threading
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path

from noughts.errors import NoughtsError, in_words
from noughts.store.boards import names
from noughts.store.store import Store
from noughts.watch.events import BoardNamed, Event
from noughts.watch.recorder_thread import RecorderThread
from noughts.watch.watch import Source, Watch


class Keeping:
    """A thread in which games are kept in a store, from `start()` until `stop()`.

    tell: gets all events, in a thread of a recorder. failed: called when `trouble` is there.
    """

    def __init__(
        self,
        path: Path,
        source: Source,
        tell: Callable[[list[Event]], None],
        failed: Callable[[], object],
    ) -> None:
        self.trouble = ""
        """Why games are not kept, in one line."""
        self._path, self._source, self._tell, self._failed = path, source, tell, failed
        self._stopping = threading.Event()
        self._recording = threading.Event()
        """Set to end the present recording."""
        self._thread = threading.Thread(target=self._keep, name="keep games", daemon=True)

    def start(self) -> None:
        """Begin; the store is opened in the thread."""
        self._thread.start()

    def stop(self) -> None:
        """Ask for the end; `join` waits until all is kept."""
        self._stopping.set()
        self._recording.set()

    def join(self, limit_s: float) -> None:
        """Wait for the end."""
        self._thread.join(limit_s)

    def _keep(self) -> None:
        with ExitStack() as stack:
            if self._kept_in(self._path) or self._stopping.is_set():
                return
            # What boards say is shown all the same.
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="noughts-"))
            self._kept_in(Path(folder, "games.db"))

    def _kept_in(self, path: Path) -> bool:
        """Keep games in a store until the end; False where that fails."""
        self._recording = threading.Event()
        if self._stopping.is_set():
            return True
        try:
            store = Store(path, create=True)
            self._tell([BoardNamed(board, name) for board, name in names(store).items()])
            watch = Watch(store, self._source)
            recording = RecorderThread(watch, self._recording, self._tell)
            recording.start()
            try:
                recording.wait()
            finally:
                watch.close()
        except (NoughtsError, OSError) as error:
            self.trouble = self.trouble or f"games are not kept: {in_words(error)}"
            self._failed()
            return False
        return True
