"""The store: games from lines in any order, from any source; and files that it cannot use."""

import contextlib
import os
import shutil
import sqlite3
import tempfile
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from unittest.mock import Mock

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from failing_connection import FailingConnection
from needed import POSIX, long
from noughts.errors import StoreBusyError, StoreDamagedError, StoreError
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game, Menu, parse, values
from noughts.store.fold import FoldedGame, Line, fold
from noughts.store.game_filter import GameFilter
from noughts.store.lines import Received
from noughts.store.queries import games
from noughts.store.schema import OLDEST_VERSION, VERSION
from noughts.store.store import Store
from sample_games import AT, BOOT, DRAW, filled, insert, stages

CABLES = ("usb-1", "3b/usb-1", "COM3", "file-capture.log")
RADIOS = ("radio-9A1B2C3D", "3b/radio-9A1B2C3D", "4a/radio-9A1B2C3D")
GAMES = (
    "SELECT name, seats, first, moves, ms, end, times, started, heard, played_before, by_radio "
    "FROM games JOIN boards ON boards.id = board"
)
"""What `row_of` gives."""
PLAYED = stages(DRAW)


def row_of(game):
    """A folded game as a row of the table, without its boot and number."""
    return (game.board, *values(game.game)[2:], *game[2:])


def folded(received):
    """The games; as in a store, each line counts from when it was first received."""
    last_first = sorted(received, key=lambda line: line.at or 0, reverse=True)
    lines = {(line.board, line.late, line.text): line for line in last_first}
    folded_games = fold(
        Line(0, line.board, is_by_radio(line.board), line.late, line.at, line.text, line.sentence)
        for line in lines.values()
    )
    return sorted([game for game, _ in folded_games], key=lambda game: str(row_of(game)))


@pytest.mark.parametrize(
    "games",
    [
        ["PH,A,,0,-", "PP,A,,0,-", "PH,B,,0,-"],
        ["PH,A,,0,- PH,A,,5,-"],
        ["PH,A,40,2010,x PH,A,40,2000,-", "PH,A,402,3500,-"],  # an abandoned game continues
        ["PH,A,40,2000,- PH,A,4,1000,-", "PH,A,48012,5000,-"],  # the next line has fewer moves
        ["PH,A,41,3000,- PH,A,4,1000,-", "PH,A,40,2000,-"],  # the slower game
        ["PH,A,40,3000,- PH,A,4,2500,-", "PH,A,41,2000,- PH,A,4,1000,-"],
        ["PH,A,40,2000,- ~PH,A,4,1000,-", "~PH,A,41,3000,-"],  # cable takes precedence over radio
    ],
)
def test_lines_are_grouped_into_games(games):
    """`~` marks lines received by radio; lines that have come furthest are first."""
    lines = []
    for text in " ".join(games).split():
        body = f"NG,{BOOT.boot},1,{text.removeprefix('~')}"
        game = parse(body).sentence
        lines.append(Line(0, "", text.startswith("~"), False, None, body, game))
    columns_found = [
        " ".join("~" * line.radio + line.text.split(",", 3)[3] for line in game)
        for _, game in fold(lines)
    ]
    assert sorted(columns_found) == sorted(games)


def summary(received):
    """A game, derived from all its lines at once."""
    final = max((line.sentence for line in received), key=attrgetter("ms"))
    timed = [line for line in received if line.at is not None]
    live = [line for line in timed if not line.late]
    live = [line for line in live if not is_by_radio(line.board)] or live
    played_before = None if live else min((line.at for line in timed), default=None)
    plies = {len(line.sentence.moves) for line in received if line.sentence.end != "x"}
    times = [str(ply * 1000) if ply in plies else "" for ply in range(1, len(final.moves) + 1)]
    boards = {line.board for line in received}
    by_cable = any(line.sentence == final and not is_by_radio(line.board) for line in received)
    return FoldedGame(
        board=next(board for board in CABLES + RADIOS if board in boards),
        game=final,
        times=",".join(times),
        started=min((line.at - line.sentence.ms for line in live), default=None),
        heard=max((line.at for line in live), default=played_before),
        played_before=played_before,
        by_radio=int(not by_cable),
    )


