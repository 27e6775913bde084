"""What a room sends, and sends again, until a collector has stored it; its queue on disk."""

import json
import queue
import time
from math import inf
from types import SimpleNamespace

import pytest

from noughts.rooms import publisher
from noughts.rooms.address import parse
from noughts.rooms.backlog import Backlog
from noughts.rooms.broker import Connection
from noughts.rooms.credentials import Credentials
from noughts.rooms.messages import Message, digest
from noughts.watch import raw_log
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
    monkeypatch.setattr(publisher, "_LAST_S", 0.0)
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


def write_lines(log, count, board="usb-1", first=0):
    for number in range(first, first + count):
        log.write(board, f"line {number}", AT + number)
    log.flush()


def queued(log):
    return Backlog(log.folder, URL, "3b")


def numbers(found):
    return [int(line.rsplit(b" ", 1)[1]) for each in found for line in each.lines.splitlines()]


def everything(backlog):
    found = []
    while more := backlog.more():
        found += more
    return found


def test_what_is_not_confirmed_is_queued_after_a_restart(log):
    write_lines(log, 3)
    backlog = queued(log)
    (first,) = backlog.more()
    assert first.board == "usb-1" and numbers([first]) == [0, 1, 2]
    assert backlog.more() == []
    write_lines(log, 2, first=3)
    (second,) = backlog.more()
    assert backlog.confirmed(second.digest) and not backlog.confirmed(second.digest)
    backlog.save()
    assert numbers(everything(queued(log))) == [0, 1, 2, 3, 4]
    backlog.confirmed(first.digest)
    backlog.save()
    assert everything(queued(log)) == []
    # Another broker or room has had nothing of it.
    for other in ((URL, "3c"), (f"{URL}:1884", "3b")):
        assert numbers(everything(Backlog(log.folder, *other))) == [0, 1, 2, 3, 4]
    (position,) = log.folder.glob("published-*.json")
    (name,) = (path.name for path in raw_log.files(log.folder))
    of_the_file = [f'{{"stored": {{"{name}": {size}}}}}' for size in ("-1", "1.5", "true", '"z"')]
    for damage in ("", "{", "[]", '{"stored": 3}', "\xff", *of_the_file):
        position.write_bytes(damage.encode("latin-1"))
        assert numbers(everything(queued(log))) == [0, 1, 2, 3, 4]


def test_the_lines_of_several_boards_and_files(tmp_path):
    log = RawLog(tmp_path / "raw", piece=2000, limit=6000)
    for number in range(100):
        write_lines(log, 1, f"usb-{number % 3}", number)
    assert len(raw_log.files(log.folder)) > 1
    backlog = queued(log)
    found = everything(backlog)
    for board in range(3):
        of_board = [each for each in found if each.board == f"usb-{board}"]
        assert numbers(of_board) == list(range(board, 100, 3))
    for each in found[1:]:
        backlog.confirmed(each.digest)
    backlog.save()
    # The first file's first lines are not stored, so it is sent from there.
    again = everything(queued(log))
    assert numbers(again)[0] == 0 and 99 not in numbers(again)


def test_half_a_line_waits_and_what_is_not_a_raw_line_is_passed_over(log):
    write_lines(log, 1)
    (path,) = raw_log.files(log.folder)
    with path.open("ab") as file:
        file.write(b"no raw line\n\xff\xfe\n" + b"2026-09-21T14:13:20.000Z usb-1 line")
    backlog = queued(log)
    assert numbers(everything(backlog)) == [0]
    with path.open("ab") as file:
        file.write(b" 7\n" + b"x" * 40_000 + b"\n2026-09-21T14:13:20.000Z usb-1 line 8\n")
    assert numbers(everything(backlog)) == [7, 8]


def stored(log):
    """How far each file is stored, as the position on disk says it."""
    (position,) = log.folder.glob("published-*.json")
    return json.loads(position.read_text())["stored"]


def sizes(log):
    return {path.name: path.stat().st_size for path in raw_log.files(log.folder)}


def test_the_position_is_written_when_it_has_moved(log):
    backlog = queued(log)
    for number in range(2):
        write_lines(log, 1, first=number)
        (message,) = backlog.more()
        backlog.confirmed(message.digest)
        backlog.save()
        assert stored(log) == sizes(log)
    write_lines(log, 1, "3b/usb-1")  # which is not published: it comes from this very room
    assert backlog.more() == []
    backlog.save()
    assert stored(log) == sizes(log)
    (position,) = log.folder.glob("published-*.json")
    position.unlink()
    backlog.save()
    assert not position.exists()


def test_the_same_line_twice_is_confirmed_at_once(log):
    backlog = queued(log)
    found = []
    for _ in range(2):
        write_lines(log, 1)
        found += backlog.more()
    assert found == [Message("usb-1", found[0].lines)] * 2
    assert backlog.confirmed(found[0].digest) and not backlog.waits_for(found[0].digest)
    backlog.save()
    assert stored(log) == sizes(log)


def test_lines_that_made_room_are_counted_unless_they_were_read(log):
    write_lines(log, 1000)
    backlog = queued(log)
    (first,), (second,) = backlog.more(), backlog.more()
    (path,) = raw_log.files(log.folder)
    size = path.stat().st_size
    assert backlog.confirmed(first.digest)
    backlog.save()
    assert stored(log) == {path.name: len(first.lines)}
    path.unlink()
    write_lines(log, 1, first=1000)  # into a new file
    assert numbers(everything(backlog)) == [1000]
    assert backlog.lost == size - len(first.lines) - len(second.lines)
    assert backlog.confirmed(second.digest)
    backlog.save()
    assert stored(log) == {}
