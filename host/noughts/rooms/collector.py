"""Receiving from rooms: each message is acknowledged and confirmed once it is stored."""

from collections.abc import Iterator
from functools import partial

import paho.mqtt.client as paho

from noughts.errors import printable
from noughts.recording.events import Event, MessageRejected, PortOpened, RoomOffline, RoomOnline
from noughts.recording.sources import Change, DataReceived, Delivered
from noughts.rooms.address import BrokerAddress
from noughts.rooms.broker import Broker
from noughts.rooms.messages import OFFLINE, ONLINE, digest, parse_topic, received_lines, topic
from noughts.store import timestamps

MAX_NAMES = 10_000
"""Of rooms, or of boards, so that no sender can fill the memory."""


class Collector:
    """Receives from all rooms of a broker, as a source of a `Recorder`, until `close()`.

    A board is named `ROOM/BOARD`. Messages are not trusted.
    """

    def __init__(self, address: BrokerAddress) -> None:
        self._prefix, self._name = address.prefix, str(address)
        self._online: dict[str, bool] = {}
        """By room."""
        self._connected: dict[str, bool] = {}
        """By board, whether it has sent something since its port, or its room, was opened."""
        self._rejected: set[str] = set()
        self._stored: dict[str, list[str]] = {}
        """By room, the digests of stored messages that are not confirmed yet."""
        self._confirmations: list[paho.MQTTMessageInfo] = []
        rooms = f"{address.prefix}/+/"
        self._broker = Broker(address, [f"{rooms}status", f"{rooms}board/+"])

    def poll(self) -> list[Change]:
        """Everything that has arrived; the broker limits how many messages are unacknowledged."""
        self._broker.faults.raise_next()
        self._confirm()
        changes: list[Change] = []
        while not self._broker.arrived.empty():
            arrived = self._broker.arrived.get()
            changes += [arrived] if isinstance(arrived, Event) else self._take(arrived)
        return changes

    def _take(self, message: paho.MQTTMessage) -> Iterator[Change]:
        where, payload = "", bytes(message.payload)
        try:
            where = message.topic
            room, board = parse_topic(self._prefix, where)
            if board is not None:
                yield from self._lines(room, board, payload)
                yield Delivered(partial(self._note_stored, message, room))
                return
            yield from self._status(room, payload)
        except ValueError as error:
            if (why := str(error)) not in self._rejected:
                self._rejected.add(why)
                yield MessageRejected(printable(where[:80]), why)
        self._broker.acknowledge(message)

    def _status(self, room: str, payload: bytes) -> Iterator[Change]:
        if payload not in (ONLINE, OFFLINE, b""):  # empty: somebody has removed the room
            raise ValueError("that is not the status of a room")
        if not payload or self._online.get(room) == (payload == ONLINE):
            return
        self._limit(room, self._online)
        self._online[room] = payload == ONLINE
        yield RoomOnline(room) if payload == ONLINE else RoomOffline(room)
        if payload == OFFLINE:
            for board in self._connected:
                self._connected[board] &= not board.startswith(f"{room}/")

    def _limit(self, name: str, names: dict[str, bool]) -> None:
        """Refuse a new room or board if there are too many already."""
        if name not in names and len(names) >= MAX_NAMES:
            raise ValueError(f"there are more than {MAX_NAMES:,} rooms or boards")

    def _lines(self, room: str, board: str, payload: bytes) -> Iterator[Change]:
        name = f"{room}/{board}"
        lines = received_lines(board, payload, timestamps.now())
        self._limit(name, self._connected)
        for data, at in lines:
            # A board that has sent nothing may be a gateway, and is not announced.
            if (not data) == self._connected.setdefault(name, False):
                self._connected[name] = True
                yield PortOpened(name, self._name)
            yield DataReceived(name, data, at)

    def _note_stored(self, message: paho.MQTTMessage, room: str) -> None:
        self._stored.setdefault(room, []).append(digest(bytes(message.payload)))
        self._broker.acknowledge(message)

    def _confirm(self) -> None:
        if self._stored:
            self._confirmations = [
                self._broker.publish(topic(self._prefix, room, "stored"), " ".join(digests))
                for room, digests in self._stored.items()
            ]
            self._stored = {}

    def close(self) -> None:
        """Confirm what is stored by now, and disconnect."""
        self._confirm()
        self._broker.close(self._confirmations)
