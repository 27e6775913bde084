"""The recorder: from bytes, by cable and radio, to the store and events."""

import contextlib
import io
import json
import sqlite3
import threading
from dataclasses import replace
from random import Random

import pytest

import fuzz_log
from failing_connection import FailingConnection
from needed import POSIX, long
from noughts.boards.ports import Port
from noughts.errors import NoughtsError, StoreBusyError, StoreError
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Boot, Menu, checksum
from noughts.recording.events import (
    BoardRefused,
    BrokerUnavailable,
    NoiseReceived,
    NotShown,
    PortClosed,
    PortOpened,
    PortUnavailable,
    ResentGames,
    RowsSkipped,
    SentenceStored,
    StoreBusy,
    StoreFree,
    StoreGone,
    UnknownSentence,
)
from noughts.recording.port_monitor import name_of
from noughts.recording.radio_lines import MAX_BOARDS, read_known_ids
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.recording.sources import DataReceived, QueuedSource, read_captured
from noughts.store import capture
from noughts.store.game_filter import GameFilter
from noughts.store.queries import boards, games
from noughts.store.store import Store
from sample_games import A_WINS, AT, BOOT, DRAW, receive, stages, wire, write


def stored_lines(store):
    """The stored noise, and the number of stored sentences."""
    ((sentences,),) = store.read("SELECT count(*) FROM lines WHERE boot IS NOT NULL")
    noise = store.read(
        "SELECT name, at, text FROM lines JOIN boards ON boards.id = board WHERE boot IS NULL "
        "ORDER BY lines.id"
    )
    return noise, sentences


@pytest.mark.parametrize("seeds", [range(30), long(range(30, 150))])
def test_hostile_boards_do_not_corrupt_the_store(tmp_path, seeds):
    """A short run of `PYTHONPATH=tools/harness python tools/fuzz_log.py`.

    Each seed has its own store: after many boots from one port at once, the order of its lines
    decides which games are late, and reading them again may decide otherwise.
    """
    for seed in seeds:
        dice = Random(seed)
        fuzz_log.check(fuzz_log.hostile(dice), dice, tmp_path / str(seed))


def test_sentence_is_stored_before_its_event(recorder, store):
    """So if the program is killed, nothing that it has shown is lost."""
    game = stages([4, 0])
    about_no_game = BOOT, Menu(BOOT.boot, "Hbs")
    with contextlib.closing(sqlite3.connect(store.path)) as other:
        for lines, (sentence, number) in enumerate(
            [
                *((sentence_sent, None) for sentence_sent in about_no_game),
                *((sentence_sent, 1) for sentence_sent in game),
            ],
            1,
        ):
            assert receive(recorder, "usb-1", wire(sentence), AT) == [
                SentenceStored("usb-1", sentence, number, True)
            ]
            assert other.execute("SELECT count(*) FROM lines").fetchall() == [(lines,)]
        assert other.execute("SELECT moves, heard FROM games").fetchall() == [("40", AT)]
    assert receive(recorder, "usb-1", wire(game[0]), AT) == [
        SentenceStored("usb-1", game[0], 1, False)
    ]


def test_game_of_two_boards_is_stored_once_and_in_both_scores(recorder, store):
    """They play by radio, and both send it, with the boot of one of them."""
    session = Session()
    boots = {"usb-1": BOOT, "usb-2": replace(BOOT, boot="99999999")}
    games = stages(A_WINS, seats="PP")
    sent = [*boots.items()]
    sent += [(board, game) for game in (*games, games[-1]) for board in boots]
    for ms, (board, sentence) in enumerate(sent):
        for event in receive(recorder, board, wire(sentence), AT + ms):
            session.take(event)
    assert [session.board(board).score for board in boots] == [{"A": 1}] * 2
    assert (session.games, len(session.ended)) == (1, 1)
    assert store.read("SELECT boot, end FROM games") == [(BOOT.boot, "A")]


def test_bytes_of_two_boards_do_not_mix(recorder, store):
    for a, b in zip(wire(stages([4])[1]), wire(stages([0])[1]), strict=True):
        receive(recorder, "one", bytes([a]), AT)
        receive(recorder, "two", bytes([b]), AT)
    assert store.read("SELECT moves FROM games ORDER BY moves") == [("0",), ("4",)]


