"""The data log of a V2: read, damaged, and stored from a copy, a board's drive and the page."""

import io
import json
import os
import sys
import threading
import time
from dataclasses import replace
from urllib.parse import urlencode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from asking import SITE, ask, change, status, text
from data_logs import HEADING, data_log, row
from noughts.boards.drive import look
from noughts.boards.ports import Port
from noughts.errors import DataLogError
from noughts.protocol.data_log import MAX_SIZE, games
from noughts.protocol.describe import short
from noughts.recording.data_logs import DataLogs
from noughts.recording.port_monitor import name_of
from noughts.recording.sources import SentencesRead
from noughts.store.store import Store
from noughts.web.safety import Site
from sample_games import stages
from stand_in_drive import DETAILS
from unplugged import COLUMNS, as_row

ONE = replace(stages([4, 0, 8, 2, 1], "x")[-1], boot="3E5A5FD2")
TWO = replace(stages([0, 3, 1, 4, 2], number=2)[-1], boot="3E5A5FD2")
PLAYED = [ONE, TWO]
LOG = data_log(HEADING, *map(row, PLAYED))
OF_ANOTHER_PROGRAM = [
    "Time (seconds),temp", "1.05,1",
    f"Time (seconds),temp,{HEADING}", f",,{row(ONE)}",
    f"Time (seconds),temp,{HEADING},late", ",,,,,,,,,5", f",,{row(TWO)},",
]  # fmt: skip
"""As a V2 2.1.2 has written them where another program used the same log before and between."""


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([HEADING], []),
        ([HEADING, row(ONE), row(TWO)], [ONE, TWO]),
        ([row(ONE), row(TWO)], [ONE, TWO]),  # the first start was cut
        ([HEADING, row(ONE)[:-3], row(TWO)], [TWO]),  # so was a row
        ([HEADING, "21.5,3", row(TWO), "ä,\x1b[2J"], [TWO]),
        (OF_ANOTHER_PROGRAM, [ONE, TWO]),
        ([HEADING, row(replace(ONE, end="-")), row(ONE)], [ONE]),
    ],
)
def test_rows(rows, expected):
    assert games(data_log(*rows)) == expected


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
    ],
    ids=lambda value: value if isinstance(value, str) else "log",
)
def test_a_file_without_a_whole_log_of_ours(content, why):
    with pytest.raises(DataLogError, match=rf"^pupil\.htm (is )?{why}.*; ") as raised:
        games(content, "pupil.htm")
    assert "\n" not in str(raised.value)


@given(st.lists(st.tuples(st.integers(0, len(LOG) - 1), st.integers(0, 255))), st.integers(0))
def test_any_damage_is_an_error_or_leaves_legal_games(changes, length):
    content = bytearray(LOG)
    for at, byte in changes:
        content[at % 9000] = byte  # where there is something to damage
    try:
        found = games(bytes(content[: len(LOG) - length % 3000]))
    except DataLogError:
        return
    assert all(game.end != "-" for game in found)


def stored(db, columns=COLUMNS):
    with Store(db) as store:
        return store.read(f"SELECT {columns} FROM games ORDER BY number")


@pytest.mark.parametrize(("source", "board"), [("anna.htm", "file-anna.htm"), ("-", "stdin")])
def test_reading_a_copy_twice_stores_it_once(folder, monkeypatch, printed, source, board):
    db = folder / "games.db"
    (folder / "anna.htm").write_bytes(LOG)
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(LOG))))
        out = printed("watch", "--from", source, "--plain", db=db)
    assert stored(db) == [as_row(game) for game in PLAYED]
    assert stored(db, "started IS NULL, played_before > 0") == [(1, 1)] * 2
    assert stored(db, "(SELECT name FROM boards WHERE boards.id = board)") == [(board,)] * 2
    assert "2 games resent" in out


