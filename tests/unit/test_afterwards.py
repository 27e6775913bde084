"""`games`, `stats`, `export` and `replay`, on stores with known games."""

import csv
import io
import json
import re
import sqlite3
import sys
import xml.etree.ElementTree as ET
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from random import Random
from typing import get_args

import pytest

from needed import POSIX, long
from noughts.boards.doctor import Check, ProbedBoard
from noughts.cli.board import board_facts
from noughts.errors import StoreError
from noughts.protocol.sentences import Menu, Sentence
from noughts.recording.events import BoardEvent, Event, SentenceStored
from noughts.store import timestamps
from noughts.store.store import Store, demonstration
from noughts.store.stored_game import StoredGame
from noughts.views.export_columns import COLUMNS, columns_of
from sample_games import A_WINS, AT, BOOT, DRAW, filled, insert, stages, wire

B_WINS = [0, 4, 8, 2, 3, 6]
DAY_MS = 86_400_000


@pytest.fixture
def stored(tmp_path):
    """Four games on one board, the third abandoned, the fourth unfinished; one on another."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW),
        stages(A_WINS, seats="PP", number=2, first="B"),
        stages([4, 0], "x", number=3),
        stages([2], number=4)[1:],
    )
    return filled(path, stages(B_WINS, seats="PE"), board="usb-OTHER", at=AT + DAY_MS)


@pytest.fixture
def listed(printed, in_zone):
    """Runs `games --json` with these options, and reads what it prints."""
    return lambda *words, **named: json.loads(printed("games", "--json", *words, **named))


def ids(games):
    return [game["game"] for game in games]


def test_games_command_lists_newest_first(noughts):
    status, out, err = noughts("games")
    assert (status, err) == (0, "1 unfinished; --result unfinished lists them\n")
    head, *rows = out.splitlines()
    assert head == "game  began             A       B       first  moves  seconds  result     board"
    assert [row.split()[0] for row in rows] == ["5", "3", "2", "1"]
    assert rows[0].split()[3:] == ["person", "easy", "A", "6", "6", "B", "won", "usb-OTHER"]
    assert "abandoned" in rows[1]
    _, out, err = noughts("games", "-n", "2")
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["5", "3"]
    assert err.startswith("2 more; -n N shows more of them\n")


def test_board_name_that_is_too_long_loses_its_beginning(printed, monkeypatch, stored):
    with Store(stored) as store:
        store.name_board("usb-OTHER", "窗边的桌子")  # each character is two columns wide
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "79")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert printed("games").splitlines()[1].endswith("  B won      …桌子")


@pytest.mark.parametrize("line", ["report", "report -o -", "export --format parquet"])
def test_what_a_terminal_cannot_show_asks_for_a_file(misused, monkeypatch, stored, line):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "name a file, such as -o " in misused(*line.split())


def test_report_as_csv_is_shown_in_a_terminal(printed, monkeypatch, stored):
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    assert "usb-OTHER" in printed("report", "--csv")


@pytest.mark.parametrize(
    ("line", "numbers"),
    [
        ("--board other", [5]),
        ("--board USB-1 --board usb-o", [5, 4, 3, 2, 1]),
        ("--seats ph", [4, 3, 1]),
        ("--result b --result Abandoned", [5, 3, 2]),
        ("--result draw --result unfinished", [4, 1]),
        ("--since 2026-09-22", [5]),
        ("--since today", [5]),
        ("--since Yesterday --until YESTERDAY", [4, 3, 2, 1]),
        ("--until Monday", [4, 3, 2, 1]),
        ("--seats PE --result draw", []),
    ],
)
def test_options_filter_games(listed, monkeypatch, line, numbers):
    """Today is Tuesday, 2026-09-22; the other board's game began an hour ago."""
    monkeypatch.setattr("noughts.store.timestamps.now", lambda: AT + DAY_MS + 3_600_000)
    assert ids(listed(*line.split())) == numbers


