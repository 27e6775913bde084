"""A micro:bit in step with real time."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

    from microbit_emulator.microbit import Microbit

T = TypeVar("T")

STEP_US = 5_000
LATE_US = 100_000
"""When it is later than this, it goes on from now instead of racing after real time."""


class Pace:
    """How long to wait, so that device time keeps step with real time (in seconds)."""

    def __init__(self, clock_us: int, now_s: float) -> None:
        self._start_us, self._start_s = clock_us, now_s

    def wait_s(self, clock_us: int, now_s: float) -> float:
        """How long to wait from now: 0 for no time where the device is late."""
        ahead_us = (clock_us - self._start_us) - (now_s - self._start_s) * 1e6
        if ahead_us < -LATE_US:
            self._start_us, self._start_s = clock_us, now_s
        return max(0.0, ahead_us / 1e6)


class RealTime:
    """Runs a micro:bit in a thread of its own, in step with real time.

    That thread owns the micro:bit: everything done with it goes through `do`, which waits for its
    result, or `post`, which does not. Use it as a context manager, or call `close`.

        with RealTime(board) as live:
            live.do(lambda: board.press("A"))
            print(live.do(board.leds))
    """

    def __init__(self, microbit: Microbit, after_step: Callable[[], object] | None = None) -> None:
        """`after_step` is called in the owning thread after every 5 ms."""
        self._microbit, self._after_step = microbit, after_step
        self._calls: deque[tuple[Callable[[], object], Future[object]]] = deque()
        self._wake = threading.Event()
        self._closing = False
        self._ended = threading.Event()
        self.error: Exception | None = None
        """What has ended the run, if anything."""
        self._thread = threading.Thread(target=self._run, name="micro:bit", daemon=True)
        self._thread.start()

    def __enter__(self) -> RealTime:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def post(self, call: Callable[[], T]) -> Future[T]:
        """Let the owning thread call something between two steps, soon."""
        future: Future[T] = Future()
        self._calls.append((call, future))  # type: ignore[arg-type]
        self._wake.set()
        if self._ended.is_set():  # it may have looked for calls for the last time
            self._answer()
        return future

    def do(self, call: Callable[[], T]) -> T:
        """Let the owning thread call something, and return its result or raise its error."""
        return self.post(call).result()

    def wait(self) -> None:
        """Wait until the run ends by an error, or is closed."""
        self._thread.join()

    def close(self) -> None:
        """Stop running; the micro:bit stays as it is."""
        self._closing = True
        self._wake.set()
        self._thread.join()
        self._answer()

    def _run(self) -> None:
        pace = Pace(self._microbit.clock_us, time.monotonic())
        try:
            while not self._closing:
                self._answer()
                self._microbit.run_for(STEP_US)
                if self._after_step:
                    self._after_step()
                wait = pace.wait_s(self._microbit.clock_us, time.monotonic())
                if wait and not self._calls:
                    self._wake.wait(wait)
                self._wake.clear()
        except Exception as error:
            self.error = error
        self._ended.set()
        self._answer()

    def _answer(self) -> None:
        while True:
            try:
                call, future = self._calls.popleft()
            except IndexError:  # another thread may be answering too, when the run has ended
                return
            try:
                future.set_result(call())
            except BaseException as error:
                future.set_exception(error)
