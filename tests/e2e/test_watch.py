"""The command `noughts watch`, on pseudo-terminals that say what the test wants."""

import contextlib
import json
import os
import resource
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
import serial
from serial import rfc2217

from command import noughts
from needed import long
from noughts.cli import main
from noughts.protocol.sentences import checksum, write
from noughts.store.store import Store
from noughts.watch.virtual_boards import VirtualBoards
from sample_games import AT, BOOT, filled, stages
from watcher import happens, sentence

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


def watching(*words):
    return [sys.executable, "-m", "noughts", "watch", *map(str, words)]


def games(db):
    return json.loads(noughts("games", "--json", "--db", db).stdout)


def test_all_events_of_a_board(port, watch, tmp_path):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    told = [BOOT, *stages(DRAW)]
    board.say(*told)
    board.send(b"Traceback \x1b[2J\r\n" + f"$NX,1*{checksum('NX,1')}\r\n".encode())
    watcher.wait(lambda event: event["event"] == "unknown", "the last line")
    board.pull()
    watcher.wait(lambda event: event["event"] == "gone", "the cable")
    status, said = watcher.end()
    assert status == 0
    assert said == (
        f"11 sentences from 1 board, 1 game ended, 14 bytes of noise; kept in {watcher.db}\n"
    )
    heard = [event for event in watcher.events if event["event"] in ("boot", "game")]
    assert [sentence(event) for event in heard] == told
    assert all(event["new"] and event["board"] == board.path for event in heard)
    assert [event["text"] for event in watcher.events if event["event"] == "noise"] == [
        r"Traceback \x1b[2J"
    ]


def test_a_port_is_opened_whenever_it_is_plugged_in(port, watch):
    board = port("late")
    board.pull()
    watcher = watch("games", board.path)
    assert happens(watcher, event="waiting")["port"] == board.path
    board.plug()
    watcher.connected(board.path)
    told = stages(DRAW)
    board.say(*told[:3])
    # Half a sentence, and the cable; what was sent together is read together.
    board.send(write(told[3]).encode() + b"\r\n" + write(told[4]).encode()[:20])
    happens(watcher, moves=DRAW[:3])
    board.pull()
    happens(watcher, event="gone")
    half = [event["text"] for event in watcher.events if event["event"] == "noise"]
    assert half == [write(told[4])[:20]]
    board.plug()
    watcher.connected(board.path, 2)
    board.say(told[-1])
    happens(watcher, end="=")
    (game,) = games(watcher.db)
    assert game["moves"] == DRAW
    assert game["thought_ms"] == [1000, 1000, 1000] + [None] * 6


def test_boards_that_are_far_away(watch):
    """A `socket://` URL; the host there hangs up, and is called again."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(120)
        url = f"socket://127.0.0.1:{server.getsockname()[1]}"
        watcher = watch("games", url)
        told = stages(DRAW)
        for times, (plies, sent) in enumerate(((2, told[:3]), (9, told[3:])), 1):
            far, _ = server.accept()
            with far:
                watcher.connected(url, times)
                far.sendall(b"".join(write(each).encode() + b"\r\n" for each in sent))
                watcher.wait(lambda event, plies=plies: len(event.get("moves", "")) == plies, "it")
                far.setblocking(False)
                with pytest.raises(BlockingIOError):
                    far.recv(1)  # nothing was sent to it
    assert [(game["board"], game["moves"]) for game in games(watcher.db)] == [(url, DRAW)]


def test_boards_behind_rfc2217(watch):
    """Pyserial's own server for network ports; behind it a loop, which has modem lines."""
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        serial.serial_for_url("loop://", timeout=0.05) as near,
    ):
        threading.Thread(target=serve_rfc2217, args=(server, near), daemon=True).start()
        # The server may have no turn within the three seconds that pyserial gives it.
        url = f"rfc2217://127.0.0.1:{server.getsockname()[1]}?timeout=120"
        watcher = watch("games", url)
        watcher.connected(url)
        near.write(b"".join(write(each).encode() + b"\r\n" for each in stages(DRAW)))
        watcher.wait(lambda event: event.get("end") == "=", "the end")
        assert watcher.end()[0] == 0
    assert [game["moves"] for game in games(watcher.db)] == [DRAW]


