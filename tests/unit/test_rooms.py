"""Addresses, topics and messages of rooms; what a room sends until a collector has stored it."""

import contextlib
import re
import sqlite3
import ssl
from collections import deque
from math import inf
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fuzz_log import sent_messages
from noughts.recording.events import (
    BrokerAnswered,
    MessageRejected,
    PortOpened,
    PortUnavailable,
    RoomOffline,
    RoomOnline,
)
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived, Delivered, QueuedSource
from noughts.rooms import collector, messages, publisher
from noughts.rooms.address import VARIABLE, is_broker, is_room_name, parse, room_name
from noughts.rooms.messages import MAX_MESSAGE, digest, is_published, parse_topic
from noughts.store.lines import Received
from noughts.store.store import Store
from sample_games import AT, DRAW, insert, stages, write

BROKER = "mqtt://broker.example"
SAID = write(stages([4])[1]).encode() + b"\n"
LINE = b"2026-09-21T14:13:20.000Z usb-1 " + SAID
OF_ANOTHER = LINE.replace(b"usb-1", b"usb-2")


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "user", "prefix"),
    [
        ("mqtt://LOCALHOST", "localhost", 1883, False, None, "noughts"),
        ("mqtt://127.0.0.1", "127.0.0.1", 1883, False, None, "noughts"),
        ("mqtts://broker", "broker", 8883, True, None, "noughts"),
        ("MQTT://class@10.0.0.7:1999/school/7b/", "10.0.0.7", 1999, False, "class", "school/7b"),
        ("mqtts://a%40b@[::1]:8884/x%20y", "::1", 8884, True, "a@b", "x y"),
    ],
)
def test_addresses(url, host, port, tls, user, prefix):
    address = parse(url)
    assert (address.host, address.port, address.tls) == (host, port, tls)
    assert (address.user, address.prefix) == (user, prefix)
    assert is_broker(url) and not is_broker("/dev/ttyACM0") and not is_broker("socket://x:1")
    assert parse(str(address)).port == port
    assert address.is_here == (host in ("localhost", "127.0.0.1", "::1"))


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("mqtt://",), "is not the address of a broker"),
        (("mqtt://[::1",), "is not the address of a broker"),
        (("mqtt://user@",), "is not the address of a broker"),
        (("mqtt://broker:0",), "is not the address of a broker"),
        (("mqtt://broker/%1B",), "is not the address of a broker"),
        (("mqtt://broker/$SYS",), "without + # and $ in the prefix"),
        (("mqtt://u:Secret7@broker",), "password"),
        (("mqtt://u:Secret7@broker:x",), "is not the address of a broker"),
        (("mqtt://:Secret7@b",), "password"),
        (("--publish", BROKER, BROKER), "would get back what comes from it"),
        (("--publish", "http://broker"), "is not the address of a broker"),
        (("--publish", "mqtss://broker:8883"), "is not the address of a broker"),
        *(
            (("--publish", BROKER, "--room", room), "is not a valid room name")
            for room in ("a/b", "a\\b", "a:b", "3b ", "_3b", "x" * 61)
        ),
        (("--publish", BROKER, "--ca", "ca.pem"), "with TLS; write mqtts://"),
        (("--publish", BROKER, "--password-file", "empty"), "--password-file needs a user"),
        (("--publish", "mqtt://u@b", "--password-file", "missing"), "cannot use missing (No such"),
        (("--publish", "mqtt://u@b", "--password-file", "empty"), "does not begin with a password"),
        (("mqtts://b", "--ca", "missing"), "cannot read the certificate"),
        (("mqtts://b", "--ca", "empty"), "cannot read the certificate in empty ("),
    ],
)
def test_what_cannot_be_used_is_one_line(words, why, refused, folder):
    (folder / "empty").write_text("\n")
    told = refused("watch", *words, db="games.db")
    assert why in told and "ecret7" not in told
    assert not (folder / "games.db").exists()


def test_the_password_comes_from_a_file_or_the_environment(folder, monkeypatch):
    address = "mqtt://class@broker"
    for secret in ("", "from the environment"):
        monkeypatch.setenv(VARIABLE, secret)
        assert parse(address).password == (secret or None)
    for begin in (b"", b"\xef\xbb\xbf"):  # as an editor of Windows may write it
        (folder / "password").write_bytes(begin + "für dich \r\nanother line\n".encode())
        broker = parse(address, folder / "password")
        assert broker.password == "für dich " and "für dich" not in f"{broker!r}{broker}"
    assert parse(BROKER).password is None
    context = parse("mqtts://broker").context
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=20)


