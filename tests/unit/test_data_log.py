"""V2 data logs: parsing, damage, and storing games from copies, drives and the web page."""

import io
import os
import sys
import threading
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import SITE, ask, change
from data_logs import COLUMNS, HEADING, as_row, data_log, row
from noughts.boards.drive import look
from noughts.boards.ports import Port
from noughts.errors import DataLogError
from noughts.protocol import describe
from noughts.protocol.data_log import MAX_SIZE
from noughts.protocol.data_log import read as read_log
from noughts.recording.data_logs import DataLogs
from noughts.recording.events import RELEASED, DataLogUnreadable, PortClosed
from noughts.recording.port_monitor import name_of
from noughts.recording.session import Session
from noughts.recording.sources import read_captured
from noughts.store.lines import Received
from noughts.store.queries import boards, searched_for
from noughts.store.store import Store
from noughts.web.safety import Site
from sample_games import stages
from stand_in_drive import DETAILS
from waiting import until

ONE = replace(stages([4, 0, 8, 2, 1], "x")[-1], boot="3E5A5FD2")
TWO = replace(stages([0, 3, 1, 4, 2], number=2)[-1], boot="3E5A5FD2")
PLAYED = [ONE, TWO]
LOG = data_log(HEADING, *map(row, PLAYED))
SHARED_LOG = [
    "Time (seconds),temp", "1.05,1",
    f"Time (seconds),temp,{HEADING}", f",,{row(ONE)}",
    f"Time (seconds),temp,{HEADING},late", ",,,,,,,,,5", f",,{row(TWO)},",
]  # fmt: skip
"""Rows that a V2 2.1.2 wrote when another program used the log before and between games."""
OTHER_ORDER = "ms,temp,boot,game,seats,first,moves,late,end"
MANY = [replace(ONE, number=number) for number in range(1, 3601)]
FULL_LOG = data_log(HEADING, *map(row, MANY))
CSV = "\n".join((HEADING, row(ONE), row(TWO), "")).encode()


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([HEADING], []),
        ([HEADING, row(ONE), row(TWO)], [ONE, TWO]),
        ([row(ONE), row(TWO)], [ONE, TWO]),  # without a heading
        ([HEADING, row(ONE)[:-3], row(TWO)], [TWO]),  # with a truncated row
        ([HEADING, "21.5,3", row(TWO), "ä,\x1b[2J"], [TWO]),
        (SHARED_LOG, [ONE, TWO]),
        ([f"temp,light,{HEADING},tilt", f"21,,{row(ONE)},0", f"22,9,{row(TWO)}"], [ONE, TWO]),
        # Another program has a column `ms`, which then is ours too; and ours are not together.
        ([OTHER_ORDER, f"{ONE.ms},21,{row(ONE)[:-7]},,x", ",22"], [ONE]),
        # The heading changes midway.
        ([HEADING, row(ONE), f"Time (seconds),{HEADING}", f"1.25,{row(TWO)}"], [ONE, TWO]),
        # A cell too many: another program's row, or two rows in one.
        ([HEADING, row(ONE) + ",1", row(TWO)], [TWO]),
        ([HEADING, row(replace(ONE, end="-")), row(ONE)], [ONE]),
    ],
)
def test_games_are_read_from_the_rows_of_a_log(rows, expected):
    assert read_log(data_log(*rows)).games == expected


