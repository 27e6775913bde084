"""The data log of a V2 as a source: `noughts watch --from`, and the drive of a board."""

import io
import sys
from dataclasses import replace

import pytest

from data_logs import HEADING, data_log, row
from noughts import cli
from noughts.protocol.sentences import write
from noughts.store.store import Store
from noughts.watch import raw_log
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import Recorder
from sample_games import AT, stages
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
