"""A room: it publishes the lines of its store until a collector has confirmed that they are stored.

The queue is the table `lines`. How far collectors have stored it, for each broker and room, is in
the table `published`; that may be behind what they have, and then some lines are sent twice.
Messages are sent in order, and a few at a time. One is sent again after a new connection, when a
later one was confirmed before it, and when nothing was confirmed for a while.
"""

from __future__ import annotations

import queue
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress

import paho.mqtt.client as paho

from noughts.errors import StoreError
from noughts.protocol.radio_boards import id_of, is_by_radio
from noughts.protocol.sentences import framed, is_of_board
from noughts.recording.events import BrokerAnswered, Event, PortUnavailable
from noughts.rooms.address import BrokerAddress, Credentials
from noughts.rooms.broker import QOS, Broker
from noughts.rooms.messages import OFFLINE, ONLINE, Message, digest, is_published, topic
from noughts.store.capture import raw_line
from noughts.store.store import Store

WINDOW = 24
"""Messages that wait to be confirmed: those of 40 rooms are what a broker queues for a reader."""
_AT_ONCE = 140
"""Lines that are read at once: some 16 KB, in as many messages as there are boards."""
_MAX_SIZE = 32 * 1024
"""Bytes of a message, without its last line: noise may be long."""
_LOOK_S = 0.02
"""Between two looks for a confirmation, at the end."""
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

_LINES = """
    SELECT lines.id, name, boot, late, at, text FROM lines JOIN boards ON boards.id = board
    WHERE lines.id > ? ORDER BY lines.id LIMIT ?
"""


def messages_after(store: Store, line: int, room: str) -> tuple[list[Message], int]:
    """The messages of the lines behind this one, in order for each board, and the last line read.

    Left out is what came from this very room, or without a moment, and games that no board plays.
    Raises `StoreError`.
    """
    found: list[tuple[str, bytearray]] = []
    latest: dict[str, bytearray] = {}
    recovered: dict[str, bool] = {}
    while not found and (rows := store.read(_LINES, [line, _AT_ONCE])):
        line = rows[-1][0]
        for _, board, boot, late, at, text in rows:
            of_board = boot is None or is_of_board(text)
            if at is None or not of_board or not is_published(board, room):
                continue
            if len(latest.get(board, b"")) >= _MAX_SIZE:
                del latest[board]
            if board not in latest:
                latest[board] = bytearray()
                found.append((board, latest[board]))
            by_radio = is_by_radio(board)
            if late and not by_radio and not recovered.get(board):
                # Behind a port that was opened, a collector takes the end of a game for a late one.
                latest[board] += raw_line(board, "", at)
            recovered[board] = bool(late)
            if boot is not None:
                text = framed(text, id_of(board) if by_radio else None)
            latest[board] += raw_line(board, text, at)
    said = [(board, bytes(lines)) for board, lines in found]
    return [Message(board, lines, digest(lines)) for board, lines in said], line


