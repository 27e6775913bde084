"""The names of boards: how they are given, and where they show."""

import csv
import io
import json
import sqlite3
from dataclasses import replace

import pytest

from noughts import cli
from noughts.store.store import Store
from noughts.watch.events import BoardNamed, SentenceStored, in_words
from noughts.watch.port_monitor import PortMonitor, PortOpened
from noughts.watch.raw_log import RawLog
from noughts.watch.session import Session
from noughts.watch.watch import Watch
from sample_games import AT, BOOT, filled, stages

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]
LONG = "usb-9904360261974e450027001a0000004d0000000097969901"


@pytest.fixture
def path(tmp_path):
    path = filled(tmp_path / "games.db", stages(DRAW), board=LONG)
    return filled(path, stages(DRAW), stages([4], number=2), board="usb-2", at=AT + 60_000)


@pytest.fixture
def noughts(path, capsys):
    def run(*words, db=path):
        try:
            status = cli.main([*words, "--db", str(db)])
        except SystemExit as end:
            status = end.code
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


def test_boards_are_listed_and_named_by_number_or_usb_id(noughts):
    assert noughts("boards", "name", "1", " blue  table ") == (
        0, "board 1, usb-…61974e450027001a, is now blue table\n", "",
    )  # fmt: skip
    assert noughts("boards", "name", "usb-2", "Öl-Bank")[0] == 0
    status, out, err = noughts("boards")
    assert (status, err) == (0, "")
    head, one, two = (line.split("  ") for line in out.splitlines())
    assert [cell.strip() for cell in head if cell] == [
        "number", "name", "kind", "games", "last heard", "board",
    ]  # fmt: skip
    assert "blue table" in one and "V1" in one and one[-1] == "usb-…61974e450027001a"
    assert "Öl-Bank" in two
    known = json.loads(noughts("boards", "--json")[1])
    assert [(each["number"], each["board"], each["name"], each["games"]) for each in known] == [
        (1, LONG, "blue table", 1), (2, "usb-2", "Öl-Bank", 2),
    ]  # fmt: skip
    assert known[0]["heard"] == "2026-09-21T14:13:29.000Z"


def test_a_name_shows_everywhere_and_chooses_games(noughts):
    noughts("boards", "name", LONG.removeprefix("usb-"), "blue table")
    assert noughts("games")[1].count("blue table") == 1
    assert "blue table" in noughts("replay", "1")[1]
    assert [game["board_name"] for game in json.loads(noughts("games", "--json")[1])] == [
        None, None, "blue table",
    ]  # fmt: skip
    rows = list(csv.DictReader(io.StringIO(noughts("export")[1])))
    assert [(row["board"], row["board_name"]) for row in rows] == [
        (LONG, "blue table"), ("usb-2", ""), ("usb-2", ""),
    ]  # fmt: skip
    for part, found in (("BLUE", [1]), ("0027001A", [1]), ("usb", [3, 2, 1]), ("e\nu", [])):
        listed = json.loads(noughts("games", "--json", "--board", part)[1])
        assert [game["game"] for game in listed] == found


def test_the_boards_of_a_room_and_those_by_radio(noughts, path):
    for board in ("3b/usb-1", "13b/usb-1", "radio-9A1B2C3D"):
        filled(path, stages(DRAW), board=board)
    listed = json.loads(noughts("games", "--json", "--board", "3B/")[1])
    assert [game["board"] for game in listed] == ["3b/usb-1"]
    said = noughts("boards", "name", "9a1b2c3d", "red table")[1]
    assert said.endswith(", radio-9A1B2C3D, is now red table\n")


def test_a_name_is_the_same_however_its_accents_are_written(noughts):
    noughts("boards", "name", "1", "O\u0308l")
    assert json.loads(noughts("boards", "--json")[1])[0]["name"] == "\u00d6l"


def test_the_kind_is_what_the_board_said_last(noughts, path):
    with Store(path) as store:
        store.keep("usb-2", replace(BOOT, boot="0B00", board="V2"), AT + 120_000)
        store.keep("usb-2", replace(BOOT, boot="0A00"), AT - 120_000)
    assert json.loads(noughts("boards", "--json")[1])[1]["hardware"] == "V2"