@pytest.mark.parametrize(
    ("rows", "skipped", "first"),
    [
        ([HEADING, row(ONE), row(TWO)], 0, None),
        (["Time (seconds),temp", "1.05,1", f"temp,{HEADING}", f",{row(ONE)}", "21"], 0, None),
        ([OTHER_ORDER, f"{ONE.ms},21,{row(ONE)[:-7]},,x", "500,22"], 0, None),
        ([HEADING, row(ONE), row(TWO)[:-3], row(ONE) + ",1", row(TWO)], 2, 3),
        ([row(ONE)[:-3], row(TWO)], 1, 1),  # without a heading
        ([HEADING, row(ONE)[:9] + "\xff" + row(ONE)[10:], row(TWO)], 1, 2),  # with a hole
        ([HEADING, row(replace(ONE, end="-")), row(ONE)], 1, 2),
    ],
)
def test_damaged_rows_are_counted_but_not_those_of_other_programs(rows, skipped, first):
    log = read_log(data_log(*rows).replace("\xff".encode(), b"\xff"))
    assert (log.skipped, log.first_skipped) == (skipped, first)


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (LOG[:2060], "not a micro:bit's data log"),
        (LOG[:9000], "cut short or damaged"),
        (LOG[:0x1EFFB], "cut short or damaged"),
        (data_log(row(ONE), end=0xFFFFFFFF), "cut short or damaged"),
        (data_log(row(ONE), start=0), "cut short or damaged"),
        (data_log(row(ONE), row(TWO) + "\0\0\0"), "cut short or damaged"),
        (LOG.ljust(MAX_SIZE + 1), "not a micro:bit's data log"),
        (data_log("Time (seconds),temp", "1.03,21"), "holds no games of noughts"),
        (LOG.replace(b"V_002", b"V_001"), "a data log of version 001, and noughts reads"),
        (LOG.replace(b"V_002", b"V_003"), "a data log of version 003, and noughts reads"),
        (b"Time (seconds),temp\n1.03,21\n", "not a micro:bit's data log"),
        (f"{HEADING}\n1.03,21\n".encode(), "holds no games of noughts"),
    ],
    ids=lambda value: value if isinstance(value, str) else "log",
)
def test_damaged_or_foreign_log_is_refused_with_the_reason(content, why):
    with pytest.raises(DataLogError, match=rf"^pupil\.htm (is )?{why}.*; ") as raised:
        read_log(content, "pupil.htm")
    assert "\n" not in str(raised.value)


def test_file_that_is_longer_than_any_data_log_is_refused(tmp_path):
    path = tmp_path / "pupil.htm"
    path.write_bytes(LOG.ljust(MAX_SIZE + 1))
    with path.open("rb") as file, pytest.raises(DataLogError, match="not a micro:bit's data log"):
        next(read_captured(file, path.name, "file"))


@pytest.mark.parametrize("saved", [b"\xef\xbf\xbd", b"\xc3\xbf"])
@pytest.mark.parametrize(("log", "expected"), [(LOG, PLAYED), (FULL_LOG, MANY)])
def test_log_that_a_browser_or_editor_has_saved_is_whole(log, expected, saved):
    assert read_log(b"\xef\xbb\xbf" + log.replace(b"\xff", saved)).games == expected


@pytest.mark.parametrize("size", [1, 4, 60, 700])
def test_rows_after_a_hole_are_read(size):
    at = FULL_LOG.index(row(MANY[4]).encode())
    log = bytearray(FULL_LOG)
    log[at : at + size] = b"\xff" * size
    left = [game for game in MANY if row(game).encode() + b"\n" in log]
    assert 3500 < len(left) < 3600 and MANY[:4] == left[:4]
    assert read_log(bytes(log)).games == [game for game in left if game != MANY[4]]


def test_rest_of_a_row_with_a_hole_is_not_taken_for_a_game():
    rows = [f"other,{HEADING}", f"21.5,{row(ONE)}", f"22,{row(TWO)}"]
    log = bytearray(data_log(*rows))
    at = log.index(b"21.5") + 1
    log[at : at + 2] = b"\xff\xff"
    assert read_log(bytes(log)).games == [TWO]


def test_deleted_rows_after_the_end_are_not_read():
    """`log.delete()` erases the first sector; the log erases others when it reaches them."""
    log = bytearray(FULL_LOG)
    log[0x2000:0x2400] = f"{HEADING}\n{row(TWO)}\n".encode().ljust(0x400, b"\xff")
    assert read_log(bytes(log)).games == [TWO]


