"""The command `noughts watch`, on pseudo-terminals that say what the test wants."""

import contextlib
import fcntl
import io
import itertools
import json
import os
import resource
import signal
import socket
import sqlite3
import sys
import termios
import time

import pytest

from noughts.errors import BoardError
from noughts.protocol.sentences import checksum
from noughts.store.store import Store
from sample_games import BOOT, DRAW, filled, stages, wire
from waiting import until
from watcher import games, rows


def test_all_events_of_a_board(port, watch, tmp_path):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(BOOT, *stages(DRAW))
    later = f"$NX,1*{checksum('NX,1')}".encode()
    board.send(b"Traceback \x1b[2J\r\n" + later + b"\r\n$NG,half")  # it is read together
    watcher.happens("unknown")  # the last line
    board.pull()
    watcher.happens("gone")
    status, said = watcher.end()
    assert status == 0
    assert said == (
        f"11 sentences from 1 board, 1 game ended, 22 bytes of noise; stored in {watcher.db}\n"
    )
    heard = [event for event in watcher.events if event["event"] in ("boot", "game")]
    assert [(e["event"], e.get("moves"), e.get("end")) for e in heard] == [
        ("boot", None, None),
        *(("game", list(game.moves), game.end) for game in stages(DRAW)),
    ]
    assert all(event["new"] and event["board"] == board.path for event in heard)
    noise = [event["text"] for event in watcher.events if event["event"] == "noise"]
    assert noise == [r"Traceback \x1b[2J", "$NG,half"]


def test_boards_that_are_far_away(watch):
    """A `socket://` URL; the host there hangs up in a game, and is called again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        watcher = watch("games", url)
        told = stages(DRAW)
        for times, (plies, sent) in enumerate(((2, told[:3]), (9, told[5:])), 1):
            far, _ = server.accept()
            with far:
                watcher.connected(url, times)
                far.sendall(wire(*sent))
                watcher.happens("game", moves=DRAW[:plies])
                far.setblocking(False)
                with pytest.raises(BlockingIOError):
                    far.recv(1)  # nothing was sent to it
    watcher.kill()
    (game,) = games(watcher.db)
    assert (game.board, game.moves) == (url, "402635178")
    assert game.thought_ms == [1000] * 2 + [None] * 3 + [1000] * 4


def test_it_says_that_it_waits_for_a_board(noughts, plugged, monkeypatch, tmp_path):
    monkeypatch.setattr("noughts.cli.watch._print_until", lambda *_: 0)
    status, _, err = noughts("watch", "--plain", db=tmp_path / "g.db")
    assert status == 0
    assert err.startswith("no micro:bit is plugged in; waiting for one (Ctrl-C ends)\n")


def test_a_reader_that_has_enough(started, port, tmp_path):
    """`noughts watch --plain | head -2` ends, and all that was told is kept.

    It is told of a board by radio, which has the name that it was given before.
    """
    gateway, db = port("gateway"), tmp_path / "g.db"
    with Store(db, create=True) as store:
        store.name_board("radio-9A1B2C3D", "blue table")
    process = started("watch", "--plain", "--db", db, gateway.path, text=True)
    assert process.stdout.readline() == f"{gateway.path}: connected\n"
    gateway.send(wire(stages([4])[1], radio_id="9A1B2C3D"))
    assert process.stdout.readline() == "blue table: game 1, move 1: A in the centre\n"
    process.stdout.close()
    until(lambda: gateway.offer(BOOT) or process.poll() is not None, "its end")
    assert process.returncode == 1
    assert "Traceback" not in process.stderr.read()
    assert len(games(db)) == 1


def test_a_board_that_cannot_be_started_ends_it(tmp_path, refused, monkeypatch):
    def refuse(*_):
        raise BoardError("it cannot be started; close some programs")

    monkeypatch.setattr("noughts.virtual.board.start_process", refuse)
    told = refused("watch", "--emulated", "2", "--plain", db=tmp_path / "g.db")
    assert told == "noughts: it cannot be started; close some programs\n"


def test_storing_waits_for_no_reader(started, port, tmp_path):
    """400 whole games while nobody reads either pipe, and then the first signal ends it."""
    board, db = port("board"), tmp_path / "g.db"
    process = started("watch", "--json", "--db", db, board.path)
    assert b"connected" in process.stdout.readline()
    for game in range(1, 401):
        board.say(*stages(DRAW, number=game))
    until(lambda: rows(db) == [(400,)], "all games")
    board.say(stages([4], "x", number=401)[-1])  # nobody waits for this one
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 0
    assert b"not shown, as the reader was too slow; stored in" in process.stderr.read()
    assert rows(db) == [(401,)]
    assert rows(db, "SELECT DISTINCT moves, length(times) FROM games WHERE number < 401") == [
        ("".join(map(str, DRAW)), 9 * 5 - 1)
    ]


def capture(folder, *sentences):
    """What a serial program has written down: these sentences."""
    log = folder / "class.log"
    log.write_bytes(wire(*sentences))
    return log


def _unread(pipe):
    """Bytes that wait in it; a pipe of Linux holds 65,536."""
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, b"\0" * 4), sys.byteorder)


def test_a_capture_waits_for_its_reader(started, tmp_path):
    """Nothing is dropped of what is read from a file; Ctrl-C ends it at once."""
    played = (stages(DRAW, number=number) for number in range(1, 101))
    log = capture(tmp_path, *itertools.chain(*played))
    read, ended = (
        started("watch", "--json", "--from", log, "--db", tmp_path / name) for name in "ab"
    )
    read.stdout.readline()
    assert read.stdout.read().count(b"\n") == 1_000 - 1
    assert read.wait(120) == 0
    until(lambda: _unread(ended.stdout) >= 60_000, "a full pipe")
    ended.send_signal(signal.SIGINT)
    assert ended.wait(120) == 130
    assert ended.stderr.read() == b"\n"  # after the terminal's ^C


def test_the_live_screen(port, terminal, tmp_path):
    board, db = port("board"), tmp_path / "g.db"
    program = terminal("watch", "--db", str(db), board.path)
    program.wait_for("board")
    program.wait_for("0 sentences")
    board.say(BOOT, *stages(DRAW))
    program.wait_for("11 sentences")
    program.wait_for("board  person against hard  draw  9 moves  9 s")
    board.send(b"\x1b[31;1mred\x07\r\n")
    program.wait_for("noise 1")
    board.pull()
    program.wait_for("unplugged")
    program.type("q")
    assert program.end() == 0
    program.wait_for("stored in")
    assert "\x1b[31;1mred" not in program.text

    # Again, in a terminal that takes nothing any more.
    board.plug()
    program = terminal("watch", "--db", str(db), board.path)
    program.wait_for("board")
    program.fill()
    board.say(*stages(DRAW, number=2))
    until(lambda: rows(db) == [(2,)], "the game")
    os.kill(program.pid, signal.SIGTERM)
    until(program.has_ended, "its end")
    assert program.status == 0


def test_a_capture_of_any_serial_program(tmp_path, noughts, monkeypatch):
    log = tmp_path / "class.log"
    log.write_bytes(b"\xff\xfe" + wire(BOOT, *stages(DRAW)) + b"$NG,half")
    for board, *words in (
        ("file-class.log", "--from", log),
        ("red", "--from", log, "--name", "red"),
        ("stdin", "--from", "-"),
    ):
        db = tmp_path / f"\x1b[2J{board}.db"
        typed = io.TextIOWrapper(io.BufferedReader(io.BytesIO(log.read_bytes())))
        monkeypatch.setattr("sys.stdin", typed)
        status, out, err = noughts("watch", *words, db=db)
        assert (status, out) == (0, "")
        assert "11 sentences from 1 board, 1 game ended, 10 bytes of noise" in err
        assert "stored in" in err and "\x1b" not in err
        assert [(game.board, game.started) for game in games(db)] == [(board, None)]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--from", "/nowhere/log"], "cannot use /nowhere/log (No such file or directory)"),
        (["--from", "/"], "cannot use / (Is a directory)"),
        ([__file__], "is not a serial port; to read a file, put --from before it"),
        (["/dev/null"], "/dev/null is not a serial port"),
    ],
)
def test_what_cannot_be_watched_makes_no_store(tmp_path, refused, words, says):
    assert says in refused("watch", *words, db=tmp_path / "games.db")
    assert list(tmp_path.iterdir()) == []


def test_boards_that_play_by_themselves(folder, terminal):
    """Their games are not among the pupils'."""
    program = terminal("watch", "--emulated", "1", "--plain")
    program.wait_for("virtual-1: board started: micro:bit V2")
    program.wait_for("move 1")
    program.type("\x03")
    assert program.end() == 0
    (path,) = folder.rglob("demonstration.db")
    assert not list(folder.rglob("games.db"))
    assert {game.board for game in games(path)} == {"virtual-1"}


