"""The data log of a V2: read, damaged, and stored from a copy, a board's drive and the page."""

import io
import json
import os
import sys
import threading
import time
from contextlib import closing
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
from noughts.protocol.sentences import write
from noughts.recording.data_logs import DataLogs
from noughts.recording.port_monitor import name_of
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.recording.sources import DataReceived, QueuedSource, SentencesRead
from noughts.store.store import Store
from noughts.web.safety import Site
from official import stepped
from sample_games import AT, stages
from stand_in_drive import DETAILS
from unplugged import COLUMNS, as_row

ONE = replace(stages([4, 0, 8, 2, 1], "x")[-1], boot="3E5A5FD2")
TWO = replace(stages([0, 3, 1, 4, 2], number=2)[-1], boot="3E5A5FD2")
PLAYED = [ONE, TWO]
LOG = data_log(HEADING, *map(row, PLAYED))


def test_rows_with_columns_of_another_program():
    """As the firmware writes them, where a program has used the same log before and between."""
    program = f"""
import log
log.set_labels('temp', timestamp=log.SECONDS)
log.add(temp=1)
ours = '{HEADING}'.split(',')
log.set_labels(*ours, timestamp=None)
log.add(dict(zip(ours, '{row(ONE)}'.split(','))))
log.add(late=5)
log.add(dict(zip(ours, '{row(TWO)}'.split(','))))
print('done')
"""
    board = stepped("V2 2.1.2")({"main.py": program.encode()})
    assert board.run_until(lambda: b"done" in board.uart.received, 60e6, step_us=20_000)
    assert games(board.my_data()) == [ONE, TWO]


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([], []),
        ([HEADING], []),
        ([HEADING, row(ONE), row(TWO)], [ONE, TWO]),
        ([row(ONE), row(TWO)], [ONE, TWO]),  # the first start was cut
        ([HEADING, row(ONE)[:-3], row(TWO)], [TWO]),  # so was a row
        ([HEADING, "21.5,3", row(TWO), "ä,\x1b[2J"], [TWO]),
        ([HEADING, row(replace(ONE, end="-")), row(ONE)], [ONE]),
    ],
)
def test_rows(rows, expected):
    assert games(data_log(*rows)) == expected


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not a micro:bit's data log"),
        (LOG[:2060], "not a micro:bit's data log"),
        (LOG[:9000], "cut short or damaged"),
        (LOG[:0x1EFFB], "cut short or damaged"),
        (data_log(row(ONE), end=0xFFFFFFFF), "cut short or damaged"),
        (data_log(row(ONE), start=0x1F000), "cut short or damaged"),
        (data_log(row(ONE), start=0), "cut short or damaged"),
        (data_log(row(ONE), row(TWO) + "\0\0\0"), "cut short or damaged"),
        (LOG.ljust(MAX_SIZE + 1), "not a micro:bit's data log"),
        (data_log("Time (seconds),temp", "1.03,21"), "holds no games of noughts"),
    ],
    ids=lambda value: value if isinstance(value, str) else "log",
)
def test_a_file_without_a_whole_log_of_ours(content, why):
    with pytest.raises(DataLogError, match=r"^pupil\.htm (is|holds) .*; ") as raised:
        games(content, "pupil.htm")
    assert why in str(raised.value) and "\n" not in str(raised.value)


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


@pytest.mark.parametrize("source", ["anna.htm", "-"])
def test_reading_a_copy_twice_stores_it_once(folder, monkeypatch, printed, source):
    db = folder / "games.db"
    (folder / "anna.htm").write_bytes(LOG)
    everything = "*, (SELECT name FROM boards WHERE boards.id = board)"
    seen = []
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(LOG))))
        out = printed("watch", "--from", source, "--plain", db=db)
        seen.append(stored(db, everything))
    assert seen[0] == seen[1] and stored(db) == [as_row(game) for game in PLAYED]
    assert seen[0][0][-1] == {"-": "stdin", "anna.htm": "file-anna.htm"}[source]
    assert all(
        started is None and before for started, before in stored(db, "started, played_before")
    )
    assert "2 games resent" in out


def test_a_copy_that_is_cut_short_is_refused_in_one_line(folder, refused):
    (folder / "anna.htm").write_bytes(LOG[:9000])
    assert "cut short or damaged" in refused("watch", "--from", "anna.htm", db=folder / "db")
    assert stored(folder / "db") == []


