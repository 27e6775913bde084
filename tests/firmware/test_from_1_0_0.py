"""A board with release 1.0.0 is brought up to date; the games that it has stored are recovered."""

from contextlib import closing

import pytest

from boards import Driver
from left_by_1_0_0 import games, on_v1, on_v2
from needed import long
from noughts.boards.files import BoardFiles
from noughts.boards.packing import files_for_boards
from noughts.boards.ports import open_port
from noughts.store.store import Store
from stand_in_drive import StandInDrive
from stepped_ports import Talker

PLAYED = games(15)
THEIRS = {"27": b"100064 Euros", "~A": b"my diary", "8.txt": b"100000Pb"}
OURS = files_for_boards() | dict.fromkeys(["loop.py", "v2kept.py"], b"# noughts:\n")
LEFT = {"V1": on_v1(PLAYED, "Ht"), "V2": on_v2(PLAYED, "Ht")}
RECOVERED = "recovered 15 games that release 1.0.0 had stored on the board\n"


@pytest.fixture
def db(tmp_path):
    return tmp_path / "games.db"


@pytest.fixture(params=["V1", long("V2")])
def board(request, plugged_in):
    """It has our files of another release, what 1.0.0 left, and somebody else's files."""
    return plugged_in({**OURS, **LEFT[request.param], **THEIRS}, request.param)


def recovered(db):
    """Boot and number of the stored games, of which only is known when they were over."""
    with Store(db) as store:
        rows = store.read("SELECT boot, number, started, played_before FROM games")
    assert all(started is None and before for _, _, started, before in rows)
    return [(boot, number) for boot, number, _, _ in rows]


def names(board):
    with closing(open_port(board.port)) as port:
        return set(BoardFiles(port).survey()[1])


def test_put_recovers_the_games_and_the_choice(board, db, printed):
    words = "put", "--port", board.port
    assert RECOVERED in printed(*words, db=db)
    expected = [(game.boot, game.number) for game in PLAYED]
    assert recovered(db) == expected
    Driver(board.microbit).shows("H")
    assert names(board) == {*files_for_boards(), *THEIRS, "settings"}
    assert "recovered" not in printed(*words, db=db)
    assert recovered(db) == expected


def test_put_forgets_the_games_unread(plugged_in, db, printed):
    board = plugged_in({**OURS, **LEFT["V1"], **THEIRS})
    assert "recovered" not in printed("put", "--port", board.port, "--forget", db=db)
    assert names(board) == {*files_for_boards(), *THEIRS}
    assert not db.exists()


def test_games_that_cannot_be_stored_stay_on_the_board(plugged_in, tmp_path, noughts):
    board = plugged_in({**OURS, **LEFT["V1"]})
    status, _, err = noughts("put", "--port", board.port, db=tmp_path)
    assert status == 1 and "cannot open" in err
    assert names(board) == {*OURS, *LEFT["V1"]}


def test_flash_recovers_the_games(board, db, clock, tmp_path, printed):
    drive = StandInDrive(tmp_path / "MICROBIT", board, clock=clock)
    told = printed("flash", drive.path, "--port", board.port, db=db)
    assert f"{drive.path}: {RECOVERED}" in told
    assert recovered(db) == [(game.boot, game.number) for game in PLAYED]


def test_flash_does_not_need_an_answer(db, clock, tmp_path, printed):
    silent = Talker(clock, lambda said: b"")
    drive = StandInDrive(tmp_path / "MICROBIT", clock=clock)
    before_s = clock.monotonic()
    told = printed("flash", drive.path, "--port", silent.port, "--no-verify", db=db)
    assert clock.monotonic() - before_s < 6
    assert "games of release 1.0.0, if it has any, cannot be read: the device on " in told
    assert told.endswith("copied; not verified\n")
