"""What a collector makes of messages, and when it confirms them."""

from types import SimpleNamespace

import pytest

from noughts.protocol.sentences import write
from noughts.rooms import collector
from noughts.rooms.address import parse
from noughts.rooms.broker import Connection
from noughts.rooms.credentials import Credentials
from noughts.rooms.messages import digest
from noughts.watch.port_monitor import DataReceived, LineOpened, PortOpened
from noughts.watch.recorder import Delivered
from noughts.watch.room_events import MessageRejected, RoomOffline, RoomOnline
from sample_games import AT, stages

URL = "mqtt://broker.example"
SAID = write(stages([4])[1]).encode() + b"\n"


def line(board, said=SAID):
    return f"2026-09-21T14:13:20.000Z {board} ".encode() + said


class Rooms:
    """A collector, and its connection to a broker that is in the hands of the test."""

    def __init__(self, monkeypatch):
        broker = SimpleNamespace(start=lambda: None, close=lambda last: None)
        monkeypatch.setattr(collector, "Broker", lambda *_: broker)
        monkeypatch.setattr(collector, "_WAIT_S", 0.0)
        self.collector = collector.Collector(parse(URL), Credentials())
        self.acknowledged, self.published = [], []
        self.connection = Connection(self)

    def ack(self, mid, qos):
        self.acknowledged.append(mid)

    def publish(self, *words):
        self.published.append(words)

    def send(self, topic, payload, mid=1):
        message = SimpleNamespace(topic=f"noughts/{topic}", payload=payload, mid=mid, qos=1)
        self.collector.received(self.connection, message)
        return self.collector.poll()


@pytest.fixture
def rooms(monkeypatch):
    return Rooms(monkeypatch)


def test_a_message_is_confirmed_once_it_is_stored(rooms):
    said = line("usb-1") + line("usb-1")
    *changes, delivered = rooms.send("3b/board/usb-1", said)
    data = DataReceived("3b/usb-1", SAID, AT)
    assert changes == [PortOpened("3b/usb-1", URL), data, data]
    assert isinstance(delivered, Delivered)
    assert rooms.collector.poll() == rooms.acknowledged == rooms.published == []
    delivered.stored()
    *_, other = rooms.send("3b/board/usb-1", line("usb-1"), 2)
    assert rooms.acknowledged == [1]
    confirmed = ("noughts/3b/stored", digest(said).encode(), 1, False)
    assert rooms.published == [confirmed]
    other.stored()
    rooms.collector.close()
    assert rooms.acknowledged == [1, 2]
    assert rooms.published == [confirmed, (confirmed[0], digest(line("usb-1")).encode(), 1, False)]


def test_a_port_that_was_opened_in_the_room(rooms):
    """Nothing is said of a board that has said nothing: a gateway passes on what others say."""
    opened = line("usb-1", b"\n")
    was_opened = LineOpened("3b/usb-1", AT)
    first, delivered = rooms.send("3b/board/usb-1", opened)
    assert first == was_opened
    assert isinstance(delivered, Delivered)
    data = DataReceived("3b/usb-1", SAID, AT)
    there = PortOpened("3b/usb-1", URL)
    assert rooms.send("3b/board/usb-1", opened + line("usb-1"))[:-1] == [was_opened, there, data]
    assert rooms.send("3b/board/usb-1", line("usb-1") + opened)[:-1] == [data, was_opened, there]


def test_boards_of_a_room_that_was_offline_are_there_when_they_speak(rooms):
    there = [PortOpened(f"{room}/usb-1", URL) for room in ("3b", "3")]
    for room in ("3b", "3"):
        rooms.send(f"{room}/board/usb-1", line("usb-1"))
    assert rooms.send("3/status", b"online") == [RoomOnline("3")]
    assert rooms.send("3/status", b"online") == []
    assert rooms.send("3/status", b"offline") == [RoomOffline("3")]
    assert rooms.send("3/status", b"") == rooms.send("3/status", b"offline") == []
    assert rooms.send("3/status", b"online") == [RoomOnline("3")]
    assert rooms.send("3b/board/usb-1", line("usb-1"))[0] not in there
    assert rooms.send("3/board/usb-1", line("usb-1"))[0] == there[1]
    assert rooms.send("3/board/usb-1", line("usb-1"))[0] not in there


def test_what_no_room_sends_is_told_once_and_not_sent_again(rooms, monkeypatch):
    monkeypatch.setattr(collector, "_MAX_BOARDS", 1)
    monkeypatch.setattr(collector, "_MAX_REJECTED", 3)
    rooms.send("3b/board/usb-1", line("usb-1"))
    rooms.send("3b/status", b"online")
    wrong = [
        ("3b/board/usb-2", line("usb-2"), "there are more than 1 boards"),
        ("3c/status", b"online", "there are more than 1 rooms"),
        ("3b/status", b"gone", "that is not the status of a room"),
        ("\u202e", b"", None),
    ]
    for topic, payload, why in wrong:
        told = [MessageRejected(f"noughts/{topic}", why)] if why else []
        for expected in (told, []):
            rooms.acknowledged.clear()
            assert rooms.send(topic, payload) == expected
            assert rooms.acknowledged == [1]
    assert rooms.send("3b/board/usb-1", line("usb-1"))[0] == DataReceived("3b/usb-1", SAID, AT)