@given(room=NAMES.map("3b{}".format).filter(is_room_name), board=NAMES.map("u{}".format))
def test_a_topic_gives_back_room_and_board(room, board):
    topic = messages.topic("a/b", room, "board", board)
    assert topic.count("/") == 4 and not {"+", "#", "\0"} & set(topic)
    if is_published(board, room):
        assert parse_topic("a/b", topic) == (room, board)
    assert parse_topic("a/b", messages.topic("a/b", room, "status")) == (room, None)


@pytest.mark.parametrize(
    "topic",
    [
        "noughts",
        "noughts/3b/board",
        "noughts/%33b/board/usb-1",  # another way to write 3b, which an access list does not know
        "noughts/3b/board/%1B%5B2J",
        "noughts/3b/board/" + "x" * 5000,
        "noughts/socket%3A/board/%2Fhost",
    ],
)
def test_topics_of_others_are_refused(topic):
    with pytest.raises(ValueError, match=r"\w"):
        parse_topic("noughts", topic)


@given(st.text() | st.text("/%noughts3b").map("noughts/3b/board/{}".format))
def test_any_topic_is_read_or_refused(topic):
    with contextlib.suppress(ValueError):
        room, board = parse_topic("noughts", topic)
        assert is_room_name(room) and (board is None or is_published(board, room))


@given(st.binary() | st.binary().map(lambda noise: LINE + noise))
def test_any_message_is_read_or_refused(lines):
    with contextlib.suppress(ValueError):
        assert all(at <= AT + 5 for _, at in messages.received_lines("usb-1", lines, AT + 5))


def test_nothing_goes_round_in_circles():
    assert is_published("usb-1", "3b") and is_published("3a/usb-1", "3b")
    assert is_published("/dev/ttyACM0", "dev") and is_published("3a//dev/ttyACM0", "dev")
    assert is_published("3b", "3b")
    assert not is_published("3b/usb-1", "3b") and not is_published("3a/3b/usb-1", "3b")


def test_a_room_is_called_as_its_computer(monkeypatch):
    nodes = {"lab-3b.school.example": "lab-3b", "Übung": "room", "": "room", "x" * 70: "x" * 60}
    for node, name in nodes.items():
        monkeypatch.setattr("platform.node", lambda node=node: node)
        assert room_name(None) == name
    assert room_name("Raum 3b") == "Raum 3b"


def test_a_message_holds_raw_lines_and_their_moments():
    late = LINE.replace(b"2026", b"2031")  # a clock that is fast
    assert messages.received_lines("usb-1", LINE + late, AT + 5) == [(SAID, AT), (SAID, AT + 5)]
    assert re.fullmatch("[0-9a-f]{16}", messages.digest(LINE))  # few of them are ever the same


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"\x1b[2J",
        LINE + OF_ANOTHER,
        LINE.replace(b"09-21", b"02-30"),
        LINE * 1200,
    ],
    ids=["nothing", "noise", "another board", "no such day", "too long"],
)
def test_a_message_of_anything_else_is_refused(lines):
    with pytest.raises(ValueError, match="it is "):
        messages.received_lines("usb-1", lines, AT)


class Broker:
    """A connection that is in the hands of the test: it notes what is published."""

    def __init__(self, *_):
        self.is_up = False
        self.sent, self.arrived, self.acknowledged = deque(), SimpleQueue(), []

    def is_connected(self):
        return self.is_up

    def publish(self, topic, payload, qos, retain=False):
        assert qos == 1
        self.sent.append((topic.removeprefix("noughts/3b/"), payload, retain))

    def arrives(self, topic, payload, mid=7):
        message = SimpleNamespace(topic=f"noughts/{topic}", payload=payload, mid=mid, qos=1)
        self.arrived.put(message)

    def ack(self, mid, qos):
        self.acknowledged.append(mid)

    def close(self, last):
        pass


