"""What the pages of games and statistics are told, and which games their address chooses."""

import asyncio
import hashlib
import json
import os
import random
from datetime import date, timedelta
from pathlib import Path

import pytest
from starlette.datastructures import QueryParams

from asking import get
from noughts.errors import NoughtsError
from noughts.game.board import Board
from noughts.store.queries import game
from noughts.store.store import Store
from noughts.views.board import evaluations
from noughts.views.game_filter import ChosenGames, day
from noughts.views.replay import replay
from noughts.web.address import chosen_games, game_number, page_number
from noughts.web.statistics import CountedStatistics
from sample_games import AT, BOOT, DRAW, filled, keep, stages

WON = [4, 1, 0, 2, 8]
EVERYTHING = ChosenGames()


def test_the_same_words_as_on_the_command_line(monkeypatch):
    today = date(2026, 11, 22)
    monkeypatch.setattr("noughts.store.timestamps.today", lambda: today)
    query = QueryParams(
        "board=blue+table&board=9900&seats=ph&result=a&result=DRAW&result=A"
        "&since=2026-11-21&until=today&page=2&other=1"
    )
    assert chosen_games(query) == ChosenGames(
        ("blue table", "9900"), "PH", ("A", "draw"), date(2026, 11, 21), today
    )
    assert page_number(query) == 2


def test_filter_description():
    chosen = ChosenGames(
        ("blue", "9900"), "PH", ("A", "draw"), date(2026, 11, 20), date(2026, 11, 21)
    )
    assert chosen.describe() == (
        "boards with 'blue' or '9900' in their name, person against hard, results A or draw, "
        "since 2026-11-20, until 2026-11-21"
    )
    assert ChosenGames().describe() == ""


def test_a_weekday_is_the_latest_one(monkeypatch):
    monday = date(2026, 11, 16)
    for today in (monday + timedelta(days=days) for days in range(7)):
        monkeypatch.setattr("noughts.store.timestamps.today", lambda today=today: today)
        for weekday in (monday + timedelta(days=days) for days in range(7)):
            latest = weekday if weekday <= today else weekday - timedelta(days=7)
            assert day(weekday.strftime("%A")) == latest


def test_what_is_empty_chooses_nothing():
    query = QueryParams("board=&board=+&seats=&result=&since=&until=&page=")
    assert chosen_games(query) == ChosenGames() and page_number(query) == 1
    assert chosen_games(QueryParams("seats=PH&seats=PP")).seats == "PP"  # the last counts


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("seats=XY", "seats: 'XY' is not two letters of P, E, M, H, R, U, N, C, T, G, D, "),
        ("since=" + "x" * 99, f"since: '{'x' * 20}' is not a usable date; "),
        ("until=9999-12-31", "until: '9999-12-31' is not a usable date; write "),
        ("&".join(["board=a"] * 21), "board: 21 are too many; give at most 20"),
    ],
)
def test_wrong_words(query, said):
    with pytest.raises(NoughtsError) as raised:
        chosen_games(QueryParams(query))
    assert str(raised.value).startswith(said)


@pytest.mark.parametrize("page", ["0", "-1", "1.5", "x", "²", "٣", "9" * 19])
def test_wrong_pages_and_games(page):
    with pytest.raises(NoughtsError, match=r"^page: .* is not a page; the first is 1$"):
        page_number(QueryParams({"page": page}))
    if page != "0":
        with pytest.raises(NoughtsError, match=r"is not a game; choose one from the list of games"):
            game_number(page)


def test_pages_of_games_that_just_fit(tmp_path):
    told = (stages(WON, number=number, step_ms=1150) for number in range(1, 51))
    db = filled(tmp_path / "games.db", *told)
    found = get("/api/games?page=3", db)
    assert (found["page"], found["pages"], found["total"]) == (2, 2, 50)
    assert [each["number"] for each in found["games"]] == list(range(25, 0, -1))
    assert {each["seconds"] for each in found["games"]} == {6}  # of 5.75
    none = get("/api/games?seats=PP", db)
    assert (none["kept"], none["total"], none["page"], none["pages"]) == (True, 0, 1, 1)


