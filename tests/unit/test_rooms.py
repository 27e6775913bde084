"""Addresses, topics and messages of rooms; messages are resent until a collector stores them."""

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
    BrokerUnavailable,
    MessageRejected,
    PortOpened,
    RoomOffline,
    RoomOnline,
)
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived, Delivered, QueuedSource
from noughts.rooms import collector, messages, publisher
from noughts.rooms.address import VARIABLE, is_broker, parse
from noughts.rooms.messages import MAX_MESSAGE, digest, is_published, parse_topic
from noughts.rooms.room_names import is_room_name, room_name
from noughts.store import capture
from noughts.store.lines import Received
from noughts.store.queries import GameFilter, games
from noughts.store.store import Store
from sample_games import AT, BOOT, DRAW, insert, receive, stages, write

BROKER = "mqtt://broker.example"
DATA = write(stages([4])[1]).encode() + b"\n"
LINE = b"2026-09-21T14:13:20.000Z usb-1 " + DATA
OTHER_LINE = LINE.replace(b"usb-1", b"usb-2")


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
def test_broker_addresses_are_parsed(url, host, port, tls, user, prefix):
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
        (("mqtt://broker/$SYS",), "with no +, # or $ in the prefix"),
        (("mqtt://u:Secret7@broker",), "password"),
        (("mqtt://u:Secret7@broker:x",), "is not the address of a broker"),
        (("mqtt://:Secret7@b",), "password"),
        (("--publish", BROKER, BROKER), "would get its own messages back"),
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
def test_unusable_broker_options_are_refused(words, why, refused, folder):
    (folder / "empty").write_text("\n")
    error = refused("watch", *words, db="games.db")
    assert why in error and "ecret7" not in error
    assert not (folder / "games.db").exists()


def test_password_comes_from_a_file_or_the_environment(folder, monkeypatch):
    address = "mqtt://class@broker"
    for secret in ("", "from the environment"):
        monkeypatch.setenv(VARIABLE, secret)
        assert parse(address).password == (secret or None)
    for begin in (b"", b"\xef\xbb\xbf"):  # as Windows editors may write it
        (folder / "password").write_bytes(begin + "für dich \r\nanother line\n".encode())
        broker = parse(address, folder / "password")
        assert broker.password == "für dich " and "für dich" not in f"{broker!r}{broker}"
    assert parse(BROKER).password is None
    context = parse("mqtts://broker").context
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=20)


@given(room=NAMES.map("3b{}".format).filter(is_room_name), board=NAMES.map("u{}".format))
def test_topic_round_trips_room_and_board(room, board):
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
        "noughts/%33b/board/usb-1",  # 3b, written in a way that access lists miss
        "noughts/3b/board/%1B%5B2J",
        "noughts/3b/board/" + "x" * 5000,
        "noughts/socket%3A/board/%2Fhost",
    ],
)
def test_foreign_topics_are_refused(topic):
    with pytest.raises(ValueError, match=r"\w"):
        parse_topic("noughts", topic)


@given(st.text() | st.text("/%noughts3b").map("noughts/3b/board/{}".format))
def test_any_topic_is_parsed_or_refused(topic):
    with contextlib.suppress(ValueError):
        room, board = parse_topic("noughts", topic)
        assert is_room_name(room) and (board is None or is_published(board, room))


@given(st.binary() | st.binary().map(lambda noise: LINE + noise))
def test_any_message_is_parsed_or_refused(lines):
    with contextlib.suppress(ValueError):
        assert all(at <= AT + 5 for _, at in messages.received_lines("usb-1", lines, AT + 5))


def test_room_does_not_republish_its_own_boards():
    assert is_published("usb-1", "3b") and is_published("3a/usb-1", "3b")
    assert is_published("/dev/ttyACM0", "dev") and is_published("3a//dev/ttyACM0", "dev")
    assert is_published("3b", "3b")
    assert not is_published("3b/usb-1", "3b") and not is_published("3a/3b/usb-1", "3b")


def test_room_name_defaults_to_host_name(monkeypatch):
    nodes = {"lab-3b.school.example": "lab-3b", "Übung": "room", "": "room", "x" * 70: "x" * 60}
    for node, name in nodes.items():
        monkeypatch.setattr("platform.node", lambda node=node: node)
        assert room_name(None) == name
    assert room_name("Raum 3b") == "Raum 3b"


def test_message_gives_lines_with_times_not_in_the_future():
    fast = LINE.replace(b"2026", b"2031")  # from a clock that is fast
    assert messages.received_lines("usb-1", LINE + fast, AT + 5) == [(DATA, AT), (DATA, AT + 5)]
    assert re.fullmatch("[0-9a-f]{16}", messages.digest(LINE))  # long enough to be unique


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"\x1b[2J",
        LINE + OTHER_LINE,
        LINE.replace(b"09-21", b"02-30"),
        LINE * 1200,
    ],
    ids=["empty", "noise", "another board", "invalid date", "too long"],
)
def test_invalid_message_lines_are_refused(lines):
    with pytest.raises(ValueError, match=r"it (is|does not) "):
        messages.received_lines("usb-1", lines, AT)