def test_days_follow_the_local_time_zone(listed, printed, monkeypatch, in_zone):
    monkeypatch.setattr("noughts.store.timestamps.now", lambda: AT + DAY_MS + 3_600_000)
    in_zone("UTC-9")  # nine hours ahead: there it is Wednesday, 00:13
    assert ids(listed("--since", "today")) == []
    assert ids(listed("--since", "yesterday")) == [5]
    in_zone("America/New_York")  # four hours behind: the games began at 10:13
    assert ids(listed("--until", "2026-09-21")) == [4, 3, 2, 1]
    assert "2026-09-21 10:13" in printed("games")


@pytest.mark.parametrize(
    ("zone", "day", "began"),
    [
        ("Asia/Beirut", "2026-03-29", "2026-03-28T22:00:00Z"),
        ("Africa/Cairo", "2026-04-24", "2026-04-23T22:00:00Z"),
        ("America/Havana", "2026-03-08", "2026-03-08T05:00:00Z"),
        ("America/Santiago", "2026-09-06", "2026-09-06T04:00:00Z"),
    ],
)
def test_day_without_a_midnight_begins_when_the_clocks_change(
    listed, tmp_path, in_zone, zone, day, began
):
    in_zone(zone)
    db, at = tmp_path / "forward.db", timestamps.from_iso(began)
    for number, started in enumerate((at - 1, at, at + DAY_MS - 3_600_001), 1):
        filled(db, stages([4], number=number), at=started)
    assert ids(listed("--since", day, db=db)) == ids(listed("--since", day, "--until", day, db=db))
    assert ids(listed("--since", day, db=db)) == [3, 2]
    day_before = str(date.fromisoformat(day) - timedelta(days=1))
    assert ids(listed("--until", day_before, db=db)) == [1]


def test_days_start_at_midnight_and_games_sort_by_start(listed, printed, tmp_path):
    day = AT - AT % DAY_MS
    db = tmp_path / "midnight.db"
    for number, at in enumerate((day - 1, day + DAY_MS, None, day + DAY_MS - 1, day), 1):
        filled(db, stages([4], number=number), at=at)
    assert ids(listed("--since", "2026-09-21", "--until", "2026-09-21", db=db)) == [4, 5]
    assert ids(listed("--until", "2100-01-01", db=db)) == [2, 4, 5, 1]  # game 3 has no date
    assert ids(listed(db=db)) == [2, 4, 5, 1, 3]
    assert printed("games", "--result", "unfinished", db=db).splitlines()[-1].split()[1] == "-"
    assert printed("replay", "last", db=db).startswith("game 2:")


def test_run_details_come_from_own_board_else_from_a_cabled_one(listed, tmp_path):
    db = tmp_path / "runs.db"
    with Store(db, create=True) as store:
        for number, board in enumerate(("usb-1", "radio-9A1B2C3D", "radio-00000001"), 1):
            insert(store, board, replace(BOOT, release=str(number)), AT + number)
        for number, board in enumerate(("usb-1", "file-a.log", "radio-9A1B2C3D"), 1):
            insert(store, board, stages([4], number=number)[1], AT)
        insert(store, "usb-2", stages([4], boot="BBBBBBBB")[1], AT)
    releases = {(game["board"], game["release"]) for game in listed(db=db)}
    assert releases == {
        ("usb-1", "1"),
        ("file-a.log", "1"),
        ("radio-9A1B2C3D", "2"),
        ("usb-2", None),
    }


def test_games_json_has_every_field(listed):
    games_by_number = {game["game"]: game for game in listed()}
    assert games_by_number[2] == {
        "game": 2, "board": "usb-1", "board_name": None, "boot": "00000A83", "number": 2,
        "seats": "PP", "first": "B",
        "moves": A_WINS, "thought_ms": [1000] * 7, "ms": 7000, "result": "B",
        "started": "2026-09-21T14:14:20.000Z", "heard": "2026-09-21T14:14:27.000Z",
        "played_before": None, "by_radio": 0,
        "hardware": "V1", "release": "0.1.0", "table_id": "2798",
        "plies": 7, "mistakes_a": 1, "mistakes_b": 0,
    }  # fmt: skip
    assert games_by_number[4]["thought_ms"] == [1000]
    assert games_by_number[3]["moves"] == [4, 0]


