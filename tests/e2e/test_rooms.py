"""`noughts watch` and rooms through a real mosquitto, set up as docs/rooms.md describes."""

import contextlib
import re
import signal
import socket
from pathlib import Path

import pytest
import trustme

import kill_rooms
from mosquitto import is_slow, write_users
from needed import long
from noughts.recording.events import BrokerAnswered, BrokerUnavailable
from noughts.rooms.address import parse
from noughts.rooms.broker import Broker
from sample_games import DRAW, stages
from waiting import LIMIT_S, until

CA, PASSWORD, WRONG = map(Path, ("ca.pem", "password", "wrong"))


def test_killed_room_goes_offline_and_comes_back_online(mosquitto, watch, started, port, tmp_path):
    broker, board = mosquitto(), port("board")
    words = "--publish", broker.url, "--room", "3b", board.path
    room = watch("room", *words)
    room.connected(board.path)
    collector = started(
        "watch", "--plain", "--db", tmp_path / "collector.db", broker.url, text=True
    )
    shown = iter(collector.stdout)
    assert next(shown) == f"{broker.url}: connected\n"
    assert next(shown) == "room 3b is online\n"
    room.kill()
    assert next(shown) == "room 3b is offline; its games arrive when it is back\n"
    watch("later", broker.url).happens("offline", room="3b")
    again = watch("room", *words)
    assert next(shown) == "room 3b is online\n"
    again.connected(board.path)
    board.say(stages([4])[1])
    assert next(shown) == f"3b/{board.path}: connected ({broker.url})\n"
    assert next(shown) == f"3b/{board.path}: game 1, move 1: A in the centre\n"
    collector.send_signal(signal.SIGINT)
    assert collector.wait(120) == 0


def test_silent_broker_does_not_delay_recording(watch, port):
    board = port("board")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"mqtt://127.0.0.1:{silent.getsockname()[1]}"
        room = watch("room", "--publish", url, board.path)
        far, _ = silent.accept()
        with far:
            room.connected(board.path)
            board.say(*stages(DRAW))
            room.happens("game", end="=")
            assert room.end()[0] == 0


@pytest.mark.parametrize(("kills", "games"), [(3, 4), long(12, 20)])
def test_each_game_arrives_once_after_kills(mosquitto, tmp_path, kills, games):
    """SIGKILL ends rooms, broker and collector at random moments while games are played."""
    mosquitto().close()  # skips the test if mosquitto is missing
    outcome = kill_rooms.run(tmp_path, kills, seed=4)
    assert outcome.kills.total() == kills
    assert outcome.games > games
    assert not outcome.wrong, outcome.wrong


@pytest.fixture
def document(repository):
    return (repository / "docs" / "rooms.md").read_text("utf-8")


@pytest.fixture
def secured(document, mosquitto, tmp_path):
    """The document's broker, with TLS, passwords and an access list."""
    configuration, access = re.findall(r"^```\n(.*?)^```", document, re.MULTILINE | re.DOTALL)
    authority = trustme.CA()
    authority.cert_pem.write_to_path(tmp_path / "ca.pem")
    own = authority.issue_cert("localhost")
    own.private_key_pem.write_to_path(tmp_path / "broker.key")
    own.cert_chain_pems[0].write_to_path(tmp_path / "broker.pem")
    (tmp_path / "noughts.access").write_text(access)
    write_users(tmp_path / "noughts.users", {"3b": "blue table", "office": "blue table"})
    (tmp_path / "password").write_text("blue table\n")
    (tmp_path / "wrong").write_text("red table\n")
    for folder in ("/var/lib/mosquitto", "/etc/mosquitto/certs", "/etc/mosquitto"):
        configuration = configuration.replace(f"{folder}/", f"{tmp_path}/")
    return mosquitto(whole=configuration.replace("listener 8883", "listener {port} 127.0.0.1"))


def test_commands_in_the_document_connect(document, secured, mosquitto, started, folder):
    shown = re.findall(r"^    noughts watch (.*)$", document, re.MULTILINE)
    assert len(shown) == 4
    open_to_all = mosquitto()
    for words in shown:
        words = words.replace("broker.example", f"localhost:{secured.port}")
        words = words.replace("mqtt://localhost", open_to_all.url)
        process = started("watch", *words.split(), text=True)
        of_broker = (line for line in process.stdout if "mqtt" in line and not is_slow(line))
        assert re.fullmatch(r"mqtts?://\S+: connected\n", next(of_broker, ""))
        process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0


def test_options_in_the_document_exist(document, printed):
    help_text = printed("watch", "--help")
    for option in set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", document)):
        if option not in ("--board", "--seconds"):  # of other commands
            assert option in help_text, option
    assert "NOUGHTS_MQTT_PASSWORD" in help_text


