"""The store: what is stored and read back, and files that it cannot use."""

import os
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from needed import POSIX
from noughts.errors import StoreError
from noughts.protocol.sentences import Game
from noughts.store.lines import Received
from noughts.store.schema import OF_1_0_0, VERSION
from noughts.store.store import Store
from sample_games import AT, filled, stages

START = Game("00000A83", 1, "PH", "A", (), 0, "-")
ROWS = "SELECT boot, number, seats, first, moves, times, ms, end FROM games ORDER BY id"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.db"


def add_all(store, sentences):
    store.add_many([Received.of("usb-1", each, None) for each in sentences])


def test_many_are_stored_together_or_not_at_all(store):
    received = [Received.of("page", game, AT + game.ms) for game in stages([4, 0, 2])]
    with pytest.raises(AttributeError):
        store.add_many([*received, Received("page", "not a sentence", "", AT)])
    assert store.read(ROWS) == store.read("SELECT * FROM boards") == []
    assert [stored.game for stored in store.add_many(received)] == [1, 1, 1, 1]
    assert [row[4:6] for row in store.read(ROWS)] == [("402", "1000,2000,3000")]


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (f"user_version = {VERSION + 1}", rf"newer noughts \(store version {VERSION + 1},"),
        (f"user_version = {OF_1_0_0 - 1}", "older than release 1.0.0"),
        ("application_id = 7", "a database of another program"),
        (lambda content: b"marks " * 1000, "is damaged or not a store of noughts"),
        (lambda content: content[:8192] + os.urandom(len(content) - 8192), "damaged"),
    ],
)
def test_files_that_are_not_stores_are_refused_and_stay_as_they_are(path, change, why):
    filled(path, *([replace(START, number=number)] for number in range(1, 100)))
    if isinstance(change, str):
        with sqlite3.connect(path) as changed:
            changed.execute(f"PRAGMA {change}")
    else:
        path.write_bytes(change(path.read_bytes()))
    before = path.read_bytes()
    with pytest.raises(StoreError, match=why), Store(path, create=True) as store:
        store.read(ROWS)
    assert path.read_bytes() == before


def test_no_room_left(store):
    store.add("usb-1", START, None)
    ((pages,),) = store.read("PRAGMA page_count")
    store.read(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="no room to write"):
        for number in range(2, 10_000):
            store.add("usb-1", replace(START, number=number), None)
    store.read("PRAGMA max_page_count = 100000")
    assert store.add("usb-1", replace(START, number=number), None).new
    assert len(store.read(ROWS)) == number


def numbers(path):
    with Store(path) as store:
        assert store.read("PRAGMA integrity_check") == [("ok",)]
        return [row[1] for row in store.read(ROWS)]


@POSIX
@pytest.mark.parametrize("restore", [Path.replace, shutil.copy])
def test_closing_a_store_leaves_a_restored_backup_alone(tmp_path, path, restore):
    backup = filled(tmp_path / "backup.db", *(stages([4], number=n) for n in range(1, 99)))
    with Store(path, create=True) as store:
        add_all(store, stages([4, 0], number=100))
        assert not store.replaced()
        restore(backup, path)
        assert store.replaced()
    assert not list(tmp_path.glob("games.db-*"))
    assert numbers(path) == list(range(1, 99))


@POSIX
def test_a_renamed_store_gets_what_is_in_its_log(tmp_path, path):
    with Store(path, create=True) as store:
        add_all(store, stages([4, 0]))
        path.rename(tmp_path / "renamed.db")
    assert [each.name for each in tmp_path.iterdir()] == ["renamed.db"]
    assert numbers(tmp_path / "renamed.db") == [1]


@POSIX
def test_closing_a_store_leaves_the_log_of_another_at_its_path(tmp_path, path):
    store = Store(path, create=True)
    for each in tmp_path.iterdir():
        each.unlink()
    with Store(path, create=True) as other:
        add_all(other, stages([4], number=2))
        store.close()
        store.close()
        add_all(other, stages([4], number=3))
        names = [each.name for each in tmp_path.iterdir()]
        assert sorted(names) == ["games.db", "games.db-shm", "games.db-wal"]
    assert numbers(path) == [2, 3]


SUPPORT = Path(__file__).parents[1] / "support"
SHOWN = (
    "SELECT games.id, name, given_name, boot, number, seats, first, moves, times, ms, end, "
    "started, games.heard, played_before, by_radio FROM games JOIN boards ON boards.id = board"
)


@pytest.mark.parametrize("raw_lines", [True, False])
def test_a_store_of_1_0_0_is_taken_over_and_its_games_follow_from_its_lines(path, raw_lines):
    """Games live, late, abandoned, in part, by radio, both ways, in contradiction, of the page."""
    if raw_lines:
        raw = Path(f"{path}.raw", "2026-09-21T14-13-20.000-000001-0123abcd.log")
        raw.parent.mkdir()
        shutil.copy(SUPPORT / "raw_lines_of_1_0_0.log", raw)
    with sqlite3.connect(path) as before:
        before.executescript((SUPPORT / "store_of_1_0_0.sql").read_text())
        shown = before.execute(SHOWN).fetchall()
    with Store(path) as store:
        assert store.read(f"{SHOWN} ORDER BY games.id") == shown
        store.read("UPDATE games SET moves = '', times = '', heard = 1, started = 2")
        store.renew()
        assert store.read(f"{SHOWN} ORDER BY games.id") == shown
        noise = store.read("SELECT text FROM lines WHERE boot IS NULL AND text != ''")
        assert noise == ([("MicroPython v1.9.2",), ("$NG,AAAAA",)] if raw_lines else [])
