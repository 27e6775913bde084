"""A room publishes its lines, and sends them again until a collector has stored them."""

from math import inf

import pytest

from fake_broker import BROKER, FakeBroker
from fuzz_log import sent_messages
from noughts.protocol.sentences import Menu
from noughts.recording.events import (
    BrokerAnswered,
    BrokerUnavailable,
)
from noughts.rooms import messages, publisher
from noughts.rooms.address import parse
from noughts.rooms.messages import MAX_MESSAGE, digest
from noughts.store import capture
from noughts.store.game_filter import GameFilter
from noughts.store.lines import Received
from noughts.store.queries import games
from noughts.store.store import Store
from sample_games import AT, BOOT, insert, receive, stages, write


class Room:
    """A connected room; no time passes unless a test says so."""

    def __init__(self, store):
        self.store, self.events = store, []
        self._publisher = publisher.Publisher(parse(BROKER), "3b")
        self._broker = FakeBroker.last
        self.connect()

    def poll(self):
        """Let the publisher look at its store."""
        events = self._publisher.pass_on(self.store)
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
    messages = sent_messages(store)
    assert max(len(message.lines) for message in messages) < MAX_MESSAGE
    for board, numbers in numbers_of.items():
        lines = b"".join(
            message.lines for message in messages if message.board == board
        ).splitlines()
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
    sent = [line.split(b" ", 1)[1] for message in sent_messages(store) for line in
            message.lines.splitlines()]  # fmt: skip
    assert sent[:6] == [f"usb-1 {write(game)}".encode() for game in stages([0, 4, 1, 8, 2])]
    assert sent[6:8] == [b"usb-1 ", f"usb-1 {write(late_end)}".encode()]
    assert sent[8] == f"{radio} {write(late_end, '9A1B2C3D')}".encode()
    assert sent[9].startswith(f"{other} $NR,00000002,NG,".encode()) and len(sent) == 15


def test_menu_is_published_whenever_it_shows_a_choice(store):
    """Also one that it has shown before: else a collector would show another one."""
    shown = [Menu(BOOT.boot, choice) for choice in ("Pbs", "Ebs", "Pbs")]
    for ms, menu in enumerate(shown):
        insert(store, "usb-1", menu, AT + ms)
    lines = [line for message in sent_messages(store) for line in message.lines.splitlines()]
    assert [line.split(b" ", 2)[2] for line in lines] == [write(menu).encode() for menu in shown]


def test_line_is_published_when_its_time_arrives(store):
    """From a plain capture, lines have no time; a room may have got past them before."""
    played = (BOOT, *stages([4, 0]))
    for sentence in played:
        insert(store, "usb-1", sentence, None)
    insert(store, "usb-1", stages([4], number=2)[1], AT)
    messages, last = publisher.messages_after(store, 0, "3b")
    assert [message.lines.count(b"\n") for message in messages] == [1]
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
