"""`games`, `replay`, `stats` and `export`, on stores with known games."""

import csv
import io
import json
import sqlite3
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
from dataclasses import replace
from random import Random

import pytest

from needed import FULL_DISK, POSIX
from noughts import cli
from noughts.errors import StoreError
from noughts.store.export_columns import COLUMNS, row
from noughts.store.schema import MIGRATIONS
from noughts.store.store import Store
from noughts.store.stored_game import StoredGame, thinking
from sample_games import AT, BOOT, filled, stages

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]
A_WINS = [4, 1, 0, 8, 3, 5, 6]
B_WINS = [0, 4, 8, 2, 3, 6]

pandas_or_matplotlib = pytest.mark.xdist_group("pandas or matplotlib")
"""Only one of pytest's workers imports them."""


@pytest.fixture
def path(tmp_path):
    """Four games of one board, the third abandoned, the fourth not ended, and one of another."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW),
        stages(A_WINS, seats="PP", number=2, first="B"),
        stages([4, 0], "x", number=3),
        stages([2], number=4)[1:],
    )
    return filled(path, stages(B_WINS, seats="PE"), board="usb-OTHER", at=AT + 86_400_000)


@pytest.fixture
def noughts(path, capsys):
    """Runs a command on that store; gives its exit status, and what it printed."""

    def run(*words, db=path):
        try:
            status = cli.main([words[0], "--db", str(db), *words[1:]])
        except SystemExit as end:
            status = end.code
        told = capsys.readouterr()
        return status, told.out, told.err

    return run


@pytest.fixture(autouse=True)
def utc(monkeypatch):
    """Days are those of this computer's time zone."""
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def ids(noughts, *words):
    status, out, err = noughts("games", "--json", *words)
    assert (status, err) == (0, "")
    return [game["game"] for game in json.loads(out)]


def test_games_are_listed_the_newest_first(noughts):
    status, out, err = noughts("games")
    assert (status, err) == (0, "")
    head, *rows = out.splitlines()
    assert (
        head == "game  began             A       B       first  moves  seconds  result      board"
    )
    assert [row.split()[0] for row in rows] == ["5", "4", "3", "2", "1"]
    assert rows[0].split()[3:] == ["person", "easy", "A", "6", "6", "B", "won", "usb-OTHER"]
    assert "unfinished" in rows[1]
    assert "abandoned" in rows[2]


def test_so_many_of_them_and_how_many_more(noughts):
    _, out, err = noughts("games", "-n", "2")
    assert [line.split()[0] for line in out.splitlines()[1:]] == ["5", "4"]
    assert err == "3 more; -n N shows more of them\n"


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--board", "other"], [5]),
        (["--board", "usb"], [5, 4, 3, 2, 1]),
        (["--board", "%"], []),
        (["--board", "USB-1", "--board", "usb-o"], [5, 4, 3, 2, 1]),
        (["--seats", "ph"], [4, 3, 1]),
        (["--result", "A"], []),
        (["--result", "B"], [5, 2]),
        (["--result", "b", "--result", "Abandoned"], [5, 3, 2]),
        (["--result", "draw", "--result", "unfinished"], [4, 1]),
        (["--result", "abandoned"], [3]),
        (["--since", "2026-09-22"], [5]),
        (["--until", "2026-09-21"], [4, 3, 2, 1]),
        (["--since", "2026-09-21", "--until", "2026-09-22"], [5, 4, 3, 2, 1]),
        (["--since", "2026-09-23"], []),
        (["--seats", "PE", "--result", "draw"], []),
    ],
)
def test_filters(noughts, words, found):
    assert ids(noughts, *words) == found


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["--since", "today"], [5]),
        (["--until", "today"], [5, 4, 3, 2, 1]),
        (["--since", "Yesterday", "--until", "YESTERDAY"], [4, 3, 2, 1]),
        (["--since", "tuesday"], [5]),  # which is today
        (["--until", "Monday"], [4, 3, 2, 1]),
        (["--until", "wednesday"], []),  # of the week before
    ],
)
def test_days_in_words(noughts, monkeypatch, words, found):
    """As on Tuesday, 2026-09-22, when the other board's game is not a day old."""
    monkeypatch.setattr("noughts.store.timestamps.now", lambda: AT + 86_400_000 + 3_600_000)
    assert ids(noughts, *words) == found


