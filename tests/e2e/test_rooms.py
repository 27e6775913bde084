"""`noughts watch --publish` and `noughts watch mqtt://…`, with a real mosquitto between them."""

import re
import signal
import socket

import pytest

import kill_rooms
from needed import long
from noughts.store import timestamps
from sample_games import BOOT, DRAW, stages
from watcher import games, happens, rows, sentence


def times(db):
    """When games began, by board; in ms since 1970."""
    boards = "games JOIN boards ON boards.id = games.board"
    return dict(rows(db, f"SELECT boards.name, started FROM {boards}"))


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
        assert [event["event"] for event in heard[:2]] == ["connected", "boot"]
        assert [sentence(each) for each in heard[1:] if each["new"]] == told
        # A broker that takes five seconds to confirm something is sent it again.
        assert all(sentence(each) in told for each in heard[1:])
    status, said = collector.end()
    assert (status, said.count("\n")) == (0, 1)
    summed = re.match(r"(\d+) sentences from 2 boards, 2 games ended, 0 bytes of noise; ", said)
    new = [each["new"] for each in collector.events if "new" in each]
    assert (sum(new), len(new)) == (22, int(summed[1]))
    assert [game["moves"] for game in games(collector.db)] == [DRAW, DRAW]
    began = times(collector.db)
    happens(another, event="offline", room="Raum 3b")
    assert another.end()[0] == 0 and times(another.db) == began
    for name, (room, board) in rooms.items():
        assert began[f"{name}/{board.path}"] == times(room.db)[board.path]


def test_a_room_that_is_killed_and_comes_back(mosquitto, watch, started, port, tmp_path):
    broker, board = mosquitto(), port("board")
    words = "--publish", broker.url, "--room", "3b", board.path
    room = watch("room", *words)
    room.connected(board.path)
    collector = started("--plain", "--db", tmp_path / "collector.db", broker.url, text=True)
    shown = iter(collector.stdout)
    assert next(shown) == f"{broker.url}: connected\n"
    assert next(shown) == "room 3b is online\n"
    room.kill()
    assert next(shown) == "room 3b is offline; what its boards say comes when it is back\n"
    happens(watch("later", broker.url), event="offline", room="3b")
    again = watch("room", *words)
    assert next(shown) == "room 3b is online\n"
    again.connected(board.path)
    board.say(stages([4])[1])
    assert next(shown) == f"3b/{board.path}: connected ({broker.url})\n"
    assert next(shown) == f"3b/{board.path}: game 1, move 1: A in the centre\n"
    collector.send_signal(signal.SIGINT)
    assert collector.wait(120) == 0


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
    # The room's computer is switched off and on; meanwhile there are a broker and a collector.
    assert room.end()[0] == 0
    broker.start()
    collector = watch("collector", broker.url)
    happens(collector, event="broker", what="connected")
    room = watch("room", "--publish", broker.url, "--room", "3b", board.path)
    happens(collector, event="game", end="=", new=True)
    ((_, began),) = times(collector.db).items()
    assert began <= over
    assert times(room.db) == {board.path: began}


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


@pytest.mark.parametrize(("kills", "games"), [(3, 4), long(12, 20)])
def test_each_game_arrives_once_whoever_is_killed(mosquitto, tmp_path, kills, games):
    """Rooms, broker and collector, killed with SIGKILL at random moments while games are played."""
    mosquitto().close()  # it is there, or the test is skipped
    outcome = kill_rooms.run(tmp_path, kills, seed=4)
    assert outcome.kills.total() == kills
    assert outcome.games > games
    assert not outcome.wrong, outcome.wrong