def test_noise_is_counted_escaped_and_stored(recorder, store):
    data = b"Traceback\x1b[2J\xff\\" + b"\r\n"
    assert receive(recorder, "usb-1", data, AT) == [
        NoiseReceived("usb-1", r"Traceback\x1b[2J\xff\x5c")
    ]
    assert receive(recorder, "usb-1", b"half a li", AT) == []
    assert receive(recorder, "usb-1", b"\n", AT) == [NoiseReceived("usb-1", "half a li")]
    assert recorder.noise == len(data) - 2 + 9
    texts = [("usb-1", AT, r"Traceback\x1b[2J\xff\x5c"), ("usb-1", AT, "half a li")]
    assert stored_lines(store) == (texts, 0)
    receive(recorder, "usb-1", data, AT)
    assert stored_lines(store) == (texts, 0)  # repeated with the same time
    receive(recorder, "usb-1", data, AT + 1)
    receive(recorder, "usb-1", data, None)
    assert stored_lines(store) == ([*texts, ("usb-1", AT + 1, texts[0][2])], 0)


def test_oldest_noise_is_purged_and_sentences_stay(recorder, store, monkeypatch):
    monkeypatch.setattr("noughts.store.noise.MAX_BYTES", 20_000)
    monkeypatch.setattr("noughts.store.noise.PURGED_ROWS", 10)
    receive(recorder, "usb-1", wire(stages([4])[1]), AT)
    for number in range(1000):
        receive(recorder, "usb-1", f"line {number}\r\n".encode(), AT + number)
    noise, sentences = stored_lines(store)
    assert 250 < len(noise) < 400 and sentences == 1
    assert [int(text.split()[1]) for _, _, text in noise] == list(range(1000 - len(noise), 1000))


def test_unknown_sentence_type_is_reported_once_and_stored(recorder, store):
    later = f"$NX,1*{checksum('NX,1')}".encode()
    assert receive(recorder, "usb-1", later + b"\r\n" + later + b"\r\n", AT) == [
        UnknownSentence("usb-1", "sentence type $NX")
    ]
    assert stored_lines(store) == ([("usb-1", AT, later.decode())], 0)


def test_events_as_text_and_as_records():
    sentence = stages([4])[1]
    events = {
        PortClosed("usb-1", "/dev/ttyACM0", "why"):
            "usb-1: disconnected (why); watching resumes when it is back",
        UnknownSentence("usb-1", "sentence type $NX"):
            "usb-1: sentence type $NX is not known to this version; get a newer noughts",
        SentenceStored("usb-1", BOOT, None, True):
            "usb-1: board started: micro:bit V1, game 0.1.0, table 2798",
        SentenceStored("usb-1", sentence, 7, False):
            "usb-1: game 7, move 1: A in the centre (already stored)",
        StoreGone("g.db", "g-2.db"):
            "g.db was deleted, moved or damaged; from now on games are stored in g-2.db, "
            "which does not have the earlier ones",
    }  # fmt: skip
    for event, words in events.items():
        assert event.text() == words
        assert json.dumps(event.record())
    assert SentenceStored("usb-1", sentence, 7, True).record() == {
        "event": "game", "board": "usb-1", "gateway": None, "new": True, "late": False,
        "played_before": None, "game": 7, "boot": "00000A83",
        "number": 1, "seats": "PH", "first": "A", "moves": [4], "ms": 1000, "end": "-",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("event", "record"),
    [
        (RowsSkipped("usb-1", 2, 5), {"event": "skipped", "board": "usb-1", "rows": 2, "line": 5}),
        (ResentGames("usb-1", 3, 1), {"event": "kept", "board": "usb-1", "again": 3, "new": 1}),
        (UnknownSentence("usb-1", "$NX"), {"event": "unknown", "board": "usb-1", "what": "$NX"}),
        (NoiseReceived("usb-1", "half"), {"event": "noise", "board": "usb-1", "text": "half"}),
        (StoreGone("g.db", "g-2.db"), {"event": "moved", "store": "g.db", "now": "g-2.db"}),
        (
            BrokerUnavailable("mqtt://b", "off"),
            {"event": "waiting", "port": "mqtt://b", "why": "off"},
        ),
    ],
)
def test_record_has_the_keys_that_scripts_know(event, record):
    assert event.record() == record