def test_today_is_that_of_the_time_zone(noughts, monkeypatch):
    monkeypatch.setattr("noughts.store.timestamps.now", lambda: AT + 86_400_000 + 3_600_000)
    monkeypatch.setenv("TZ", "UTC-9")  # nine hours ahead: there it is Wednesday, 00:13
    time.tzset()
    assert ids(noughts, "--since", "today") == []
    assert ids(noughts, "--since", "yesterday") == [5]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--result", "c"], "'c' is not a result; choose from A, B, draw, abandoned, unfinished"),
        (["--seats", "p"], "'p' is not two letters of P, E, M, H, R, U, N, C, T, G, D, such as PH"),
        (["--since", "tomorrow"], "write today, yesterday, a weekday such as monday"),
        (["--until", "mon"], "write today, yesterday, a weekday such as monday"),
    ],
)
def test_a_wrong_word_is_answered_with_what_is_accepted(noughts, words, says):
    status, out, err = noughts("games", *words)
    (line,) = (line for line in err.splitlines() if "error: " in line)
    assert (status, out) == (2, "")
    assert err.endswith(f"{line}\n") and says in line
    assert words[1] in line


def test_a_game_without_a_moment_fits_no_day(noughts, tmp_path):
    db = filled(tmp_path / "new.db", stages(DRAW), at=None)
    status, out, _ = noughts("games", "--json", "--until", "2100-01-01", db=db)
    assert (status, out) == (0, "[]\n")
    _, out, _ = noughts("games", db=db)
    assert out.splitlines()[1].split()[1] == "-"


def test_the_newest_is_what_was_played_last_not_what_was_kept_last(noughts, path):
    filled(path, stages(DRAW), board="captured", at=AT - 1)
    assert ids(noughts) == [5, 4, 3, 2, 1, 6]
    assert noughts("replay", "last")[1].startswith("game 5:")


def test_days_begin_at_midnight(noughts, tmp_path):
    day = AT - AT % 86_400_000
    db = tmp_path / "midnight.db"
    for number, at in enumerate((day - 1, day, day + 86_399_999, day + 86_400_000), 1):
        filled(db, stages([4], number=number), at=at)
    _, out, _ = noughts("games", "--json", "--since", "2026-09-21", "--until", "2026-09-21", db=db)
    assert [game["number"] for game in json.loads(out)] == [3, 2]


def test_a_boot_id_that_came_twice(noughts, tmp_path):
    """What a board said of itself last before a game is what it was."""
    db = tmp_path / "twice.db"
    with Store(db, create=True) as store:
        for day in range(3):
            store.keep("usb-1", replace(BOOT, release=f"0.{day}"), AT + day * 86_400_000)
        game = stages([4])[1]
        store.keep("usb-1", game, AT + 86_400_000 + 5000)
        store.keep("usb-1", replace(game, number=2), AT - 5000)
        store.keep("usb-1", replace(game, number=3), None)
        store.keep("usb-2", game, None)
    _, out, _ = noughts("games", "--json", db=db)
    found = {(game["board"], game["number"]): game["release"] for game in json.loads(out)}
    assert found == {
        ("usb-1", 1): "0.1", ("usb-1", 2): "0.2", ("usb-1", 3): "0.2", ("usb-2", 1): None,
    }  # fmt: skip


def test_json_says_all_of_a_game(noughts):
    _, out, _ = noughts("games", "--json")
    found = {game["game"]: game for game in json.loads(out)}
    assert found[2] == {
        "game": 2, "board": "usb-1", "board_name": None, "boot": "0A83", "number": 2,
        "seats": "PP", "first": "B",
        "moves": A_WINS, "thought_ms": [1000] * 7, "ms": 7000, "result": "B",
        "started": "2026-09-21T14:14:20.000Z", "heard": "2026-09-21T14:14:27.000Z",
        "played_before": None, "by_radio": 0,
        "hardware": "V1", "release": "0.1.0", "table_id": "2798",
        "plies": 7, "mistakes_a": 1, "mistakes_b": 0,
    }  # fmt: skip
    assert found[4]["thought_ms"] == [1000]
    assert found[3]["moves"] == [4, 0]


