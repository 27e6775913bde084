"""Addresses of brokers, what a broker is shown, topics and messages."""

import contextlib
import re
import ssl

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noughts import cli
from noughts.protocol.sentences import write
from noughts.rooms import messages, topics
from noughts.rooms.address import is_broker, parse
from noughts.rooms.credentials import VARIABLE, credentials
from noughts.rooms.topics import RoomTopics, is_published, is_room_name, room_name
from sample_games import AT, stages

BROKER = "mqtt://broker.example"
LINE = f"2026-09-21T14:13:20.000Z usb-1 {write(stages([4])[1])}\n".encode()


@pytest.mark.parametrize(
    ("url", "host", "port", "tls", "user", "prefix"),
    [
        ("mqtt://broker", "broker", 1883, False, None, "noughts"),
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


def test_what_stays_on_this_computer():
    for host in ("localhost", "LOCALHOST", "127.0.0.1", "[::1]"):
        assert parse(f"mqtt://{host}").is_here
    for host in ("10.0.0.7", "broker", "localhost.example"):
        assert not parse(f"mqtt://{host}").is_here


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("mqtt://", "is not the address of a broker"),
        ("mqtt:broker", "is not the address of a broker"),
        ("http://broker", "is not the address of a broker"),
        ("mqtt://broker?x=1", "is not the address of a broker"),
        ("mqtt://broker#x", "is not the address of a broker"),
        ("mqtt://broker:port", "is not the address of a broker"),
        ("mqtt://broker:70000", "is not the address of a broker"),
        ("mqtt://[::1", "is not the address of a broker"),
        ("mqtt://user@", "has no host"),
        ("mqtt://broker:0", "has no host, or a port that is not from 1 to 65535"),
        ("mqtt://bro ker", "has no host"),
        ("mqtt://bro\u202eker", "has no host"),
        ("mqtt://broker/" + "x" * 201, "has a prefix"),
        ("mqtt://broker/%1B", "has a prefix"),
        ("mqtt://broker/a/%23", "has a prefix"),
        ("mqtt://broker/a//b", "has a prefix"),
        ("mqtt://broker/+", "has a prefix"),
        ("mqtt://broker/$SYS", "and no $ at the beginning"),
    ],
)
def test_wrong_addresses_are_one_line(url, why, capsys, folder):
    for words in (["watch", url], ["watch", "--publish", url]):
        if url.startswith("http") and words[1] == url:
            continue  # then it is a port
        assert cli.main(words) == 1
        told = capsys.readouterr().err
        assert told.startswith("noughts: ") and told.count("\n") == 1
        assert why in told and "; " in told


@pytest.mark.parametrize(
    "url", ["mqtt://u:Secret7@broker", "mqtt://u:Secret7@broker:x", "mqtt://:Secret7@b"]
)
def test_a_password_in_an_address_is_refused_and_not_repeated(url, capsys):
    for words in (["watch", url], ["watch", "--publish", url]):
        assert cli.main(words) == 1
        told = capsys.readouterr().err
        assert "ecret7" not in told and told.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--room", "3b"),
        ("--password-file", "x"),
        ("--ca", "x"),
        ("--publish", BROKER, "--from", "x"),
    ],
)
def test_options_of_rooms_that_say_nothing_are_wrong_usage(words, capsys):
    with pytest.raises(SystemExit, match="2"):
        cli.main(["watch", *words])
    assert "error: " in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--publish", BROKER, BROKER), "would get back what comes from it"),
        *(
            (("--publish", BROKER, "--room", room), "cannot be the name of a room")
            for room in ("a/b", "a\\b", "a:b", "3b ", "_3b", "x" * 61)
        ),
        (("--publish", BROKER, "--ca", "ca.pem"), "without TLS"),
        (("--publish", BROKER, "--password-file", "empty"), "--password-file needs a user"),
        (("--publish", "mqtt://u@b", "--password-file", "missing"), "cannot read the password"),
        (("--publish", "mqtt://u@b", "--password-file", "empty"), "does not begin with a password"),
        (("--publish", "mqtt://u@b", "--password-file", "long"), "does not begin with a password"),
        (("--publish", "mqtt://u@b", "--password-file", "binary"), "is not text"),
        (("mqtts://b", "--ca", "missing"), "cannot read the certificate"),
        (("mqtts://b", "--ca", "empty"), "holds no certificate"),
    ],
)
def test_what_cannot_be_used_is_one_line(words, why, capsys, folder):
    (folder / "empty").write_text("\n")
    (folder / "long").write_text("x" * 1001)
    (folder / "binary").write_bytes(b"\xff\xfe\n")
    assert cli.main(["watch", "--db", "games.db", *words]) == 1
    told = capsys.readouterr().err
    assert told.startswith("noughts: ") and told.count("\n") == 1
    assert why in told and "; " in told
    assert not (folder / "games.db").exists()


