"""Recording in a thread of its own, whatever those do who look on."""

from __future__ import annotations

import threading
from collections.abc import Callable

from noughts.watch.events import Event
from noughts.watch.watch import Watch


class RecorderThread:
    """Keeps what boards say, in a thread of its own, whatever those do who look on.

    `tell` gets the events, in that thread, and must not wait for anybody. It ends when `stop` is
    set, and sets it when it ends by itself; whoever started it closes the watch.
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