def test_thinking_times_only_of_what_was_heard(noughts, tmp_path):
    told = stages(DRAW)
    db = filled(tmp_path / "lost.db", [told[2], told[3], told[5]])
    _, out, _ = noughts("games", "--json", db=db)
    assert json.loads(out)[0]["thought_ms"] == [None, None, 1000, None, None]


@pytest.mark.parametrize(
    ("times", "thought"),
    [
        ("", []),
        ("7", [7]),
        ("7,9,20", [7, 2, 11]),
        (",9", [None, None]),
        ("7,", [7, None]),
        ("7,,20,21", [7, None, None, 1]),
        ("7,5,20", [7, None, 15]),  # earlier versions kept times that run backwards
        ("7,,20,19", [7, None, None, None]),
    ],
)
def test_thinking_takes_two_moments(times, thought):
    assert thinking(times) == thought


def test_a_replay_tells_every_step(noughts):
    status, out, err = noughts("replay", "2", "--text")
    assert (status, err) == (0, "")
    head, *steps = out.split("\n\n  ")[0], *out.split("Move ")[1:]
    assert head.startswith("game 2: A is a person, B is a person; B began; B won\n")
    assert len(steps) == 7
    assert steps[1].startswith("2 of 7: A plays 2, on the top edge, after 1.0 s.\n")
    assert "A mistake: it turns a draw into a loss. Best: 1, 3, 7 or 9." in steps[1]
    assert "The best move; the position was already lost." in steps[3]
    assert "It keeps the draw; against mistakes, 1, 3, 7 or 9 wins more often." in steps[0]
    assert out.endswith("B wins: left column.\n")


def test_a_replay_shows_the_eight_scores(noughts):
    _, out, _ = noughts("replay", "5", "--text")
    assert "One of the best moves, 1, 3, 7 or 9: it keeps the draw." in out
    after_four = out.split("Move 4 of 6")[0].split("Move 3 of 6")[1].split("\n\n", 1)[1]
    board = after_four.strip("\n").splitlines()
    # A has 0 and 8, B 4 and 2: columns 1 -1 0, rows 0 -1 1, falling 1, rising -2.
    assert [line.rstrip() for line in board] == [
        "               -2",
        " A | 2 | B      0",
        "---+---+---",
        " 4 | B | 6     -1",
        "---+---+---",
        " 7 | 8 | A     +1",
        "",
        "+1  -1   0     +1",
    ]


def test_replays_of_games_that_did_not_end(noughts):
    assert "abandoned here" in noughts("replay", "3")[1]
    assert "Nothing more was heard" in noughts("replay", "4")[1]
    assert noughts("replay", "last")[1].startswith("game 5:")


def test_the_last_game_to_replay_is_one_that_ended(noughts, tmp_path):
    """After a game a board begins the next by itself, and is switched off in it."""
    won, begun = stages([4, 1, 0, 8, 3, 5, 6]), stages([0], number=2, first="B")
    db = filled(tmp_path / "played.db", won, begun)
    assert noughts("replay", "last", db=db)[1].startswith("game 1:")
    db = filled(tmp_path / "begun.db", begun)
    assert noughts("replay", "last", db=db)[1].startswith("game 1:")