class Room(publisher.Publisher):
    """A room that is connected; no time passes but where a test says so."""

    def __init__(self, store):
        self.store, self.told = store, []
        super().__init__(parse(BROKER), "3b", lambda: self.store)
        self.connect()

    def connect(self):
        self._broker.is_up = True
        self._broker.arrived.put(BrokerAnswered(BROKER, "connected"))
        assert self.next() == ("online", True)

    def next(self):
        """The next message, by the number in its line; or the status."""
        while not self._broker.sent:
            self.told += self.poll()
        topic, payload, retain = self._broker.sent.popleft()
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
        self._broker.arrives(f"3b/{topic}", payload)
        self.told += self.poll()
        assert self._broker.acknowledged.pop() == 7

    def say(self, number, board=None):
        """A line of this board; else of one that says nothing else: a message by itself."""
        self.store.add_many([Received(board or f"usb-{number}", None, f"line {number}", AT)])

    def end(self):
        """What was sent besides, until the end."""
        self._broker.is_up = False
        self.close()
        return self.several(len(self._broker.sent))


@pytest.fixture
def room(store, monkeypatch):
    monkeypatch.setattr(publisher, "Broker", Broker)
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", inf)
    return Room(store)


def test_what_is_not_confirmed_is_sent_again_in_order(room):
    for number in range(4):
        room.say(number)
    assert room.several(4) == [0, 1, 2, 3]
    room.connect()
    assert room.several(4) == [0, 1, 2, 3]
    room.confirm(2)  # so the two before it have not arrived
    assert room.several(2) == [0, 1]
    room.confirm(0, 2, 7)  # once more, and one that was never sent
    assert room.next() == 3
    room.connect()
    assert room.several(2) == [1, 3]
    room.say(4)
    assert room.next() == 4
    room.confirm(1, 3, 4)
    assert room.end() == [("offline", True)]


def test_so_many_wait_and_no_more(room):
    for number in range(publisher.WINDOW + 3):
        room.say(number)
    assert room.several(publisher.WINDOW) == list(range(publisher.WINDOW))
    room.confirm(0, 1)
    assert room.several(2) == [publisher.WINDOW, publisher.WINDOW + 1]
    assert room.end() == [("offline", True)]


def test_nobody_confirms_anything_for_a_while(room, monkeypatch):
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", 0.0)
    room.connect()
    room.say(0)
    room.say(1)
    assert room.several(6) == [0, 1, 0, 1, 0, 1]
    connected, _, waiting = room.told
    assert connected == BrokerAnswered(BROKER, "connected")
    assert isinstance(waiting, PortUnavailable)
    assert waiting.why.startswith("no collector is storing")
    monkeypatch.setattr(publisher, "_RESEND_AFTER_S", inf)
    room.confirm(0)
    assert room.told.pop() == BrokerAnswered(BROKER, "a collector is storing this room's games")
    room.end()
    assert room.poll() == []


def published(store):
    return store.read("SELECT line FROM published")


def test_what_was_confirmed_is_known_after_a_restart(store, room):
    for number in range(3):
        room.say(number)
        assert room.next() == number
    room.confirm(0)
    room.confirm(2)
    assert room.next() == 1
    assert room.end() == [("offline", True)]
    assert published(store) == [(1,)]
    again = Room(store)
    assert again.several(2) == [1, 2]
    again.confirm(1, 2)
    again.say(3)
    again.say(0, "3b/usb-1")  # which is not published: it comes from this very room
    assert again.next() == 3
    again.confirm(3)
    assert again.end() == [("offline", True)] and published(store) == [(5,)]


def test_a_room_goes_on_with_another_store_when_the_first_one_is_gone(room, tmp_path):
    room.say(0)
    assert room.next() == 0
    with Store(tmp_path / "games-2.db", create=True) as other:
        room.store = other
        room.say(1)
        assert room.next() == 1
        room.confirm(0, 1)
        assert room.end() == [("offline", True)]
        assert published(other) == [(1,)]


def test_a_room_that_is_taken_for_lost_says_that_it_is_there(room):
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
    insert(store, "usb-1", stages([4], number=3)[1], None)  # at a moment that nobody knows
    insert(store, "page", stages([4], seats="PD")[1], AT)  # against an engine that no board has
    sent = [line.split(b" ", 1)[1] for each in sent_messages(store) for line in
            each.lines.splitlines()]  # fmt: skip
    assert sent[:6] == [f"usb-1 {write(game)}".encode() for game in stages([0, 4, 1, 8, 2])]
    assert sent[6:8] == [b"usb-1 ", f"usb-1 {write(late_end)}".encode()]
    assert sent[8] == f"{radio} {write(late_end, '9A1B2C3D')}".encode()
    assert sent[9].startswith(f"{other} $NR,00000002,NG,".encode()) and len(sent) == 15