@pytest.mark.parametrize("examples", [100, long(1000)])
def test_game_combines_lines_from_all_cables_and_radios(examples):
    """Even if another game has the same boot and number."""
    when = st.tuples(st.none() | st.integers(AT, AT + 10**6), st.booleans())

    def deliveries(sentences):
        ways = st.tuples(st.sampled_from(CABLES + RADIOS), st.sampled_from(sentences))
        return st.dictionaries(ways, when, min_size=1)

    @example({(board, PLAYED[0]): (AT, False) for board in (CABLES[-1], RADIOS[0])})
    @settings(max_examples=examples)
    @given(
        st.sampled_from(
            [PLAYED, PLAYED[-1:], stages(DRAW[:4], "x"), PLAYED + stages(DRAW[:4], "x", seats="PP")]
        ).flatmap(deliveries)
    )
    def check(made):
        received = [
            Received.of(board, sentence, at, late and sentence.end != "-")
            for (board, sentence), (at, late) in made.items()
        ]
        expected = [
            summary([line for line in received if line.sentence.seats == seats])
            for seats in sorted({sentence.seats for _, sentence in made})
        ]
        assert sorted(folded(received), key=attrgetter("game.seats")) == expected

    check()


@st.composite
def contradictions(draw, boards):
    """Lines of games with the same ids, some of them invented, some without a time."""
    received = []
    timed = draw(st.booleans())
    for cells in ([4, 0, 2, 6], [4, 0, 8], [4]):
        for stage in stages(cells, draw(st.sampled_from([None, "x"]))):
            for ms in draw(st.lists(st.integers(0, 6), max_size=2)):
                board = draw(st.sampled_from(boards))
                late = stage.end != "-" and (is_by_radio(board) or draw(st.booleans()))
                at = AT + draw(st.integers(0, 9000)) if timed else None
                received.append(Received.of(board, replace(stage, ms=ms * 500), at, late))
    return draw(st.permutations(received))


def stored_in(store):
    return sorted(store.read(GAMES), key=str)


