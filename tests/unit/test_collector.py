"""A collector stores what rooms send, and then confirms it."""

import contextlib
import socket
import sqlite3

import pytest

from fake_broker import BROKER, FakeBroker
from noughts.errors import ThreadFault
from noughts.recording.events import (
    MessageRejected,
    PortOpened,
    RoomOffline,
    RoomOnline,
)
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived, Delivered, QueuedSource
from noughts.rooms import collector
from noughts.rooms.address import parse
from noughts.rooms.messages import digest
from sample_games import AT, DRAW, stages, write
from waiting import until

DATA = write(stages([4])[1]).encode() + b"\n"
LINE = b"2026-09-21T14:13:20.000Z usb-1 " + DATA
OTHER_LINE = LINE.replace(b"usb-1", b"usb-2")


class Rooms:
    """A collector, and rooms that send to it."""

    def __init__(self):
        self._collector = collector.Collector(parse(BROKER))
        self.broker = FakeBroker.last
        self.poll, self.close = self._collector.poll, self._collector.close

    def send(self, topic, payload, mid=1):
        self.broker.receive(topic, payload, mid)
        return self.poll()


@pytest.fixture
def rooms(monkeypatch):
    monkeypatch.setattr(collector, "Broker", FakeBroker)
    return Rooms()


def test_collector_confirms_a_message_once_it_is_stored(rooms):
    payload = LINE + LINE
    *changes, delivered = rooms.send("3b/board/usb-1", payload)
    data = DataReceived("3b/usb-1", DATA, AT)
    assert changes == [PortOpened("3b/usb-1", BROKER), data, data]
    assert isinstance(delivered, Delivered)
    assert rooms.poll() == rooms.broker.acknowledged == [] and not rooms.broker.sent
    delivered.confirm()
    *_, other = rooms.send("3b/board/usb-1", LINE, 2)
    assert rooms.broker.acknowledged == [1]
    confirmed = ("stored", digest(payload), False)
    assert [*rooms.broker.sent] == [confirmed]
    other.confirm()
    rooms.close()
    assert rooms.broker.acknowledged == [1, 2]
    assert [*rooms.broker.sent] == [confirmed, ("stored", digest(LINE), False)]


def test_port_opened_in_a_room_arrives_as_empty_data(rooms):
    """Until it sends something, no board is reported: the port may be that of a gateway."""
    opened = LINE.replace(DATA, b"\n")
    was_opened = DataReceived("3b/usb-1", b"", AT)
    first, delivered = rooms.send("3b/board/usb-1", opened)
    assert first == was_opened
    assert isinstance(delivered, Delivered)
    data = DataReceived("3b/usb-1", DATA, AT)
    announced = PortOpened("3b/usb-1", BROKER)
    assert rooms.send("3b/board/usb-1", opened + LINE)[:-1] == [was_opened, announced, data]
    assert rooms.send("3b/board/usb-1", LINE + opened)[:-1] == [data, announced, was_opened]


def test_boards_of_an_offline_room_reopen_when_they_send(rooms):
    announced = [PortOpened(f"{room}/usb-1", BROKER) for room in ("3b", "3")]
    for room in ("3b", "3"):
        rooms.send(f"{room}/board/usb-1", LINE)
    assert rooms.send("3/status", b"online") == [RoomOnline("3")]
    assert rooms.send("3/status", b"online") == []
    assert rooms.send("3/status", b"offline") == [RoomOffline("3")]
    assert rooms.send("3/status", b"") == rooms.send("3/status", b"offline") == []
    assert rooms.send("3/status", b"online") == [RoomOnline("3")]
    assert rooms.send("3b/board/usb-1", LINE)[0] not in announced
    assert rooms.send("3/board/usb-1", LINE)[0] == announced[1]
    assert rooms.send("3/board/usb-1", LINE)[0] not in announced


def test_invalid_message_is_reported_once_and_acknowledged(rooms, monkeypatch):
    monkeypatch.setattr(collector, "MAX_NAMES", 1)
    rooms.send("3b/board/usb-1", LINE)
    rooms.send("3b/status", b"online")
    wrong = [
        ("3b/board/usb-2", OTHER_LINE, "there are more than 1 rooms or boards"),
        ("3c/status", b"online", None),
        ("3b/status", b"gone", "that is not the status of a room"),
        ("x", b"", "that is not the topic of a room or of one of its boards"),
    ]
    for topic, payload, why in wrong:
        rejected = [MessageRejected(f"noughts/{topic}", why)] if why else []
        for expected in (rejected, []):
            rooms.broker.acknowledged.clear()
            assert rooms.send(topic, payload) == expected
            assert rooms.broker.acknowledged == [1]
    assert rooms.send("3b/board/usb-1", LINE)[0] == DataReceived("3b/usb-1", DATA, AT)


def test_fault_of_ours_is_not_an_answer_of_the_broker(monkeypatch):
    """The server is a broker that accepts the connection."""

    def fail(*_):
        raise KeyError("a fault in a callback")

    monkeypatch.setattr("noughts.rooms.broker.BrokerAnswered", fail)
    faults = []

    def poll(source):
        try:
            assert source.poll() == []
        except ThreadFault as fault:
            faults.append(fault)
        return faults

    with socket.create_server(("127.0.0.1", 0)) as server:
        source = collector.Collector(parse(f"mqtt://127.0.0.1:{server.getsockname()[1]}"))
        with contextlib.closing(source), server.accept()[0] as connection:
            connection.sendall(b"\x20\x03\0\0\0")  # connected
            until(lambda: poll(source), "the fault")


def test_recorder_confirms_messages_after_storing_and_on_exit(store, monkeypatch):
    """Not while another program locks the store; on exit, without waiting for more messages."""
    monkeypatch.setattr("noughts.recording.recorder.SHUTDOWN_TIMEOUT_S", -1)
    source, confirmed = QueuedSource(), []

    def deliver(number):
        for game in stages(DRAW, number=number):
            source.put(DataReceived("3b/usb-1", write(game).encode() + b"\n", AT + game.ms))
        source.put(Delivered(lambda: confirmed.append(number)))

    recorder = Recorder(store, [source])
    with contextlib.closing(recorder), contextlib.closing(sqlite3.connect(store.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        deliver(1)
        recorder.poll()
        assert confirmed == []
        other.execute("ROLLBACK")
        recorder.poll()
        assert confirmed == [1]
        deliver(2)
        recorder.finish()
        assert confirmed == [1, 2]
        games = other.execute("SELECT number, end, started FROM games").fetchall()
        assert games == [(1, "=", AT), (2, "=", AT)]
