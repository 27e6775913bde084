"""The data log of a V2 as a source: `noughts watch --from`, and the drive of a board."""

import io
import os
import sys
import threading
import time
from dataclasses import replace

import pytest

from data_logs import HEADING, data_log, row
from noughts import cli
from noughts.commands.watch_rooms import Sources
from noughts.hardware.drive import look
from noughts.hardware.ports import Port
from noughts.protocol.describe import short
from noughts.protocol.sentences import write
from noughts.store.store import Store
from noughts.watch import raw_log
from noughts.watch.data_logs import DataLogRead, DataLogs
from noughts.watch.events import SentenceStored, as_record, in_words
from noughts.watch.port_monitor import DataReceived, name_of
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import Recorder
from noughts.watch.session import Session
from noughts.watch.watch import Watch
from sample_games import AT, stages
from stand_in_drive import DETAILS
from unplugged import COLUMNS, as_row

PLAYED = [replace(stages([4, 0, 8], "x", number=n)[-1], boot="3E5A5FD2") for n in (1, 2)]
LOG = data_log(HEADING, *map(row, PLAYED))


def stored(db, columns=COLUMNS):
    with Store(db) as store:
        return store.read(f"SELECT {columns} FROM games ORDER BY number")


@pytest.mark.parametrize("source", ["anna.htm", "-"])
def test_reading_a_copy_twice_stores_it_once(tmp_path, monkeypatch, capsys, source):
    db = tmp_path / "games.db"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "anna.htm").write_bytes(LOG)
    everything = "*, (SELECT name FROM boards WHERE boards.id = board)"
    seen = []
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(io.BytesIO(LOG))))
        assert cli.main(["watch", "--from", source, "--plain", "--db", str(db)]) == 0
        seen.append(stored(db, everything))
    assert seen[0] == seen[1] and stored(db) == [as_row(game) for game in PLAYED]
    assert seen[0][0][-1] == {"-": "stdin", "anna.htm": "file-anna.htm"}[source]
    assert all(
        started is None and before for started, before in stored(db, "started, played_before")
    )
    printed = capsys.readouterr()
    assert "2 games ended (2 told late)" in printed.err and "2 kept games told again" in printed.out


def test_a_log_that_is_cut_short_is_one_line(tmp_path, capsys):
    db, file = tmp_path / "games.db", tmp_path / "anna.htm"
    file.write_bytes(LOG[:9000])
    assert cli.main(["watch", "--from", str(file), "--db", str(db)]) == 1
    assert capsys.readouterr().err == (
        "noughts: anna.htm is cut short at 9,000 bytes; copy it from the board's drive once more\n"
    )
    assert stored(db) == []


def test_the_raw_lines_of_a_log_are_recovered_games_again(tmp_path):
    """Also those of the run that the board is in: they ended before it was heard."""
    going_on = replace(stages([4], number=3)[-1], boot="0A83CAFE")
    present = [replace(game, boot=going_on.boot) for game in PLAYED]
    log = RawLog(tmp_path / "raw")
    with Store(tmp_path / "one.db", create=True) as store:
        recorder = Recorder(store, log)
        recorder.hear("usb-1", write(going_on).encode() + b"\r\n", AT)
        recorder.take_log("usb-1", present, AT + 5000)
        assert [event.late for event in recorder.settle()] == [True, True]
    log.close()
    (path,) = (tmp_path / "raw").iterdir()
    with Store(tmp_path / "two.db", create=True) as store, path.open("rb") as file:
        recorder = Recorder(store, None)
        for each in raw_log.read(file):
            if each.is_opened:
                recorder.take_opened(each.board, each.at)
            recorder.hear(each.board, each.data, each.at)
    columns = f"{COLUMNS}, started, played_before"
    assert stored(tmp_path / "one.db", columns) == stored(tmp_path / "two.db", columns)
    assert stored(tmp_path / "two.db", "started") == [(None,), (None,), (AT - going_on.ms,)]


