"""Watching boards: what they say is kept first, and told then."""

from __future__ import annotations

import gc
import time
from collections.abc import Sequence

from noughts.log import moments
from noughts.log.events import Event, Noisy, Strange, Told
from noughts.log.following import Arrived, Follower, Unplugged
from noughts.log.raw import RawLog
from noughts.log.store import Store
from noughts.log.stream import Heard, Item, Noise, Stream

_REST_S = 0.02
_TIDY = 5000
"""Events between two collections: memory stays where it is from the first ten thousand on."""


class Ears:
    """What all boards say, line by line: into the raw log, the store, and events."""

    def __init__(self, store: Store, raw: RawLog | None) -> None:
        self._store = store
        self._raw = raw
        self._streams: dict[str, Stream] = {}
        self._noise = 0  # of streams that have ended

    @property
    def noise(self) -> int:
        """Bytes so far that were no part of a sentence."""
        return self._noise + sum(stream.noise for stream in self._streams.values())

    def hear(self, board: str, data: bytes, at: int | None) -> list[Event]:
        """Bytes of a board, at a moment if it is known."""
        stream = self._streams.setdefault(board, Stream())
        return self._take(board, stream.feed(data), at)

    def end(self, board: str, at: int | None) -> list[Event]:
        """Nothing more will come from there."""
        stream = self._streams.pop(board, Stream())
        events = self._take(board, stream.end(), at)
        self._noise += stream.noise
        return events

    def _take(self, board: str, items: Sequence[Item], at: int | None) -> list[Event]:
        # All raw lines first: they are there, whatever becomes of the store.
        if self._raw is not None and at is not None:
            for item in items:
                self._raw.write(board, item.text if isinstance(item, Noise) else item.line, at)
        return [event for item in items for event in self._keep(board, item, at)]

    def _keep(self, board: str, item: Item, at: int | None) -> list[Event]:
        if isinstance(item, Noise):
            return [Noisy(board, item.text)]
        if isinstance(item, Heard):
            kept = self._store.keep(board, item.sentence, at)
            return [Told(board, item.sentence, kept.game, kept.new)]
        return [] if item.again else [Strange(board, item.what)]


class Watch:
    """Follows ports and keeps what they say, in `step()` after `step()`."""

    def __init__(self, store: Store, follower: Follower, raw: RawLog) -> None:
        self._ears = Ears(store, raw)
        self._follower = follower
        self._raw = raw
        self._events = 0

    @property
    def noise(self) -> int:
        """Bytes so far that were no part of a sentence."""
        return self._ears.noise

    def step(self) -> list[Event]:
        """Take what is there, after a short rest if it is nothing.

        Raises `StoreError` when something could not be kept.
        """
        events: list[Event] = []
        arrived = False
        for change in self._follower.poll():
            if isinstance(change, Arrived):
                arrived = True
                events += self._ears.hear(change.board, change.data, moments.now())
                continue
            if isinstance(change, Unplugged):
                events += self._ears.end(change.board, moments.now())
            events.append(change)
        self._raw.flush()
        self._events += len(events)
        if self._events >= _TIDY:
            # CPython keeps lists of freed tuples and the like, which only this gives back.
            gc.collect()
            self._events = 0
        if not arrived:
            time.sleep(_REST_S)
        return events