class Drives:
    """Stand-ins for the drives of boards, and a source that reads them."""

    def __init__(self, folder):
        self.folder, self.there, self.looks = folder, {}, 0
        self.source = DataLogs(self.find)

    def find(self):
        self.looks += 1
        return [drive for path in list(self.there.values()) if (drive := look(path))]

    def plug(self, usb_id, log, count=0):
        """Mount a board's drive, with a data log if it has one; again: with a higher count."""
        path = self.folder / f"{usb_id}-{len(list(self.folder.iterdir()))}"
        path.mkdir()
        details = DETAILS.format(usb_id=usb_id, mode="Interface", count=count)
        (path / "DETAILS.TXT").write_text(details)
        self.there[usb_id] = path
        if log is not None:
            self.change(usb_id, log)
            os.utime(path / "MY_DATA.HTM", (0, 0))  # the drive's files have no true dates

    def change(self, usb_id, log):
        """Put another log in its place, at once."""
        aside = self.folder.with_name("aside")
        aside.write_bytes(log)
        aside.rename(self.there[usb_id] / "MY_DATA.HTM")

    def poll(self):
        """All that comes of the drives as they are now."""
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
    drives.plug(V2_ID.upper(), LOG)
    drives.plug(V2_ID.replace("9904", "9900"), None)  # a V1 has none
    assert drives.read() == PLAYED
    assert drives.poll() == []
    drives.plug(V2_ID.upper(), LOG, count=1)
    assert drives.read() == PLAYED
    drives.there.clear()
    assert drives.poll() == []
    drives.plug(V2_ID.upper(), LOG, count=1)
    assert drives.read() == PLAYED
    drives.change(V2_ID.upper(), data_log(HEADING))
    assert drives.poll() == []
    drives.change(V2_ID.upper(), data_log(row(PLAYED[1])))
    assert drives.read() == PLAYED[1:]


def test_a_log_that_cannot_be_read_is_reported_once(drives):
    drives.plug(V2_ID, LOG[:9000])
    (unread,) = drives.poll()
    why = "MY_DATA.HTM is cut short or damaged; copy it from the board's drive once more"
    assert unread.text() == f"{short(BOARD)}: {why}"
    assert unread.record()["event"] == "unreadable"
    drives.plug(V2_ID, LOG[:9000], count=1)
    assert drives.poll() == []
    file = drives.there[V2_ID] / "MY_DATA.HTM"
    file.unlink()
    file.mkdir()  # reading it fails each time
    (unread,) = drives.poll()
    assert "cannot use" in unread.why and drives.poll() == []
    file.rmdir()
    drives.change(V2_ID, LOG)
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


def test_a_game_that_was_received_live_keeps_its_start(drives, tmp_path):
    """A log and the cable are followed at once, and no game is doubled."""
    cable = QueuedSource()
    for stage in stages(ONE.moves, "x"):
        line = write(replace(stage, boot=ONE.boot))
        cable.put(DataReceived(BOARD, f"{line}\r\n".encode(), AT))
    drives.plug(V2_ID, LOG)
    session = Session()
    with closing(Recorder(Store(tmp_path / "db", create=True), [cable, drives.source])) as recorder:
        while session.games < 2:
            for event in recorder.poll():
                session.take(event)
    assert stored(tmp_path / "db") == [as_row(game) for game in PLAYED]
    assert stored(tmp_path / "db", "count(started), count(played_before)") == [(1, 1)]
    assert (session.games, session.recovered) == (2, 1)


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
    answer, error = drop(LOG[:9000])
    assert answer == 400 and error["error"].startswith("anna.htm is cut short or damaged; ")
    answer, error = drop(LOG.ljust(MAX_SIZE + 1), name="\x1b[2J.htm")
    assert answer == 400 and "not a micro:bit's" in error["error"] and error["error"].isprintable()
    assert drop(bytes(300_001))[0] == 413
    assert not db.exists()
    assert drop(data_log(HEADING, row(ONE))) == (200, {"said": "anna.htm: 1 game, 1 new"})
    for new in (1, 0):
        assert drop(LOG) == (200, {"said": f"anna.htm: 2 games, {new} new"})
    assert stored(db) == [as_row(game) for game in PLAYED]
    assert stored(db, "count(started), count(played_before)") == [(0, 2)]
    assert drop(data_log(HEADING)) == (200, {"said": "anna.htm: no games yet"})