@pytest.mark.parametrize("examples", [40, long(400)])
@pytest.mark.parametrize("boards", [["usb-1"], ["usb-1", *RADIOS]])
def test_contradictory_lines_give_the_same_games_in_any_order(boards, examples):
    @settings(max_examples=examples)
    @given(contradictions(boards), st.randoms(use_true_random=False))
    def check(received, dice):
        folded_games = folded(received)
        for game in folded_games:
            times_ms = [int(time) for time in game.times.split(",") if time]
            assert times_ms == sorted(times_ms)
            assert not times_ms or game.game.ms >= times_ms[-1]
        again = dice.sample(received, len(received)) + dice.sample(received, len(received) // 2)
        with tempfile.TemporaryDirectory() as name, Store(Path(name, "db"), create=True) as store:
            for line in again:
                store.add_many([line])
            assert stored_in(store) == [row_of(game) for game in folded_games]
            assert not any(stored.new for stored in store.add_many(received))
            assert not store.correct_games()
            assert len(list(games(store, GameFilter()))) == len(folded_games)

    check()


@given(contradictions(RADIOS))
def test_cable_game_is_complete_despite_invented_radio_lines(invented):
    """A sender nearby that knows the boot invents a start, an end and moves."""
    by_cable = [Received.of(CABLES[0], game, AT + game.ms) for game in PLAYED]
    (cable,) = [game for game in folded(invented + by_cable) if not game.by_radio]
    assert [cable] == folded(by_cable)


START = Game("00000A83", 1, "PH", "A", (), 0, "-")
ROWS = "SELECT boot, number, seats, first, moves, times, ms, end FROM games ORDER BY id"


@pytest.fixture
def path(tmp_path):
    return tmp_path / "games.db"


def add_all(store, sentences):
    store.add_many([Received.of("usb-1", sentence, None) for sentence in sentences])


def test_add_many_is_atomic(store):
    received = [Received.of("page", game, AT + game.ms) for game in stages([4, 0, 2])]
    with pytest.raises(AttributeError):
        store.add_many([*received, Received("page", "not a sentence", "", AT)])
    assert store.read(ROWS) == store.read("SELECT * FROM boards") == []
    assert [stored.game for stored in store.add_many(received)] == [1, 1, 1, 1]
    assert [row[4:6] for row in store.read(ROWS)] == [("402", "1000,2000,3000")]


def test_game_refers_to_its_first_line_while_two_programs_store(path, store):
    with Store(path) as other:
        for number, some_store in enumerate((store, other, other, store, store), 1):
            add_all(some_store, stages(DRAW, number=number))
    first = "SELECT lines.number, length(moves) FROM games JOIN lines ON lines.id = line"
    assert store.read(f"{first} WHERE text LIKE '%,,0,-'") == [(n, 9) for n in range(1, 6)]


def test_two_programs_store_one_game(path, store):
    with Store(path) as other:
        for number, sentence in enumerate(PLAYED):
            insert((store, other)[number % 2], "usb-1", sentence, AT + sentence.ms)
    assert not store.correct_games()


def test_add_many_stores_the_first_time_of_each_line(store):
    sentences = (PLAYED[0], BOOT)
    store.add_many(
        [Received.of("usb-1", sentence, at) for sentence in sentences for at in (AT + 5, AT)]
    )
    assert store.read("SELECT at FROM lines") == [(AT,), (AT,)]


@pytest.mark.parametrize(
    ("times", "stored"),
    [
        ([AT, AT, AT + 5], [AT, AT + 5]),  # the menu shows it again
        ([AT, None], [AT]),  # a capture without times
        ([None, None, AT, AT + 5, None], [AT, AT + 5]),
    ],
)
def test_menu_is_stored_once_for_each_time(store, times, stored):
    shown, other = (Menu(BOOT.boot, choice) for choice in ("Hbs", "Pbs"))
    store.add_many([Received.of("usb-1", other, AT)])
    for at in times:
        store.add_many([Received.of("usb-1", shown, at)])
    rows = store.read("SELECT at FROM lines WHERE text LIKE '%Hbs' ORDER BY at")
    assert [at for (at,) in rows] == stored
    assert store.read("SELECT count(*) FROM games") == [(0,)] and not store.correct_games()


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (f"user_version = {VERSION + 1}", rf"\(store version {VERSION + 1}, not {VERSION}\)"),
        (f"user_version = {OLDEST_VERSION - 1}", "was made before noughts 1.1.0, and cannot be"),
        ("application_id = 7", "a database of another program"),
        (lambda content: b"marks " * 1000, "is damaged or not a store of noughts"),
        (lambda content: content[:8192] + os.urandom(len(content) - 8192), "damaged"),
    ],
)
def test_unusable_file_is_refused_and_not_changed(path, change, why):
    filled(path, *([replace(START, number=number)] for number in range(1, 100)))
    if isinstance(change, str):
        with sqlite3.connect(path) as changed:
            changed.execute(f"PRAGMA {change}")
    else:
        path.write_bytes(change(path.read_bytes()))
    content_before = path.read_bytes()
    with pytest.raises(StoreError, match=why), Store(path, create=True) as store:
        store.read(ROWS)
    assert path.read_bytes() == content_before