class Rooms(collector.Collector):
    """What rooms send, as it comes to a collector."""

    def __init__(self):
        super().__init__(parse(BROKER))
        self.broker = self._broker

    def send(self, topic, payload, mid=1):
        self.broker.arrives(topic, payload, mid)
        return self.poll()


@pytest.fixture
def rooms(monkeypatch):
    monkeypatch.setattr(collector, "Broker", Broker)
    return Rooms()


def test_a_message_is_confirmed_once_it_is_stored(rooms):
    said = LINE + LINE
    *changes, delivered = rooms.send("3b/board/usb-1", said)
    data = DataReceived("3b/usb-1", SAID, AT)
    assert changes == [PortOpened("3b/usb-1", BROKER), data, data]
    assert isinstance(delivered, Delivered)
    assert rooms.poll() == rooms.broker.acknowledged == [] and not rooms.broker.sent
    delivered.stored()
    *_, other = rooms.send("3b/board/usb-1", LINE, 2)
    assert rooms.broker.acknowledged == [1]
    confirmed = ("stored", digest(said), False)
    assert [*rooms.broker.sent] == [confirmed]
    other.stored()
    rooms.close()
    assert rooms.broker.acknowledged == [1, 2]
    assert [*rooms.broker.sent] == [confirmed, ("stored", digest(LINE), False)]


def test_a_port_that_was_opened_in_the_room(rooms):
    """Nothing is said of a board that has said nothing: a gateway passes on what others say."""
    opened = LINE.replace(SAID, b"\n")
    was_opened = DataReceived("3b/usb-1", b"", AT)
    first, delivered = rooms.send("3b/board/usb-1", opened)
    assert first == was_opened
    assert isinstance(delivered, Delivered)
    data = DataReceived("3b/usb-1", SAID, AT)
    there = PortOpened("3b/usb-1", BROKER)
    assert rooms.send("3b/board/usb-1", opened + LINE)[:-1] == [was_opened, there, data]
    assert rooms.send("3b/board/usb-1", LINE + opened)[:-1] == [data, there, was_opened]


def test_boards_of_a_room_that_was_offline_are_there_when_they_speak(rooms):
    there = [PortOpened(f"{room}/usb-1", BROKER) for room in ("3b", "3")]
    for room in ("3b", "3"):
        rooms.send(f"{room}/board/usb-1", LINE)
    assert rooms.send("3/status", b"online") == [RoomOnline("3")]
    assert rooms.send("3/status", b"online") == []
    assert rooms.send("3/status", b"offline") == [RoomOffline("3")]
    assert rooms.send("3/status", b"") == rooms.send("3/status", b"offline") == []
    assert rooms.send("3/status", b"online") == [RoomOnline("3")]
    assert rooms.send("3b/board/usb-1", LINE)[0] not in there
    assert rooms.send("3/board/usb-1", LINE)[0] == there[1]
    assert rooms.send("3/board/usb-1", LINE)[0] not in there


def test_what_no_room_sends_is_told_once_and_not_sent_again(rooms, monkeypatch):
    monkeypatch.setattr(collector, "_MAX_NAMES", 1)
    rooms.send("3b/board/usb-1", LINE)
    rooms.send("3b/status", b"online")
    wrong = [
        ("3b/board/usb-2", OF_ANOTHER, "there are more than 1 rooms or boards"),
        ("3c/status", b"online", None),
        ("3b/status", b"gone", "that is not the status of a room"),
        ("x", b"", "that is not the topic of a room or of one of its boards"),
    ]
    for topic, payload, why in wrong:
        told = [MessageRejected(f"noughts/{topic}", why)] if why else []
        for expected in (told, []):
            rooms.broker.acknowledged.clear()
            assert rooms.send(topic, payload) == expected
            assert rooms.broker.acknowledged == [1]
    assert rooms.send("3b/board/usb-1", LINE)[0] == DataReceived("3b/usb-1", SAID, AT)


def test_a_message_is_confirmed_when_it_is_stored_and_at_the_end(store, monkeypatch):
    """Not while another program locks the store; at the end without waiting for more."""
    monkeypatch.setattr("noughts.recording.recorder._SHUTDOWN_TIMEOUT_S", -1)
    source, confirmed = QueuedSource(), []

    def deliver(number):
        for each in stages(DRAW, number=number):
            source.put(DataReceived("3b/usb-1", write(each).encode() + b"\n", AT + each.ms))
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