@pytest.mark.parametrize("created", [True, False])
def test_a_store_without_a_game_or_none_keeps_nothing(tmp_path, created):
    if created:
        Store(tmp_path / "games.db", create=True).close()
    for address in ("/api/games?board=x", "/api/statistics"):
        assert not get(address, tmp_path / "games.db")["kept"]


def test_a_damaged_store_is_named_in_one_line(tmp_path):
    path = filled(tmp_path / "games.db", *(stages(WON, number=number) for number in range(1, 300)))
    content = bytearray(path.read_bytes())
    content[4096 * 3 :] = b"\x55" * (len(content) - 4096 * 3)
    path.write_bytes(content)
    for address in ("/api/games", "/api/games/1", "/api/statistics"):
        said = get(address, path, expected=400)["error"]
        assert said.startswith(f"{path} is damaged or not a store") and "\n" not in said


def test_looking_changes_nothing_and_others_may_write(tmp_path):
    path = filled(tmp_path / "games.db", stages(WON))
    before = hashlib.sha256(path.read_bytes()).digest()
    for address in ("/api/games", "/api/games/1", "/api/statistics"):
        get(address, path)
    assert hashlib.sha256(path.read_bytes()).digest() == before
    with Store(path) as watch:
        watch.keep("usb-2", BOOT, AT)
        for sentence in stages(WON)[:3]:
            keep(watch, "usb-2", sentence, AT)
        watch.db.execute("BEGIN IMMEDIATE")  # a watcher in the middle of writing
        assert get("/api/games/2", path)["result"] == "unfinished"
        assert get("/api/games", path)["total"] == 1
        assert get("/api/statistics", path)["total"] == 2
        watch.db.execute("ROLLBACK")


@pytest.fixture
def stored(tmp_path):
    """A game that B began, and one without a move."""
    db = tmp_path / "games.db"
    filled(db, stages(WON, first="B"), stages([], "x", number=2))
    with Store(db) as store:
        yield game(store, 1), game(store, 2)


def test_a_game_as_a_whole(stored):
    about = replay(stored[0])
    assert about.result == "B won"
    assert [(each.mark, each.player) for each in about.players] == [("X", "B"), ("O", "A")]
    details = dict(about.details)
    assert details["Kind"] == "micro:bit V1, table 2798" and details["Lasted"] == "5.0 s"
    assert details["On the board"] == "its game 1 of boot 00000A83"


def test_a_board_that_never_said_what_it_is(tmp_path):
    db = tmp_path / "games.db"
    with Store(db, create=True) as store:
        for each in stages(WON)[-1:]:
            store.keep("usb-1", each, None)
        found = game(store, 1)
    assert "Kind" not in dict(replay(found).details)
    assert [each.thought for each in replay(found).moves] == [None] * 5


def test_each_move_and_step(stored):
    moves = replay(stored[0]).moves
    assert [(each.mark, each.player) for each in moves[:2]] == [("X", "B"), ("O", "A")]
    assert moves[0].thought == "1.0 s"
    steps = replay(stored[0]).steps
    assert [each.next for each in steps] == ["B", "A", "B", "A", "B", None]
    assert steps[2].worths[0] == "win" and steps[2].worths[7] == "draw"
    falling = [(each.scores[6].text, each.scores[6].full) for each in steps]
    assert falling == [
        ("0", False), ("−1", False), ("−1", False), ("−2", True), ("−2", True), ("−3", True),
    ]  # fmt: skip
    assert steps[5].said[-1] == "B wins: diagonal from the top left."
    assert all(all(each.said) for each in steps)  # no empty sentence
    assert steps[5].names[3] == "4, on the left edge: free" and steps[5].worths == {}
    assert evaluations(WON)[-1]["score"] == 10


