"""A room: it publishes the lines of its store until a collector has confirmed that they are stored.

Messages are sent in order, and a few at a time. One is sent again after a new connection, when a
later one was confirmed before it, and when nothing was confirmed for a while.
"""

from __future__ import annotations

import queue
import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import paho.mqtt.client as paho

from noughts.errors import NoughtsError, StoreBusyError, StoreError
from noughts.rooms.address import BrokerAddress
from noughts.rooms.backlog import Backlog
from noughts.rooms.broker import QOS, Broker, Will
from noughts.rooms.credentials import Credentials
from noughts.rooms.messages import Message
from noughts.rooms.topics import OFFLINE, ONLINE, RoomTopics
from noughts.watch.events import BrokerAnswered, PortUnavailable
from noughts.watch.sources import QueuedSource

WINDOW = 24
"""Messages that wait to be confirmed: those of 40 rooms are what a broker queues for a reader."""
_LOOK_S = 0.05
"""Between two looks at the store."""
_RESEND_AFTER_S, _MAX_RESEND_AFTER_S = 5.0, 60.0
"""Without a confirmation, before the oldest message is sent again: at first, and at most."""
_SAVE_S = 1.0
"""Between two notes of how far all is stored."""
_SHUTDOWN_TIMEOUT_S = 1.0
"""After the end was asked for: for the last lines to be confirmed."""
_NO_COLLECTOR = (
    "no collector stores what this room says; it waits in the room's store until "
    "`noughts watch mqtt://…` runs"
)


class Publisher:
    """Publishes the lines of a store as those of a room, in threads of its own. `close()` it.

    Nobody waits for it: what boards say is in the store first, which is its queue.
    Raises `StoreError`.
    """

    def __init__(self, address: BrokerAddress, login: Credentials, room: str, store: Path) -> None:
        self._topics = RoomTopics(address.prefix, room)
        self._name = str(address)
        self._backlog = Backlog(store, str(address), room)
        self._to_send: deque[Message] = deque()
        self._sent: dict[str, Message] = {}
        """In the order in which they were sent, by digest."""
        self._connection: paho.Client | None = None
        self._heard_s = self._saved_s = time.monotonic()
        self._resend_after_s = _RESEND_AFTER_S
        self._has_collector = True  # until we know better
        self._why_unsaved = ""
        self._changes = QueuedSource()
        self.poll = self._changes.poll
        """What a person should know since the last time."""
        self._arrived: queue.SimpleQueue[paho.Client | list[str] | Path] = queue.SimpleQueue()
        self._stop = threading.Event()
        self._broker = Broker(
            address,
            login,
            self,
            [self._topics.stored, self._topics.status],
            Will(self._topics.status, OFFLINE),
        )
        self._thread = threading.Thread(target=self._run, name="publish", daemon=True)
        self._thread.start()
        self._broker.start()

    def connected(self, client: paho.Client) -> None:
        """Say that the room is there, and send again what is not confirmed."""
        client.publish(self._topics.status, ONLINE, QOS, retain=True)
        self._changes.put(BrokerAnswered(self._name, "connected"))
        self._arrived.put(client)

    def received(self, client: paho.Client, message: paho.MQTTMessage) -> None:
        """Take confirmations, and set right what the broker says of a connection of before."""
        client.ack(message.mid, message.qos)
        with suppress(UnicodeDecodeError):
            if message.topic == self._topics.stored:
                self._arrived.put(message.payload.decode("ascii").split())
            elif message.payload == OFFLINE and not self._stop.is_set():
                client.publish(self._topics.status, ONLINE, QOS, retain=True)

    def moved(self, store: Path) -> None:
        """Publish the lines of another store, as the first one is gone."""
        self._arrived.put(store)

    def failed(self, why: str) -> None:
        """Tell it; the lines wait."""
        self._changes.put(PortUnavailable(self._name, why))

    def _run(self) -> None:
        end_s = None
        while end_s is None or (self._is_answered() and time.monotonic() < end_s):
            self._take()
            if self._connection is not None and self._connection.is_connected():
                self._send(self._connection)
            if time.monotonic() - self._saved_s > _SAVE_S:
                self._save()
            if self._stop.is_set() and end_s is None:
                end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        self._save()
        self._backlog.close()

    def _is_answered(self) -> bool:
        """Whether something waits for a confirmation that may come soon."""
        up = self._connection is not None and self._connection.is_connected()
        return up and self._has_collector and bool(self._sent)

    def _take(self) -> None:
        """Take what has arrived, after a short wait if it is nothing."""
        with suppress(queue.Empty):
            arrived = self._arrived.get(timeout=_LOOK_S)
            while True:
                if isinstance(arrived, list):
                    for digest in arrived:
                        self._confirmed(digest)
                elif isinstance(arrived, Path):
                    self._backlog.go_on_in(arrived)
                else:
                    self._connection = arrived
                    self._again(list(self._sent))
                    self._heard_s, self._resend_after_s = time.monotonic(), _RESEND_AFTER_S
                arrived = self._arrived.get_nowait()

    def _confirmed(self, digest: str) -> None:
        if not self._backlog.confirmed(digest):
            return
        self._heard_s, self._resend_after_s = time.monotonic(), _RESEND_AFTER_S
        if not self._has_collector:
            self._has_collector = True
            self._changes.put(BrokerAnswered(self._name, "a collector stores what this room says"))
        if digest in self._sent:
            # What was sent before it is confirmed before it, if it ever arrived.
            self._again(list(self._sent)[: list(self._sent).index(digest)])
            del self._sent[digest]

    def _again(self, digests: Sequence[str]) -> None:
        """Send these again, before anything else."""
        self._to_send.extendleft(self._sent.pop(digest) for digest in reversed(digests))

    def _send(self, client: paho.Client) -> None:
        if self._sent and time.monotonic() - self._heard_s > self._resend_after_s:
            self._again([next(iter(self._sent))])
            self._heard_s = time.monotonic()
            self._resend_after_s = min(2 * self._resend_after_s, _MAX_RESEND_AFTER_S)
            if self._has_collector:
                self._has_collector = False
                self._changes.put(PortUnavailable(self._name, _NO_COLLECTOR))
        while len(self._sent) < WINDOW:
            if not self._to_send:
                with suppress(StoreError):  # whoever writes to the store says what is wrong
                    self._to_send.extend(self._backlog.more())
            if not self._to_send:
                return
            message = self._to_send.popleft()
            if self._backlog.waits_for(message.digest):
                if not self._sent:
                    self._heard_s = time.monotonic()
                self._sent[message.digest] = message
                client.publish(self._topics.board(message.board), message.lines, QOS, retain=False)

    def _save(self) -> None:
        self._saved_s = time.monotonic()
        try:
            self._backlog.save()
            self._why_unsaved = ""
        except StoreBusyError:
            pass  # the next time
        except NoughtsError as error:  # then more is sent twice, and nothing is lost
            if not self._why_unsaved:
                self.failed(str(error))
            self._why_unsaved = str(error)

    def close(self) -> None:
        """Publish what is left, if somebody stores it, and that the room goes offline."""
        self._stop.set()
        self._thread.join()
        last = []
        if self._connection is not None:
            last.append(self._connection.publish(self._topics.status, OFFLINE, QOS, retain=True))
        self._broker.close(last)
