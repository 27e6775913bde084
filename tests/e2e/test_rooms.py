"""`noughts watch --publish` and `noughts watch mqtt://…`, with a real mosquitto between them."""

import contextlib
import io
import json
import signal
import socket
import sqlite3
import subprocess
import sys
import time

import paho.mqtt.client as paho
import pytest
import trustme
from paho.mqtt import publish
from paho.mqtt.enums import CallbackAPIVersion

from fed_port import Port
from noughts.cli import main
from noughts.protocol.sentences import write
from noughts.store import timestamps
from sample_games import BOOT, stages
from watcher import Watcher, sentence

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


@pytest.fixture
def watch(tmp_path):
    watchers = []

    def start(name, *words):
        watchers.append(Watcher(tmp_path / f"{name}.db", *words))
        return watchers[-1]

    yield start
    for each in watchers:
        each.kill()


@pytest.fixture
def port(tmp_path):
    made = []

    def make(name):
        made.append(Port(tmp_path / name))
        return made[-1]

    yield make
    for each in made:
        each.pull()


def games(db):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        assert main(["games", "--json", "--db", str(db)]) == 0
    return json.loads(out.getvalue())


def times(db):
    """When games began, by board; in ms since 1970."""
    with contextlib.closing(sqlite3.connect(db)) as store:
        return dict(
            store.execute(
                "SELECT boards.name, started FROM games JOIN boards ON boards.id = games.board"
            )
        )


def happens(watcher, **wanted):
    """Wait for an event with these fields."""
    return watcher.wait(lambda event: wanted.items() <= event.items(), str(wanted))


def test_two_rooms_and_a_collector(mosquitto, watch, port, tmp_path):
    broker = mosquitto()
    collector, another = watch("collector", broker.url), watch("another", broker.url)
    for each in (collector, another):
        happens(each, event="broker", what="connected")
    told = [BOOT, *stages(DRAW)]
    rooms = {}
    for name in ("3a", "Raum 3b"):
        board = port(name[-2:])
        rooms[name] = watch(name, "--publish", broker.url, "--room", name, board.path), board
        rooms[name][0].connected(board.path)
        board.say(*told)
    for name, (room, board) in rooms.items():
        happens(collector, event="online", room=name)
        happens(collector, event="game", board=f"{name}/{board.path}", end="=")
        status, said = room.end()
        assert (status, said.count("\n")) == (0, 1)
        happens(collector, event="offline", room=name)
        heard = [each for each in collector.events if each.get("board") == f"{name}/{board.path}"]
        assert [each["event"] for each in heard[:2]] == ["connected", "boot"]
        assert [sentence(each) for each in heard[1:]] == told
        assert all(each["new"] for each in heard[1:])
    status, said = collector.end()
    assert (status, said.count("\n")) == (0, 1)
    assert said.startswith("22 sentences from 2 boards, 2 games ended, 0 bytes of noise; ")
    assert [game["moves"] for game in games(collector.db)] == [DRAW, DRAW]
    began = times(collector.db)
    happens(another, event="offline", room="Raum 3b")
    assert another.end()[0] == 0 and times(another.db) == began
    for name, (room, board) in rooms.items():
        assert began[f"{name}/{board.path}"] == times(room.db)[board.path]


def test_a_room_says_again_that_it_is_online(mosquitto, watch, port):
    """The will of its connection of before may come late, as after a power cut."""
    broker, board = mosquitto(), port("board")
    collector = watch("collector", broker.url)
    happens(collector, event="broker")
    watch("room", "--publish", broker.url, "--room", "3b", board.path)
    happens(collector, event="online", room="3b")
    publish.single("noughts/3b/status", b"offline", 1, True, "127.0.0.1", broker.port)
    happens(collector, event="offline", room="3b")
    collector.wait(
        lambda _: [e["event"] for e in collector.events if "room" in e][-1] == "online", "it"
    )
    # Whoever comes later is told so at once.
    happens(watch("later", broker.url), event="online", room="3b")