def test_a_name_is_taken_away(noughts):
    noughts("boards", "name", "1", "blue")
    assert noughts("boards", "name", "1", "")[1].endswith("has no name any more\n")
    assert json.loads(noughts("boards", "--json")[1])[0]["name"] is None


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["name", "2", "BLUE"], 1, "another board is named 'BLUE' already; choose another name"),
        (["name", "3", "red"], 1, "no board '3' is in "),
        (["name", "2", "\x1b[2Jred"], 2, "a name has no control characters"),
        (["name", "2", "\u202ered"], 2, "a name has no control characters"),
        (["name", "2", "x" * 41], 2, "at most 40 characters, not 41"),
        (["name", "2"], 2, "required: NAME"),
    ],
)
def test_names_that_are_refused(noughts, words, status, says):
    noughts("boards", "name", "1", "blue")
    found, out, err = noughts("boards", *words)
    assert (found, out) == (status, "")
    assert says in err and "\x1b" not in err
    assert [each["name"] for each in json.loads(noughts("boards", "--json")[1])] == ["blue", None]


def test_a_name_that_another_program_has_written_does_not_act_on_the_terminal(noughts, path):
    with Store(path) as store:
        store.name_board("usb-2", "=\x1b]0;owned\x07" + "x" * 90)
    for words in (["boards"], ["games"], ["replay", "2"], ["export"], ["stats"]):
        out = noughts(*words)[1]
        assert all(line.isprintable() for line in out.splitlines())
    (name,) = {row["board_name"] for row in csv.DictReader(io.StringIO(noughts("export")[1]))} - {
        ""
    }
    assert name.startswith("_=")


@pytest.mark.parametrize("command", ["boards", "games", "report"])
def test_a_moment_that_is_none_is_damage(noughts, path, command):
    with sqlite3.connect(path) as db:
        db.execute("UPDATE games SET started = 1 << 60, heard = 1 << 60")
    status, out, err = noughts(command)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "is damaged" in err


def test_no_board_yet(noughts, tmp_path):
    empty = tmp_path / "empty.db"
    Store(empty, create=True).close()
    status, out, err = noughts("boards", db=empty)
    assert (status, out) == (1, "")
    assert err.startswith(f"noughts: {empty} knows no board yet; ") and err.count("\n") == 1


def test_a_watch_knows_names_and_hears_of_new_ones(path, tmp_path, monkeypatch):
    """Another program names boards, before and while they are watched."""
    monkeypatch.setattr("noughts.watch.watch._NAMES_S", 0.0)
    with Store(path) as other:
        other.name_board("usb-2", "red")
        monitor = PortMonitor(find=list)
        watch = Watch(Store(path), monitor, RawLog(tmp_path / "raw"))
        session = Session()
        try:
            monkeypatch.setattr(monitor, "poll", lambda: [PortOpened("usb-2", "/dev/ttyACM0")])
            events = watch.step()
            assert events == [BoardNamed("usb-2", "red"), PortOpened("usb-2", "/dev/ttyACM0")]
            session.take(events[0])
            assert in_words(events[1], session.called) == "red: connected (/dev/ttyACM0)"
            monkeypatch.setattr(monitor, "poll", list)
            assert watch.step() == []
            other.name_board("usb-2", "green")
            assert watch.step() == [BoardNamed("usb-2", "green")]
            other.name_board("usb-2", None)
            events = watch.step()
            assert [in_words(event) for event in events] == ["usb-2: has no name any more"]
        finally:
            monitor.close()
            watch.close()


def test_names_move_with_the_games(path, tmp_path):
    """The store is deleted: in the next one boards have their names from the start."""
    with Store(path) as store:
        store.name_board("usb-2", "red")
    monitor = PortMonitor(find=list)
    watch = Watch(Store(path), monitor, RawLog(tmp_path / "raw"))
    try:
        for each in tmp_path.glob("games.db*"):
            if each.is_file():
                each.unlink()
        watch.step()
        assert watch.path.name == "games-2.db"
        with Store(watch.path) as moved:
            assert moved.read("SELECT name, given_name FROM boards") == [("usb-2", "red")]
    finally:
        monitor.close()
        watch.close()


def test_plain_lines_say_the_name():
    session = Session()
    session.take(BoardNamed("usb-2", "red"))
    event = SentenceStored("usb-2", BOOT, None, True)
    assert in_words(event, session.called).startswith("red: board started")