class Drives:
    """Stand-ins for the drive of a V2, and a source that reads it."""

    def __init__(self, folder):
        self.folder, self.there, self.looks = folder, None, 0
        self.source = DataLogs(self.find)

    def find(self):
        self.looks += 1
        there = self.there
        return [look(there)] if there else []

    def plug(self, log=None, count=0):
        """Mount the drive, with a data log if it has one; again: with a higher count."""
        path = self.folder / f"{len(list(self.folder.iterdir()))}"
        path.mkdir()
        details = DETAILS.format(usb_id=V2_ID.upper(), mode="Interface", count=count)
        (path / "DETAILS.TXT").write_text(details)
        if log is not None:
            (path / "MY_DATA.HTM").write_bytes(log)
            os.utime(path / "MY_DATA.HTM", (0, 0))  # the drive's files have no true dates
        self.there = path

    def poll(self):
        """All that comes of the drive as it is now."""
        seen = self.looks
        while self.looks < seen + 2:
            time.sleep(0.001)
        changes = []
        while found := self.source.poll():
            changes += found
        return changes

    def read(self):
        """The games of the log that was read then."""
        (change,) = self.poll()
        assert change == SentencesRead(BOARD, change.sentences, change.at, from_log=True)
        return change.sentences


@pytest.fixture
def drives(tmp_path, monkeypatch):
    monkeypatch.setattr("noughts.recording.data_logs._LOOK_S", 0.005)
    (tmp_path / "drives").mkdir()
    made = Drives(tmp_path / "drives")
    yield made
    made.source.close()


V2_ID = "9904000031634e4500624014000000320000000097969901"
BOARD = name_of(Port("/dev/ttyACM0", V2_ID))


def test_a_log_is_read_once_while_its_drive_is_there_and_again_when_it_has_changed(drives):
    assert drives.poll() == []
    drives.plug()
    assert drives.poll() == []
    for count in range(2):
        drives.plug(LOG, count)
        assert drives.read() == PLAYED
        assert drives.poll() == []
    drives.there = None
    assert drives.poll() == []
    drives.plug(LOG, count)
    assert drives.read() == PLAYED
    drives.plug(data_log(HEADING), count + 1)
    assert drives.poll() == []
    drives.plug(data_log(row(PLAYED[1])), count + 2)
    assert drives.read() == PLAYED[1:]


def test_a_log_that_cannot_be_read_is_reported_once(drives):
    drives.plug(LOG[:9000])
    (unread,) = drives.poll()
    why = "MY_DATA.HTM is cut short or damaged; copy it from the board's drive once more"
    assert unread.text() == f"{short(BOARD)}: {why}"
    assert unread.record()["event"] == "unreadable"
    drives.plug(LOG[:9000], count=1)
    assert drives.poll() == []
    drives.plug(count=2)
    (drives.there / "MY_DATA.HTM").mkdir()  # reading it fails each time
    (unread,) = drives.poll()
    assert "cannot use" in unread.why and drives.poll() == []
    drives.plug(LOG)
    assert drives.read() == PLAYED


def test_a_drive_that_does_not_answer_stops_neither_the_recording_nor_its_end(tmp_path):
    asked, answers = threading.Event(), threading.Event()

    def find():
        asked.set()
        answers.wait(60)
        return []

    source = DataLogs(find)
    assert asked.wait(60)
    assert source.poll() == []
    source.close()
    answers.set()


@pytest.fixture
def drop(tmp_path):
    """Drops a file on the page; gives the status and the page's answer."""
    site = Site(tmp_path / "games.db", 8017, token=SITE.token)

    def drop(content, name="anna.htm"):
        address = f"/api/logs?{urlencode({'name': name})}"
        answer = ask(change(), "POST", address, (content,), site=site)
        return status(answer), json.loads(text(answer))

    return drop


def test_a_log_that_is_dropped_on_the_page_is_stored_once(drop, tmp_path):
    db = tmp_path / "games.db"
    answer, error = drop(LOG[:9000], name="\x1b[2J.htm")
    assert answer == 400 and "is cut short or damaged; " in error["error"]
    assert error["error"].isprintable()
    assert drop(bytes(300_001))[0] == 413
    assert not db.exists()
    assert drop(data_log(HEADING, row(ONE))) == (200, {"said": "anna.htm: 1 game, 1 new"})
    for new in (1, 0):
        assert drop(LOG) == (200, {"said": f"anna.htm: 2 games, {new} new"})
    assert stored(db) == [as_row(game) for game in PLAYED]
    assert stored(db, "count(started), count(played_before)") == [(0, 2)]
    assert drop(data_log(HEADING)) == (200, {"said": "anna.htm: no games yet"})
