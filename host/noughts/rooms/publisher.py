"""A room publishes the lines of its store until a collector confirms that they are stored.

The queue is the table `lines`. For each broker and room, the table `published` has the last
confirmed line. It may lag behind, and then some lines are sent twice.
Messages are sent in order, a few at a time. A message is sent again after a new connection, if a
later one was confirmed before it, or if nothing was confirmed for a while.
"""

import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple

import paho.mqtt.client as paho

from noughts.errors import StoreError
from noughts.protocol.describe import is_page_engine
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game, parse
from noughts.recording.events import BrokerAnswered, BrokerUnavailable, Event
from noughts.rooms.address import BrokerAddress
from noughts.rooms.broker import Broker
from noughts.rooms.messages import OFFLINE, ONLINE, digest, is_published, topic
from noughts.store.capture import raw_line
from noughts.store.store import Store

WINDOW = 24
"""Unconfirmed messages at a time: a broker queues those of 40 rooms for one reader."""
_AT_ONCE = 140
"""Lines read at once: about 16 KB, in as many messages as there are boards."""
_MAX_SIZE = 32 * 1024
"""Bytes of a message without its last line, because noise may be long."""
RESEND_AFTER_S, MAX_RESEND_AFTER_S = 5.0, 60.0
"""Without a confirmation, before the oldest message is resent: at first, and at most."""
_NO_COLLECTOR = (
    "no collector is storing this room's games; they wait in the room's store until "
    "`noughts watch mqtt://…` runs"
)
_LINES = """
    SELECT lines.id, name, boot, number, late, at, text FROM lines JOIN boards ON boards.id = board
    WHERE lines.id > ? AND at IS NOT NULL ORDER BY lines.id LIMIT ?
"""


class _QueuedLine(NamedTuple):
    id: int
    board: str
    boot: str | None
    number: int | None
    late: int
    at: int
    text: str


class Message(NamedTuple):
    """Raw lines of a board; previous_id: of the line before the batch that they come from."""

    board: str
    lines: bytes
    previous_id: int


def messages_after(store: Store, line: int, room: str) -> tuple[list[Message], int]:
    """The messages of the lines after this one, in order for each board, and the last line read.

    Lines that came from this very room or without a time, and the page's games, are left out.
    Raises `StoreError`.
    """
    messages: list[tuple[str, bytearray]] = []
    latest: dict[str, bytearray] = {}
    """The last message of each board."""
    recovered: dict[str, bool] = {}
    """Whether the last line of a board was late."""
    last_id = line
    while not messages and (rows := list(store.rows(_QueuedLine, _LINES, [line, _AT_ONCE]))):
        last_id, line = line, rows[-1].id
        for row in rows:
            board = row.board
            if not is_published(board, room) or _is_of_page(row):
                continue
            if board not in latest or len(latest[board]) >= _MAX_SIZE:
                latest[board] = bytearray()
                messages.append((board, latest[board]))
            if row.late and not is_by_radio(board) and not recovered.get(board):
                # After a port was opened, a collector counts the end of a game as late.
                latest[board] += raw_line(board, "", row.at)
            recovered[board] = bool(row.late)
            latest[board] += raw_line(board, row.text, row.at, is_sentence=row.boot is not None)
    return [Message(board, bytes(lines), last_id) for board, lines in messages], line


def _is_of_page(row: _QueuedLine) -> bool:
    """Whether it is about a game with an engine that no board has."""
    if not row.number:
        return False
    game = parse(row.text).sentence
    return isinstance(game, Game) and any(map(is_page_engine, game.seats))