def test_stats_count(noughts):
    status, out, err = noughts("stats", "--json")
    assert (status, err) == (0, "")
    found = json.loads(out)
    assert found["games"] == 5
    rows = {(row.pop("seats"), row.pop("first")): row for row in found["results"]}
    none = {"games": 0, "A": 0, "B": 0, "draw": 0, "abandoned": 0, "unfinished": 0}
    assert rows == {
        ("PP", "B"): none | {"games": 1, "B": 1},
        ("PE", "A"): none | {"games": 1, "B": 1},
        ("PH", "A"): none | {"games": 3, "draw": 1, "abandoned": 1, "unfinished": 1},
    }
    assert found["first_moves"] == [1, 0, 0, 0, 2, 0, 0, 0, 0]
    assert found["lengths"] == {"5": 0, "6": 1, "7": 1, "8": 0, "9": 1}
    usb_1, other = found["boards"]
    assert usb_1 == {
        "board": "usb-1", "name": None, "games": 4, "won": 0, "drawn": 1, "lost": 0,
        "between_people": 1, "abandoned": 1, "unfinished": 1, "mistakes": 1,
        "mistakes_a_game": 1 / 3,
    }  # fmt: skip
    assert (other["board"], other["games"], other["lost"], other["mistakes"]) == (
        "usb-OTHER",
        1,
        1,
        1,
    )
    people, easy, hard = (found["players"][seat] for seat in "PEH")
    assert (people["games"], people["moves"]) == (4, 7 + 3 + 5)
    assert (easy["games"], easy["moves"], hard["games"], hard["moves"]) == (1, 3, 1, 4)
    assert (people["mistakes"], easy["mistakes"], hard["mistakes"]) == (2, 1, 0)
    assert people["mistakes_a_game"] == 0.5
    assert people["thought_ms"] == [1000, 1000, 1000]


def test_who_moves_second_is_counted_as_such(noughts, tmp_path):
    """The chip begins, as player B, and thinks for 100 ms, the person for 900."""
    told = stages([4, 1, 0, 8, 3, 5, 6], first="B")
    told = [
        replace(game, ms=sum((100, 900)[ply % 2] for ply in range(len(game.moves))))
        for game in told
    ]
    db = filled(tmp_path / "second.db", told)
    players = json.loads(noughts("stats", "--json", db=db)[1])["players"]
    assert (players["H"]["moves"], players["H"]["mistakes"]) == (4, 0)
    assert (players["P"]["moves"], players["P"]["mistakes"]) == (3, 1)
    assert players["H"]["thought_ms"] == [100, 100, 100]
    assert players["P"]["thought_ms"] == [900, 900, 900]


def test_an_engine_of_the_page_is_neither_the_chip_nor_a_person(noughts, tmp_path):
    db = filled(tmp_path / "page.db", stages(B_WINS, seats="PN"), board="page")
    (row,) = json.loads(noughts("games", "--json", "--seats", "pn", db=db)[1])
    assert (row["seats"], row["board"], row["result"]) == ("PN", "page", "B")
    assert "person  minimax" in noughts("games", db=db)[1]
    assert "A is a person, B is minimax; A began; B won" in noughts("replay", "1", db=db)[1]
    found = json.loads(noughts("stats", "--json", db=db)[1])
    (board,) = found["boards"]
    assert (board["games"], board["won"], board["drawn"], board["lost"]) == (1, 0, 0, 0)
    people, minimax = found["players"]["P"], found["players"]["N"]
    assert (people["games"], people["moves"], people["mistakes"]) == (1, 3, 1)
    assert (minimax["games"], minimax["moves"], minimax["mistakes"]) == (1, 3, 1)
    assert "person against minimax" in noughts("report", "-o", "-", db=db)[1]
    seats = noughts("export", db=db)[1].splitlines()[1]
    assert ",P,N," in seats


def test_days_are_those_of_the_time_zone(noughts, tmp_path, monkeypatch):
    day = AT - AT % 86_400_000
    db = filled(tmp_path / "zone.db", stages([4]), at=day + 3_600_000)  # 1 o'clock in UTC
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    for since, found in (("2026-09-21", 0), ("2026-09-20", 1)):
        _, out, _ = noughts("games", "--json", "--since", since, "--until", since, db=db)
        assert len(json.loads(out)) == found
    assert "2026-09-20 21:00" in noughts("games", db=db)[1]


def test_stats_in_words(noughts):
    status, out, _ = noughts("stats")
    assert status == 0
    assert out.startswith("5 games\n")
    assert "First moves of people, in games that were won or drawn" in out
    assert "33% | 0% | 0%" in out.replace("  ", " ")
    rows = [line.split() for line in out.splitlines()]
    assert ["usb-1", "4", "0", "1", "0", "1", "1", "0.33"] in rows
    assert noughts("stats", "--seats", "PE")[1].startswith("1 game\n")


