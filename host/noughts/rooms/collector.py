"""What rooms say, from a broker: each message is acknowledged and confirmed once it is stored."""

from __future__ import annotations

import queue
from collections.abc import Iterator
from functools import partial

import paho.mqtt.client as paho

from noughts.errors import printable
from noughts.rooms import messages, topics
from noughts.rooms.address import BrokerAddress
from noughts.rooms.broker import QOS, Broker
from noughts.rooms.credentials import Credentials
from noughts.rooms.topics import OFFLINE, ONLINE, RoomTopics
from noughts.store import timestamps
from noughts.store.capture import OPENED
from noughts.watch.events import (
    BrokerAnswered,
    MessageRejected,
    PortOpened,
    PortUnavailable,
    RoomOffline,
    RoomOnline,
)
from noughts.watch.sources import Change, DataReceived, Delivered, LineOpened

_MAX_BOARDS = 10_000
"""Nobody who may publish can fill the memory with boards."""
_MAX_REJECTED = 100
"""Kinds of messages that are rejected, of which a person is told."""
_SHOWN = 80
"""Characters of a topic."""

_Arrived = tuple[paho.Client, paho.MQTTMessage] | PortUnavailable | BrokerAnswered


class Collector:
    """What all rooms of a broker say, for a `Recorder`. `close()` it.

    A board is named `ROOM/BOARD`. What comes is as untrusted as noise on a wire.
    """

    def __init__(self, address: BrokerAddress, login: Credentials) -> None:
        self._prefix = address.prefix
        self._name = str(address)
        self._arrived: queue.SimpleQueue[_Arrived] = queue.SimpleQueue()
        self._online: dict[str, bool] = {}
        self._boards: set[str] = set()
        self._silent: set[str] = set()
        """Boards that have said nothing yet, as gateways, or since their rooms went offline."""
        self._rejected: set[tuple[str, str]] = set()
        self._confirmed: dict[tuple[paho.Client, str], list[str]] = {}
        self._last: list[paho.MQTTMessageInfo] = []
        self._broker = Broker(address, login, self, topics.of_all_rooms(address.prefix))
        self._broker.start()

    def connected(self, client: paho.Client) -> None:
        """Tell it; rooms send what is not confirmed again by themselves."""
        self._arrived.put(BrokerAnswered(self._name, "connected"))

    def received(self, client: paho.Client, message: paho.MQTTMessage) -> None:
        """Take a message; the broker sends no more than a few that are not acknowledged."""
        self._arrived.put((client, message))

    def failed(self, why: str) -> None:
        """Tell it; the rooms keep what they have."""
        self._arrived.put(PortUnavailable(self._name, why))

    def poll(self) -> list[Change]:
        """What has come since the last time."""
        self._confirm()
        changes: list[Change] = []
        while not self._arrived.empty():
            arrived = self._arrived.get()
            if isinstance(arrived, tuple):
                changes += self._take(*arrived)
            else:
                changes.append(arrived)
        return changes

    def _take(self, client: paho.Client, message: paho.MQTTMessage) -> Iterator[Change]:
        room, topic = "", "a topic that is not text"
        try:
            topic = message.topic
            room, board = topics.parse(self._prefix, topic)
            if board is None:
                yield from self._status(room, bytes(message.payload))
            else:
                yield from self._said(client, message, room, board)
                return
        except ValueError as error:
            yield from self._reject(room, topic, error)
        client.ack(message.mid, message.qos)

    def _status(self, room: str, payload: bytes) -> Iterator[Change]:
        if payload not in (ONLINE, OFFLINE, b""):  # nothing: somebody has removed the room
            raise ValueError("that is not the status of a room")
        if payload and self._online.get(room) != (payload == ONLINE):
            if room not in self._online and len(self._online) >= _MAX_BOARDS:
                raise ValueError(f"there are more than {_MAX_BOARDS:,} rooms")
            self._online[room] = payload == ONLINE
            yield RoomOnline(room) if payload == ONLINE else RoomOffline(room)
            if payload == OFFLINE:
                self._silent |= {each for each in self._boards if each.startswith(f"{room}/")}

    def _said(
        self, client: paho.Client, message: paho.MQTTMessage, room: str, board: str
    ) -> Iterator[Change]:
        heard = messages.heard(board, bytes(message.payload), timestamps.now())
        name = f"{room}/{board}"
        if name not in self._boards:
            if len(self._boards) >= _MAX_BOARDS:
                raise ValueError(f"there are more than {_MAX_BOARDS:,} boards")
            self._boards.add(name)
            self._silent.add(name)
        for data, at in heard:
            opened, silent = data == OPENED, name in self._silent
            if opened:
                yield LineOpened(name, at)
            if opened != silent:  # it is there again, or for the first time
                self._silent.discard(name)
                yield PortOpened(name, self._name)
            if not opened:
                yield DataReceived(name, data, at)
        yield Delivered(partial(self._stored, client, message, room))

    def _stored(self, client: paho.Client, message: paho.MQTTMessage, room: str) -> None:
        digest = messages.digest(bytes(message.payload))
        self._confirmed.setdefault((client, room), []).append(digest)
        client.ack(message.mid, message.qos)

    def _confirm(self) -> None:
        """Tell the rooms what is stored by now."""
        confirmed, self._confirmed = self._confirmed, {}
        if confirmed:
            self._last = [
                client.publish(
                    RoomTopics(self._prefix, room).stored, " ".join(digests).encode(), QOS, False
                )
                for (client, room), digests in confirmed.items()
            ]

    def _reject(self, room: str, topic: str, error: ValueError) -> Iterator[Change]:
        why = "its topic is not text" if isinstance(error, UnicodeError) else str(error)
        if (room, why) not in self._rejected and len(self._rejected) < _MAX_REJECTED:
            self._rejected.add((room, why))
            yield MessageRejected(printable(topic[:_SHOWN]), why)

    def close(self) -> None:
        """Confirm what is stored by now, and hang up."""
        self._confirm()
        self._broker.close(self._last)