def test_a_room_that_is_killed_and_comes_back(mosquitto, watch, port):
    broker, board = mosquitto(), port("board")
    words = "--publish", broker.url, "--room", "3b", board.path
    room = watch("room", *words)
    room.connected(board.path)
    command = [sys.executable, "-m", "noughts", "watch", "--plain", "--db"]
    with subprocess.Popen(
        [*command, str(room.db.with_name("collector.db")), broker.url],
        stdout=subprocess.PIPE,
        text=True,
    ) as collector:
        try:
            shown = iter(collector.stdout)
            assert next(shown) == f"{broker.url}: connected\n"
            assert next(shown) == "room 3b is online\n"
            room.kill()
            assert next(shown) == (
                "room 3b is offline; what its boards say comes when it is back\n"
            )
            again = watch("room", *words)
            assert next(shown) == "room 3b is online\n"
            again.connected(board.path)
            board.say(stages([4])[1])
            assert next(shown) == f"3b/{board.path}: connected ({broker.url})\n"
            assert next(shown) == f"3b/{board.path}: game 1, move 1: A in the centre\n"
            collector.send_signal(signal.SIGINT)
            assert collector.wait(120) == 0
        finally:
            collector.kill()


def test_what_is_played_while_nobody_is_there_comes_later(mosquitto, watch, port):
    broker, board = mosquitto(), port("board")
    broker.kill()
    room = watch("room", "--publish", broker.url, "--room", "3b", board.path)
    why = happens(room, event="waiting", port=broker.url)["why"]
    assert why.startswith("nothing answers at 127.0.0.1 port ") and "; " in why
    room.connected(board.path)
    board.say(*stages(DRAW))
    happens(room, event="game", end="=")
    over = timestamps.now()
    # The room's computer is switched off and on; then there is a broker, and then a collector.
    assert room.end()[0] == 0
    room = watch("room", "--publish", broker.url, "--room", "3b", board.path)
    happens(room, event="waiting", port=broker.url)
    broker.start()
    happens(room, event="broker", what="connected")
    happens(room, event="waiting", why=NO_COLLECTOR)
    collector = watch("collector", broker.url)
    happens(collector, event="game", end="=", new=True)
    happens(room, event="broker", what="a collector stores what this room says")
    assert len([each for each in room.events if each["event"] == "waiting"]) == 2
    ((_, began),) = times(collector.db).items()
    assert began <= over
    assert times(room.db) == {board.path: began}
    # What was confirmed is not sent again, unless one forgets that it was.
    assert room.end()[0] == 0
    (position,) = room.db.with_name("room.db.raw").glob("published-*.json")
    for forgotten in (False, True):
        if forgotten:
            position.unlink()
        empty = watch(f"empty{forgotten}", broker.url)
        happens(empty, event="broker", what="connected")
        room = watch("room", "--publish", broker.url, "--room", "3b", board.path)
        room.connected(board.path)
        board.say(stages([4], number=2)[1])
        happens(empty, event="game", number=2)
        assert room.end()[0] == empty.end()[0] == 0
        assert len(games(empty.db)) == 1 + forgotten


NO_COLLECTOR = (
    "no collector stores what this room says; it waits in the raw lines until "
    "`noughts watch mqtt://…` runs"
)


def test_a_broker_that_says_nothing_delays_nothing(watch, port):
    board = port("board")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"mqtt://127.0.0.1:{silent.getsockname()[1]}"
        room = watch("room", "--publish", url, board.path)
        far, _ = silent.accept()
        with far:
            room.connected(board.path)
            board.say(*stages(DRAW))
            happens(room, event="game", end="=")
            assert room.end()[0] == 0


@pytest.fixture
def guarded(mosquitto, tmp_path):
    """A broker with TLS, passwords and an access list."""
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    own = authority.issue_cert("localhost")
    own.private_key_pem.write_to_path(tmp_path / "key.pem")
    own.cert_chain_pems[0].write_to_path(tmp_path / "cert.pem")
    (tmp_path / "access").write_text(
        "pattern readwrite noughts/%u/#\n"
        "user office\ntopic read noughts/#\ntopic write noughts/+/stored\n"
    )
    (tmp_path / "password").write_text("blue table\n")
    (tmp_path / "wrong").write_text("red table\n")
    broker = mosquitto(
        users={"3b": "blue table", "office": "green table"},
        tls=(tmp_path / "cert.pem", tmp_path / "key.pem"),
        lines=(f"acl_file {tmp_path / 'access'}",),
    )
    broker.authority = str(tmp_path / "ca.pem")
    return broker