@pandas_or_matplotlib
def test_stats_of_games_without_moves_or_ends(noughts, tmp_path):
    db = filled(tmp_path / "begun.db", stages([]), stages([4], number=2))
    status, out, _ = noughts("stats", db=db)
    assert status == 0
    assert "unfinished" in out
    assert noughts("stats", "--plot", str(tmp_path / "begun.png"), db=db)[0] == 0


@pandas_or_matplotlib
@pytest.mark.parametrize("name", ["s.png", "s.svg", "S.SVG"])
def test_pictures(noughts, tmp_path, name):
    status, out, err = noughts("stats", "--plot", str(tmp_path / name))
    assert (status, err) == (0, "")
    content = (tmp_path / name).read_bytes()
    assert out.endswith(f"{name} written\n")
    if name == "s.png":
        assert content.startswith(b"\x89PNG")
    else:
        words = "".join(ET.fromstring(content).itertext())
        for word in ("Results", "First moves", "Mistakes a game", "person against hard, A first"):
            assert word in words
    noughts("stats", "--plot", str(tmp_path / name))
    assert (tmp_path / name).read_bytes() == content


@pandas_or_matplotlib
@pytest.mark.parametrize("games", [1, 3, 50])
def test_games_are_counted_in_whole_numbers(noughts, tmp_path, games):
    db = filled(tmp_path / "x.db", *(stages(DRAW, number=number) for number in range(1, games + 1)))
    assert noughts("stats", "--plot", str(tmp_path / "s.svg"), db=db)[0] == 0
    root = ET.parse(tmp_path / "s.svg").getroot()
    shown = {
        group.get("id"): [text for text in map(str.strip, group.itertext()) if text[:1].isdigit()]
        for group in root.iter("{http://www.w3.org/2000/svg}g")
    }
    for axes in ("axes_1", "axes_3"):  # the results, and the moves in a game
        numbers = shown[axes]
        assert len(numbers) >= 2 and all(number.isdigit() for number in numbers)
        counts = numbers[5:] if axes == "axes_3" else numbers  # behind the moves, 5 to 9
        assert len(set(counts)) == len(counts) >= 2


def test_a_csv_is_what_its_help_says(noughts):
    status, out, err = noughts("export", "--format", "csv")
    assert (status, err) == (0, "")
    rows = list(csv.DictReader(io.StringIO(out)))
    assert list(rows[0]) == [column.name for column in COLUMNS]
    draw = rows[0]
    assert draw["boot"] == "0x0A83"
    assert draw["table_id"] == "0x2798"
    assert draw["started_utc"] == "2026-09-21 14:13:20.000"
    assert [draw[f"move_{ply}"] for ply in range(1, 10)] == list(map(str, DRAW))
    assert (rows[1]["result"], rows[1]["mistakes_a"], rows[1]["mistakes_b"]) == ("B", "1", "0")
    assert (rows[3]["move_1"], rows[3]["move_2"], rows[3]["ms_1"]) == ("2", "", "1000")


@pandas_or_matplotlib
@pytest.mark.parametrize("kind", ["csv", "jsonl"])
@pytest.mark.parametrize(
    "board",
    [
        "=1+1", "+1", "-1", "@x", "\tx", "\rx", " =1", "1E10", "12", "0451", "1/2", "2026-11-21",
        "Mar1", "sept-2", "TRUE", "NA", "nan", "Infinity", "0x12G", "＝1", "'1", "",
        "usb-\x1b]0;owned\x07", "usb-\u202egpj.exe", "usb-\x9b31m",
    ],
)  # fmt: skip
def test_no_text_is_taken_for_anything_else(noughts, tmp_path, kind, board):
    """By a spreadsheet, by pandas, or by the terminal; the store is one that others wrote to."""
    db = filled(tmp_path / "hostile.db", stages([4]), board=board)
    status, out, err = noughts("export", "--format", kind, db=db)
    assert (status, err) == (0, "")
    assert all(line.isprintable() for line in out.splitlines())
    if kind == "jsonl":
        shown = json.loads(out)["board"]
    else:
        import pandas

        shown = next(csv.DictReader(io.StringIO(out)))["board"]
        assert pandas.read_csv(io.StringIO(out))["board"].tolist() == [shown]
    assert shown.startswith("_" if not board.startswith("usb") else "usb-")
    assert shown.isprintable()