@given(st.lists(st.tuples(st.integers(0, len(LOG) - 1), st.integers(0, 255))), st.integers(0))
def test_damaged_log_raises_or_gives_only_ended_games(changes, length):
    content = bytearray(LOG)
    for at, byte in changes:
        content[at % 9000] = byte  # only where there is data
    try:
        read_games = read_log(bytes(content[: len(LOG) - length % 3000])).games
    except DataLogError:
        return
    assert all(game.end != "-" for game in read_games)


def stored(db, columns=COLUMNS):
    with Store(db) as store:
        return store.read(f"SELECT {columns} FROM games ORDER BY number")


def test_file_without_sentences_is_refused(folder, refused):
    (folder / "notes.txt").write_bytes(b"Time (seconds),temp\n1.03,21\n")
    why = refused("watch", "--from", "notes.txt", db=folder / "games.db")
    assert "notes.txt has no sentences of noughts" in why
    for blank in b"", b"\n \r\n" * 1000:
        (folder / "notes.txt").write_bytes(blank)
        assert refused("watch", "--from", "notes.txt", db=folder / "games.db") == why
    (folder / "microbit.csv").write_bytes(b"Time (seconds),temp\n1.03,21\n")
    why = refused("watch", "--from", "microbit.csv", db=folder / "games.db")
    assert "microbit.csv is not a micro:bit's data log; " in why


@pytest.mark.parametrize(
    ("source", "board", "log"),
    [
        ("anna.htm", "file-anna.htm", LOG),
        ("-", "stdin", LOG),
        ("microbit.csv", "file-microbit.csv", CSV.replace(b"\n", b"\r\n")),
        ("-", "stdin", b"\xef\xbb\xbf" + CSV),
    ],
)
def test_reading_a_copy_twice_stores_its_games_once(
    folder, monkeypatch, printed, source, board, log
):
    db = folder / "games.db"
    (folder / source).write_bytes(log)
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(log))))
        out = printed("watch", "--from", source, "--plain", db=db)
    assert stored(db) == [as_row(game) for game in PLAYED]
    assert stored(db, "started IS NULL, played_before > 0") == [(1, 1)] * 2
    assert stored(db, "(SELECT name FROM boards WHERE boards.id = board)") == [(board,)] * 2
    assert "2 games resent" in out


@pytest.mark.parametrize(
    ("board", "name"),
    [
        ("file-blue table.HTM", "blue table"),
        ("3b/file-blue.table.csv", "3b/blue.table"),
        ("file-.csv", ".csv"),
        ("file-notes", "notes"),
        ("my-file-1.csv", "my-file-1.csv"),
    ],
)
def test_copy_of_a_log_is_called_by_its_file_without_the_ending(board, name):
    assert describe.short(board) == name


def test_copy_whose_games_were_stored_before_is_not_listed_as_a_board(folder, noughts):
    db = folder / "games.db"
    (folder / "anna.htm").write_bytes(LOG)
    (folder / "blue table.HTM").write_bytes(LOG)
    noughts("watch", "--from", "anna.htm", db=db)
    _, _, err = noughts("watch", "--from", "blue table.HTM", db=db)
    assert "0 games ended, 2 games stored before, " in err
    assert "`noughts games --db" in err
    with Store(db) as store:
        assert [board.board for board in boards(store)] == ["file-anna.htm"]
        assert searched_for(store) == ["anna"]
        store.name_board("file-blue table.HTM", "Blue")
        assert searched_for(store) == ["anna", "Blue"]


def test_copy_with_a_name_of_its_own_names_the_board_of_games_stored_before(folder, printed):
    db = folder / "games.db"
    for name in ("MY_DATA.HTM", "MY_DATA (1).HTM", "blue table.HTM", "microbit.csv"):
        (folder / name).write_bytes(CSV if name.endswith(".csv") else LOG)
        printed("watch", "--from", name, db=db)
    with Store(db) as store:
        assert [board.board for board in boards(store)] == ["file-blue table.HTM"]


