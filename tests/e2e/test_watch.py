"""The command `noughts watch`, on pseudo-terminals that send what the test wants."""

import contextlib
import io
import itertools
import json
import os
import select
import signal
import socket
import sqlite3
import threading
import time

import pytest

import launcher
from noughts.cli import main
from noughts.protocol.sentences import checksum
from noughts.store.store import Store
from sample_games import BOOT, DRAW, filled, stages, wire
from waiting import until
from watcher import games, rows


def test_watch_reports_every_event_of_a_board(port, watch, tmp_path):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(BOOT, *stages(DRAW))
    later = f"$NX,1*{checksum('NX,1')}".encode()
    board.send(b"Traceback \x1b[2J\r\n" + later + b"\r\n$NG,half")  # read in one go
    watcher.happens("unknown")  # the last line
    board.pull()
    watcher.happens("gone")
    status, summary = watcher.end()
    assert status == 0
    assert summary == (
        f"11 sentences from 1 board, 1 game ended, 22 bytes of noise; stored in {watcher.db}\n"
    )
    sentences = [event for event in watcher.events if event["event"] in ("boot", "game")]
    assert [(e["event"], e.get("moves"), e.get("end")) for e in sentences] == [
        ("boot", None, None),
        *(("game", list(game.moves), game.end) for game in stages(DRAW)),
    ]
    assert all(event["new"] and event["board"] == board.path for event in sentences)
    noise = [event["text"] for event in watcher.events if event["event"] == "noise"]
    assert noise == [r"Traceback \x1b[2J", "$NG,half"]


def test_watch_reconnects_to_a_socket_url(watch):
    """The remote host hangs up during a game, and watch connects again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        watcher = watch("games", url)
        sentences = stages(DRAW)
        for times, (plies, sent) in enumerate(((2, sentences[:3]), (9, sentences[5:])), 1):
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


def test_watch_says_that_it_is_waiting_for_a_board(started, tmp_path):
    process = started("watch", "--plain", "--db", tmp_path / "g.db", text=True)
    expected = "no micro:bit is plugged in; waiting for one (Ctrl-C ends)\n"
    assert process.stderr.readline() == expected
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0


def test_closed_output_ends_watch_without_losing_games(started, port, tmp_path):
    """`noughts watch --plain | head -2` ends, and every game shown is stored.

    The board sends by radio, and was named before.
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


@pytest.mark.usefixtures("broken_wasmtime")
def test_virtual_board_that_cannot_start_ends_watch(capfd, tmp_path):
    assert main(["watch", "--emulated", "2", "--plain", "--db", str(tmp_path / "g.db")]) == 1
    out, error = capfd.readouterr()
    assert error.startswith("noughts: the emulator needs wasmtime") and error.count("\n") == 1
    assert out == ""


def test_slow_reader_does_not_delay_storing(started, port, tmp_path):
    """Nobody reads either pipe during 400 whole games; then the first signal ends watch."""
    board, db = port("board"), tmp_path / "g.db"
    process = started("watch", "--json", "--db", db, board.path)
    assert b"connected" in process.stdout.readline()
    for game in range(1, 401):
        board.say(*stages(DRAW, number=game))
    until(lambda: rows(db) == [(400,)], "all games")
    board.say(stages([4], "x", number=401)[-1])  # the test does not wait for this one
    process.send_signal(signal.SIGTERM)
    assert process.wait(120) == 0
    assert b"not shown, as the reader was too slow; stored in" in process.stderr.read()
    assert rows(db) == [(401,)]
    assert rows(db, "SELECT DISTINCT moves, length(times) FROM games WHERE number < 401") == [
        ("".join(map(str, DRAW)), 9 * 5 - 1)
    ]


def capture(folder, *sentences):
    """The log of a serial program, with these sentences."""
    log = folder / "class.log"
    log.write_bytes(wire(*sentences))
    return log


def test_capture_waits_for_its_reader(started, tmp_path):
    """Every line of a file is shown; Ctrl-C ends watch at once."""
    played = (stages(DRAW, number=number) for number in range(1, 101))
    log = capture(tmp_path, *itertools.chain(*played))
    words = "watch", "--json", "--from", log, "--db"
    read = started(*words, tmp_path / "a")
    reading, writing = os.pipe()
    ended = started(*words, tmp_path / "b", stdout=writing)
    read.stdout.readline()
    assert read.stdout.read().count(b"\n") == 1_000 - 1
    assert read.wait(120) == 0
    until(lambda: not select.select([], [writing], [], 0)[1], "a full pipe")
    ended.send_signal(signal.SIGINT)
    assert ended.wait(120) == 130
    assert ended.stderr.read() == b"\n"  # after the terminal's ^C
    os.close(reading)
    os.close(writing)