def test_stats_json_counts_results_boards_and_players(printed):
    totals = json.loads(printed("stats", "--json"))
    assert totals["games"] == 5
    rows = {(row.pop("seats"), row.pop("first")): row for row in totals["results"]}
    none = {"games": 0, "A": 0, "B": 0, "draw": 0, "abandoned": 0, "unfinished": 0}
    assert rows == {
        ("PP", "B"): none | {"games": 1, "B": 1},
        ("PE", "A"): none | {"games": 1, "B": 1},
        ("PH", "A"): none | {"games": 3, "draw": 1, "abandoned": 1, "unfinished": 1},
    }
    assert totals["first_moves"] == [1, 0, 0, 0, 2, 0, 0, 0, 0]
    assert totals["lengths"] == {"5": 0, "6": 1, "7": 1, "8": 0, "9": 1}
    usb_1, other = totals["boards"]
    assert usb_1 == {
        "board": "usb-1", "name": None, "games": 4, "won": 0, "drawn": 1, "lost": 0,
        "between_people": 1, "abandoned": 1, "unfinished": 1, "mistakes": 1,
        "mistakes_a_game": 1 / 3,
    }  # fmt: skip
    assert [other[name] for name in ("board", "games", "lost")] == ["usb-OTHER", 1, 1]
    people = totals["players"]["P"]
    assert (people["games"], people["mistakes_a_game"]) == (4, 0.5)


def test_stats_count_each_kind_of_player_separately(printed, tmp_path):
    """The chip, player B, moves first and takes 100 ms, the person 900; then an engine plays."""
    second = [
        replace(game, ms=sum((100, 900)[ply % 2] for ply in range(len(game.moves))))
        for game in stages(A_WINS, first="B")
    ]
    db = filled(tmp_path / "second.db", second)
    filled(db, stages(B_WINS, seats="PN", step_ms=900), board="page")
    totals = json.loads(printed("stats", "--json", db=db))
    names = ("moves", "mistakes", "thought_ms")
    counted = {seat: [totals["players"][seat][name] for name in names] for seat in "HPN"}
    assert counted == {"H": [4, 0, [100] * 3], "P": [6, 2, [900] * 3], "N": [3, 1, [900] * 3]}
    page = totals["boards"][0]  # an engine's results are not the chip's
    assert [page[name] for name in ("board", "games", "won", "lost")] == ["page", 1, 0, 0]
    assert "person  minimax" in printed("games", "--seats", "pn", db=db)


HOSTILE_NAME = "\x1b]0;owned\x07\u202e"


def test_level_that_only_its_board_knows_is_shown_by_its_letter(tmp_path, printed):
    """As when a maker has added one."""
    games = stages(B_WINS, seats="PS"), stages(A_WINS, seats="PH", number=2)
    db = filled(tmp_path / "s.db", *games)
    assert printed("games", "--seats", "ps", db=db).splitlines()[1].split()[3:5] == ["person", "S"]
    assert "A is a person, B is the chip (S)" in printed("replay", "1", "--text", db=db)
    results = json.loads(printed("stats", "--json", db=db))["results"]
    assert [record["seats"] for record in results] == ["PH", "PS"]
    printed("report", "-o", tmp_path / "report.html", db=db)
    assert "person against S" in (tmp_path / "report.html").read_text("utf-8")