class Drives:
    """Stand-ins for the drives of boards, and a source that reads them."""

    def __init__(self, folder, monkeypatch):
        monkeypatch.setattr("noughts.watch.data_logs._LOOK_S", 0.005)
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
        if log is not None:
            (path / "MY_DATA.HTM").write_bytes(log)
            os.utime(path / "MY_DATA.HTM", (0, 0))  # the drive's files have no true dates
        self.there[usb_id] = path

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


@pytest.fixture
def drives(tmp_path, monkeypatch):
    (tmp_path / "drives").mkdir()
    made = Drives(tmp_path / "drives", monkeypatch)
    yield made
    made.source.close()


V2_ID = "9904000031634e4500624014000000320000000097969901"
BOARD = name_of(Port("/dev/ttyACM0", V2_ID))


def test_a_log_is_read_once_while_its_drive_is_there_and_again_when_it_has_changed(drives):
    assert drives.poll() == []
    drives.plug(V2_ID.upper(), LOG)
    drives.plug(V2_ID.replace("9904", "9900"), None)  # a V1 has none
    assert drives.poll() == [DataLogRead(BOARD, PLAYED)]
    assert drives.poll() == []
    drives.plug(V2_ID.upper(), LOG, count=1)
    assert drives.poll() == [DataLogRead(BOARD, PLAYED)]
    drives.there.clear()
    assert drives.poll() == []
    drives.plug(V2_ID.upper(), LOG, count=1)
    assert drives.poll() == [DataLogRead(BOARD, PLAYED)]
    drives.change(V2_ID.upper(), data_log(HEADING))
    assert drives.poll() == []
    drives.change(V2_ID.upper(), data_log(row(PLAYED[1])))
    assert drives.poll() == [DataLogRead(BOARD, PLAYED[1:])]


def test_a_log_that_cannot_be_read_is_reported_once(drives):
    drives.plug(V2_ID, LOG[:9000])
    (unread,) = drives.poll()
    why = "MY_DATA.HTM is cut short at 9,000 bytes; copy it from the board's drive once more"
    assert in_words(unread) == f"{short(BOARD)}: {why}"
    assert as_record(unread, AT)["event"] == "unreadable"
    drives.plug(V2_ID, LOG[:9000], count=1)
    assert drives.poll() == []
    file = drives.there[V2_ID] / "MY_DATA.HTM"
    file.unlink()
    file.mkdir()  # reading it fails each time
    (unread,) = drives.poll()
    assert "cannot use" in unread.why and drives.poll() == []
    file.rmdir()
    drives.change(V2_ID, LOG)
    assert drives.poll() == [DataLogRead(BOARD, PLAYED)]


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


def test_a_full_log_is_watched_beside_its_boards_cable(drives, tmp_path):
    """It comes in pieces; a game that was heard live keeps its start, and no game is doubled."""
    games = [replace(PLAYED[0], number=number) for number in range(1, 151)]
    db = tmp_path / "games.db"
    heard = [replace(stage, boot="3E5A5FD2") for stage in stages([4, 0, 8], "x", number=150)]

    class Cable:
        def poll(self):
            return [
                DataReceived(BOARD, write(heard.pop(0)).encode() + b"\r\n") for _ in list(heard)
            ]

    watch = Watch(
        Store(db, create=True), Sources([Cable(), drives.source]), RawLog(tmp_path / "raw")
    )
    session = Session()
    for count in range(2):
        drives.plug(V2_ID, data_log(HEADING, *map(row, games)), count)
        recovered = 0
        while recovered < 150:
            for event in watch.step():
                session.take(event)
                recovered += isinstance(event, SentenceStored) and event.sentence in games
    watch.close()
    assert stored(db) == [as_row(game) for game in games]
    assert stored(db, "count(*), count(started), count(played_before)") == [(150, 1, 149)]
    assert (session.games, session.told_late) == (150, 149)