class Publisher:
    """Publishes the lines of a store as those of a room: a sink of a `Watch`.

    It never waits: paho's thread sends.
    """

    def __init__(self, address: BrokerAddress, room: str) -> None:
        self._name, self._room = str(address), room
        self._receiver = f"{self._name} {self._room}"
        self._topic = partial(topic, address.prefix, room)
        self._status = self._topic("status")
        self._has_collector = True  # until a confirmation is missing
        self._store: Store | None = None
        self._read = self._saved = 0
        """The ids of the last line that was read, and of the last one noted as confirmed."""
        self._waiting: dict[str, Message] = {}
        """The unconfirmed messages, by digest, in the order of their lines."""
        self._sent: list[str] = []
        """The digests of those that were sent, in the order of sending."""
        self._restart_timer()
        self._saved_s = time.monotonic()
        self._broker = Broker(address, [self._topic("stored"), self._status], self._status)

    def _open(self, store: Store) -> None:
        query = "SELECT max(line) FROM published WHERE receiver = ?"
        self._read = self._saved = store.read(query, [self._receiver])[0][0] or 0
        self._store = store
        self._waiting, self._sent = {}, []
        self._restart_timer()

    def _restart_timer(self) -> None:
        self._confirmed_s, self._resend_after_s = time.monotonic(), RESEND_AFTER_S

    def pass_on(self, store: Store) -> list[Event]:
        """Send what must be sent, and give the events since the last call."""
        self._broker.faults.raise_next()
        events: list[Event] = []
        with suppress(StoreError):  # the recorder reports what is wrong
            if store is not self._store:
                self._open(store)
            while not self._broker.arrived.empty():
                arrived = self._broker.arrived.get()
                events += [arrived] if isinstance(arrived, Event) else self._take(arrived)
                if isinstance(arrived, BrokerAnswered):
                    self._publish_status(ONLINE)
                    self._sent.clear()
                    self._restart_timer()
            if self._broker.is_connected():
                events += self._send(store)
            if time.monotonic() - self._saved_s > 1:
                self._save(store)
        return events

    def _publish_status(self, status: bytes) -> paho.MQTTMessageInfo:
        return self._broker.publish(self._status, status, retain=True)

    def _take(self, message: paho.MQTTMessage) -> Iterator[Event]:
        """Take confirmations, and correct the status after a lost connection."""
        self._broker.acknowledge(message)
        if message.payload == OFFLINE:
            self._publish_status(ONLINE)
        for name in message.payload.decode("ascii", "replace").split():
            if self._waiting.pop(name, None) is None:
                continue
            if name in self._sent:
                # Messages that were sent earlier should have been confirmed earlier.
                del self._sent[: self._sent.index(name) + 1]
            self._restart_timer()
            if not self._has_collector:
                self._has_collector = True
                yield BrokerAnswered(self._name, "a collector is storing this room's games")

    def _send(self, store: Store) -> Iterator[Event]:
        """Send as many messages as may be unconfirmed, the oldest first."""
        if self._sent and time.monotonic() - self._confirmed_s > self._resend_after_s:
            del self._sent[0]
            self._confirmed_s = time.monotonic()
            self._resend_after_s = min(2 * self._resend_after_s, MAX_RESEND_AFTER_S)
            if self._has_collector:
                self._has_collector = False
                yield BrokerUnavailable(self._name, _NO_COLLECTOR)
        while len(self._sent) < WINDOW and (
            len(self._sent) < len(self._waiting) or self._read_on(store)
        ):
            if not self._sent:
                self._confirmed_s = time.monotonic()
            name = next(name for name in self._waiting if name not in self._sent)
            self._sent.append(name)
            message = self._waiting[name]
            self._broker.publish(self._topic("board", message.board), message.lines)

    def _read_on(self, store: Store) -> bool:
        """Read on in the store; whether there is something to send."""
        messages, self._read = messages_after(store, self._read, self._room)
        self._waiting |= {digest(message.lines): message for message in messages}
        return bool(messages)

    def _save(self, store: Store) -> None:
        """Note the last confirmed line, if it has changed. If that fails, more is sent twice."""
        self._saved_s = time.monotonic()
        oldest = next(iter(self._waiting.values()), None)
        stored = self._read if oldest is None else oldest.previous_id
        if stored != self._saved:
            store.save_published(self._receiver, stored)
            self._saved = stored

    def close(self) -> None:
        """Publish what is left, and that the room is offline."""
        if self._store is not None:
            self.pass_on(self._store)
            with suppress(StoreError):
                self._save(self._store)
        self._broker.close([self._publish_status(OFFLINE)])
