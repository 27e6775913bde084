"""What a room sends, and sends again, until a collector has stored it; its queue on disk."""

import queue
from math import inf
from types import SimpleNamespace

import pytest

from fuzz_log import sent_messages
from noughts.protocol.sentences import write
from noughts.recording.events import BrokerAnswered, PortUnavailable
from noughts.rooms import publisher
from noughts.rooms.address import parse
from noughts.rooms.messages import MAX_MESSAGE, digest
from noughts.store.lines import Received
from noughts.store.store import Store
from sample_games import AT, stages

URL = "mqtt://broker.example"


class Broker:
    """A connection that is in the hands of the test: it notes what is published."""

    def __init__(self, *_):
        self.is_up = False
        self.sent, self.arrived = queue.SimpleQueue(), queue.SimpleQueue()
        self.acknowledged = []

    def is_connected(self):
        return self.is_up

    def publish(self, topic, payload, qos, retain=False):
        assert qos == 1
        self.sent.put((topic.removeprefix("noughts/3b/"), payload, retain))

    def ack(self, mid, qos):
        self.acknowledged.append((mid, qos))

    def close(self, last):
        pass


class Room(publisher.Publisher):
    """A room; no time passes but where a test says so."""

    def __init__(self, *words):
        super().__init__(*words)
        self.told = []

    def connect(self):
        self._broker.is_up = True
        self._broker.arrived.put(BrokerAnswered(URL, "connected"))
        assert self.next() == ("online", True)

    def next(self):
        """The next message, by the number in its line; or the status."""
        while self._broker.sent.empty():
            self.told += self.poll()
        topic, payload, retain = self._broker.sent.get()
        if topic == "status":
            return payload.decode(), retain
        assert not retain
        return int(payload.rsplit(b" ", 1)[1])

    def several(self, count):
        return [self.next() for _ in range(count)]

    def confirm(self, *numbers):
        line = "2026-09-21T14:13:20.000Z usb-{0} line {0}\n"
        said = " ".join(digest(line.format(number).encode()) for number in numbers).encode()
        self.receive("stored", said)

    def receive(self, topic, payload):
        message = SimpleNamespace(topic=f"noughts/3b/{topic}", payload=payload, mid=7, qos=1)
        self._broker.arrived.put(message)
        self.told += self.poll()
        assert self._broker.acknowledged.pop() == (7, 1)

    def end(self):
        """What was sent besides, until the end."""
        self._broker.is_up = False
        self.close()
        return self.several(self._broker.sent.qsize())


def say(store, number, board=None):
    """A line of this board, or of one that says nothing else: then it is a message by itself."""
    store.add_many([Received(board or f"usb-{number}", None, f"line {number}", AT)])


@pytest.fixture
def room(store, monkeypatch):
    monkeypatch.setattr(publisher, "Broker", Broker)
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", inf)
    begun, stores = [], [store]

    def begin():
        begun.append(Room(parse(URL), "3b", lambda: stores[-1]))
        return begun[-1]

    begin.stores = stores
    yield begin
    for each in begun:
        each.close()


def test_what_is_not_confirmed_is_sent_again_in_order(store, room):
    for number in range(4):
        say(store, number)
    room = room()
    room.connect()
    assert room.several(4) == [0, 1, 2, 3]
    room.connect()
    assert room.several(4) == [0, 1, 2, 3]
    room.confirm(2)  # so the two before it have not arrived
    assert room.several(2) == [0, 1]
    room.confirm(0, 2, 7)  # once more, and one that was never sent
    assert room.next() == 3
    room.connect()
    assert room.several(2) == [1, 3]
    say(store, 4)
    assert room.next() == 4
    room.confirm(1, 3, 4)
    assert room.end() == [("offline", True)]


def test_so_many_wait_and_no_more(store, room):
    for number in range(publisher.WINDOW + 3):
        say(store, number)
    room = room()
    room.connect()
    assert room.several(publisher.WINDOW) == list(range(publisher.WINDOW))
    room.confirm(0, 1)
    assert room.several(2) == [publisher.WINDOW, publisher.WINDOW + 1]
    assert room.end() == [("offline", True)]


