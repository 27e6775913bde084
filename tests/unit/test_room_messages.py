"""Names of rooms, and the topics and messages that they send."""

import contextlib
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts.rooms import messages
from noughts.rooms.messages import is_published, parse_topic
from noughts.rooms.room_names import is_room_name, room_name
from sample_games import AT, stages, write

DATA = write(stages([4])[1]).encode() + b"\n"
LINE = b"2026-09-21T14:13:20.000Z usb-1 " + DATA
OTHER_LINE = LINE.replace(b"usb-1", b"usb-2")
# All characters but surrogates: with a codec, Hypothesis first tries to encode each one.
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
NAMES = st.text(st.characters(categories=["L", "N", "P", "S"]), max_size=20)


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


@given(ANY_TEXT | st.text("/%noughts3b").map("noughts/3b/board/{}".format))
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
        LINE.replace(b"2026-09-21T14:13:20", b"0000-00-00T00:00:00"),
        LINE * 1200,
    ],
    ids=["empty", "noise", "another board", "invalid date", "unknown time", "too long"],
)
def test_invalid_message_lines_are_refused(lines):
    with pytest.raises(ValueError, match=r"it (is|does not) "):
        messages.received_lines("usb-1", lines, AT)