def test_live_screen_shows_sentences_noise_and_unplugging(port, terminal, tmp_path):
    """Its end loses no game, even in a terminal that no longer accepts output."""
    board, other, db = port("board"), port("other"), tmp_path / "g.db"
    program = terminal("watch", "--db", str(db), board.path, other.path)
    program.wait_for("board")
    program.wait_for("other")
    program.wait_for("0 sentences")
    board.say(BOOT, *stages(DRAW))
    program.wait_for("11 sentences")
    program.wait_for("board  person against hard  draw  9 moves  9 s")
    board.send(b"\x1b[31;1mred\x07\r\n")
    program.wait_for("noise 1")
    board.pull()
    program.wait_for("unplugged")
    assert "\x1b[31;1mred" not in program.text
    program.fill()
    other.say(*stages(DRAW, number=2))
    until(lambda: rows(db) == [(2,)], "the game")
    os.kill(program.pid, signal.SIGTERM)
    until(program.has_ended, "its end")
    assert program.status == 0


def test_capture_is_read_from_a_file_or_stdin(tmp_path, noughts, monkeypatch):
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
    ("words", "reason"),
    [
        (["--from", "/nowhere/log"], "cannot use /nowhere/log (No such file or directory)"),
        (["--from", "/"], "cannot use / (Is a directory)"),
        ([__file__], "is not a serial port; to read a file, put --from before it"),
        (["/dev/null"], "/dev/null is not a serial port"),
    ],
)
def test_invalid_source_does_not_create_a_store(tmp_path, refused, words, reason):
    assert reason in refused("watch", *words, db=tmp_path / "games.db")
    assert list(tmp_path.iterdir()) == []


def test_emulated_boards_have_their_own_store(folder, terminal):
    """Their games do not mix with those of the pupils."""
    program = terminal("watch", "--emulated", "1")
    program.wait_for("virtual-1 V2")
    program.wait_for("game 1")
    program.type("q")
    assert program.end() == 0
    assert "demonstration.db` lists them" in program.text.rpartition("stored in ")[2]
    (path,) = folder.rglob("demonstration.db")
    assert not list(folder.rglob("games.db"))
    assert {game.board for game in games(path)} == {"virtual-1"}


@contextlib.contextmanager
def locked(db):
    with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def test_watch_ends_without_waiting_for_another_program(port, watch, printed):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(stages([])[0])
    watcher.happens("game")
    with locked(watcher.db):
        board.say(*stages(DRAW)[1:])
        watcher.happens("busy")
        status, error = watcher.end(signal.SIGTERM)
    assert (status, error.count("\n")) == (1, 1)
    (log,) = watcher.db.parent.glob("games.db-not-stored-*.log")
    assert "9 lines are not stored; close that program and run `" in error
    assert f"watch --from {log} --db {watcher.db}`\n" in error
    printed("watch", "--from", log, db=watcher.db)
    assert [game.moves for game in games(watcher.db)] == ["402635178"]


def test_capture_waits_for_another_program(started, tmp_path):
    db = filled(tmp_path / "games.db", stages([4]))
    with locked(db):
        process = started("watch", "--from", capture(tmp_path, *stages(DRAW)), "--db", db)
        assert b"in use by another program" in process.stderr.readline()
    assert process.wait(120) == 0
    assert rows(db) == [(1,)]


def test_full_disk_ends_watch_on_one_line_without_losing_games(started, port, tmp_path):
    """The system limits files to 130 KB."""
    board, db = port("board"), tmp_path / "games.db"
    words = "watch", "--json", "--db", db, board.path
    process = started(*words, text=True, through=launcher.with_file_limit(130_000))
    process.stdout.readline()
    printed = []  # read as it comes: a full pipe would cut the last line
    reader = threading.Thread(target=lambda: printed.extend(process.stdout))
    reader.start()
    for number in itertools.count(1):
        board.offer(*stages([4], number=number))  # it may be ending, and no longer read
        if process.poll() is not None:
            break
        time.sleep(0.001)
    reader.join()
    events = [json.loads(line) for line in printed]
    error = process.stderr.read()
    assert (process.returncode, error.count("\n")) == (1, 1)
    assert error.startswith("noughts: ")
    stored = {(game.number, game.moves) for game in games(db)}
    shown = {
        (event["number"], "4") for event in events if event["event"] == "game" and event["moves"]
    }
    assert shown and shown <= stored