def test_the_password_comes_from_a_file_or_the_environment(folder, monkeypatch):
    address = parse("mqtt://class@broker")
    assert credentials(address, None, None).password is None
    monkeypatch.setenv(VARIABLE, "")
    assert credentials(address, None, None).password is None
    monkeypatch.setenv(VARIABLE, "from the environment")
    assert credentials(address, None, None).password == "from the environment"
    for begin in (b"", b"\xef\xbb\xbf"):  # as an editor of Windows may write it
        (folder / "password").write_bytes(begin + "für dich \r\nanother line\n".encode())
        login = credentials(address, folder / "password", None)
        assert login.password == "für dich "
    assert "für dich" not in repr(login)
    assert credentials(parse(BROKER), None, None).password is None
    context = credentials(parse("mqtts://broker"), None, None).context
    assert context.verify_mode is ssl.CERT_REQUIRED and context.check_hostname


NAMES = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S"]), max_size=20)


@given(room=NAMES.map("3b{}".format).filter(is_room_name), board=NAMES.map("u{}".format))
def test_a_topic_gives_back_room_and_board(room, board):
    of_room = RoomTopics("a/b", room)
    topic = of_room.board(board)
    assert topic.count("/") == 4 and not {"+", "#", "\0"} & set(topic)
    if is_published(board, room):
        assert topics.parse("a/b", topic) == (room, board)
    assert topics.parse("a/b", of_room.status) == (room, None)


@pytest.mark.parametrize(
    "topic",
    [
        "noughts",
        "noughts/3b",
        "noughts/3b/stored",
        "noughts/3b/board",
        "noughts/3b/board/usb/1",
        "noughts/3b/board/%75sb",
        "noughts/3b/board/%FF",
        "noughts/3b/board/%1B%5B2J",
        "noughts/3b/board/" + "x" * 2000,
        "noughts//board/usb-1",
        "noughts/%2Fdev/board/usb-1",
        "noughts/socket%3A/board/%2Fhost",
        "noughts/-3b/status",
    ],
)
def test_topics_of_others_are_refused(topic):
    with pytest.raises(ValueError, match=r"\w"):
        topics.parse("noughts", topic)


@given(st.text() | st.text("/%noughts3b").map("noughts/3b/board/{}".format))
def test_any_topic_is_read_or_refused(topic):
    with contextlib.suppress(ValueError):
        room, board = topics.parse("noughts", topic)
        assert is_room_name(room) and (board is None or is_published(board, room))


@given(st.binary() | st.binary().map(lambda noise: LINE + noise))
def test_any_message_is_read_or_refused(lines):
    with contextlib.suppress(ValueError):
        assert all(at <= AT + 5 for _, at in messages.heard("usb-1", lines, AT + 5))


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
    data = write(stages([4])[1]).encode() + b"\n"
    assert messages.heard("usb-1", LINE + late, AT + 5) == [(data, AT), (data, AT + 5)]
    assert re.fullmatch("[0-9a-f]{16}", messages.digest(LINE))  # few of them are ever the same


@pytest.mark.parametrize(
    "lines",
    [
        b"",
        b"\x1b[2J",
        LINE + b"2026-09-21T14:13:20.000Z usb-2 $\n",
        LINE.replace(b"09-21", b"02-30"),
        LINE * 1200,
    ],
    ids=["nothing", "noise", "another board", "no such day", "too long"],
)
def test_a_message_of_anything_else_is_refused(lines):
    with pytest.raises(ValueError, match="it is "):
        messages.heard("usb-1", lines, AT)