def test_a_game_without_a_move(stored):
    (step,) = replay(stored[1]).steps
    assert step.said[0] == "A begins." and len(step.said) == 2


def test_positions_in_which_people_went_wrong(tmp_path):
    shuffled = random.Random(1)
    db = tmp_path / "games.db"
    filled(db, *(stages(played(shuffled), seats="HP", number=number) for number in range(1, 40)))
    found = get("/api/statistics", db)
    assert len(found["positions"]) == 9 and found["first_moves"] is None  # the chip began all
    assert all(each["wrong"] not in each["right"] for each in found["positions"])
    one = filled(tmp_path / "one.db", stages(WON, seats="HP"))
    (met,) = get("/api/statistics", one)["positions"]
    assert (met["marks"], met["wrong"], met["right"]) == ("....X....", 1, [0, 2, 6, 8])
    assert met["title"] == (
        "O to move; top row: free, free, free; middle row: free, X, free; "
        "bottom row: free, free, free"
    )


def played(shuffled):
    """A game at random, to its end."""
    board = Board()
    moves = []
    while not board.is_over:
        moves.append(shuffled.choice(board.legal_moves))
        board = board.play(moves[-1])
    return moves


def test_where_people_began(tmp_path):
    corners = stages([0, 1, 4, 2, 8], number=3), stages([8, 1, 4, 2, 0], number=4)
    db = filled(tmp_path / "games.db", stages(WON), stages(WON, number=2), *corners)
    first = get("/api/statistics", db)["first_moves"]
    assert first["counts"] == [1, 0, 0, 0, 2, 0, 0, 0, 1]
    assert first["shares"][0] == "25%" and first["heat"] == [2, 0, 0, 0, 5, 0, 0, 0, 2]


@pytest.fixture
def counted(tmp_path):
    """Statistics of a store with one game."""
    return CountedStatistics(filled(tmp_path / "games.db", stages(DRAW)))


async def total(counted, choice=EVERYTHING):
    return json.loads(await counted.of(choice))["total"]


@pytest.mark.anyio
async def test_statistics_are_cached_until_the_store_changes(counted, tmp_path):
    db = filled(tmp_path / "games.db", stages(DRAW), board="usb-2")
    board = ChosenGames(boards=("usb-2",))
    first = await counted.of(EVERYTHING)
    assert json.loads(first)["total"] == 2
    Path(f"{db}-wal").touch()  # an empty log: somebody reads
    assert await counted.of(EVERYTHING) is first
    assert await total(counted, board) == 1
    with Store(db) as watch:
        for sentence in stages(DRAW, number=2):
            keep(watch, "usb-2", sentence, AT)
        assert await total(counted) == 3
        assert await counted.of(EVERYTHING) is await counted.of(EVERYTHING)
    assert await total(counted, board) == 2


@pytest.mark.anyio
async def test_the_choice_that_was_looked_at_longest_ago_is_forgotten(counted):
    choices = [ChosenGames(boards=(str(number),)) for number in range(17)]
    known = [await counted.of(each) for each in choices[:16]]
    for each in (*choices[:3], choices[0], choices[16]):
        await counted.of(each)
    assert [
        await counted.of(each) is text for each, text in zip(choices[:3], known[:3], strict=True)
    ] == [True] * 3
    assert counted._kept.keys() == {*choices} - {choices[3]}


@pytest.mark.anyio
async def test_only_one_is_counted_at_a_time(counted):
    one, other = await asyncio.gather(*(counted.of(EVERYTHING) for _ in range(2)))
    assert one is other


@pytest.mark.anyio
async def test_another_store_in_its_place_is_counted_anew(counted, tmp_path):
    """Even where it was written at the same moment."""
    db, other = tmp_path / "games.db", tmp_path / "other.db"
    filled(other, stages(DRAW), stages(DRAW, number=2))
    assert await total(counted) == 1
    was = db.stat()
    assert other.stat().st_size == was.st_size
    os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
    other.replace(db)
    assert await total(counted) == 2