@pytest.mark.parametrize("release", ["+A1+A2", "1E10", "1.2.3", "-1", "0.1.0", "..", "NA"])
def test_no_release_is_taken_for_anything_else(noughts, tmp_path, release):
    db = tmp_path / "hostile.db"
    with Store(db, create=True) as store:
        store.keep("usb-1", replace(BOOT, release=release), AT)
        store.keep("usb-1", stages([4])[1], AT)
    (row,) = csv.DictReader(io.StringIO(noughts("export", db=db)[1]))
    assert row["release"] == f"v{release}"


def test_every_column_of_text_is_guarded():
    """Whatever the store holds: no value leaves it that begins as a formula does."""
    texts = {index for index, column in enumerate(COLUMNS) if column.kind == "str"}
    formulas = dict.fromkeys(
        ("board", "name", "boot", "first", "hardware", "release", "table_id"), "=1+1"
    )
    bad = StoredGame(
        id=1, number=1, moves="4", times="1", ms=1, end="-", started=None, heard=None, seats="=+",
        played_before=None, by_radio=0, **formulas,
    )  # fmt: skip
    values = [value for index, value in enumerate(row(bad)) if index in texts]
    assert all(value[0] not in "=+" for value in values)


@pandas_or_matplotlib
def test_three_formats_hold_the_same(noughts, tmp_path):
    for kind in ("csv", "jsonl", "parquet"):
        status, out, err = noughts("export", "-o", str(tmp_path / f"games.{kind}"))
        assert (status, err) == (0, "")
        assert out.endswith("written: 5 games\n")
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


@pandas_or_matplotlib
def test_a_game_heard_of_only_when_it_was_abandoned(noughts, tmp_path):
    """Its one move has no time."""
    db = filled(tmp_path / "x.db", stages([4], "x")[-1:], stages(DRAW, number=2))
    assert json.loads(noughts("games", "--json", db=db)[1])[1]["thought_ms"] == [None]
    for kind in ("csv", "jsonl", "parquet"):
        assert noughts("export", "-o", str(tmp_path / f"g.{kind}"), db=db)[0] == 0
    (first, *_) = csv.DictReader((tmp_path / "g.csv").open())
    assert (first["move_1"], first["ms_1"], first["ms_9"]) == ("4", "", "")
    import pandas

    assert pandas.read_parquet(tmp_path / "g.parquet")["ms_9"].tolist()[1] == 1000
    assert noughts("replay", "1", db=db)[0] == 0


@pandas_or_matplotlib
def test_file_names_do_not_act_on_the_terminal(noughts, tmp_path):
    name = str(tmp_path / "\x1b]0;owned\x07\u202egames")
    for words in (
        ["export", "-o", f"{name}.csv"],
        ["stats", "--plot", f"{name}.svg"],
    ):
        status, out, err = noughts(*words)
        assert (status, err) == (0, "")
        assert "owned" in out
        assert all(line.isprintable() for line in out.splitlines())


@POSIX
@pytest.mark.parametrize("ending", ["", "-wal", "-shm"])
def test_nothing_is_written_over_the_store(noughts, path, tmp_path, ending):
    (tmp_path / "link").symlink_to(path)
    before = path.read_bytes()
    for output in (f"{path}{ending}", f"{tmp_path}/./games.db{ending}"):
        status, _, err = noughts("export", "--format", "csv", "-o", output)
        assert status == 2
        assert "is the store itself" in err
    assert noughts("export", "--format", "csv", "-o", str(tmp_path / "link"))[0] == 2
    assert path.read_bytes() == before


