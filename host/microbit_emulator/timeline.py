"""Device time, in CPU cycles since power-on, and what is to happen when."""

from __future__ import annotations

import heapq
from collections.abc import Callable

NEVER = 1 << 62


class Device:
    """Something that acts at times: `fire` is called when `due` has come, which is NEVER then."""

    def __init__(self, fire: Callable[[], object]) -> None:
        self.due = NEVER
        self.fire = fire


class Timeline:
    """The time, and a queue of devices by the time at which they act.

    `now()` is exact in the middle of a run too: `base` is the time at which the run began,
    `counter[0]` the instructions since (0 between runs), `limit[0]` those until it stops.
    """

    def __init__(self, counter: memoryview, limit: memoryview) -> None:
        self.base = 0
        self.counter = counter
        self.limit = limit
        self._queue: list[tuple[int, int, Device]] = []
        self._order = 0
        self._input_order = -NEVER

    def now(self) -> int:
        return self.base + int(self.counter[0])

    def halt(self) -> None:
        self.limit[0] = self.counter[0]

    def schedule(self, device: Device, due: int) -> None:
        """Let a device act at a time, in place of the time it was scheduled for."""
        if due == device.due:
            return
        device.due = due
        if due < NEVER:
            self._order += 1
            heapq.heappush(self._queue, (due, self._order, device))
            if due - self.base < self.limit[0]:
                self.limit[0] = max(due - self.base, self.counter[0])

    def after(self, cycles: int, action: Callable[[], object]) -> Device:
        """Do something once, this many cycles from now; `cancel` may still prevent it."""
        device = Device(action)
        self.schedule(device, self.now() + cycles)
        return device

    def cancel(self, device: Device) -> None:
        device.due = NEVER

    def at(self, due: int, action: Callable[[], object]) -> None:
        """Do something from outside at a time: before all that devices do at that time."""
        device = Device(action)
        device.due = max(due, self.base)
        self._input_order += 1
        heapq.heappush(self._queue, (device.due, self._input_order, device))

    def next_due(self) -> int:
        queue = self._queue
        while queue:
            due, _, device = queue[0]
            if device.due == due:
                return due
            heapq.heappop(queue)
        return NEVER

    def pop(self) -> tuple[bool, Device]:
        """Take the device that acts next, and whether it is an input from outside."""
        _, order, device = heapq.heappop(self._queue)
        device.due = NEVER
        return order < 0, device

    def forget(self) -> None:
        self._queue = [entry for entry in self._queue if entry[1] < 0]
        heapq.heapify(self._queue)