def serve_rfc2217(server, near):
    far, _ = server.accept()
    manager = rfc2217.PortManager(near, SimpleNamespace(write=far.sendall))
    far.settimeout(0.01)
    with far, contextlib.suppress(OSError):
        while True:
            with contextlib.suppress(TimeoutError):
                heard = far.recv(1024)
                if not heard:
                    return
                b"".join(manager.filter(heard))
            far.sendall(b"".join(manager.escape(near.read(near.in_waiting or 1))))


def test_it_says_that_it_waits_for_a_board(tmp_path):
    """Whatever is plugged in here."""
    code = """
from noughts import cli
from noughts.commands import watch
from noughts.watch import port_monitor
watch.find_ports = list
wanted, find, *others = port_monitor.PortMonitor.__init__.__defaults__
port_monitor.PortMonitor.__init__.__defaults__ = wanted, list, *others
raise SystemExit(cli.main())
"""
    words = [sys.executable, "-c", code, "watch", "--plain", "--db", str(tmp_path / "g.db")]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True) as process:
        try:
            waiting = "no micro:bit is plugged in; waiting for one (Ctrl-C ends)\n"
            assert process.stderr.readline() == waiting
            process.send_signal(signal.SIGINT)
            assert process.wait(120) == 0
        finally:
            process.kill()