def test_an_ending_that_is_no_format(noughts, tmp_path):
    status, _, err = noughts("export", "-o", str(tmp_path / "games.json"))
    assert status == 2
    assert "say --format" in err
    assert noughts("export", "--format", "jsonl", "-o", str(tmp_path / "games.json"))[0] == 0


@pytest.mark.parametrize(
    "words", [["games", "--json"], ["export"], ["export", "--format", "jsonl"]]
)
def test_a_reader_that_has_enough(tmp_path, words):
    many = [stages([4, 0, 2], number=number)[-1:] for number in range(1, 3000)]
    db = filled(tmp_path / "many.db", *many)
    command = [sys.executable, "-m", "noughts", *words, "--db", str(db)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""


def test_any_damage_is_one_line(noughts, path, tmp_path):
    """Bytes changed at random: the games are told, or one line says that the store is damaged."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        db.execute("PRAGMA journal_mode = DELETE")
    content = path.read_bytes()
    told = 0
    for seed in range(60):
        dice = Random(seed)
        damaged = bytearray(content)
        for _ in range(dice.choice((1, 3, 30))):
            damaged[dice.randrange(len(damaged))] = dice.randrange(256)
        db = tmp_path / f"{seed}.db"
        db.write_bytes(damaged)
        for words in (
            ["games", "--json"], ["replay", "1"], ["stats"], ["export"], ["boards"], ["report"],
        ):  # fmt: skip
            status, _, err = noughts(*words, db=db)
            assert status in (0, 1)
            assert err.count("\n") == status, (seed, err)
            told += status
    assert told > 20


def test_a_store_that_may_only_be_read(noughts, path, monkeypatch):
    """As root everything may be written, so it is opened as it is where that is not so."""
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    for mode in ("mode=ro", "immutable=1"):
        monkeypatch.setattr(Store, "_modes", lambda self, create, mode=mode: (mode,))
        assert len(noughts("games")[1].splitlines()) == 6
        with Store(path) as store, pytest.raises(StoreError, match="may not be written"):
            store.keep("usb-1", BOOT, None)
    monkeypatch.undo()
    monkeypatch.setattr("os.access", lambda path, how: False)
    with Store(path) as store:
        assert store._modes(False) == ("mode=rw", "mode=ro", "immutable=1")


def test_an_export_chooses_games(noughts):
    _, out, _ = noughts("export", "--format", "jsonl", "--seats", "PH", "--result", "draw")
    (line,) = out.splitlines()
    assert json.loads(line)["game"] == 1


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["games", "-n", "0"], "'0' is not a number of games"),
        (["games", "--seats", "XY"], "two letters of P, E, M, H"),
        (["games", "--since", "soon"], "'soon' is not a usable date"),
        (["games", "--since", "9999-12-31"], "is not a usable date"),
        (["games", "--since", "0001-01-01"], "is not a usable date"),
        (["replay", "-1"], ""),
        (["replay", "one"], "'one' is not a game"),
        (["replay", "1", "--speed", "0"], "'0' is not a speed"),
        (["replay", "1", "--speed", "nan"], "'nan' is not a speed"),
        (["stats", "--plot", "x.gif"], "does not end in .png or .svg"),
        (["export", "--format", "xls"], "invalid choice"),
    ],
)
def test_wrong_usage(noughts, words, says):
    status, out, err = noughts(*words)
    assert (status, out) == (2, "")
    assert says in err


def everyone(noughts, **named):
    """What each command says on a store."""
    for words in (
        ["games"], ["replay", "1"], ["stats"], ["export"], ["replay", "last"], ["report"],
    ):  # fmt: skip
        status, out, err = noughts(*words, **named)
        assert (status, out) == (1, "")
        assert err.startswith("noughts: ")
        assert err.count("\n") == 1
        yield err


def test_no_store_yet(noughts, tmp_path):
    for err in everyone(noughts, db=tmp_path / "none.db"):
        assert "no games are kept in" in err
        assert str(tmp_path / "none.db") in err
        assert "check the name that --db gives" in err and "`noughts watch --db FILE`" in err
    assert not (tmp_path / "none.db").exists()


def test_an_empty_store(noughts, tmp_path):
    filled(tmp_path / "empty.db")
    for err in everyone(noughts, db=tmp_path / "empty.db"):
        assert f"{tmp_path / 'empty.db'} holds no game yet; " in err
        assert "`noughts watch --db FILE`" in err
    assert noughts("games", "--json", db=tmp_path / "empty.db")[:2] == (0, "[]\n")
    assert json.loads(noughts("stats", "--json", db=tmp_path / "empty.db")[1])["games"] == 0


@pytest.mark.parametrize("there", [False, True], ids=["missing", "empty"])
@pytest.mark.parametrize("command", [["games"], ["replay", "1"], ["stats"], ["export"]])
def test_the_usual_store_without_games(there, command, tmp_path, monkeypatch, capsys):
    """The message names the store that was opened, and the other if that one was filled."""
    usual, played = tmp_path / "games.db", tmp_path / "demonstration.db"
    monkeypatch.setattr("noughts.commands.options.default_path", lambda: usual)
    if there:
        filled(usual)

    def says(*words):
        assert cli.main([*command, *words]) == 1
        told = capsys.readouterr()
        assert (told.out, told.err.count("\n")) == ("", 1)
        return told.err

    err = says()
    assert str(usual) in err and "`noughts play` and `noughts watch` keep games there" in err
    assert "`noughts watch --emulated 3` fills demonstration.db" in err
    err = says("--db", str(played))
    assert str(played) in err and "`noughts watch --emulated 3` fills it" in err

    filled(played, stages(DRAW))
    err = says()
    assert str(usual) in err and "`noughts play` and `noughts watch` keep games there" in err
    assert err.endswith(f" --db {played} selects a demonstration's\n")
    assert cli.main([*command, "--db", str(played)]) == 0


def test_a_store_of_a_newer_version(noughts, path):
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    for err in everyone(noughts):
        assert "newer noughts" in err


def test_a_damaged_store(noughts, path):
    with sqlite3.connect(path) as db:
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xa5" * (len(content) - 4096)
    path.write_bytes(content)
    for err in everyone(noughts):
        assert "is damaged" in err
    assert path.read_bytes() == content


def test_not_a_store_at_all(noughts, tmp_path):
    (tmp_path / "x.db").write_bytes(b"never a database \x1b[2J" * 300)
    for err in everyone(noughts, db=tmp_path / "x.db"):
        assert "is damaged or not a store of noughts" in err


def test_names_that_are_no_text(noughts):
    assert noughts("games", "--board", "\udcff")[0] == 1


def test_no_such_game_and_none_that_fits(noughts, path):
    """The hint names the store that was opened."""
    listing = f"`noughts games --db {path}` lists them"
    assert noughts("replay", "99")[2] == (f"noughts: there is no game 99 in {path}; {listing}\n")
    for command in ("games", "stats", "export"):
        assert noughts(command, "--seats", "MM")[2] == (
            f"noughts: no game in {path} matches; {listing} all\n"
        )


def test_a_missing_library_is_one_line(noughts, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    status, _, err = noughts("stats", "--plot", str(tmp_path / "s.png"))
    assert (status, err.count("\n")) == (1, 1)
    assert "-m pip install matplotlib" in err
    output = tmp_path / "g.parquet"
    status, _, err = noughts("export", "-o", str(output))
    assert (status, err.count("\n")) == (1, 1)
    assert "-m pip install pyarrow" in err
    assert list(tmp_path.glob("*parquet*")) == []


@pandas_or_matplotlib
def test_a_folder_that_is_not_there(noughts, tmp_path):
    for words in (
        ["stats", "--plot", str(tmp_path / "no" / "s.svg")],
        ["export", "-o", str(tmp_path / "no" / "g.csv")],
    ):
        status, _, err = noughts(*words)
        assert status == 1
        assert err.count("\n") == 1
        assert "check that the folder exists" in err


@FULL_DISK
def test_full_disk(noughts):
    status, _, err = noughts("export", "-o", "/dev/full")
    assert status == 1
    assert err.count("\n") == 1
    assert "No space left" in err