V2_ID = "9904000031634e4500624014000000320000000097969901"
BOARD = name_of(Port("/dev/ttyACM0", V2_ID))
NO_DRIVE, NO_LOG, UNREADABLE = "no drive", "no log", "a log that cannot be read"


@pytest.fixture
def read(tmp_path):
    """Reads a V2's drive with each of these logs in turn; each comes with its remount count."""
    file = tmp_path / "MY_DATA.HTM"

    def read_all(*logs):
        waiting, done = iter(logs), threading.Event()

        def find():
            log, count = next(waiting, (NO_DRIVE, None))
            if count is None:
                done.set()
            if log is NO_DRIVE:
                return []
            details = DETAILS.format(usb_id=V2_ID.upper(), count=count)
            (tmp_path / "DETAILS.TXT").write_text(details)
            if log is UNREADABLE:
                if file.is_file():
                    file.unlink()
                file.mkdir(exist_ok=True)
            elif log is not NO_LOG:
                file.write_bytes(log)
                os.utime(file, (0, 0))  # the files on a drive have no real dates
            return [look(tmp_path)]

        source = DataLogs(find, interval_s=0, find_ports=lambda: [Port("COM3", V2_ID)])
        assert done.wait(60)
        source.close()
        return list(source.poll())

    return read_all


def test_log_is_read_once_until_its_drive_is_remounted_or_replugged(read):
    logs = [(NO_LOG, 0), (LOG, 0), (LOG, 0), (LOG, 1), (NO_DRIVE, 0), (LOG, 1), (LOG, 1)]
    received = read(*logs, (data_log(HEADING), 2), (data_log(row(TWO)), 3))
    assert [line.sentence for line in received] == [*PLAYED * 3, TWO]
    assert received[0] == Received.of(BOARD, PLAYED[0], received[0].at, late=True)


def test_logs_of_two_drives_with_the_same_id_are_both_read(tmp_path, closing):
    for name, game in ("one", ONE), ("two", TWO):
        (tmp_path / name).mkdir()
        (tmp_path / name / "DETAILS.TXT").write_text(DETAILS.format(usb_id=V2_ID, count=0))
        (tmp_path / name / "MY_DATA.HTM").write_bytes(data_log(row(game)))
    drives = [look(tmp_path / "one"), look(tmp_path / "two")]
    source, received = closing(DataLogs(lambda: drives, find_ports=list)), []
    until(lambda: received.extend(source.poll()) or len(received) == 2, "both games")
    assert [line.sentence for line in received] == PLAYED


@pytest.mark.parametrize("usb_id", [None, V2_ID])
def test_log_of_a_drive_is_that_of_its_port(tmp_path, closing, usb_id):
    """Windows may give another number than the board's id, and then the port names the board."""
    (tmp_path / "DETAILS.TXT").write_text(DETAILS.format(usb_id=V2_ID, count=0))
    (tmp_path / "MY_DATA.HTM").write_bytes(LOG)
    port, drives = Port("COM3", usb_id), [look(tmp_path)]
    source, received = closing(DataLogs(lambda: drives, find_ports=lambda: [port])), []
    until(lambda: received.extend(source.poll()) or len(received) == 2, "both games")
    assert {line.board for line in received} == {name_of(port)}


def test_board_keeps_its_name_while_its_port_comes_and_goes(tmp_path):
    (tmp_path / "DETAILS.TXT").write_text(DETAILS.format(usb_id=V2_ID, count=0))
    (tmp_path / "MY_DATA.HTM").write_bytes(LOG)
    port, drive, done = Port("COM3", None), look(tmp_path), threading.Event()
    looks = iter([[], [port], [port], [], [], []])

    def find_ports():
        ports = next(looks, None)
        if ports is None:
            done.set()
        return ports or []

    source = DataLogs(lambda: [drive], interval_s=0, find_ports=find_ports)
    assert done.wait(60)
    source.close()
    assert [(line.board, line.sentence) for line in source.poll()] == [
        ("COM3", game) for game in PLAYED
    ]