def test_a_reader_that_has_enough(port, tmp_path):
    """`noughts watch --plain | head -2` ends, and all that was told is kept."""
    board, db = port("board"), tmp_path / "g.db"
    with subprocess.Popen(
        watching("--plain", "--db", db, board.path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            assert process.stdout.readline() == f"{board.path}: connected\n"
            board.say(stages([4])[1])
            assert process.stdout.readline() == f"{board.path}: game 1, move 1: A in the centre\n"
            process.stdout.close()
            end = time.monotonic() + 120
            while process.poll() is None and time.monotonic() < end:
                board.offer(stages([4])[1])  # it may be ending, and read no more
                time.sleep(0.02)
            assert process.poll() == 1
            assert "Traceback" not in process.stderr.read()
        finally:
            process.kill()
    assert len(games(db)) == 1


def until(condition, what):
    """Wait until it holds; a busy computer takes its time."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, f"waited for {what}"
        time.sleep(0.05)


def rows(db, query="SELECT count(*) FROM games WHERE end != '-'"):
    with contextlib.closing(sqlite3.connect(db)) as store:
        return store.execute(query).fetchall()


def test_where_games_are_stored_is_printed_without_control_characters(tmp_path):
    db, log = tmp_path / "a\x1b[2Jb.db", tmp_path / "empty.log"
    log.touch()
    done = noughts("watch", "--from", log, "--db", db)
    assert done.returncode == 0 and db.exists()
    assert "kept in" in done.stderr and "\x1b" not in done.stderr


def test_no_more_boards_are_started_once_they_are_to_end():
    begun = []

    def plugged():
        begun.append(1)
        for name in boards.kinds:
            boards.opened(name)

    boards = VirtualBoards(5, plugged, lambda name: boards.close())
    boards.start()
    until(lambda: not starting(), "the end")
    assert 1 <= len(begun) <= 2


def test_a_thread_that_waits_for_a_board_to_start_ends():
    boards = VirtualBoards(0, list, list)
    waiting = threading.Thread(target=boards._start, daemon=True)
    waiting.start()
    boards.close()
    waiting.join(10)
    assert not waiting.is_alive()


def starting():
    return [each for each in threading.enumerate() if each.name == "start boards"]


def test_a_board_that_cannot_be_started_ends_it(tmp_path):
    code = """
from noughts import cli, errors, python_process
def refuse(*_):
    raise errors.BoardError("it cannot be started; close some programs")
python_process.start = refuse
raise SystemExit(cli.main())
"""
    words = [sys.executable, "-c", code, "watch", "--emulated", "2", "--plain"]
    words += ["--db", str(tmp_path / "g.db")]
    done = subprocess.run(words, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 1
    assert done.stderr == "noughts: it cannot be started; close some programs\n"


@pytest.mark.parametrize(
    ("how", "number"),
    [
        ("--json", signal.SIGTERM),
        ("--plain", signal.SIGINT),
        long("--json", signal.SIGINT),
        long("--plain", signal.SIGTERM),
    ],
)
def test_storing_waits_for_no_reader(port, tmp_path, how, number):
    """400 whole games while nobody reads either pipe, and then the first signal ends it."""
    board, db = port("board"), tmp_path / "g.db"
    with subprocess.Popen(
        watching(how, "--db", db, board.path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            assert b"connected" in process.stdout.readline()
            for game in range(1, 401):
                board.say(*stages(DRAW, number=game))
            until(lambda: rows(db) == [(400,)], "all games")
            board.say(stages([4], "x", number=401)[-1])  # nobody waits for this one
            process.send_signal(number)
            assert process.wait(120) == 0
            assert b"not shown, as nobody read them; kept in" in process.stderr.read()
        finally:
            process.kill()
    assert rows(db) == [(401,)]
    assert rows(db, "SELECT DISTINCT moves, length(times) FROM games WHERE number < 401") == [
        ("".join(map(str, DRAW)), 9 * 5 - 1)
    ]


@pytest.fixture
def capture(tmp_path):
    """Writes what a serial program has written down: these sentences."""
    log = tmp_path / "class.log"

    def write_log(*sentences):
        log.write_bytes(b"".join(write(each).encode() + b"\r\n" for each in sentences))
        return log

    return write_log


def test_a_capture_waits_for_its_reader(capture, tmp_path):
    """Nothing is dropped of what is read from a file; Ctrl-C ends it at once."""
    log = capture(*(each for number in range(1, 101) for each in stages(DRAW, number=number)))
    for db in (tmp_path / "one.db", tmp_path / "two.db"):
        with subprocess.Popen(
            watching("--json", "--from", log, "--db", db),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as process:
            try:
                process.stdout.readline()
                if db.name == "one.db":
                    assert process.stdout.read().count(b"\n") == 1_000 - 1
                    assert process.wait(120) == 0
                else:
                    process.send_signal(signal.SIGINT)
                    assert process.wait(120) == 130
                    assert process.stderr.read() == b""
            finally:
                process.kill()


def delete(db):
    for path in db.parent.glob("games.db*"):
        if path.is_file():
            path.unlink()


def delete_the_folder(db):
    # First out of the way: the watcher makes a new one as soon as it sees that this one is gone.
    shutil.rmtree(db.parent.rename(db.parent.with_name("deleted")))


def move_another_there(db):
    another(db).replace(db)


def copy_a_larger_one_over_it(db):
    db.write_bytes(another(db).read_bytes())


def copy_a_larger_one_over_it_and_delete_its_log(db):
    copy_a_larger_one_over_it(db)
    delete_its_log(db)


def write_over_it(db):
    db.write_bytes(b"my diary")


def delete_its_log(db):
    Path(f"{db}-wal").unlink()


def another(db):
    path = filled(db.with_name("other.db"), *(stages(DRAW, number=n) for n in range(1, 100)))
    rows(path, "PRAGMA wal_checkpoint(TRUNCATE)")
    assert path.stat().st_size > db.stat().st_size
    return path


RESTORES = [
    move_another_there,
    copy_a_larger_one_over_it,
    copy_a_larger_one_over_it_and_delete_its_log,
]


@pytest.mark.parametrize(
    "harm",
    [
        move_another_there,
        copy_a_larger_one_over_it_and_delete_its_log,
        delete_the_folder,
        delete_its_log,
        long(copy_a_larger_one_over_it),
        long(delete),
        long(write_over_it),
    ],
)
def test_a_store_that_goes_away_while_it_is_written(port, watch, tmp_path, harm):
    board = port("board")
    (tmp_path / "log").mkdir()
    watcher = watch("log/games", board.path)
    db = watcher.db
    watcher.connected(board.path)
    board.say(BOOT, *stages(DRAW))
    happens(watcher, end="=")
    harm(db)
    after = db.read_bytes() if db.exists() else None
    board.say(*stages(DRAW, number=2)[:5])
    gone = watcher.wait(lambda event: event["event"] == "moved", "what has become of the store")
    now = db.with_name("games-2.db")
    assert (gone["store"], gone["now"]) == (str(db), str(now))
    board.say(*stages(DRAW, number=2)[5:])
    watcher.wait(lambda event: event.get("number") == 2 and event["end"] == "=", "the second game")
    status, told = watcher.end()
    assert (status, told.endswith(f"kept in {now}\n")) == (0, True)
    (game,) = games(now)
    assert (game["number"], game["moves"], game["thought_ms"]) == (2, DRAW, [1000] * 9)
    assert game["release"] == BOOT.release
    if harm is not delete_its_log:
        assert (db.read_bytes() if db.exists() else None) == after
    else:
        assert 1 in {game["number"] for game in games(db)}
    if harm is not delete_the_folder:
        (log,) = (db.parent / "games.db.raw").iterdir()
        assert noughts("watch", "--from", log, "--db", now).returncode == 0
        assert {game["number"] for game in games(now)} == {1, 2}
    if harm in RESTORES:
        assert {game["number"] for game in games(db)} == set(range(1, 100))


def test_a_store_that_others_write_and_tidy_is_still_there(port, watch, tmp_path):
    """Checkpoints, readers and other writers are no harm."""
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    for number in range(1, 10):
        with Store(watcher.db) as other:
            for game in stages(DRAW, number=number):
                other.keep("another", game, AT)
            other.read("PRAGMA wal_checkpoint(TRUNCATE)" if number % 2 else "VACUUM")
        board.say(*stages(DRAW, number=number))
    watcher.wait(lambda event: event.get("number") == 9 and event["end"] == "=", "the last")
    assert watcher.end()[0] == 0
    assert rows(watcher.db) == [(18,)]
    assert not [event for event in watcher.events if event["event"] == "moved"]


@contextlib.contextmanager
def locked(db):
    with contextlib.closing(sqlite3.connect(db, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield


def raw_lines(db):
    return b"".join(path.read_bytes() for path in Path(f"{db}.raw").glob("*"))


def test_another_program_that_writes_for_long_is_waited_for(port, watch):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(*stages(DRAW))
    watcher.wait(lambda event: event.get("end") == "=", "the first game")
    with locked(watcher.db):
        for number in range(2, 300):
            board.say(*stages(DRAW, number=number))
        watcher.wait(lambda event: event["event"] == "busy", "why nothing is stored")
        board.say(*stages(DRAW, number=300))
        last = write(stages(DRAW, number=300)[-1]).encode()
        until(lambda: last in raw_lines(watcher.db), "the raw lines")
        assert not [event for event in watcher.events if event.get("number", 0) > 1]
    watcher.wait(lambda event: event["event"] == "free", "that all is stored")
    assert rows(watcher.db) == [(300,)]
    status, told = watcher.end()
    assert (status, "300 games ended" in told) == (0, True)


def test_the_end_does_not_wait_for_another_program(port, watch):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(stages([])[0])
    watcher.wait(lambda event: event.get("game"), "the start")
    with locked(watcher.db):
        board.say(*stages(DRAW)[1:])
        last = write(stages(DRAW)[-1]).encode()
        until(lambda: last in raw_lines(watcher.db), "the raw lines")
        status, told = watcher.end(signal.SIGTERM)
    assert (status, told.count("\n")) == (1, 1)
    assert "9 sentences are not stored; `noughts watch --from FILE` reads them" in told
    (log,) = Path(f"{watcher.db}.raw").iterdir()
    assert noughts("watch", "--from", log, "--db", watcher.db).returncode == 0
    assert [game["moves"] for game in games(watcher.db)] == [DRAW]


def test_a_capture_waits_for_another_program(capture, tmp_path):
    log = capture(*stages(DRAW))
    db = filled(tmp_path / "games.db", stages([4]))
    with contextlib.ExitStack() as other_program:
        other_program.enter_context(locked(db))
        with subprocess.Popen(
            watching("--from", log, "--db", db), stderr=subprocess.PIPE
        ) as process:
            try:
                assert b"in use by another program" in process.stderr.readline()
                other_program.close()
                assert process.wait(120) == 0
            finally:
                process.kill()
    assert rows(db) == [(1,)]


def test_a_terminal_that_takes_nothing_any_more(port, terminal, tmp_path):
    board, db = port("board"), tmp_path / "g.db"
    program = terminal("watch", "--db", str(db), board.path)
    program.wait_for("board")
    waiting, number = -1, 0
    while waiting != program.unread():  # from here on nobody reads what the screen shows
        waiting = program.unread()
        for _ in range(30):
            number += 1
            board.say(*stages(DRAW, number=number))
            time.sleep(0.05)
    board.say(*stages(DRAW, number=number + 1))
    until(lambda: rows(db) == [(number + 1,)], "all games")
    os.kill(program.pid, signal.SIGTERM)
    until(program.ended, "its end")
    assert program.status == 0


def test_the_live_screen(port, terminal, tmp_path):
    board = port("board")
    program = terminal("watch", "--db", str(tmp_path / "g.db"), board.path)
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
    program.wait_for("kept in")
    assert "\x1b[31;1mred" not in program.text


@pytest.mark.long
def test_a_terminal_that_has_only_ascii(port, terminal, tmp_path):
    board = port("board")
    program = terminal(
        "watch", "--db", str(tmp_path / "g.db"), board.path, PYTHONIOENCODING="ascii"
    )
    program.wait_for("board -")
    program.type("q")
    assert program.end() == 0
    assert "\\u" not in program.text


def test_a_raw_log_read_again_changes_nothing_and_fills_another_store(port, watch, tmp_path):
    board = port("board")
    watcher = watch("games", board.path)
    watcher.connected(board.path)
    board.say(BOOT, *stages(DRAW))
    board.send(b"\xff noise \x1b\r\n")
    watcher.wait(lambda event: event["event"] == "noise", "the last line")
    assert watcher.end()[0] == 0
    (log,) = (tmp_path / "games.db.raw").iterdir()
    before = games(watcher.db)
    done = noughts("watch", "--from", log, "--json", "--db", watcher.db)
    assert done.returncode == 0
    told = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["new"] for event in told if "new" in event] == [False] * 11
    assert games(watcher.db) == before
    other = tmp_path / "other.db"
    assert noughts("watch", "--from", log, "--db", other).returncode == 0
    (game,), (again,) = before, games(other)
    assert again == game
    assert not (tmp_path / "other.db.raw").exists()


def test_a_capture_of_any_serial_program(tmp_path):
    log, db = tmp_path / "class.log", tmp_path / "games.db"
    lines = [write(each).encode() for each in (BOOT, *stages(DRAW))]
    log.write_bytes(b"\xff\xfe" + b"\r\n".join(lines) + b"\r\n$NG,half")
    for words in (
        ("--from", log),
        ("--from", log, "--name", "red"),
        ("--from", "-"),
    ):
        done = noughts("watch", *words, "--db", db, typed=log.read_bytes())
        assert (done.returncode, done.stdout) == (0, "")
        assert "11 sentences from 1 board, 1 game ended, 10 bytes of noise" in done.stderr
    assert {game["board"] for game in games(db)} == {"file-class.log", "red", "stdin"}
    assert {game["started"] for game in games(db)} == {None}


def test_a_capture_without_a_single_sentence(tmp_path):
    log = tmp_path / "zeros"
    log.write_bytes(bytes(1_000_000) + os.urandom(100_000))
    done = noughts("watch", "--from", log, "--db", tmp_path / "games.db")
    assert done.returncode == 0
    assert "0 sentences" in done.stderr


def test_a_full_disk_is_one_line_and_nothing_is_lost(port, tmp_path):
    """The system lets no file grow beyond 100 KB."""
    board, db = port("board"), tmp_path / "games.db"
    with subprocess.Popen(
        watching("--json", "--db", db, board.path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000)),
    ) as process:
        try:
            process.stdout.readline()
            number = 0
            end = time.monotonic() + 120
            while process.poll() is None:
                number += 1
                assert time.monotonic() < end
                board.offer(*stages([4], number=number))  # it may be ending, and read no more
                time.sleep(0.001)
            events = [json.loads(line) for line in process.stdout]
            error = process.stderr.read()
        finally:
            process.kill()
    assert process.returncode == 1
    assert error.count("\n") == 1
    assert error.startswith("noughts: ")
    kept = {(game["number"], tuple(game["moves"])) for game in games(db)}
    for event in events:
        if event["event"] == "game" and event["moves"]:
            assert (event["number"], (4,)) in kept


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--emulated", "0"], 2, "0 is not from 1 to 16"),
        (["--emulated", "x"], 2, "invalid int value"),
        (["--from", "x", "/dev/y"], 2, "leave out ports"),
        (["--name", "x"], 2, "--name needs --from"),
        (["--from", "x", "--name", "=cmd()"], 2, "is not a valid name"),
        (["--from", "/nowhere/log"], 1, "cannot use /nowhere/log (No such file or directory)"),
        (["--from", "/"], 1, "cannot use / (Is a directory)"),
        ([""], 1, "is not a port (its name is empty)"),
        (["nonsense://x"], 1, "nonsense://x is not a port"),
        (["socket://nowhere"], 1, "socket://nowhere is not a port"),
        (["/dev/null"], 1, "/dev/null is not a port (it is not a serial device)"),
        ([__file__], 1, f"{__file__} is not a port (it is not a serial device)"),
        (["/"], 1, "/ is not a port (it is not a serial device)"),
    ],
)
def test_wrong_input(tmp_path, capsys, words, status, says):
    command = ["watch", "--db", str(tmp_path / "games.db"), *words]
    if status == 2:
        with pytest.raises(SystemExit, match="2"):
            main(command)
    else:
        assert main(command) == status
    out, err = capsys.readouterr()
    assert (out, says in err) == ("", True)
    assert status == 2 or err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_a_demonstration_is_not_among_the_games(capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["watch", "--emulated", "1", "/dev/nowhere"])
    assert "--emulated is a demonstration" in capsys.readouterr().err


def test_a_store_that_cannot_be_used(tmp_path):
    (tmp_path / "x").write_text("no database " * 100)
    for db, why in ((tmp_path / "x", "is damaged or not a store"), (tmp_path / "x" / "g.db", "")):
        done = noughts("watch", "--plain", "--db", db)
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert why in done.stderr


def test_the_store_is_in_the_users_data_folder(capture, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    assert noughts("watch", "--from", capture(*stages(DRAW))).returncode == 0
    (path,) = tmp_path.rglob("games.db")
    assert path.parent.name == "noughts"
    assert len(noughts("games").stdout.splitlines()) == 2


@pytest.mark.parametrize("count", [1, long(2)])
def test_boards_that_play_by_themselves(tmp_path, terminal, monkeypatch, count):
    """Of both kinds; their games are not among the pupils'."""
    program = terminal("watch", "--emulated", str(count), "--plain")
    names = [f"virtual-{number}" for number in range(1, count + 1)]
    for name, kind in zip(names, ("V2", "V1"), strict=False):
        program.wait_for(f"{name}: board started: micro:bit {kind}")
    program.wait_for("move 2")
    program.type("\x03")
    assert program.end() == 0
    (path,) = tmp_path.rglob("demonstration.db")
    assert not list(tmp_path.rglob("games.db"))
    assert {game["board"] for game in games(path)} <= set(names)
    assert len(games(path)) >= 1
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setenv("HOME", str(tmp_path))
    done = noughts("games")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert f"--db {path}" in done.stderr