def test_stats_are_printed_as_text_and_drawn_as_a_plot(printed, tmp_path):
    assert "33% | 0% | 0%" in printed("stats").replace("  ", " ")
    assert printed("stats", "--seats", "PE").startswith("1 game\n")
    db = filled(tmp_path / "begun.db", stages([]), stages([4], number=2))  # unfinished
    assert "unfinished" in printed("stats", "--plot", tmp_path / "begun.png", db=db)
    assert (tmp_path / "begun.png").read_bytes().startswith(b"\x89PNG")
    path = tmp_path / f"{HOSTILE_NAME}S.SVG"
    out = printed("stats", "--plot", path)
    assert "owned" in out and "S.SVG written" in out
    assert all(line.isprintable() for line in out.splitlines())
    content = path.read_bytes()
    printed("stats", "--plot", path)
    assert path.read_bytes() == content
    picture = ET.fromstring(content)
    for word in ("Results", "First moves", "Mistakes per game", "person against hard, A first"):
        assert word in "".join(picture.itertext())
    (results,) = picture.iterfind(".//*[@id='axes_1']")
    ticks = [text for text in map(str.strip, results.itertext()) if text[:1].isdigit()]
    assert len(set(ticks)) == len(ticks) >= 2 and all(tick.isdigit() for tick in ticks)