class Publisher:
    """Publishes the lines of a recorder's store as those of a room, whenever it is polled.

    It waits for nobody: paho's thread sends. store: gives the store, which may become another one
    if the first is gone. `close()` it before the store. Raises `StoreError`.
    """

    def __init__(
        self, address: BrokerAddress, login: Credentials, room: str, store: Callable[[], Store]
    ) -> None:
        self._prefix, self._room = address.prefix, room
        self._status = topic(address.prefix, room, "status")
        self._confirmations = topic(address.prefix, room, "stored")
        self._name, self._receiver = str(address), f"{address} {room}"
        self._store_now = store
        self._open(store())
        self._confirmation_is_due()
        self._saved_s = time.monotonic()
        self._has_collector = True  # until we know better
        self._arrived: queue.SimpleQueue[list[str] | PortUnavailable | None] = queue.SimpleQueue()
        """Confirmations, trouble, or None: there is a new connection."""
        self._closing = False
        self._broker = Broker(
            address,
            login,
            self.connected,
            self.received,
            lambda why: self._arrived.put(PortUnavailable(self._name, why)),
            [self._confirmations, self._status],
            self._status,
        )
        self._broker.loop_start()

    def _open(self, store: Store) -> None:
        self._store = store
        query = "SELECT line FROM published WHERE receiver = ?"
        position = store.read(query, [self._receiver])
        self._read = self._saved = int(position[0][0]) if position else 0
        self._waiting: dict[str, int] = {}
        """By digest of a message, the id of the line before those among which it was read."""
        self._to_send: deque[Message] = deque()
        self._sent: dict[str, Message] = {}
        """In the order in which they were sent, by digest."""

    def connected(self) -> None:
        """Say that the room is there; what is not confirmed is sent again."""
        self._broker.publish(self._status, ONLINE, QOS, retain=True)
        self._arrived.put(None)

    def received(self, message: paho.MQTTMessage) -> None:
        """Take confirmations, and set right what the broker says of a connection of before."""
        self._broker.ack(message.mid, message.qos)
        with suppress(UnicodeDecodeError):
            if message.topic == self._confirmations:
                self._arrived.put(message.payload.decode("ascii").split())
            elif message.payload == OFFLINE and not self._closing:
                self._broker.publish(self._status, ONLINE, QOS, retain=True)

    def poll(self) -> list[Event]:
        """Send what is to be sent; gives what a person should know since the last time."""
        events: list[Event] = []
        with suppress(StoreError):  # the store's writer reports what is wrong
            if self._store_now() is not self._store:
                self._open(self._store_now())
            while not self._arrived.empty():
                arrived = self._arrived.get()
                if isinstance(arrived, Event):
                    events.append(arrived)
                elif arrived is None:
                    events.append(BrokerAnswered(self._name, "connected"))
                    self._again(list(self._sent))
                    self._confirmation_is_due()
                else:
                    for digest in arrived:
                        events += self._confirmed(digest)
            if self._broker.is_connected():
                events += self._send()
            if time.monotonic() - self._saved_s > _SAVE_S:
                self._save()
        return events

    def _confirmation_is_due(self) -> None:
        self._heard_s, self._resend_after_s = time.monotonic(), _RESEND_AFTER_S

    def _confirmed(self, digest: str) -> list[Event]:
        if self._waiting.pop(digest, None) is None:
            return []
        self._confirmation_is_due()
        if digest in self._sent:
            # What was sent before it is confirmed before it, if it ever arrived.
            self._again(list(self._sent)[: list(self._sent).index(digest)])
            del self._sent[digest]
        if self._has_collector:
            return []
        self._has_collector = True
        return [BrokerAnswered(self._name, "a collector stores what this room says")]

    def _again(self, digests: Sequence[str]) -> None:
        """Send these again, before anything else."""
        self._to_send.extendleft(self._sent.pop(digest) for digest in reversed(digests))

    def _send(self) -> list[Event]:
        events: list[Event] = []
        if self._sent and time.monotonic() - self._heard_s > self._resend_after_s:
            self._again([next(iter(self._sent))])
            self._heard_s = time.monotonic()
            self._resend_after_s = min(2 * self._resend_after_s, _MAX_RESEND_AFTER_S)
            if self._has_collector:
                self._has_collector = False
                events.append(PortUnavailable(self._name, _NO_COLLECTOR))
        while len(self._sent) < WINDOW and (self._to_send or self._read_more()):
            message = self._to_send.popleft()
            if message.digest in self._waiting:
                if not self._sent:
                    self._heard_s = time.monotonic()
                self._sent[message.digest] = message
                where = topic(self._prefix, self._room, "board", message.board)
                self._broker.publish(where, message.lines, QOS, retain=False)
        return events

    def _read_more(self) -> bool:
        before = self._read
        found, self._read = messages_after(self._store, before, self._room)
        for message in found:
            self._waiting.setdefault(message.digest, before)
        self._to_send.extend(found)
        return bool(found)

    def _save(self) -> None:
        """Note how far all is stored, if that has changed; if it fails, more is sent twice."""
        self._saved_s = time.monotonic()
        stored = min([self._read, *self._waiting.values()])
        if stored != self._saved:
            self._store.save_published(self._receiver, stored)
            self._saved = stored

    def close(self) -> None:
        """Publish what is left, if somebody stores it, and that the room goes offline."""
        end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        self._closing = True
        self.poll()
        while (
            self._broker.is_connected() and self._has_collector and self._sent
        ) and time.monotonic() < end_s:
            time.sleep(_LOOK_S)
            self.poll()
        with suppress(StoreError):
            self._save()
        self._broker.close([self._broker.publish(self._status, OFFLINE, QOS, retain=True)])