class FakeBroker:
    """A connection that the test controls; it records what is published."""

    def __init__(self, *_):
        FakeBroker.last = self
        self.is_up = False
        self.sent, self.arrived, self.acknowledged = deque(), SimpleQueue(), []

    def is_connected(self):
        return self.is_up

    def publish(self, topic, payload, retain=False):
        self.sent.append((topic.removeprefix("noughts/3b/"), payload, retain))

    def receive(self, topic, payload, mid=7):
        message = SimpleNamespace(topic=f"noughts/{topic}", payload=payload, mid=mid)
        self.arrived.put(message)

    def acknowledge(self, message):
        self.acknowledged.append(message.mid)

    def close(self, last):
        pass


class Room:
    """A connected room; no time passes unless a test says so."""

    def __init__(self, store):
        self.store, self.events = store, []
        self._publisher = publisher.Publisher(parse(BROKER), "3b")
        self._broker = FakeBroker.last
        self.connect()

    def poll(self):
        """Let the publisher look at its store."""
        events = self._publisher.stored(self.store)
        self.events += events
        return events

    def connect(self):
        self._broker.is_up = True
        self._broker.arrived.put(BrokerAnswered(BROKER, "connected"))
        assert self.next() == ("online", True)

    def next(self):
        """The number in the line of the next message; or the status, and whether it is retained."""
        while not self._broker.sent:
            self.poll()
        topic, payload, retain = self._broker.sent.popleft()
        if topic == "status":
            return payload.decode(), retain
        assert not retain
        return int(payload.rsplit(b" ", 1)[1])

    def next_several(self, count):
        return [self.next() for _ in range(count)]

    def confirm(self, *numbers):
        line = "2026-09-21T14:13:20.000Z usb-{0} line {0}\n"
        digests = " ".join(digest(line.format(number).encode()) for number in numbers)
        self.receive("stored", digests.encode())

    def receive(self, topic, payload):
        self._broker.receive(f"3b/{topic}", payload)
        self.poll()
        assert self._broker.acknowledged.pop() == 7

    def store_line(self, number, board=None):
        """Of this board, or of one without other lines, which makes it a message by itself."""
        self.store.add_many([Received(board or f"usb-{number}", None, f"line {number}", AT)])

    def end(self):
        """Disconnect and close; give what was sent in the meantime."""
        self._broker.is_up = False
        self._publisher.close()
        return self.next_several(len(self._broker.sent))


@pytest.fixture
def room(store, monkeypatch):
    monkeypatch.setattr(publisher, "Broker", FakeBroker)
    monkeypatch.setattr(publisher, "RESEND_AFTER_S", inf)
    return Room(store)


def test_unconfirmed_messages_are_resent_in_order(room):
    for number in range(4):
        room.store_line(number)
    assert room.next_several(4) == [0, 1, 2, 3]
    room.connect()
    assert room.next_several(4) == [0, 1, 2, 3]
    room.confirm(2)  # so 0 and 1 have not arrived
    assert room.next_several(2) == [0, 1]
    room.confirm(0, 2, 7)  # 2 again, and one that was never sent
    assert room.next() == 3
    room.connect()
    assert room.next_several(2) == [1, 3]
    room.store_line(4)
    assert room.next() == 4
    room.confirm(1, 3, 4)
    assert room.end() == [("offline", True)]


def test_unconfirmed_messages_are_limited_to_the_window(room):
    for number in range(publisher.WINDOW + 3):
        room.store_line(number)
    assert room.next_several(publisher.WINDOW) == list(range(publisher.WINDOW))
    room.confirm(0, 1)
    assert room.next_several(2) == [publisher.WINDOW, publisher.WINDOW + 1]
    assert room.end() == [("offline", True)]


def test_missing_collector_is_reported_until_one_confirms(room, monkeypatch):
    monkeypatch.setattr(publisher, "RESEND_AFTER_S", 0.0)
    room.connect()
    room.store_line(0)
    room.store_line(1)
    assert room.next_several(6) == [0, 1, 0, 1, 0, 1]
    connected, _, waiting = room.events
    assert connected == BrokerAnswered(BROKER, "connected")
    assert isinstance(waiting, BrokerUnavailable)
    assert waiting.why.startswith("no collector is storing")
    monkeypatch.setattr(publisher, "RESEND_AFTER_S", inf)
    room.confirm(0)
    assert room.events.pop() == BrokerAnswered(BROKER, "a collector is storing this room's games")
    room.end()
    assert room.poll() == []


def published(store):
    return store.read("SELECT line FROM published")


