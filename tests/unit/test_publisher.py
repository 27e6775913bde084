"""What a room sends, and sends again, until a collector has stored it."""

import queue
import time
from math import inf
from types import SimpleNamespace

import pytest

from noughts.rooms import publisher
from noughts.rooms.address import parse
from noughts.rooms.broker import Connection
from noughts.rooms.credentials import Credentials
from noughts.rooms.messages import digest
from noughts.watch.port_monitor import PortUnavailable
from noughts.watch.raw_log import RawLog
from noughts.watch.room_events import BrokerAnswered, LinesNotPublished
from sample_games import AT

URL = "mqtt://broker.example"


class Client:
    """The client of a connection: it notes what is published."""

    def __init__(self):
        self.is_up = True
        self.sent = queue.SimpleQueue()
        self.acknowledged = []

    def is_connected(self):
        return self.is_up

    def publish(self, topic, payload, qos, retain):
        assert qos == 1
        self.sent.put((topic.removeprefix("noughts/3b/"), payload, retain))

    def ack(self, mid, qos):
        self.acknowledged.append((mid, qos))

    def next(self):
        """The next message, by the number in its line; or the status."""
        topic, payload, retain = self.sent.get(timeout=120)
        if topic == "status":
            return payload.decode(), retain
        assert not retain
        return int(payload.rsplit(b" ", 1)[1])

    def rest(self):
        found = []
        while not self.sent.empty():
            found.append(self.next())
        return found


@pytest.fixture
def log(tmp_path):
    log = RawLog(tmp_path / "raw")
    yield log
    log.close()


def say(log, number):
    """A message for itself, as each board says something."""
    log.write(f"usb-{number}", f"line {number}", AT)
    log.flush()


@pytest.fixture
def room(log, monkeypatch):
    """A room whose broker is in the hands of the test; no time passes but where it says so."""
    broker = SimpleNamespace(start=lambda: None, close=lambda last: None)
    monkeypatch.setattr(publisher, "Broker", lambda *_: broker)
    monkeypatch.setattr(publisher, "_LOOK_S", 0.001)
    monkeypatch.setattr(publisher, "_PATIENCE_S", inf)
    begun = []

    def begin():
        begun.append(publisher.Publisher(parse(URL), Credentials(), "3b", log.folder))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


def connect(room):
    client = Client()
    room.connected(Connection(client))
    assert client.next() == ("online", True)
    return client


def confirm(room, client, *numbers):
    line = "2026-09-21T14:13:20.000Z usb-{0} line {0}\n"
    said = " ".join(digest(line.format(number).encode()) for number in numbers).encode()
    topic = "noughts/3b/stored"
    room.received(Connection(client), SimpleNamespace(topic=topic, payload=said, mid=7, qos=1))
    assert client.acknowledged.pop() == (7, 1)


def ended(room, client):
    """What was sent besides, until the room's end."""
    client.is_up = False
    room.close()
    return client.rest()


def told(room):
    """What a person is told, when it is."""
    end_s = time.monotonic() + 120
    while time.monotonic() < end_s:
        yield from room.poll()


def test_what_is_not_confirmed_is_sent_again_in_order(log, room):
    for number in range(4):
        say(log, number)
    room = room()
    first = connect(room)
    assert [first.next() for _ in range(4)] == [0, 1, 2, 3]
    second = connect(room)
    assert [second.next() for _ in range(4)] == [0, 1, 2, 3]
    confirm(room, second, 2)  # so the two before it have not arrived
    assert [second.next() for _ in range(2)] == [0, 1]
    confirm(room, second, 0, 2, 7)  # once more, and one that was never sent
    assert second.next() == 3
    third = connect(room)
    assert [third.next() for _ in range(2)] == [1, 3]
    say(log, 4)
    assert third.next() == 4
    confirm(room, third, 1, 3, 4)
    assert ended(room, third) == [("offline", True)]
    assert first.rest() == second.rest() == []


def test_so_many_wait_and_no_more(log, room):
    for number in range(publisher.WINDOW + 3):
        say(log, number)
    room = room()
    client = connect(room)
    assert [client.next() for _ in range(publisher.WINDOW)] == list(range(publisher.WINDOW))
    confirm(room, client, 0, 1)
    assert [client.next() for _ in range(2)] == [publisher.WINDOW, publisher.WINDOW + 1]
    assert ended(room, client) == [("offline", True)]


def test_nobody_confirms_anything_for_a_while(log, room, monkeypatch):
    monkeypatch.setattr(publisher, "_PATIENCE_S", 0.0)
    say(log, 0)
    say(log, 1)
    room = room()
    client = connect(room)
    said = told(room)
    assert next(said) == BrokerAnswered(URL, "connected")
    assert [client.next() for _ in range(6)] == [0, 1, 0, 1, 0, 1]
    event = next(said)
    assert isinstance(event, PortUnavailable) and event.why.startswith("no collector stores")
    monkeypatch.setattr(publisher, "_PATIENCE_S", inf)
    confirm(room, client, 0)
    assert next(said) == BrokerAnswered(URL, "a collector stores what this room says")
    ended(room, client)
    assert room.poll() == []


def test_what_was_confirmed_is_known_after_a_restart(log, room):
    say(log, 0)
    before = room()
    client = connect(before)
    assert client.next() == 0
    confirm(before, client, 0)
    say(log, 1)
    client = connect(before)
    assert client.next() == 1
    assert ended(before, client) == [("offline", True)]
    assert connect(room()).next() == 1
    (position,) = log.folder.glob("published-*.json")
    position.unlink()
    assert connect(room()).next() == 0


def test_raw_lines_that_made_room_are_told(log, room, monkeypatch):
    """While nobody confirms anything, so that no more are read."""
    monkeypatch.setattr(publisher, "_SAVE_S", 0.0)
    for number in range(1000):
        say(log, number)
    (path,) = log.folder.glob("*.log")
    lines = path.read_bytes()
    room = room()
    client = connect(room)
    assert [client.next() for _ in range(publisher.WINDOW)] == list(range(publisher.WINDOW))
    said = told(room)
    assert next(said) == BrokerAnswered(URL, "connected")
    path.unlink()
    event = next(said)
    assert isinstance(event, LinesNotPublished)
    assert 0 < event.bytes == len(lines) - lines.rfind(b"\n", 0, 16 * 1024) - 1


def test_a_room_that_is_taken_for_lost_says_that_it_is_there(room):
    room = room()
    client = connect(room)
    for payload in (b"offline", b"online", b"\xff"):
        message = SimpleNamespace(topic="noughts/3b/status", payload=payload, mid=1, qos=1)
        room.received(Connection(client), message)
    assert client.next() == ("online", True)
    assert ended(room, client) == [("offline", True)]
    room.received(Connection(client), SimpleNamespace(**vars(message) | {"payload": b"offline"}))
    assert client.rest() == []
