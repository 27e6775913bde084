"""A room: it publishes the lines of its store until a collector has confirmed that they are stored.

The queue is the table `lines`. How far collectors have stored it, for each broker and room, is in
the table `published`; that may be behind what they have, and then some lines are sent twice.
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

from noughts.errors import StoreError
from noughts.protocol.radio_boards import id_of, is_by_radio
from noughts.protocol.sentences import framed, is_of_board
from noughts.rooms.address import BrokerAddress, Credentials
from noughts.rooms.broker import QOS, Broker
from noughts.rooms.messages import OFFLINE, ONLINE, Message, digest, is_published, topic
from noughts.store.capture import raw_line
from noughts.store.store import Store
from noughts.watch.events import BrokerAnswered, PortUnavailable
from noughts.watch.sources import QueuedSource

WINDOW = 24
"""Messages that wait to be confirmed: those of 40 rooms are what a broker queues for a reader."""
_AT_ONCE = 140
"""Lines that are read at once: some 16 KB, in as many messages as there are boards."""
_MAX_SIZE = 32 * 1024
"""Bytes of a message, without its last line: noise may be long."""
_LOOK_S = 0.05
"""Between two looks at the store."""
_LOCK_TIMEOUT_S = 0.05
"""To wait for others who write to the store."""
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
    """Publishes the lines of a store as those of a room, in threads of its own. `close()` it.

    Nobody waits for it: what boards say is in the store first. Raises `StoreError`.
    """

    def __init__(self, address: BrokerAddress, login: Credentials, room: str, store: Path) -> None:
        self._prefix, self._room = address.prefix, room
        self._status = topic(address.prefix, room, "status")
        self._confirmations = topic(address.prefix, room, "stored")
        self._name, self._receiver = str(address), f"{address} {room}"
        self._open(store)
        self._heard_s = self._saved_s = time.monotonic()
        self._resend_after_s = _RESEND_AFTER_S
        self._has_collector = True  # until we know better
        self._changes = QueuedSource()
        self.poll = self._changes.poll
        """What a person should know since the last time."""
        self._arrived: queue.SimpleQueue[list[str] | Path | None] = queue.SimpleQueue()
        """Confirmations, another store, or None: there is a new connection."""
        self._stop = threading.Event()
        self._broker = Broker(
            address,
            login,
            self.connected,
            self.received,
            self.failed,
            [self._confirmations, self._status],
            self._status,
        )
        self._thread = threading.Thread(target=self._run, name="publish", daemon=True)
        self._thread.start()
        self._broker.loop_start()

    def _open(self, path: Path) -> None:
        self._store = Store(path, create=True)
        self._store.wait_for_others(_LOCK_TIMEOUT_S)
        query = "SELECT line FROM published WHERE receiver = ?"
        position = self._store.read(query, [self._receiver])
        self._read = self._saved = int(position[0][0]) if position else 0
        self._waiting: dict[str, int] = {}
        """By digest of a message, the id of the line before those among which it was read."""
        self._to_send: deque[Message] = deque()
        self._sent: dict[str, Message] = {}
        """In the order in which they were sent, by digest."""

    def connected(self) -> None:
        """Say that the room is there, and send again what is not confirmed."""
        self._broker.publish(self._status, ONLINE, QOS, retain=True)
        self._changes.put(BrokerAnswered(self._name, "connected"))
        self._arrived.put(None)

    def received(self, message: paho.MQTTMessage) -> None:
        """Take confirmations, and set right what the broker says of a connection of before."""
        self._broker.ack(message.mid, message.qos)
        with suppress(UnicodeDecodeError):
            if message.topic == self._confirmations:
                self._arrived.put(message.payload.decode("ascii").split())
            elif message.payload == OFFLINE and not self._stop.is_set():
                self._broker.publish(self._status, ONLINE, QOS, retain=True)

    def moved(self, store: Path) -> None:
        """Publish the lines of another store, as the first one is gone."""
        self._arrived.put(store)

    def failed(self, why: str) -> None:
        """Tell it; the lines wait."""
        self._changes.put(PortUnavailable(self._name, why))

    def _run(self) -> None:
        end_s = None
        while end_s is None or (self._is_answered() and time.monotonic() < end_s):
            stops = self._stop.is_set()  # what has come by now is taken
            self._take()
            if self._broker.is_connected():
                self._send()
            if time.monotonic() - self._saved_s > _SAVE_S:
                self._save()
            if stops and end_s is None:
                end_s = time.monotonic() + _SHUTDOWN_TIMEOUT_S
        self._save()
        self._store.close()

    def _is_answered(self) -> bool:
        """Whether somebody confirms what was sent, so that it is worth waiting for."""
        return self._broker.is_connected() and self._has_collector and bool(self._sent)

    def _take(self) -> None:
        """Take what has arrived, after a short wait if it is nothing."""
        with suppress(queue.Empty):
            arrived = self._arrived.get(timeout=_LOOK_S)
            while True:
                if arrived is None:
                    self._again(list(self._sent))
                    self._confirmation_is_due()
                elif isinstance(arrived, Path):
                    self._store.close()
                    self._open(arrived)
                else:
                    for digest in arrived:
                        self._confirmed(digest)
                arrived = self._arrived.get_nowait()

    def _confirmation_is_due(self) -> None:
        self._heard_s, self._resend_after_s = time.monotonic(), _RESEND_AFTER_S

    def _confirmed(self, digest: str) -> None:
        if self._waiting.pop(digest, None) is None:
            return
        self._confirmation_is_due()
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

    def _send(self) -> None:
        if self._sent and time.monotonic() - self._heard_s > self._resend_after_s:
            self._again([next(iter(self._sent))])
            self._heard_s = time.monotonic()
            self._resend_after_s = min(2 * self._resend_after_s, _MAX_RESEND_AFTER_S)
            if self._has_collector:
                self._has_collector = False
                self._changes.put(PortUnavailable(self._name, _NO_COLLECTOR))
        while len(self._sent) < WINDOW and (self._to_send or self._read_more()):
            message = self._to_send.popleft()
            if message.digest in self._waiting:
                if not self._sent:
                    self._heard_s = time.monotonic()
                self._sent[message.digest] = message
                where = topic(self._prefix, self._room, "board", message.board)
                self._broker.publish(where, message.lines, QOS, retain=False)

    def _read_more(self) -> bool:
        with suppress(StoreError):  # whoever writes to the store says what is wrong
            before = self._read
            found, self._read = messages_after(self._store, before, self._room)
            for message in found:
                self._waiting.setdefault(message.digest, before)
            self._to_send.extend(found)
        return bool(self._to_send)

    def _save(self) -> None:
        """Note how far all is stored, if that has changed."""
        self._saved_s = time.monotonic()
        stored = min([self._read, *self._waiting.values()])
        if stored == self._saved:
            return
        with suppress(StoreError):  # then more is sent twice, and nothing is lost
            self._store.save_published(self._receiver, stored)
            self._saved = stored

    def close(self) -> None:
        """Publish what is left, if somebody stores it, and that the room goes offline."""
        self._stop.set()
        self._thread.join()
        self._broker.close([self._broker.publish(self._status, OFFLINE, QOS, retain=True)])
