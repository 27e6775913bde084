"""What a room sends, and sends again, until a collector has stored it; its queue on disk."""

import queue
import time
from math import inf
from types import SimpleNamespace

import pytest

from noughts.protocol.sentences import write
from noughts.rooms import publisher
from noughts.rooms.address import parse
from noughts.rooms.backlog import Backlog
from noughts.rooms.credentials import Credentials
from noughts.rooms.messages import Message, digest
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.watch.events import BrokerAnswered, PortUnavailable
from sample_games import AT, stages

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


def say(store, number):
    """A message for itself, as each board says something."""
    write_lines(store, 1, f"usb-{number}", number, at=AT)


@pytest.fixture
def room(store, monkeypatch):
    """A room whose broker is in the hands of the test; no time passes but where it says so."""
    broker = SimpleNamespace(start=lambda: None, close=lambda last: None)
    monkeypatch.setattr(publisher, "Broker", lambda *_: broker)
    monkeypatch.setattr(publisher, "_LOOK_S", 0.001)
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", inf)
    monkeypatch.setattr(publisher, "_SHUTDOWN_TIMEOUT_S", 0.0)
    begun = []

    def begin():
        begun.append(publisher.Publisher(parse(URL), Credentials(), "3b", store.path))
        return begun[-1]

    yield begin
    for each in begun:
        each.close()


def connect(room):
    client = Client()
    room.connected(client)
    assert client.next() == ("online", True)
    return client


def confirm(room, client, *numbers):
    line = "2026-09-21T14:13:20.000Z usb-{0} line {0}\n"
    said = " ".join(digest(line.format(number).encode()) for number in numbers).encode()
    topic = "noughts/3b/stored"
    room.received(client, SimpleNamespace(topic=topic, payload=said, mid=7, qos=1))
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


def test_what_is_not_confirmed_is_sent_again_in_order(store, room):
    for number in range(4):
        say(store, number)
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
    say(store, 4)
    assert third.next() == 4
    confirm(room, third, 1, 3, 4)
    assert ended(room, third) == [("offline", True)]
    assert first.rest() == second.rest() == []


def test_so_many_wait_and_no_more(store, room):
    for number in range(publisher.WINDOW + 3):
        say(store, number)
    room = room()
    client = connect(room)
    assert [client.next() for _ in range(publisher.WINDOW)] == list(range(publisher.WINDOW))
    confirm(room, client, 0, 1)
    assert [client.next() for _ in range(2)] == [publisher.WINDOW, publisher.WINDOW + 1]
    assert ended(room, client) == [("offline", True)]


def test_nobody_confirms_anything_for_a_while(store, room, monkeypatch):
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", 0.0)
    say(store, 0)
    say(store, 1)
    room = room()
    client = connect(room)
    said = told(room)
    assert next(said) == BrokerAnswered(URL, "connected")
    assert [client.next() for _ in range(6)] == [0, 1, 0, 1, 0, 1]
    event = next(said)
    assert isinstance(event, PortUnavailable) and event.why.startswith("no collector stores")
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", inf)
    confirm(room, client, 0)
    assert next(said) == BrokerAnswered(URL, "a collector stores what this room says")
    ended(room, client)
    assert room.poll() == []


def test_what_was_confirmed_is_known_after_a_restart(store, room):
    say(store, 0)
    before = room()
    client = connect(before)
    assert client.next() == 0
    confirm(before, client, 0)
    say(store, 1)
    client = connect(before)
    assert client.next() == 1
    assert ended(before, client) == [("offline", True)]
    assert connect(room()).next() == 1


def test_a_room_goes_on_with_another_store_when_the_first_one_is_gone(store, room, tmp_path):
    say(store, 0)
    room = room()
    client = connect(room)
    assert client.next() == 0
    with Store(tmp_path / "games-2.db", create=True) as other:
        room.moved(other.path)
        say(other, 1)
        assert client.next() == 1
        again = connect(room)
        assert [again.next() for _ in range(2)] == [0, 1]  # what was read is still sent
        confirm(room, again, 0, 1)
        last = connect(room)
        say(other, 2)
        assert last.next() == 2
        assert ended(room, last) == [("offline", True)]
        assert numbers(everything(queued(other))) == [2]


def test_a_room_that_is_taken_for_lost_says_that_it_is_there(room):
    room = room()
    client = connect(room)
    for payload in (b"offline", b"online", b"\xff"):
        message = SimpleNamespace(topic="noughts/3b/status", payload=payload, mid=1, qos=1)
        room.received(client, message)
    assert client.next() == ("online", True)
    assert ended(room, client) == [("offline", True)]
    room.received(client, SimpleNamespace(**vars(message) | {"payload": b"offline"}))
    assert client.rest() == []