def test_publishing_over_tls_obeys_the_access_list(secured, watch, port, folder, monkeypatch):
    board = port("board")
    address = f"localhost:{secured.port}"
    monkeypatch.setenv("NOUGHTS_MQTT_PASSWORD", "blue table")
    collector = watch("collector", f"mqtts://office@{address}", "--ca", "ca.pem")
    collector.happens("broker", what="connected")
    published = f"--publish mqtts://3b@{address} --ca ca.pem --password-file password".split()
    room = watch("room", *published, "--room", "3b", board.path)
    room.connected(board.path)
    board.say(*stages(DRAW))
    collector.happens("game", board=f"3b/{board.path}", end="=")
    assert room.end()[0] == 0
    # A user may not publish as another room.
    room = watch("other", *published, "--room", "3c", board.path)
    room.connected(board.path)
    board.say(*stages(DRAW))
    why = "it does not let this user publish to its topics; check its access list"
    room.happens("waiting", port=f"mqtts://{address}", why=why)
    assert "3c" not in {event.get("room") for event in collector.events}


@pytest.mark.parametrize(
    ("url", "password", "authority", "why"),
    [
        ("mqtts://3b@localhost:{tls}", WRONG, CA, "it refuses the connection (Not authorized); "),
        ("mqtts://3b@localhost:{tls}", PASSWORD, None, "its certificate is not trusted"),
        ("mqtts://3b@localhost:{open}", None, CA, "check that a broker with TLS runs at localhost"),
        ("mqtt://localhost:{tls}", None, None, "check that a broker without TLS runs at localhost"),
        ("mqtt://nowhere.invalid", None, None, "a broker without TLS runs at nowhere.invalid port"),
        ("mqtt://127.0.0.1:1", None, None, "no connection to it (Connection refused); check that"),
    ],
)
def test_connection_failure_is_explained(secured, mosquitto, folder, url, password, authority, why):
    address = parse(url.format(tls=secured.port, open=mosquitto().port), password, authority)
    reason = "timed out"
    while is_slow(reason):  # the computer was busy: try again
        with contextlib.closing(Broker(address, [])) as broker:
            reason = broker.arrived.get(timeout=LIMIT_S).why
    assert why in reason and "; " in reason


def test_each_connection_loss_is_reported_once(mosquitto):
    broker = mosquitto()
    why = "the connection was lost; noughts reconnects when the broker is back"
    with contextlib.closing(Broker(parse(broker.url), ["#"])) as connection:
        for _ in range(2):
            event = connection.arrived.get(timeout=LIMIT_S)
            assert event == BrokerAnswered(broker.url, "connected")
            broker.kill()
            assert connection.arrived.get(timeout=LIMIT_S) == BrokerUnavailable(broker.url, why)
            broker.start()


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        ("max_packet_size 1000", "it takes packets of 1,000 bytes at most; raise its limits"),
        ("message_size_limit 100", "it hangs up because of a message (Protocol error); raise its"),
    ],
)
def test_limit_of_a_broker_that_is_too_low_is_explained(mosquitto, watch, port, limit, why):
    """It is said once, and noughts does not connect again and again."""
    broker, board = mosquitto(lines=(limit,)), port("board")
    room = watch("room", "--publish", broker.url, "--room", "3b", board.path)
    room.connected(board.path)
    board.send(b"x" * 200 + b"\r\n")
    until(lambda: any(why in event.get("why", "") for event in room.events), why)
    board.say(*stages(DRAW))
    room.happens("game", end="=")
    connections = broker.log.read_text().count("New client connected")
    assert "connected" not in [event["event"] for event in room.events[2:]]
    assert connections <= 3 or limit.startswith("max")
    assert room.end()[0] == 0


def test_broker_that_calls_a_packet_too_large_is_explained():
    """As others than mosquitto do. A stand-in accepts the connection, then hangs up."""
    accepted, too_large = bytes.fromhex("20 03 00 00 00"), bytes.fromhex("e0 02 95 00")
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = parse(f"mqtt://127.0.0.1:{server.getsockname()[1]}")
        with contextlib.closing(Broker(address, ["#"])) as broker:
            connection, _ = server.accept()
            with connection:
                connection.sendall(accepted)
                event = broker.arrived.get(timeout=LIMIT_S)
                assert event == BrokerAnswered(str(address), "connected")
                connection.sendall(too_large)
                event = broker.arrived.get(timeout=LIMIT_S)
    assert "it hangs up because of a message (Packet too large); raise its limits" in event.why


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["mqtt://office@nowhere.invalid"], "the password to mqtt://nowhere.invalid is un"),
        (["--publish", "mqtt://nowhere.invalid"], "mqtt://nowhere.invalid has no user; "),
    ],
)
def test_insecure_broker_url_gives_a_warning(noughts, folder, monkeypatch, words, expected):
    monkeypatch.setenv("NOUGHTS_MQTT_PASSWORD", "green table")
    _, _, err = noughts("watch", *words, "--known", "missing", db=folder / "games.db")
    warning, error = err.splitlines()
    assert warning.startswith(expected) and "green" not in warning
    assert "missing" in error  # this ends it; the warning does not