def test_session_tracks_waiting_ports_and_warnings():
    session = Session()
    session.take(PortUnavailable("/dev/b", "busy"))
    session.take(PortOpened("/dev/b", "/dev/b"))
    assert session.waiting == {}
    for event, warning in (
        (StoreBusy("g.db"), "in use"),
        (StoreFree("g.db"), ""),
        (StoreGone("g.db", "g-2.db"), "stored in g-2.db"),
        (NotShown(3), "stored in g-2.db"),
        (StoreBusy("g-2.db"), "in use"),
        (StoreFree("g-2.db"), "stored in g-2.db"),
    ):
        session.take(event)
        assert warning in session.warning if warning else not session.warning


def test_sentences_wait_in_order_while_the_store_is_busy(store, monkeypatch):
    """When too many are waiting, the rest stays in its source."""
    monkeypatch.setattr("noughts.recording.recorder.MAX_PENDING", 5)
    monkeypatch.setattr("noughts.recording.recorder.REPORT_BUSY_AFTER_S", 0.0)
    source = QueuedSource()
    recorder = Recorder(store, [source])
    first, later = stages([4, 0, 2, 6, 3, 5]), stages([4], number=2)
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert receive(recorder, "usb-1", wire(*first), AT) == [StoreBusy(str(store.path))]
        source.put(DataReceived("usb-1", wire(*later), AT))
        assert recorder.poll() == []
        assert len(recorder.pending) == len(first)
        assert store.read("SELECT * FROM boards") == []
    waiting = list(capture.read(io.BytesIO(recorder.save().read_bytes())))
    assert [message.data for message in waiting] == [
        wire(message)[:-2] + b"\n" for message in first
    ]
    *stored, free = recorder.poll()
    assert [event.sentence for event in stored] == first
    assert free == StoreFree(str(store.path))
    assert [event.sentence for event in recorder.poll()] == later


def test_reading_into_a_damaged_store_says_where_games_go(tmp_path, noughts):
    db = tmp_path / "games.db"
    with Store(db, create=True) as store:
        store.read("DROP TABLE games")
    (tmp_path / "capture.log").write_bytes(wire(*stages(A_WINS)))
    status, out, err = noughts("watch", "--from", tmp_path / "capture.log", db=db)
    assert (status, out) == (0, "")
    moved, summary, listing = err.splitlines()
    assert moved.startswith(f"{db} was deleted, moved or damaged; from now on games are")
    assert summary.endswith(f"stored in {db.with_name('games-2.db')}")
    assert f"--db {db.with_name('games-2.db')}`" in listing


def test_trouble_with_locks_does_not_move_games_to_another_store(store, recorder):
    path, working = store.path, store.db
    error = sqlite3.OperationalError("locking protocol")
    store.db = FailingConnection(working, "BEGIN IMMEDIATE", error)
    assert receive(recorder, "usb-1", wire(BOOT), AT) == []
    store.db = working
    assert recorder.poll() == [SentenceStored("usb-1", BOOT, None, True)]
    assert recorder.store.path == path and not path.with_name("games-2.db").exists()


def test_lines_that_could_not_be_stored_can_be_read_again(store, recorder, tmp_path):
    """Those without a time too: what came from standard input is nowhere else."""
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        for board, number, at in (("usb-1", 1, None), ("3b/usb 2", 2, AT)):
            played = b"half a line\n" + wire(stages([4], number=number)[1])
            receive(recorder, board, played, at)
        with pytest.raises(StoreError, match="and 4 lines are not stored"):
            recorder.finish()
    (saved,) = tmp_path.glob("games.db-not-stored-*.log")
    reader = Recorder(store)
    with saved.open("rb") as file:
        for _, changes in read_captured(file, saved.name, "file"):
            for change in changes:
                reader.take(change)
    reader.settle()
    stored_games = [(game.board, game.number, game.started) for game in games(store, GameFilter())]
    assert stored_games == [("usb-1", 1, None), ("3b/usb 2", 2, AT - 1000)]


@pytest.mark.parametrize("error", [StoreError("no room"), StoreBusyError("in use")])
def test_what_is_stored_is_reported_even_if_the_rest_fails(store, recorder, monkeypatch, error):
    add_many, sent = (
        Store.add_many,
        [game for n in range(1, 260) for game in stages(DRAW, number=n)],
    )

    def fail_later(store, received):
        if store.read("SELECT 1 FROM lines LIMIT 1"):
            raise error
        return add_many(store, received)

    monkeypatch.setattr(Store, "add_many", fail_later)
    events, stop = [], threading.Event()
    stop.set()
    recorder.take(DataReceived("usb-1", wire(*sent), AT))
    with pytest.raises(StoreError):
        recorder.run(stop, events.extend)
    _, stored = stored_lines(store)
    assert 0 < stored < len(sent)
    assert [event.sentence for event in events] == sent[:stored]


