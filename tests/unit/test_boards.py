"""Board names: how they are given, and where they are shown."""

import csv
import io
import json
from dataclasses import replace

import pytest

from asking import page
from noughts.recording.events import BoardNamed, PortOpened, SentenceStored
from noughts.recording.radio_lines import read_known_ids
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.recording.sources import QueuedSource
from noughts.store.board_names import as_name
from noughts.store.store import Store
from sample_games import AT, BOOT, DRAW, filled, insert, stages

LONG = "usb-9904360261974e450027001a0000004d0000000097969901"


@pytest.fixture
def stored(tmp_path):
    path = filled(tmp_path / "games.db", stages(DRAW), board=LONG)
    return filled(path, stages(DRAW), stages([4], number=2), board="usb-2", at=AT + 60_000)


@pytest.fixture
def name_board(printed):
    return lambda *words: printed("boards", "name", *words)


@pytest.fixture
def listed(printed):
    """The boards, or the games, as JSON."""
    return lambda *words: json.loads(printed(*words or ["boards"], "--json"))


def test_boards_are_listed_and_named_by_number_or_usb_id(name_board, printed, listed):
    assert name_board("1", " blue  table ") == (
        "board 1, usb-…61974e450027001a, is now blue table\n"
    )
    name_board("usb-2", "O\u0308l-Bank")
    head, one, two = printed("boards").splitlines()
    assert head.split() == ["number", "name", "kind", "games", "last", "seen", "board"]
    assert "blue table" in one and "V1" in one and one.endswith(" usb-…61974e450027001a")
    assert "\u00d6l-Bank" in two  # its accent is normalized
    listed_boards = [(board["number"], board["board"], board["name"]) for board in listed()]
    assert listed_boards == [(1, LONG, "blue table"), (2, "usb-2", "\u00d6l-Bank")]
    assert listed()[0]["heard"] == "2026-09-21T14:13:29.000Z"
    assert name_board("1", "").endswith("no longer has a name\n")
    assert listed()[0]["name"] is None


def test_games_of_boards_are_those_of_statistics_and_exports(listed, printed, noughts, stored):
    """Those in which somebody has moved; in a list, unfinished games are counted separately."""
    with Store(stored) as store:
        insert(store, "usb-2", stages([], number=3)[0], AT)
    counts = {board["board"]: board["games"] for board in listed()}
    assert counts == {LONG: 1, "usb-2": 2}
    assert counts == {board["board"]: board["games"] for board in listed("stats")["boards"]}
    assert len(printed("export").splitlines()) == 1 + 3
    assert f"3 games in {stored}" in noughts("doctor")[1]
    status = page("/games", stored).status
    assert status == "2 games, and 1 unfinished game not listed"


def test_board_name_is_shown_everywhere_and_filters_games(name_board, printed, listed):
    name_board(LONG.removeprefix("usb-"), "blue table")
    assert printed("games").count("blue table") == 1
    assert "blue table" in printed("replay", "1")
    assert [game["board_name"] for game in listed("games")] == [None, None, "blue table"]
    exported = csv.DictReader(io.StringIO(printed("export")))
    assert [row["board_name"] for row in exported] == ["blue table", "", ""]
    for part, numbers in (("BLUE", [1]), ("0027001A", [1]), ("usb", [3, 2, 1]), ("e\nu", [])):
        assert [game["game"] for game in listed("games", "--board", part)] == numbers


@pytest.mark.parametrize("same", ["äpfel", "ÄPFEL", "A\u0308pfel"])
def test_names_are_compared_without_case_in_all_alphabets(
    name_board, noughts, listed, tmp_path, same
):
    """Also with an accent that is a character of its own, as macOS writes it."""
    name_board("1", "Äpfel")
    assert [game["game"] for game in listed("games", "--board", same[:-2])] == [1]
    assert "already; choose another name" in noughts("boards", "name", "2", same)[2]
    assert name_board("1", same).endswith(f" is now {as_name(same)}\n")
    (tmp_path / "known").write_text(same)
    assert read_known_ids(tmp_path / "known", {"radio-9A1B2C3D": "äPFEL"}) == {"9A1B2C3D"}


def test_room_prefix_filters_games_and_radio_id_names_a_board(name_board, listed, stored):
    for board in ("3b/usb-1", "13b/usb-1", "radio-9A1B2C3D"):
        filled(stored, stages(DRAW), board=board)
    assert [game["board"] for game in listed("games", "--board", "3B/")] == ["3b/usb-1"]
    assert name_board("9a1b2c3d", "red table").endswith(", radio-9A1B2C3D, is now red table\n")


def test_hardware_is_that_of_the_latest_boot(listed, stored):
    with Store(stored) as store:
        insert(store, "usb-2", replace(BOOT, boot="0B00", hardware="V2"), AT + 120_000)
        insert(store, "usb-2", replace(BOOT, boot="0A00"), AT - 120_000)
    assert listed()[1]["hardware"] == "V2"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["2", "BLUE"], 1, "another board is named 'BLUE' already; choose another name"),
        (["3", "red"], 1, "no board '3' is in "),
        (["2", "\x1b[2Jred"], 2, "a name has no control characters"),
        (["2", "x" * 41], 2, "at most 40 characters, not 41"),
    ],
)
def test_refused_names_leave_boards_unchanged(name_board, noughts, listed, words, status, message):
    name_board("1", "blue")
    exit_status, out, err = noughts("boards", "name", *words)
    assert (exit_status, out) == (status, "")
    assert message in err and "\x1b" not in err
    assert [board["name"] for board in listed()] == ["blue", None]


def test_foreign_board_name_is_escaped(printed, stored):
    with Store(stored) as store:
        store.name_board("usb-2", "=\x1b]0;owned\x07" + "x" * 90)
    for line in ("boards", "games", "replay 2", "export", "stats"):
        out = printed(*line.split())
        assert all(line.isprintable() for line in out.splitlines())
    exported = csv.DictReader(io.StringIO(printed("export")))
    assert {row["board_name"][:2] for row in exported} == {"", "_="}


def test_recorder_reports_names_given_before_and_during_a_watch(store, monkeypatch):
    """Another program names the boards."""
    monkeypatch.setattr("noughts.recording.recorder.NAMES_S", 0.0)
    with Store(store.path) as other:
        other.name_board("usb-2", "red")
        source, session = QueuedSource(), Session()
        recorder = Recorder(store, [source])
        source.put(PortOpened("usb-2", "/dev/ttyACM0"))
        named, opened = recorder.poll()
        assert named == BoardNamed("usb-2", "red")
        session.take(named)
        assert opened.text(session.display_name) == "red: connected (/dev/ttyACM0)"
        assert recorder.poll() == []
        other.name_board("usb-2", "green")
        assert recorder.poll() == [BoardNamed("usb-2", "green")]
        other.name_board("usb-2", None)
        (event,) = recorder.poll()
    assert event.text() == "usb-2: no longer has a name"
    stored_boot = SentenceStored("usb-2", BOOT, None, True)
    assert stored_boot.text(session.display_name).startswith("red: board started")