def test_confirmed_messages_are_not_resent_after_restart(store, room):
    for number in range(3):
        room.store_line(number)
        assert room.next() == number
    room.confirm(0)
    room.confirm(2)
    assert room.next() == 1
    assert room.end() == [("offline", True)]
    assert published(store) == [(1,)]
    restarted = Room(store)
    assert restarted.next_several(2) == [1, 2]
    restarted.confirm(1, 2)
    restarted.store_line(3)
    restarted.store_line(0, "3b/usb-1")  # not published: it came from this room
    assert restarted.next() == 3
    restarted.confirm(3)
    assert restarted.end() == [("offline", True)] and published(store) == [(5,)]


def test_room_continues_with_a_replacement_store(room, tmp_path):
    room.store_line(0)
    assert room.next() == 0
    with Store(tmp_path / "games-2.db", create=True) as other:
        room.store = other
        room.store_line(1)
        assert room.next() == 1
        room.confirm(0, 1)
        assert room.end() == [("offline", True)]
        assert published(other) == [(1,)]


def test_room_marked_offline_publishes_online_again(room):
    for payload in (b"offline", b"online", b"\xff"):
        room.receive("status", payload)
    assert room.next() == ("online", True)
    assert room.end() == [("offline", True)]


def test_message_holds_lines_of_one_board_in_order(store):
    noise = r"\xff" * 240
    numbers_of = {"usb-1": range(0, 400, 10), "usb-2": [n for n in range(400) if n % 10]}
    board_of = {number: board for board, numbers in numbers_of.items() for number in numbers}
    store.add_many([Received(board_of[n], None, f"{noise} {n}", AT + n) for n in range(400)])
    found = sent_messages(store)
    assert max(len(each.lines) for each in found) < MAX_MESSAGE
    for board, numbers in numbers_of.items():
        lines = b"".join(each.lines for each in found if each.board == board).splitlines()
        assert [int(line.split()[-1]) for line in lines] == list(numbers)


def test_sentences_are_published_as_received(store):
    """By cable or by radio, live or late: a collector gets the same games from them."""
    radio, other = "radio-9A1B2C3D", "3a/radio-00000002"
    late_end = stages([0, 4, 1, 8, 2], number=2)[-1]
    for board, late in (("usb-1", False), ("usb-1", True), (radio, True), (other, False)):
        played = stages([0, 4, 1, 8, 2], number=1 + late)
        store.add_many([Received.of(board, game, AT + game.ms, late) for game in played[-late:]])
    insert(store, "usb-1", stages([4], number=3)[1], None)  # at an unknown time
    insert(store, "page", stages([4], seats="PD")[1], AT)  # against an engine that boards lack
    sent = [line.split(b" ", 1)[1] for each in sent_messages(store) for line in
            each.lines.splitlines()]  # fmt: skip
    assert sent[:6] == [f"usb-1 {write(game)}".encode() for game in stages([0, 4, 1, 8, 2])]
    assert sent[6:8] == [b"usb-1 ", f"usb-1 {write(late_end)}".encode()]
    assert sent[8] == f"{radio} {write(late_end, '9A1B2C3D')}".encode()
    assert sent[9].startswith(f"{other} $NR,00000002,NG,".encode()) and len(sent) == 15


def test_line_is_published_when_its_time_arrives(store):
    """From a plain capture, lines have no time; a room may have got past them before."""
    played = (BOOT, *stages([4, 0]))
    for sentence in played:
        insert(store, "usb-1", sentence, None)
    insert(store, "usb-1", stages([4], number=2)[1], AT)
    messages, last = publisher.messages_after(store, 0, "3b")
    assert [each.lines.count(b"\n") for each in messages] == [1]
    for ms, sentence in enumerate(played):
        insert(store, "usb-1", sentence, AT + ms)
    (message,), _ = publisher.messages_after(store, last, "3b")
    assert message.lines.splitlines() == [
        capture.raw_line("usb-1", write(sentence), AT + ms).rstrip()
        for ms, sentence in enumerate(played)
    ]
    assert not store.correct_games()
    assert [game.id for game in games(store, GameFilter())] == [1, 2]


def test_unknown_sentence_reaches_another_room_unchanged(store, recorder):
    """It is for a later version, which checks its checksum there."""
    sentence = rb"$NX,a\x41b*18"
    receive(recorder, "usb-1", sentence + b"\r\n", AT)
    (message,) = sent_messages(store)
    ((data, _),) = messages.received_lines("usb-1", message.lines, AT)
    assert data == sentence + b"\n"


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
    delivered.stored()
    *_, other = rooms.send("3b/board/usb-1", LINE, 2)
    assert rooms.broker.acknowledged == [1]
    confirmed = ("stored", digest(payload), False)
    assert [*rooms.broker.sent] == [confirmed]
    other.stored()
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


def test_recorder_confirms_messages_after_storing_and_on_exit(store, monkeypatch):
    """Not while another program locks the store; on exit, without waiting for more messages."""
    monkeypatch.setattr("noughts.recording.recorder.SHUTDOWN_TIMEOUT_S", -1)
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