def test_full_disk_is_reported_and_storing_resumes_later(store):
    insert(store, "usb-1", START, None)
    ((pages,),) = store.read("PRAGMA page_count")
    store.read(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(StoreError, match="no room to write"):
        for number in range(2, 10_000):
            insert(store, "usb-1", replace(START, number=number), None)
    store.read("PRAGMA max_page_count = 100000")
    assert insert(store, "usb-1", replace(START, number=number), None).new
    assert len(store.read(ROWS)) == number


@pytest.mark.parametrize("has_code", [True, False])
@pytest.mark.parametrize(
    ("code", "text", "kind", "why"),
    [
        (5, "database is locked", StoreBusyError, "in use by another program"),
        (517, "database is locked", StoreBusyError, "in use by another program"),
        (6, "database table is locked", StoreBusyError, "in use by another program"),
        (15, "locking protocol", StoreBusyError, "in use by another program"),
        (7, "out of memory", StoreError, "close other programs"),
        (9, "interrupted", StoreError, "try again"),
        (22, "large file support is disabled", StoreError, "on another disk"),
        (3, "access permission denied", StoreError, "check its permissions"),
        (23, "not authorized", StoreError, "check its permissions"),
        (778, "disk I/O error", StoreError, "check the disk"),
        (13, "database or disk is full", StoreError, "no room to write"),
        (8, "attempt to write a readonly database", StoreError, "cannot be written"),
        (14, "unable to open database file", StoreError, "check the folder"),
        (11, "database disk image is malformed", StoreDamagedError, "is damaged"),
        (26, "file is not a database", StoreDamagedError, "is damaged"),
    ],
)
def test_only_two_errors_of_sqlite_mean_damage(store, code, text, kind, why, has_code):
    """Python 3.10 does not give their codes."""
    error = sqlite3.OperationalError(text)
    if has_code:
        error.sqlite_errorcode = code
    store.db = FailingConnection(store.db, "SELECT 1", error)
    with pytest.raises(StoreError, match=why) as raised:
        store.read("SELECT 1")
    assert type(raised.value) is kind and str(store.path) in str(raised.value)


@pytest.mark.parametrize("code", [2058, 2314, 3594, 3850, 5130])
def test_lock_that_fails_names_the_disk(store, code):
    """As it may on a network share."""
    error = sqlite3.OperationalError("disk I/O error")
    error.sqlite_errorcode = code
    store.db = FailingConnection(store.db, "SELECT 1", error)
    with pytest.raises(StoreError, match="cannot be locked; a store must be on a local disk"):
        store.read("SELECT 1")


@POSIX
@pytest.mark.parametrize("text", ["access permission denied", "disk I/O error"])
def test_failure_where_no_file_can_be_locked_names_the_disk(store, monkeypatch, text):
    """Without a code, as in Python 3.10."""
    monkeypatch.setattr("fcntl.lockf", Mock(side_effect=PermissionError(1, "not permitted")))
    store.db = FailingConnection(store.db, "SELECT 1", sqlite3.OperationalError(text))
    with pytest.raises(StoreError, match="cannot be locked; a store must be on a local disk"):
        store.read("SELECT 1")


def test_interrupted_query_is_not_damage(store):
    store.db.set_progress_handler(lambda: True, 1)
    with pytest.raises(StoreError, match=r"the system does not let .* \(interrupted\); try again"):
        store.read("SELECT * FROM boards")


@POSIX
def test_folder_that_locks_no_files_is_named_instead_of_another_program(store, monkeypatch):
    """Some network shares refuse every lock."""
    store.wait_for_others(0)
    with contextlib.closing(sqlite3.connect(store.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(StoreBusyError):
            insert(store, "usb-1", START, None)
        with Store(store.path) as on_a_share:
            on_a_share.wait_for_others(0)
            monkeypatch.setattr("fcntl.lockf", Mock(side_effect=OSError(37, "No locks available")))
            with pytest.raises(StoreError, match="a store must be on a local disk") as raised:
                insert(on_a_share, "usb-1", START, None)
    assert not isinstance(raised.value, StoreBusyError)


def test_fault_of_noughts_is_not_reported_as_damage(store):
    with pytest.raises(sqlite3.OperationalError, match="no such column"):
        store.read("SELECT absent")
    with pytest.raises(KeyError), Store(store.path):
        raise KeyError("a fault in a report")
    store.read("DROP TABLE games")
    with pytest.raises(StoreDamagedError, match="no such table"):
        store.read("SELECT * FROM games")


@pytest.mark.parametrize(
    ("change", "commands"),
    [
        ("boards SET name = x'ff00'", "games boards stats export report"),
        ("boards SET given_name = x'37'", "games boards stats export report"),
        ("games SET moves = '4026x5178'", "games stats export report replay"),
        ("games SET moves = '402635174'", "report learn replay"),
        ("games SET end = 'A'", "report learn replay"),
        ("games SET seats = 'P'", "games stats export report"),
        ("games SET times = '1000'", "games stats export report"),
        ("games SET times = '1,2,3,4,5,6,7,8,x'", "games stats export report"),
        ("games SET times = '1,2,3,4,5,6,7,8,٣'", "export"),
        ("games SET started = 1 << 60", "games export report"),
        ("lines SET text = 'NG' WHERE id = 2", "doctor"),
    ],
)
def test_row_that_noughts_cannot_have_written_is_damage(path, noughts, change, commands):
    """As after a changed byte: SQLite itself checks neither types nor values when it reads."""
    filled(path, stages(DRAW), stages(DRAW, number=2))
    without_checks = (
        "PRAGMA writable_schema = ON; UPDATE sqlite_master SET sql = replace(sql, 'STRICT', '')"
    )
    for script in (without_checks, f"PRAGMA ignore_check_constraints = ON; UPDATE {change}"):
        with contextlib.closing(sqlite3.connect(path)) as db:
            db.executescript(script)
    words = {"replay": ["1"], "report": ["-o", "-"], "learn": ["-o", path.with_name("t.py")]}
    for command in commands.split():
        status, out, err = noughts(command, *words.get(command, ()), db=path)
        assert status == 1 and f"{path} is damaged or not a store of noughts (" in out + err


def test_seat_of_a_later_version_is_shown_as_it_is(path, noughts):
    """A board may have a level that this version does not know."""
    filled(path, stages(DRAW))
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE games SET seats = 'PS'")
    assert " person  S  A " in noughts("games", db=path)[1]
    for command in ("replay 1", "stats", "stats --json", "report", "export"):
        status, out, err = noughts(*command.split(), db=path)
        assert (status, err) == (0, "") and "S" in out


def numbers(path):
    with Store(path) as store:
        assert store.read("PRAGMA integrity_check") == [("ok",)]
        return [row[1] for row in store.read(ROWS)]


@POSIX
@pytest.mark.parametrize("way", ["moved", "copied after deleting"])
def test_closing_a_store_does_not_change_a_restored_backup(tmp_path, path, way):
    backup = filled(tmp_path / "backup.db", *(stages([4], number=n) for n in range(1, 99)))
    with Store(path, create=True) as store:
        add_all(store, stages([4, 0], number=100))
        assert not store.replaced()
        if way == "moved":
            backup.replace(path)
        else:
            path.unlink()
            shutil.copy(backup, path)
        assert store.replaced()
    assert not list(tmp_path.glob("games.db-*"))
    assert numbers(path) == list(range(1, 99))


@POSIX
def test_renamed_store_receives_its_log_when_closed(tmp_path, path):
    with Store(path, create=True) as store:
        add_all(store, stages([4, 0]))
        path.rename(tmp_path / "renamed.db")
    assert [file.name for file in tmp_path.iterdir()] == ["renamed.db"]
    assert numbers(tmp_path / "renamed.db") == [1]


@POSIX
def test_closing_a_deleted_store_leaves_its_successors_log(tmp_path, path):
    store = Store(path, create=True)
    for file in tmp_path.iterdir():
        file.unlink()
    with Store(path, create=True) as other:
        add_all(other, stages([4], number=2))
        store.close()
        store.close()
        add_all(other, stages([4], number=3))
        names = [file.name for file in tmp_path.iterdir()]
        assert sorted(names) == ["games.db", "games.db-shm", "games.db-wal"]
    assert numbers(path) == [2, 3]


SUPPORT = Path(__file__).parents[1] / "support"


def test_store_of_1_1_0_is_upgraded_from_its_lines(path):
    """Games: live, recovered, abandoned, partial, by radio, contradictory, of the page, undated."""
    shown = (
        "SELECT games.id, name, given_name, boot, number, seats, first, moves, times, ms, end, "
        "started, games.heard, played_before, by_radio FROM games "
        "JOIN boards ON boards.id = games.board ORDER BY games.id"
    )
    others = (
        "SELECT board, boot, hardware, release, table_id, heard FROM boots ORDER BY heard",
        "SELECT * FROM lines",
        "SELECT * FROM published",
    )
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((SUPPORT / "store_of_1_1_0.sql").read_text(encoding="utf-8"))
        tables = [db.execute(query).fetchall() for query in (shown, *others)]
    assert [row[0] for row in tables[0]] == [1, 2, 3, 4, 5, 6, 7, 8, 40]
    for _ in range(2):
        with Store(path) as store:
            assert [store.read(query) for query in (shown, *others)] == tables
            assert not store.correct_games()
    with Store(path) as store:
        assert insert(store, "usb-1", START, AT).game == 41
        assert not [
            name for (name,) in store.read("SELECT name FROM sqlite_master") if "old" in name
        ]


def test_upgrade_derives_each_game_once(path):
    """Even if the lines with the highest number make more games than they did before."""
    with Store(path, create=True) as store:
        for moves in ([4, 0], [8, 2]):
            add_all(store, stages(moves))
    with contextlib.closing(sqlite3.connect(path)) as db, db:
        db.execute("DELETE FROM games WHERE id = 2")
        db.execute(f"PRAGMA user_version = {OLDEST_VERSION}")
    with Store(path) as store:
        assert sorted(game.moves for game in games(store, GameFilter())) == ["40", "82"]
        assert numbers(path) == [1, 1]
        assert not store.correct_games()


def test_upgrade_that_fails_leaves_the_store_as_it_was(path):
    with contextlib.closing(sqlite3.connect(path)) as db:
        db.executescript((SUPPORT / "store_of_1_1_0.sql").read_text(encoding="utf-8"))
        with db:
            db.execute("UPDATE lines SET text = 'NG,damaged' WHERE number = 3")
        dump_before = list(db.iterdump())
    with pytest.raises(StoreDamagedError, match="a line that is not a sentence"):
        Store(path)
    with contextlib.closing(sqlite3.connect(path)) as db:
        assert list(db.iterdump()) == dump_before


def test_doctor_corrects_games_that_do_not_match_their_lines(store, noughts):
    for sentence in (*stages(DRAW), *stages(DRAW[:5], number=2)):
        insert(store, "usb-1", sentence, AT)
    assert f"✓ games      2 games in {store.path}\n" in noughts("doctor", db=store.path)[1]
    store.read("DELETE FROM games WHERE number = 2")
    assert f"✗ games      1 game in {store.path} did" in noughts("doctor", db=store.path)[1]
    assert [game.number for game in games(store, GameFilter())] == [1, 2]


@pytest.mark.parametrize("change", ["UPDATE boots SET release = '9.9'", "DELETE FROM boots"])
def test_doctor_corrects_boots_that_do_not_match_their_lines(store, change):
    insert(store, "usb-1", BOOT, AT)
    stored = store.read("SELECT * FROM boots")
    store.read(change)
    store.correct_games()
    assert len(stored) == 1 and store.read("SELECT * FROM boots") == stored


def test_doctor_deletes_a_game_that_is_stored_twice(store):
    insert(store, "usb-1", START, AT)
    columns = "board, boot, number, line, seats, first, moves, times, ms, end, by_radio, started"
    store.read(f"INSERT INTO games ({columns}, heard) SELECT {columns}, heard FROM games")
    assert [store.correct_games(), store.correct_games()] == [1, 0]
    assert store.read("SELECT id FROM games") == [(1,)]


def test_file_whose_name_is_too_long_is_refused(tmp_path):
    with pytest.raises(StoreError, match="xxx"):
        Store(tmp_path / ("x" * 300), create=True)