def write_lines(store, count, board="usb-1", first=0, at=None):
    store.keep_many(
        [
            Received(board, None, f"line {number}", AT + number if at is None else at)
            for number in range(first, first + count)
        ]
    )


def queued(store):
    return Backlog(store.path, URL, "3b")


def numbers(found):
    return [int(line.rsplit(b" ", 1)[1]) for each in found for line in each.lines.splitlines()]


def everything(backlog):
    found = []
    while more := backlog.more():
        found += more
    return found


def test_what_is_not_confirmed_is_queued_after_a_restart(store):
    write_lines(store, 3)
    backlog = queued(store)
    (first,) = backlog.more()
    assert first.board == "usb-1" and numbers([first]) == [0, 1, 2]
    assert backlog.more() == []
    write_lines(store, 2, first=3)
    (second,) = backlog.more()
    assert backlog.confirmed(second.digest) and not backlog.confirmed(second.digest)
    backlog.save()
    assert numbers(everything(queued(store))) == [0, 1, 2, 3, 4]
    backlog.confirmed(first.digest)
    backlog.save()
    assert everything(queued(store)) == []
    # Another broker or room has had nothing of it.
    for other in ((URL, "3c"), (f"{URL}:1884", "3b")):
        assert numbers(everything(Backlog(store.path, *other))) == [0, 1, 2, 3, 4]


def test_the_lines_of_several_boards(store):
    for number in range(500):
        write_lines(store, 1, f"usb-{number % 3}", number)
    backlog = queued(store)
    found = everything(backlog)
    for board in range(3):
        of_board = [each for each in found if each.board == f"usb-{board}"]
        assert numbers(of_board) == list(range(board, 500, 3)) and len(of_board) > 1
    for each in found[1:]:
        backlog.confirmed(each.digest)
    backlog.save()
    # The first lines are not stored, so all is sent from there.
    again = everything(queued(store))
    assert numbers(again)[0] == 0 and len(numbers(again)) == 500


def stored(store):
    """How far the lines are stored, and how many there are."""
    ((lines,),) = store.read("SELECT max(id) FROM lines")
    return store.read("SELECT line FROM published"), lines


def test_the_position_is_written_when_it_has_moved(store):
    backlog = queued(store)
    for number in range(2):
        write_lines(store, 1, first=number)
        (message,) = backlog.more()
        backlog.confirmed(message.digest)
        backlog.save()
        assert stored(store) == ([(number + 1,)], number + 1)
    write_lines(store, 1, "3b/usb-1")  # which is not published: it comes from this very room
    assert backlog.more() == []
    backlog.save()
    assert stored(store) == ([(3,)], 3)
    store.read("DELETE FROM published")
    backlog.save()
    assert stored(store) == ([], 3)


def test_a_sentence_is_sent_as_it_came(store):
    """By cable or by radio, live or late: a collector makes the same games of it."""
    radio, other = "radio-9A1B2C3D", "3a/radio-00000002"
    for board, late in (("usb-1", False), ("usb-1", True), (radio, True), (other, False)):
        told = stages([0, 4, 1, 8, 2], number=1 + late)
        store.keep_many([Received.of(board, game, AT + game.ms, late) for game in told[-late:]])
    store.keep("usb-1", stages([4], number=3)[1], None)  # at a moment that nobody knows
    store.keep("page", stages([4], seats="PD")[1], AT)  # against an engine that no board has
    sent = [line.split(b" ", 1)[1] for each in everything(queued(store)) for line in
            each.lines.splitlines()]  # fmt: skip
    assert sent[:6] == [f"usb-1 {write(game)}".encode() for game in stages([0, 4, 1, 8, 2])]
    assert sent[6:8] == [b"usb-1 ", f"usb-1 {write(told_late(2))}".encode()]
    assert sent[8] == f"{radio} {write(told_late(2), '9A1B2C3D')}".encode()
    assert sent[9].startswith(f"{other} $NR,00000002,NG,".encode()) and len(sent) == 15


def told_late(number):
    return stages([0, 4, 1, 8, 2], number=number)[-1]


def test_the_same_message_twice_is_confirmed_at_once(store):
    backlog = queued(store)
    write_lines(store, 1)
    found = backlog.more()
    store.read("DELETE FROM lines")  # as if it were in another store, which has taken its place
    store.keep("usb-2", stages([4])[1], None)
    write_lines(store, 1)
    found += backlog.more()
    assert found == [Message("usb-1", found[0].lines)] * 2
    assert backlog.confirmed(found[0].digest) and not backlog.waits_for(found[0].digest)
    backlog.save()
    assert stored(store) == ([(2,)], 2)