def test_nobody_confirms_anything_for_a_while(store, room, monkeypatch):
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", 0.0)
    say(store, 0)
    say(store, 1)
    room = room()
    room.connect()
    assert room.several(6) == [0, 1, 0, 1, 0, 1]
    connected, waiting = room.told
    assert connected == BrokerAnswered(URL, "connected")
    assert isinstance(waiting, PortUnavailable) and waiting.why.startswith(
        "no collector is storing"
    )
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", inf)
    room.confirm(0)
    assert room.told.pop() == BrokerAnswered(URL, "a collector is storing this room's games")
    room.end()
    assert room.poll() == []


def published(store):
    return store.read("SELECT line FROM published")


def test_what_was_confirmed_is_known_after_a_restart(store, room):
    before = room()
    before.connect()
    for number in range(3):
        say(store, number)
        assert before.next() == number
    before.confirm(0)
    before.confirm(2)
    assert before.next() == 1
    assert before.end() == [("offline", True)]
    assert published(store) == [(1,)]
    again = room()
    again.connect()
    assert again.several(2) == [1, 2]
    again.confirm(1, 2)
    say(store, 3)
    say(store, 0, "3b/usb-1")  # which is not published: it comes from this very room
    assert again.next() == 3
    again.confirm(3)
    assert again.end() == [("offline", True)] and published(store) == [(5,)]


def test_a_room_goes_on_with_another_store_when_the_first_one_is_gone(store, room, tmp_path):
    say(store, 0)
    stores, room = room.stores, room()
    room.connect()
    assert room.next() == 0
    with Store(tmp_path / "games-2.db", create=True) as other:
        stores.append(other)
        say(other, 1)
        assert room.next() == 1
        room.confirm(0, 1)
        assert room.end() == [("offline", True)]
        assert published(other) == [(1,)]


def test_a_room_that_is_taken_for_lost_says_that_it_is_there(room):
    room = room()
    room.connect()
    for payload in (b"offline", b"online", b"\xff"):
        room.receive("status", payload)
    assert room.next() == ("online", True)
    assert room.end() == [("offline", True)]


def test_messages_have_the_lines_of_one_board_in_order_and_a_collector_reads_them(store):
    noise = r"\xff" * 240
    said = {"usb-1": range(0, 400, 10), "usb-2": [n for n in range(400) if n % 10]}
    board_of = {number: board for board, numbers in said.items() for number in numbers}
    store.add_many([Received(board_of[n], None, f"{noise} {n}", AT + n) for n in range(400)])
    found = sent_messages(store)
    assert max(len(each.lines) for each in found) < MAX_MESSAGE
    for board, numbers in said.items():
        lines = b"".join(each.lines for each in found if each.board == board).splitlines()
        assert [int(line.split()[-1]) for line in lines] == list(numbers)


def test_a_sentence_is_sent_as_it_came(store):
    """By cable or by radio, live or late: a collector makes the same games of it."""
    radio, other = "radio-9A1B2C3D", "3a/radio-00000002"
    late_end = stages([0, 4, 1, 8, 2], number=2)[-1]
    for board, late in (("usb-1", False), ("usb-1", True), (radio, True), (other, False)):
        told = stages([0, 4, 1, 8, 2], number=1 + late)
        store.add_many([Received.of(board, game, AT + game.ms, late) for game in told[-late:]])
    store.add("usb-1", stages([4], number=3)[1], None)  # at a moment that nobody knows
    store.add("page", stages([4], seats="PD")[1], AT)  # against an engine that no board has
    sent = [line.split(b" ", 1)[1] for each in sent_messages(store) for line in
            each.lines.splitlines()]  # fmt: skip
    assert sent[:6] == [f"usb-1 {write(game)}".encode() for game in stages([0, 4, 1, 8, 2])]
    assert sent[6:8] == [b"usb-1 ", f"usb-1 {write(late_end)}".encode()]
    assert sent[8] == f"{radio} {write(late_end, '9A1B2C3D')}".encode()
    assert sent[9].startswith(f"{other} $NR,00000002,NG,".encode()) and len(sent) == 15