@contextlib.contextmanager
def locked(db):
    with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_the_end_does_not_wait_for_another_program(port, watch, printed):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(stages([])[0])
    watcher.happens("game")
    with locked(watcher.db):
        board.say(*stages(DRAW)[1:])
        watcher.happens("busy")
        status, told = watcher.end(signal.SIGTERM)
    assert (status, told.count("\n")) == (1, 1)
    (log,) = watcher.db.parent.glob("games.db-not-stored-*.log")
    assert "9 lines are not stored; `noughts watch --from FILE` reads them from" in told
    assert str(log) in told
    printed("watch", "--from", log, db=watcher.db)
    assert [game.moves for game in games(watcher.db)] == ["402635178"]


def test_a_capture_waits_for_another_program(started, tmp_path):
    db = filled(tmp_path / "games.db", stages([4]))
    with locked(db):
        process = started("watch", "--from", capture(tmp_path, *stages(DRAW)), "--db", db)
        assert b"in use by another program" in process.stderr.readline()
    assert process.wait(120) == 0
    assert rows(db) == [(1,)]


def test_a_full_disk_is_one_line_and_nothing_is_lost(started, port, tmp_path):
    """The system lets no file grow beyond 130 KB."""
    board, db = port("board"), tmp_path / "games.db"
    limit = resource.RLIMIT_FSIZE, (130_000, 130_000)
    process = started(
        "watch",
        "--json",
        "--db",
        db,
        board.path,
        text=True,
        preexec_fn=lambda: resource.setrlimit(*limit),
    )
    process.stdout.readline()
    for number in itertools.count(1):
        board.offer(*stages([4], number=number))  # it may be ending, and read no more
        if process.poll() is not None:
            break
        time.sleep(0.001)
    events = [json.loads(line) for line in process.stdout]
    error = process.stderr.read()
    assert (process.returncode, error.count("\n")) == (1, 1)
    assert error.startswith("noughts: ")
    kept = {(game.number, game.moves) for game in games(db)}
    told = {(each["number"], "4") for each in events if each["event"] == "game" and each["moves"]}
    assert told and told <= kept