def test_unreadable_log_is_reported_once(read):
    short, *whole, failing = read(
        (LOG[:9000], 0), (LOG[:9000], 1), (LOG, 2), (UNREADABLE, 3), (UNREADABLE, 4)
    )
    why = "MY_DATA.HTM is cut short or damaged; copy it from the board's drive once more"
    assert short.text() == f"{describe.short(BOARD)}: {why}"
    assert short.record()["event"] == "unreadable"
    assert [line.sentence for line in whole] == PLAYED
    assert "cannot use" in failing.why


DAMAGED = data_log(HEADING, row(ONE), row(ONE)[:-3], row(TWO))
SKIPPED = "1 damaged row skipped, line 3 of the data"


def test_skipped_rows_of_a_drive_are_shown_until_it_is_unplugged(read):
    *received, skipped = read((DAMAGED, 0), (DAMAGED, 0))
    assert [line.sentence for line in received] == PLAYED
    assert skipped.text() == f"{describe.short(BOARD)}: {SKIPPED}"
    session = Session()
    session.take(skipped)
    session.take(DataLogUnreadable("usb-2", "cut short"))
    session.take(PortClosed(BOARD, "/dev/ttyACM0", RELEASED))
    assert session.data_logs == {BOARD: SKIPPED, "usb-2": "cut short"}
    session.take(PortClosed(BOARD, "/dev/ttyACM0", "unplugged"))
    assert session.data_logs == {"usb-2": "cut short"}


def test_skipped_rows_of_a_copy_are_reported(folder, noughts):
    (folder / "anna.htm").write_bytes(DAMAGED)
    status, _, err = noughts("watch", "--from", "anna.htm", db=folder / "games.db")
    assert status == 0 and f"anna: {SKIPPED}\n" in err


def test_no_thread_reads_drives_after_closing():
    others = set(threading.enumerate())
    DataLogs(list).close()
    assert set(threading.enumerate()) <= others


def test_unresponsive_drive_blocks_neither_polling_nor_closing(tmp_path):
    asked, answers, answered = threading.Event(), threading.Event(), threading.Event()

    def find():
        asked.set()
        answers.wait(60)
        answered.set()
        return []

    source = DataLogs(find)
    assert asked.wait(60)
    assert source.poll() == []
    source.close()
    assert not answered.is_set()  # it still waits for the drive
    answers.set()


def test_log_dropped_on_the_page_is_stored_once(tmp_path):
    db = tmp_path / "games.db"
    site = Site(db, 8017, token=SITE.token)

    def drop(content, name="anna.htm"):
        address = f"/api/logs?{urlencode({'name': name})}"
        answer = ask(change(), "POST", address, (content,), site=site)
        return answer.status, answer.json

    answer, error = drop(LOG[:9000], name="\x1b[2J.htm")
    assert answer == 400 and "is cut short or damaged; " in error["error"]
    assert error["error"].isprintable()
    assert drop(bytes(MAX_SIZE + 2))[0] == 413
    assert not db.exists()
    assert drop(data_log(HEADING, row(ONE))) == (200, {"text": "anna.htm: 1 game, 1 new"})
    for log, new in ((LOG, 1), (LOG, 0), (CSV, 0)):
        assert drop(log) == (200, {"text": f"anna.htm: 2 games, {new} new"})
    assert stored(db) == [as_row(game) for game in PLAYED]
    assert stored(db, "count(started), count(played_before)") == [(0, 2)]
    assert drop(data_log(HEADING)) == (200, {"text": "anna.htm: no games yet"})
    assert drop(DAMAGED) == (200, {"text": f"anna.htm: 2 games, 0 new; {SKIPPED}"})
