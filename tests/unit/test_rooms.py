"""Addresses of brokers, topics, messages, and what a collector makes of them and confirms."""

import contextlib
import re
import sqlite3
import ssl
from queue import SimpleQueue
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.protocol.sentences import write
from noughts.recording.events import MessageRejected, PortOpened, RoomOffline, RoomOnline
from noughts.recording.recorder import Recorder
from noughts.recording.sources import DataReceived, Delivered, LineOpened, QueuedSource
from noughts.rooms import collector, messages
from noughts.rooms.address import (
    VARIABLE,
    is_broker,
    is_room_name,
    parse,
    room_name,
)
from noughts.rooms.messages import digest, is_published, parse_topic
from sample_games import AT, DRAW, stages

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
        (("--publish", "mqtt://u@b", "--password-file", "missing"), "cannot read the password"),
        (("--publish", "mqtt://u@b", "--password-file", "empty"), "does not begin with a password"),
        (("--publish", "mqtt://u@b", "--password-file", "binary"), "it is not text"),
        (("mqtts://b", "--ca", "missing"), "cannot read the certificate"),
        (("mqtts://b", "--ca", "empty"), "(it holds none)"),
    ],
)
def test_what_cannot_be_used_is_one_line(words, why, refused, folder):
    (folder / "empty").write_text("\n")
    (folder / "binary").write_bytes(b"\xff\xfe\n")
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


class Rooms:
    """A collector, and its connection to a broker that is in the hands of the test."""

    def __init__(self, monkeypatch):
        monkeypatch.setattr(collector, "Broker", lambda *_: self)
        self.acknowledged, self.published, self.arrived = [], [], SimpleQueue()
        self.collector = collector.Collector(parse(BROKER))

    def close(self, last):
        pass

    def ack(self, mid, qos):
        self.acknowledged.append(mid)

    def publish(self, *words):
        self.published.append(words)

    def send(self, topic, payload, mid=1):
        message = SimpleNamespace(topic=f"noughts/{topic}", payload=payload, mid=mid, qos=1)
        self.arrived.put(message)
        return self.collector.poll()


@pytest.fixture
def rooms(monkeypatch):
    return Rooms(monkeypatch)


def test_a_message_is_confirmed_once_it_is_stored(rooms):
    said = LINE + LINE
    *changes, delivered = rooms.send("3b/board/usb-1", said)
    data = DataReceived("3b/usb-1", SAID, AT)
    assert changes == [PortOpened("3b/usb-1", BROKER), data, data]
    assert isinstance(delivered, Delivered)
    assert rooms.collector.poll() == rooms.acknowledged == rooms.published == []
    delivered.stored()
    *_, other = rooms.send("3b/board/usb-1", LINE, 2)
    assert rooms.acknowledged == [1]
    confirmed = ("noughts/3b/stored", digest(said), 1)
    assert rooms.published == [confirmed]
    other.stored()
    rooms.collector.close()
    assert rooms.acknowledged == [1, 2]
    assert rooms.published == [confirmed, (confirmed[0], digest(LINE), 1)]


def test_a_port_that_was_opened_in_the_room(rooms):
    """Nothing is said of a board that has said nothing: a gateway passes on what others say."""
    opened = LINE.replace(SAID, b"\n")
    was_opened = LineOpened("3b/usb-1", AT)
    first, delivered = rooms.send("3b/board/usb-1", opened)
    assert first == was_opened
    assert isinstance(delivered, Delivered)
    data = DataReceived("3b/usb-1", SAID, AT)
    there = PortOpened("3b/usb-1", BROKER)
    assert rooms.send("3b/board/usb-1", opened + LINE)[:-1] == [was_opened, there, data]
    assert rooms.send("3b/board/usb-1", LINE + opened)[:-1] == [data, was_opened, there]


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
            rooms.acknowledged.clear()
            assert rooms.send(topic, payload) == expected
            assert rooms.acknowledged == [1]
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