def test_passwords_tls_and_an_access_list(guarded, watch, port, tmp_path, monkeypatch):
    board = port("board")
    address = f"localhost:{guarded.tls_port}"
    ca, password = ("--ca", guarded.authority), ("--password-file", str(tmp_path / "password"))
    monkeypatch.setenv("NOUGHTS_MQTT_PASSWORD", "green table")
    collector = watch("collector", f"mqtts://office@{address}", *ca)
    happens(collector, event="broker", what="connected")
    published = "--publish", f"mqtts://3b@{address}", *ca, *password
    room = watch("room", *published, "--room", "3b", board.path)
    room.connected(board.path)
    board.say(*stages(DRAW))
    happens(collector, event="game", board=f"3b/{board.path}", end="=")
    assert room.end()[0] == 0
    # As another room than its user it may not publish.
    room = watch("other", *published, "--room", "3c", board.path)
    room.connected(board.path)
    board.say(*stages(DRAW))
    why = happens(room, event="waiting", port=f"mqtts://{address}")["why"]
    assert why == "it does not let this user publish there; check its access list"
    assert "3c" not in {each.get("room") for each in collector.events}


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ("{tls} --ca {ca} --password-file {wrong}", "it refuses this user or password; check"),
        ("{tls} --ca {ca}", "it refuses this user or password; check both, and --password-file"),
        ("{tls} --password-file {password}", "its certificate is not trusted"),
        ("mqtts://3b@127.0.0.1:{tls_port} --ca {ca}", "its certificate is not trusted"),
        ("mqtts://3b@localhost:{port} --ca {ca}", "there is no TLS at localhost port "),
        ("mqtt://localhost:{tls_port}", "it hung up before it answered; check the port"),
        ("mqtt://nowhere.invalid", "there is no host nowhere.invalid; check its name"),
    ],
)
def test_why_a_broker_is_waited_for(guarded, watch, tmp_path, words, why):
    given = words.format(
        tls=f"mqtts://3b@localhost:{guarded.tls_port}",
        tls_port=guarded.tls_port,
        port=guarded.port,
        ca=guarded.authority,
        password=tmp_path / "password",
        wrong=tmp_path / "wrong",
    ).split()
    collector = watch("collector", *given)
    told = collector.wait(lambda event: event["event"] == "waiting", "why it waits")["why"]
    assert told.startswith(why) and "; " in told
    assert collector.end()[0] == 0


def test_a_reason_is_said_once_however_often_it_is_tried(mosquitto, watch):
    broker = mosquitto(users={"office": "green table"})
    collector = watch("collector", broker.url)
    end = time.monotonic() + 120
    while broker.log.read_text().count("not authorised") < 4:
        assert time.monotonic() < end
        time.sleep(0.02)
    assert collector.end()[0] == 0
    assert [event["event"] for event in collector.events] == ["waiting"]


def test_a_password_that_others_could_read_is_told(watch, monkeypatch):
    monkeypatch.setenv("NOUGHTS_MQTT_PASSWORD", "green table")
    collector = watch("collector", "mqtt://office@nowhere.invalid")
    collector.wait(lambda event: event["event"] == "waiting", "why it waits")
    status, said = collector.end()
    assert status == 0 and "green" not in said
    assert said.startswith(
        "the password for mqtt://nowhere.invalid is sent unencrypted; use mqtts:// if "
    )


def test_whatever_is_published_is_rejected_in_a_line(mosquitto, watch):
    broker = mosquitto()
    collector = watch("collector", broker.url)
    happens(collector, event="broker")
    line = f"2026-09-21T14:13:20.000Z usb-1 {write(stages([4])[1])}\n".encode()
    client = paho.Client(CallbackAPIVersion.VERSION2)
    client.connect("127.0.0.1", broker.port)
    client.loop_start()
    wrong = {
        "noughts/3b/status": b"\x1b[2J",
        "noughts/%1B[2J/status": b"online",
        "noughts/3b/board/usb-1": b"\xff\xfe\x00" * 1000,
        "noughts/3c/board/usb-2": line,
        "noughts/3d/board/usb-1": line * 1200,
        "noughts/3d/board/" + "u" * 5000: line,
        "noughts/3e/board/-1": b"",
    }
    try:
        for _ in range(3):
            for topic, payload in wrong.items():
                client.publish(topic, payload, qos=1, retain=True)
        client.publish("noughts/3b/board/usb-1", line * 2000, qos=1)  # the broker keeps it back
        client.publish("noughts/3b/board/usb-1", line, qos=1).wait_for_publish(60)
        game = happens(collector, event="game", board="3b/usb-1")
    finally:
        client.disconnect()
        client.loop_stop()
    assert game["moves"] == [4] and game["new"]
    rejected = [each for each in collector.events if each["event"] == "rejected"]
    assert len(rejected) == len(wrong)
    assert all(each["topic"].isprintable() and each["why"].isprintable() for each in rejected)
    status, said = collector.end()
    assert status == 0
    assert said.startswith("1 sentence from 1 board, 0 games ended, 0 bytes of noise; ")