def test_scripts_document_names_every_key_and_event(printed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # a hex is written
    document = Path(__file__).parents[2].joinpath("docs/scripts.md").read_text("utf-8")
    (board, *_), counts = (
        json.loads(printed(command, "--json")) for command in ("boards", "stats")
    )
    keys = [*board, *counts, *counts["boards"][0], *counts["results"][0], *counts["players"]["P"]]
    lines = ("solve X...O....", "solve X...O.... --chip", "table --check", "hex", "prove hard")
    *facts, hexes, proofs = (
        json.loads(printed(*line.split(), "--json", db=None)) for line in lines
    )
    (duel,) = json.loads(printed("duel", "hard", "easy", "-n", "2", "--json", db=None))
    for record in (*facts, hexes["V1"], proofs["hard"], proofs["hard"]["first"], duel):
        keys += record
    keys += [
        *duel["first"]["won"],
        *board_facts(ProbedBoard(), []),
        *Check("game", True, "").record(),
    ]
    classes = *Event.__subclasses__(), *BoardEvent.__subclasses__()
    events = list(filter(None, (event.event_name for event in classes)))
    assert not [name for name in (*keys, *events) if f"`{name}`" not in document]
    sentences = BOOT, Menu(BOOT.boot, "Hbs"), stages(DRAW)[0]
    assert set(map(type, sentences)) == set(get_args(Sentence))
    for sentence in sentences:
        names = SentenceStored("usb-1", sentence, 1, True).record()
        row = re.search(rf"^\| `{names.pop('event')}` \| `board`.*\n(\| \| .*\n)*", document, re.M)
        assert row and all(f"`{name}`" in row[0] for name in names)


def test_csv_export_has_the_documented_columns_and_formats(printed):
    draw, second, *_ = rows = list(csv.DictReader(io.StringIO(printed("export"))))
    assert list(draw) == [column.name for column in COLUMNS]
    assert draw["boot"] == "0x00000A83"
    assert (draw["table_id"], draw["release"]) == ("0x2798", "v0.1.0")
    assert draw["started_utc"] == "2026-09-21 14:13:20.000"
    assert [draw[f"move_{ply}"] for ply in range(1, 10)] == list(map(str, DRAW))
    assert (second["result"], second["mistakes_a"], second["mistakes_b"]) == ("B", "1", "0")
    assert (rows[3]["move_1"], rows[3]["move_2"], rows[3]["ms_1"]) == ("2", "", "1000")


HOSTILE_NAMES = (
    "=1+1", "+1", "-1", "@x", "\tx", "\rx", " =1", "1E10", "12", "0451", "1/2", "2026-11-21",
    "Mar1", "sept-2", "TRUE", "NA", "nan", "Infinity", "0x12G", "＝1", "'1", "",
    "usb-\x1b]0;owned\x07", "usb-\u202egpj.exe", "usb-\x9b31m",
)  # fmt: skip


def test_hostile_text_is_exported_as_plain_text():
    """For spreadsheets, pandas and terminals; other programs may write to the store."""
    import pandas

    texts = [column.name for column in COLUMNS if column.column_type in ("str", "id", "release")]
    for hostile in HOSTILE_NAMES:
        fields = ("board", "name", "boot", "first", "hardware", "release", "table_id")
        game = StoredGame(
            id=1, number=1, moves="4", times="1", ms=1, end="-", started=None, heard=None,
            seats="=+", played_before=None, by_radio=0, **dict.fromkeys(fields, hostile),
        )  # fmt: skip
        columns = columns_of([game], int)
        record = {column.name: cell for column, (cell,) in zip(COLUMNS, columns, strict=True)}
        file = io.StringIO()
        csv.writer(file).writerows([texts, [record[text] for text in texts]])
        (read,) = pandas.read_csv(io.StringIO(file.getvalue())).to_dict("records")
        for text in texts:
            assert read[text] == record[text] and record[text].isprintable()
            assert record[text].startswith(("usb-", "_", "v", "0x", "unfinished"))


def test_export_formats_hold_the_same_games(printed, tmp_path):
    for kind in ("csv", "jsonl", "parquet"):
        assert printed("export", "-o", tmp_path / f"games.{kind}").endswith("written: 5 games\n")
    import pandas

    frames = [
        pandas.read_csv(tmp_path / "games.csv", parse_dates=["started_utc", "heard_utc"]),
        pandas.read_json(tmp_path / "games.jsonl", lines=True),
        pandas.read_parquet(tmp_path / "games.parquet"),
    ]
    for frame in frames:
        for name in ("started_utc", "heard_utc", "played_before_utc"):
            frame[name] = pandas.to_datetime(frame[name], utc=True).astype("datetime64[ms, UTC]")
        assert frame["started_utc"][0] == pandas.Timestamp(AT, unit="ms", tz="UTC")
        pandas.testing.assert_frame_equal(frame, frames[0], check_dtype=False)
    assert frames[2].dtypes["started_utc"] == "datetime64[ms, UTC]"


def test_export_filters_games_and_escapes_the_printed_file_name(printed, tmp_path):
    file = tmp_path / f"{HOSTILE_NAME}games.json"
    out = printed("export", "--format", "jsonl", "--result", "draw", "-o", file)
    assert "owned" in out and out.endswith("games.json written: 1 game\n")
    assert out[:-1].isprintable()
    assert json.loads(file.read_text())["game"] == 1


def test_dash_is_standard_output_for_export_and_refused_by_learn(printed, misused, folder, stored):
    assert printed("export", "-o", "-") == printed("export")
    assert "'-' does not end in .py" in misused("learn", "-o", "-")
    assert not (folder / "-").exists()


@POSIX
def test_export_and_report_refuse_to_overwrite_the_store(misused, stored, folder):
    (folder / "link").symlink_to(stored)
    content_before = stored.read_bytes()
    for name in ("link", "games.db"):
        assert "is the store itself" in misused("export", "--format", "csv", "-o", name)
        assert "is the store itself" in misused("report", "--csv", "-o", name)
    assert stored.read_bytes() == content_before


@POSIX
@pytest.mark.parametrize(
    "line",
    ["export -o o.csv", "report -o o.html", "learn -o t.py", "games", "watch --from games.log"],
)
def test_store_that_is_a_link_to_itself_is_refused_in_one_line(refused, folder, line):
    (folder / "loop.db").symlink_to("loop.db")
    (folder / "games.log").write_bytes(wire(*stages(DRAW)))
    assert "loop.db is a link that leads nowhere; " in refused(*line.split(), db="loop.db")


def test_export_refuses_to_overwrite_the_default_store(noughts, stored, monkeypatch):
    monkeypatch.setattr("noughts.store.store.default_path", lambda: stored)
    status, _, err = noughts("export", "--format", "csv", "-o", stored, db=None)
    assert status == 2 and "is the store itself" in err


@pytest.mark.parametrize("seeds", [range(15), long(range(15, 60))])
def test_commands_report_a_damaged_store_in_one_line(noughts, stored, tmp_path, seeds):
    """With random bytes changed, a command prints games, or one line about the damage."""
    with sqlite3.connect(stored) as db:
        db.execute("PRAGMA journal_mode = DELETE")
    content = stored.read_bytes()
    refused = 0
    for seed in seeds:
        dice = Random(seed)
        damaged = bytearray(content)
        for _ in range(dice.choice((1, 3, 30))):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        db = tmp_path / f"{seed}.db"
        db.write_bytes(damaged)
        for line in ("games --json", "replay 1", "stats", "export", "boards", "report"):
            status, _, err = noughts(*line.split(), db=db)
            assert status in (0, 1)
            assert err.count("\n") == status, (seed, err)
            refused += status
    assert refused > len(seeds)


def test_store_in_a_read_only_folder_can_be_read(printed, stored, monkeypatch):
    """os.access is replaced, since root may write anywhere."""
    monkeypatch.setattr("os.access", lambda path, how: False)
    assert len(printed("games").splitlines()) == 5
    with Store(stored) as store, pytest.raises(StoreError, match="cannot be written"):
        insert(store, "usb-1", BOOT, None)
    with Store(stored, create=True) as watching:
        for sentence in stages(DRAW, number=99):
            insert(watching, "usb-1", sentence, AT)
        assert len(printed("games").splitlines()) == 6  # the write-ahead log is read, too


@pytest.mark.parametrize("line", ["games", "replay last", "stats", "export", "report"])
def test_missing_or_empty_store_hints_at_the_demonstration_store(line, tmp_path, refused):
    missing, empty = tmp_path / "missing.db", filled(tmp_path / "empty.db")
    demonstration(empty).touch()
    there = f"; for those of `noughts watch --emulated`, add --db {demonstration(empty)}\n"
    for db, why in ((missing, f"no games are stored in {missing} "), (empty, f"{empty} holds no")):
        error = refused(*line.split(), db=db)
        assert why in error and error.endswith(there)
    assert there in refused("boards", "name", "3", "x", db=empty)
    assert not missing.exists()


def test_empty_store_gives_empty_json_and_moveless_games_are_hidden(tmp_path, printed):
    db = filled(tmp_path / "new.db")
    assert printed("games", "--json", db=db) == "[]\n"
    assert json.loads(printed("stats", "--json", db=db))["games"] == 0
    filled(db, stages([4], "x"), stages([], "x", number=2))
    assert len(printed("games", db=db).splitlines()) == 2  # the other has no moves


def test_hint_about_missing_games_names_the_opened_store(refused, stored, tmp_path):
    """A board name that is not valid text matches no game."""
    listing = f"`noughts games --db {stored}` lists"
    assert refused("replay", "99") == f"noughts: there is no game 99 in {stored}; {listing} them\n"
    for line in ("games", "stats", "export", "report", "report --csv"):
        assert f"no game in {stored} matches; " in refused(*line.split(), "--seats", "MM")
    refused("games", "--board", "\udcff")
    begun = filled(tmp_path / "begun.db", stages([2])[1:])
    listing = f"list unfinished games with `noughts games --result unfinished --db {begun}`\n"
    assert refused("games", db=begun).endswith(listing)


def test_missing_folder_or_library_fails_in_one_line(refused, folder, monkeypatch):
    for line in ("stats --plot no/s.svg", "export -o no/g.csv", "report -o no/r"):
        assert "(no such folder); make the folder, or choose another" in refused(*line.split())
    for library, line in (("matplotlib", "stats --plot s.png"), ("pyarrow", "export -o g.parquet")):
        monkeypatch.setitem(sys.modules, library, None)
        assert f"needs {library}; docs/install.md says how" in refused(*line.split())
    assert not {"no", "r", "s.png", "s.svg", "g.csv"} & {path.name for path in folder.iterdir()}


V1 = "micro:bit V1, table 2798, "


@pytest.fixture
def replay(printed, tmp_path):
    """Replays one of six games as text; the start of the last, on another board, is missing."""
    path = filled(
        tmp_path / "replayed.db",
        stages(DRAW, step_ms=60_000),
        stages([0, 1, 2, 3, 8, 5, 6, 7, 4], seats="PP", number=7, first="B", step_ms=0),
        stages(A_WINS, seats="PP", number=8, first="B"),
        stages(B_WINS, seats="PE", number=9),
        stages([4], "x", number=10)[-1:],  # only its end was received
    )
    with Store(path) as store:
        insert(store, "usb-2", stages([4], boot="BBBBBBBB")[1], AT)
    return lambda number, db=path: printed("replay", number, "--text", db=db)


@pytest.mark.parametrize(
    ("number", "game", "began", "board", "ending"),
    [
        (1, "hard); A began; draw", AT, f"usb-1, {V1}game 1 since the board was", "A draw."),
        (5, "hard); A began; abandoned", None, None, "The game was abandoned here."),
        (6, "hard); A began; unfinished", AT - 1000, "usb-2, game 1 since the board was",
         "Nothing more of this game was received."),
    ],
)  # fmt: skip
def test_replay_prints_players_date_board_and_ending(replay, number, game, began, board, ending):
    first, second, *_, last = replay(number).splitlines()
    assert first == f"game {number}: A is a person, B is the chip ({game}"
    assert began is None or second.startswith(f"{timestamps.local(began)}, {board}")
    assert last == ending


def test_replay_explains_the_scores_and_each_move(replay):
    out = replay(3)
    scores = (
        "On the right is what each line adds up to: +1 for each mark of A,\n-1 for each mark of B."
    )
    assert f"begins.\n{scores}" in out
    steps = out.split("Move ")[1:]
    assert len(steps) == 7
    assert steps[1].startswith("2 of 7: A plays 2, on the top edge, after 1.0 s.\n")
    # After move 3 B has 1 and 5, and A has 2.
    row = "4 B 6  column 2 5 8  0  row 4 5 6 -1  diagonal 3 5 7 -1"
    assert row in steps[1].splitlines()
    assert "The best move, though A was losing anyway." in steps[3]
    assert "Still a draw, but 1, 3, 7 or 9 sets more traps." in steps[0]
    assert "One of the best moves, 1, 3, 7 or 9: it keeps the draw." in replay(4)
    assert "The best move: it wins the game." in steps[6]
    assert out.endswith("B has won: left column.\n")


def test_replay_omits_unknown_times_and_names_two_winning_lines(replay):
    out = replay(2)
    assert out.startswith("game 2: A is a person, B is a person; B began; B won\n")
    assert "Move 1 of 1: A plays 5, in the centre.\n" in replay(5)  # its start was not received
    assert "Move 1 of 9: B plays 1, in the top-left corner, after 0.0 s.\n" in out
    assert out.endswith("B has won: diagonal from the top left and diagonal from the top right.\n")


def test_replay_last_prefers_a_game_that_ended(replay, tmp_path):
    """A board starts the next game by itself, and is often switched off during it."""
    assert replay("last").startswith("game 4:")
    begun = stages([0], number=2, first="B")
    for name, games in (("played.db", [stages(DRAW), begun]), ("begun.db", [begun])):
        assert replay("last", db=filled(tmp_path / name, *games)).startswith("game 1:")


def test_statistics_fit_80_columns(printed, tmp_path):
    """Also for a board without a name, which shows half of its USB serial number."""
    board = "usb-9904360258824e45003b8017000000250000000097969901"
    db = filled(tmp_path / "games.db", stages(A_WINS), board=board)
    lines = printed("stats", db=db).splitlines()
    assert any(line.startswith("usb-…") for line in lines)
    assert max(map(len, lines)) <= 80
