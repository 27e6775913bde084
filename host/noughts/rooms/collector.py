"""What rooms say, from a broker: each message is acknowledged and confirmed once it is stored."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from functools import partial

import paho.mqtt.client as paho

from noughts.errors import printable
from noughts.recording.events import (
    BrokerAnswered,
    Event,
    MessageRejected,
    PortOpened,
    PortUnavailable,
    RoomOffline,
    RoomOnline,
)
from noughts.recording.sources import Change, DataReceived, Delivered, LineOpened
from noughts.rooms import messages
from noughts.rooms.address import BrokerAddress, Credentials
from noughts.rooms.broker import QOS, Broker
from noughts.rooms.messages import OFFLINE, ONLINE, topic
from noughts.store import timestamps
from noughts.store.capture import OPENED

_MAX_NAMES = 10_000
"""Nobody who may publish can fill the memory with rooms and boards."""
_MAX_REJECTED = 100
"""Kinds of rejected messages that are reported to the user."""
_SHOWN = 80
"""Characters of a topic."""


class Collector:
    """What all rooms of a broker say, for a `Recorder`. `close()` it.

    A board is named `ROOM/BOARD`. What comes is as untrusted as noise on a wire.
    """

    def __init__(self, address: BrokerAddress, login: Credentials) -> None:
        self._prefix, self._name = address.prefix, str(address)
        self._arrived: queue.SimpleQueue[paho.MQTTMessage | Event] = queue.SimpleQueue()
        self._online: dict[str, bool] = {}
        self._heard: dict[str, bool] = {}
        """By board, whether it has said something since it, or its room, was opened."""
        self._rejected: set[tuple[str, str]] = set()
        self._stored: dict[str, list[str]] = {}
        """By room, the digests of messages that are stored, and not confirmed yet."""
        self._confirmations: list[paho.MQTTMessageInfo] = []
        put, answered = self._arrived.put, BrokerAnswered(self._name, "connected")
        self._broker = Broker(
            address,
            login,
            lambda: put(answered),
            put,  # the broker sends no more than a few that are not acknowledged
            lambda why: put(PortUnavailable(self._name, why)),
            messages.of_all_rooms(address.prefix),
        )
        self._broker.loop_start()

    def poll(self) -> list[Change]:
        """What has come since the last time."""
        self._confirm()
        changes: list[Change] = []
        while not self._arrived.empty():
            arrived = self._arrived.get()
            if isinstance(arrived, Event):
                changes.append(arrived)
            else:
                changes += self._take(arrived)
        return changes

    def _take(self, message: paho.MQTTMessage) -> Iterator[Change]:
        room, where = "", "a topic that is not text"
        try:
            where = message.topic
            room, board = messages.parse_topic(self._prefix, where)
            if board is not None:
                yield from self._said(message, room, board)
                return
            yield from self._status(room, bytes(message.payload))
        except ValueError as error:
            why = "its topic is not text" if isinstance(error, UnicodeError) else str(error)
            if (room, why) not in self._rejected and len(self._rejected) < _MAX_REJECTED:
                self._rejected.add((room, why))
                yield MessageRejected(printable(where[:_SHOWN]), why)
        self._broker.ack(message.mid, message.qos)

    def _status(self, room: str, payload: bytes) -> Iterator[Change]:
        if payload not in (ONLINE, OFFLINE, b""):  # nothing: somebody has removed the room
            raise ValueError("that is not the status of a room")
        if payload and self._online.get(room) != (payload == ONLINE):
            self._limit(room, self._online, "rooms")
            self._online[room] = payload == ONLINE
            yield RoomOnline(room) if payload == ONLINE else RoomOffline(room)
            if payload == OFFLINE:
                for board in self._heard:
                    self._heard[board] &= not board.startswith(f"{room}/")

    def _limit(self, name: str, known: dict[str, bool], what: str) -> None:
        if name not in known and len(known) >= _MAX_NAMES:
            raise ValueError(f"there are more than {_MAX_NAMES:,} {what}")

    def _said(self, message: paho.MQTTMessage, room: str, board: str) -> Iterator[Change]:
        name, payload = f"{room}/{board}", bytes(message.payload)
        heard = messages.received_lines(board, payload, timestamps.now())
        self._limit(name, self._heard, "boards")
        for data, at in heard:
            opened = data == OPENED
            if opened:
                yield LineOpened(name, at)
            # A board that has said nothing may be a gateway: nothing is said of it.
            if opened == self._heard.setdefault(name, False):
                self._heard[name] = True
                yield PortOpened(name, self._name)
            if not opened:
                yield DataReceived(name, data, at)
        yield Delivered(partial(self._note_stored, message, room))

    def _note_stored(self, message: paho.MQTTMessage, room: str) -> None:
        self._stored.setdefault(room, []).append(messages.digest(bytes(message.payload)))
        self._broker.ack(message.mid, message.qos)

    def _confirm(self) -> None:
        """Tell the rooms what has been stored."""
        if self._stored:
            self._confirmations = [
                self._broker.publish(
                    topic(self._prefix, room, "stored"), " ".join(digests).encode(), QOS, False
                )
                for room, digests in self._stored.items()
            ]
            self._stored = {}

    def close(self) -> None:
        """Confirm what is stored by now, and hang up."""
        self._confirm()
        self._broker.close(self._confirmations)
