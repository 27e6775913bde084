"""What a sender waits for is confirmed when it is stored, and never before."""

import contextlib
import sqlite3

import pytest

from needed import POSIX
from noughts.protocol.sentences import write
from noughts.store.store import Store
from noughts.watch import recorder
from noughts.watch.port_monitor import DataReceived
from noughts.watch.raw_log import RawLog
from noughts.watch.recorder import Delivered
from noughts.watch.watch import Watch
from sample_games import AT, stages

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


class Sender:
    """Sends a game once, and notes what is confirmed."""

    def __init__(self):
        self.confirmed = []
        self._changes = []

    def send(self, number):
        for each in stages(DRAW, number=number):
            data = write(each).encode() + b"\n"
            self._changes.append(DataReceived("3b/usb-1", data, AT + each.ms))
        self._changes.append(Delivered(lambda: self.confirmed.append(number)))

    def poll(self):
        changes, self._changes = self._changes, []
        return changes


@pytest.fixture
def watch(tmp_path):
    sender = Sender()
    watch = Watch(Store(tmp_path / "games.db", create=True), sender, RawLog(tmp_path / "raw"))
    watch.sender = sender
    yield watch
    watch.close()


def kept(path):
    with contextlib.closing(sqlite3.connect(path)) as store:
        return store.execute("SELECT number, end, started FROM games ORDER BY number").fetchall()


def test_once_it_is_stored_with_the_moment_at_which_it_was_heard(watch):
    watch.sender.send(1)
    watch.step()
    assert watch.sender.confirmed == [1]
    assert kept(watch.path) == [(1, "=", AT)]


def test_at_the_end_too_however_busy_the_computer_is(watch, monkeypatch):
    monkeypatch.setattr("noughts.watch.watch._LAST_S", -1)
    watch.sender.send(1)
    watch.finish()
    assert watch.sender.confirmed == [1]
    assert kept(watch.path) == [(1, "=", AT)]


def test_not_while_another_program_keeps_the_store_to_itself(watch):
    with contextlib.closing(sqlite3.connect(watch.path)) as other:
        other.execute("BEGIN IMMEDIATE")
        watch.sender.send(1)
        watch.step()
        assert watch.sender.confirmed == []
        other.execute("ROLLBACK")
    watch.step()
    assert watch.sender.confirmed == [1]


def test_never_if_something_of_it_was_left_out(watch, monkeypatch):
    monkeypatch.setattr(recorder, "_MAX_PENDING", 5)
    watch.sender.send(1)
    watch.step()
    assert watch.sender.confirmed == []
    monkeypatch.undo()
    watch.sender.send(1)  # as a room does
    watch.step()
    assert watch.sender.confirmed == [1]
    assert kept(watch.path) == [(1, "=", AT)]


@POSIX
def test_in_the_store_that_takes_the_place_of_one_that_was_deleted(watch):
    watch.sender.send(1)
    watch.step()
    watch.path.unlink()
    gone = watch.path
    watch.sender.send(2)
    watch.step()
    assert watch.path != gone
    assert watch.sender.confirmed == [1, 2]
    assert kept(watch.path) == [(2, "=", AT)]