@POSIX
@pytest.mark.parametrize("deleted", ["games.db*", "games.db-wal"])
def test_recorder_replaces_store_deleted_during_recording(tmp_path, deleted):
    db = tmp_path / "games.db"
    first, second = stages(DRAW), stages(DRAW, number=2)
    store = Store(db, create=True)
    store.name_board("usb-1", "red")
    with contextlib.closing(Recorder(store)) as recorder:
        receive(recorder, "usb-1", wire(BOOT, *first), AT)
        for file in tmp_path.glob(deleted):
            file.unlink()
        gone, *stored = receive(recorder, "usb-1", wire(*second[:5]), AT)
        now = db.with_name("games-2.db")
        assert gone == StoreGone(str(db), str(now))
        assert [event.sentence for event in stored] == second[:5]
        receive(recorder, "usb-1", wire(*second[5:]), AT)
        (game,) = games(recorder.store, GameFilter())
        assert game.name == "red"
        assert recorder.store.path == now
    assert (game.number, game.thought_ms) == (2, [1000] * 9)
    if deleted == "games.db-wal":
        with Store(db) as first_store:
            assert 1 in [game.number for game in games(first_store, GameFilter())]


@pytest.mark.parametrize(
    "head",
    [
        "0001-01-01T23:59:59.000Z usb-1",
        "9999-12-31T23:59:59.000Z usb-1",
        r"2026-11-21T07:03:43.123Z \x3dHYPERLINK(1)",
        r"2026-11-21T07:03:43.123Z usb-\x1b]0;owned\x07",
        r"2026-11-21T07:03:43.123Z usb-\xe2\x80\xaegpj.exe",  # right-to-left override
        r"2026-11-21T07:03:43.123Z \xef\xbc\x9d1",  # fullwidth equals sign
    ],
)
def test_raw_line_with_invalid_time_or_name_is_plain_data(head):
    """It is read like any other line: its sentence counts, but its board does not."""
    text = f"{head} {write(stages([4])[1])}\n".encode()
    (received,) = capture.read(io.BytesIO(text))
    assert (received.board, received.at, received.data) == (None, None, text)


@pytest.mark.parametrize("name", ["./board", "=1+1", "-x", "_x", "[x]", "/dev/\x07\u202e"])
def test_board_names_are_printable_and_survive_raw_lines(name):
    board = name_of(Port(name, None))
    (received,) = capture.read(io.BytesIO(capture.raw_line(board, "text", AT)))
    assert received.board == board and board.startswith("/") and board.isprintable()
    assert name_of(Port(name, "99\x1b\u2066")).isprintable()


RADIO_BOOT = Boot("3E5A5FD2", "V1", "1.1.0", "2798")
ONE, TWO = "9A1B2C3D", "00000002"
PORT = "/dev/ttyACM0"


def test_gateway_relays_boards_and_is_not_one_itself(recorder, store):
    session = Session()
    session.take(PortOpened("usb-1", PORT))
    relayed = [
        (ONE, RADIO_BOOT),
        (TWO, Boot("11111111", "V2", "1.1.0", "2798")),
        *((ONE, game) for game in stages([4, 0], boot=RADIO_BOOT.boot)),
        *((TWO, game) for game in stages([8], boot="11111111")),
    ]
    for radio_id, sentence in relayed:
        for event in receive(recorder, "usb-1", wire(sentence, radio_id=radio_id), AT):
            assert event.gateway == "usb-1"
            assert event.record()["gateway"] == "usb-1"
            session.take(event)
    one, two = session.playing
    assert [board.name for board in session.gateways] == ["usb-1"]
    assert (one.name, one.boot.hardware, one.game.moves) == (f"radio-{ONE}", "V1", (4, 0))
    assert (two.name, two.boot.hardware, two.game.moves) == (f"radio-{TWO}", "V2", (8,))
    assert [board.board for board in boards(store)] == [f"radio-{ONE}", f"radio-{TWO}"]
    session.take(PortClosed("usb-1", PORT, "why"))
    assert not one.connected and not two.connected
    session.take(PortOpened("usb-1", PORT))
    assert one.connected and two.connected
    # The game is on it again, and it sends its own start.
    (event,) = receive(recorder, "usb-1", wire(RADIO_BOOT), AT)
    session.take(event)
    assert session.gateways == []


