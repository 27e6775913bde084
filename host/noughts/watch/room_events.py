"""What happens between rooms: a watch publishes what its boards say, and another one collects it.

What does that is in `noughts.rooms`; here is what the rest of the program needs to know of it.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BrokerAnswered:
    """A broker can be reached, or what was published through it is stored again."""

    broker: str
    what: str


@dataclass(frozen=True)
class RoomOnline:
    """A room publishes what its boards say."""

    room: str


@dataclass(frozen=True)
class RoomOffline:
    """A room has stopped, or the broker has lost it."""

    room: str


@dataclass(frozen=True)
class MessageRejected:
    """Somebody published what cannot be from a room; said once for each room and reason."""

    topic: str
    why: str


RoomEvent = BrokerAnswered | RoomOnline | RoomOffline | MessageRejected
