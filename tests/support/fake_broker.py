"""A broker's connection that a test controls."""

from collections import deque
from collections.abc import Sequence
from queue import SimpleQueue
from types import SimpleNamespace
from typing import Any

from noughts.errors import ThreadFaults

BROKER = "mqtt://broker.example"


class FakeBroker:
    """In place of `broker.Broker`; it records what is published."""

    last: "FakeBroker"
    """The newest."""

    def __init__(self, *_: object) -> None:
        FakeBroker.last = self
        self.is_up = False
        self.sent: deque[tuple[str, bytes, bool]] = deque()
        self.arrived: SimpleQueue[Any] = SimpleQueue()
        self.faults = ThreadFaults()
        self.acknowledged: list[int] = []

    def is_connected(self) -> bool:
        return self.is_up

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> None:
        self.sent.append((topic.removeprefix("noughts/3b/"), payload, retain))

    def receive(self, topic: str, payload: bytes, mid: int = 7) -> None:
        self.arrived.put(SimpleNamespace(topic=f"noughts/{topic}", payload=payload, mid=mid))

    def acknowledge(self, message: Any) -> None:
        self.acknowledged.append(message.mid)

    def close(self, last: Sequence[object] = ()) -> None:
        """Nothing to end."""