def test_radio_board_name_includes_its_room(recorder):
    gateways = ("4a/3b/usb-1", "3b/usb-1", f"3b/radio-{ONE}", "rfc2217://pi:1", "/dev/tty", "COM3")
    names = [
        receive(recorder, gateway, wire(RADIO_BOOT, radio_id=ONE), AT)[0].board
        for gateway in gateways
    ]
    assert names == [f"4a/3b/radio-{ONE}"] + [f"3b/radio-{ONE}"] * 2 + [f"radio-{ONE}"] * 3
    assert all(map(is_by_radio, names)) and not is_by_radio(f"radio-{ONE}.log")


def test_flood_of_invented_ids_is_limited_and_counted(recorder, store):
    session = Session()
    recorder.radio.named = {f"radio-{ONE}"}
    flood = b"".join(wire(RADIO_BOOT, radio_id=f"{number:08X}") for number in range(5000))
    events = receive(recorder, "usb-1", flood + wire(RADIO_BOOT, radio_id=ONE), AT)
    for event in events:
        session.take(event)
    stored = [event.board for event in events if isinstance(event, SentenceStored)]
    refused = [event for event in events if isinstance(event, BoardRefused)]
    assert len(stored) == len(session.playing) == MAX_BOARDS + 1
    assert stored[-1] == f"radio-{ONE}"
    assert recorder.radio.refused == 5000 - MAX_BOARDS
    assert len({event.board for event in refused}) == len(refused) == 100
    assert "this gateway already receives 100 boards" in refused[0].text()
    assert stored_lines(store) == ([], MAX_BOARDS + 1)


def test_excess_radio_lines_of_one_game_are_noise(recorder, store):
    """This limits the time that they take; the game by cable is not affected."""
    game = stages([4, 0], boot=RADIO_BOOT.boot)
    invented = [replace(game[1], ms=ms) for ms in range(2000, 2300)]
    events = receive(recorder, "usb-1", wire(*invented, radio_id=ONE), AT)
    assert len({event.game for event in events if isinstance(event, SentenceStored)}) == 200
    assert sum(isinstance(event, NoiseReceived) for event in events) == 100
    noise, sentences = stored_lines(store)
    assert (len(noise), sentences) == (100, 200)
    for sentence in game:
        (event,) = receive(recorder, "usb-2", wire(sentence), AT + sentence.ms)
    assert store.read("SELECT moves, times FROM games WHERE id = ?", [event.game]) == [
        ("40", "1000,2000")
    ]


def test_known_ids_refuse_other_radio_boards(store):
    recorder = Recorder(store, known_ids=frozenset([ONE]))
    games = stages([4], boot=RADIO_BOOT.boot)
    events = receive(
        recorder, "usb-1", wire(RADIO_BOOT, *games, radio_id=TWO) + wire(*games, radio_id=ONE), AT
    )
    assert [event.board for event in events] == [f"radio-{TWO}"] + [f"radio-{ONE}"] * 2
    assert events[0].text() == (f"radio-{TWO}: refused: not one of the known boards (--known)")
    assert events[0].record() == {
        "event": "refused", "board": f"radio-{TWO}",
        "gateway": "usb-1", "why": "not one of the known boards (--known)",
    }  # fmt: skip
    assert recorder.radio.refused == 3
    # Boards on a cable are always accepted.
    (event,) = receive(recorder, "usb-2", wire(RADIO_BOOT), AT)
    assert isinstance(event, SentenceStored)


def test_known_boards_file_accepts_ids_names_and_comments(tmp_path):
    path = tmp_path / "known.txt"
    names = {f"radio-{TWO}": "Table #2", "usb-1": "red", "3b/radio-0000000A": "blue"}
    names["radio-00000003"] = "#3"
    path.write_bytes(
        b"\xef\xbb\xbf# class 3b\r\n\r\nradio-9a1b2c3d  # Anna\r\n table  #2\r\n"
        b"BLUE # by the window\r\n#3\r\n#4\r\n"
    )
    assert read_known_ids(path, names) == {ONE, TWO, "0000000A", "00000003"}
    for text, error in (("9A1B2C3D\nred\n", r"line 2: no radio board .* 'red'"),
                       ("9A1B2C3\n", r"line 1: .*'9A1B2C3'"),
                       ("# nobody\n", "has no boards")):  # fmt: skip
        path.write_text(text)
        with pytest.raises(NoughtsError, match=error):
            read_known_ids(path, names)
