"""What the page's server answers, without a browser: games, hints, puzzles, searches."""

import asyncio
import json
import random
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.requests import Request
from starlette.routing import Match

from noughts.errors import NoughtsError
from noughts.game.positions import canonical, parse
from noughts.store import timestamps
from noughts.store.queries import game
from noughts.store.store import Store
from noughts.web import learn, page_games, play, position, puzzles
from noughts.web.site import Site
from sample_games import AT, filled, stages

NOWHERE = Path("no such folder", "games.db")


def run(answer):
    with ThreadPoolExecutor(1) as thread:  # a browser of other tests may have a loop in this one
        return thread.submit(asyncio.run, answer).result()


def routed(part, address, db=NOWHERE, site=None, body=None):
    """What a part answers; a body is posted."""
    path, _, query = address.partition("?")
    method = "GET" if body is None else "POST"
    scope = {
        "type": "http", "method": method, "path": path, "query_string": query.encode(),
        "headers": [], "client": ("192.0.2.2", 5000),
    }  # fmt: skip

    async def receive():
        return {"type": "http.request", "body": body}

    for route in part.routes(site or Site(db, 8017)):
        match, found = route.matches(scope)
        if match is Match.FULL:
            answer = route.endpoint(Request({**scope, **found}, receive))
            return json.loads((run(answer) if body else answer).body)
    raise AssertionError(f"nothing at {address}")


PLAYED = {
    "session": "0123ABCD", "number": 1, "opponent": "hard", "first": False, "moves": "4108356",
    "times": [10, 20, 30, 40, 50, 60, 7000],
}  # fmt: skip


def test_a_game_of_the_page_is_kept_as_a_board_tells_it(tmp_path, monkeypatch):
    monkeypatch.setattr(timestamps, "now", lambda: AT)
    db = tmp_path / "games.db"
    assert routed(page_games, "/api/games", db, body=json.dumps(PLAYED).encode()) == {"game": 1}
    between = PLAYED | {"number": 2, "opponent": "friend"}
    assert routed(page_games, "/api/games", db, body=json.dumps(between).encode()) == {"game": 2}
    with Store(db) as store:
        kept, of_two = game(store, 1), game(store, 2)
    assert (kept.seats, kept.first, kept.end, kept.ms) == ("PH", "B", "B", 7000)
    assert kept.started == AT - 7000
    assert kept.thought_ms == [10, 10, 10, 10, 10, 10, 6940]
    assert (of_two.seats, of_two.first, of_two.end) == ("PP", "A", "A")  # who begins is A


@pytest.mark.parametrize(
    "changed",
    [
        {"times": [-1, 2, 3, 4, 5, 6, 7]},
        {"times": [1, 2, 3, 4, 5, 6, 7 * 86_400_000 + 1]},
        {"session": "0123ABCDE"},
        {"session": "0123ABC"},
        {"number": 1_000_000_000},
        {"first": 1},
    ],
)
def test_what_no_page_sends(changed):
    with pytest.raises(NoughtsError, match="that is not a game; load the page again"):
        page_games.read(json.dumps(PLAYED | changed).encode())


@pytest.mark.parametrize(
    "body",
    [b"", b"\xff", b"[" * 100_000, b"9" * 5000, b"[]", b"null"],
    ids=("empty", "no UTF-8", "deep", "long", "list", "null"),
)
def test_what_is_not_a_game_at_all(body):
    with pytest.raises(NoughtsError, match="that is not a game; load the page again"):
        page_games.read(body)


def described(moves, start=None):
    return position.described(*position.parsed(moves, start))


def test_hints_by_value_and_by_chance():
    cells = described("", "XO.......")["cells"]
    assert [(cells[cell]["kind"], cells[cell]["heat"]) for cell in (2, 5, 8, 4)] == [
        ("draw", 0), ("draw", 2), ("draw", 3), ("win", 4),
    ]  # fmt: skip
    cells = described("", "XX.OO....")["cells"]
    assert [(cells[cell]["value"], cells[cell]["kind"]) for cell in (2, 5, 8)] == [
        ("win in 1", "win"), ("draw", "draw"), ("loss in 2", "loss"),
    ]  # fmt: skip
    alike = described("", "XOXXOXO..")["cells"] | described("", "XOXOOX.XO")["cells"]
    assert alike[6] == {"kind": "draw", "value": "draw", "chance": "0\xa0%", "heat": 4}


def test_a_game_that_ends_with_two_lines():
    found = described("032546781")
    assert found["result"] == {
        "winner": "X", "lines": "middle column and top row", "cells": [0, 1, 2, 4, 7],
    }  # fmt: skip
    assert found["cells"] == {} and found["turn"] is None
    assert found["evaluations"][-1] == {"score": 10, "words": "X has won"}
    assert found["evaluations"][-2] == {"score": 9, "words": "X wins in 1"}


def test_a_game_that_o_wins_and_one_that_is_drawn():
    lost = described("", "XX.OO.X..")
    assert lost["evaluations"] == [{"score": -9, "words": "O wins in 1"}]
    assert (lost["turn"], lost["names"][5]) == ("O", "6, middle right, free")
    found = described("5", "XX.OO.X..")
    assert found["evaluations"][-1] == {"score": -10, "words": "O has won"}
    assert found["names"][8] == "9, bottom right, empty"
    assert [(each["mark"], each["called"]) for each in found["history"]] == [("O", "best")]
    drawn = described("012436758")
    assert drawn["result"] == {"winner": None, "lines": "", "cells": []}
    assert drawn["evaluations"][-1] == {"score": 0, "words": "a draw"}


@pytest.mark.parametrize(
    ("moves", "said"),
    [
        ("0٣", "move 2: '٣' is not a cell; choose one of 0 to 8"),
        ("00", "move 2: cell 0 is taken by X"),
        ("0124367585", "the game ends with move 9; leave out the others"),
    ],
)
def test_moves_that_are_none(moves, said):
    with pytest.raises(NoughtsError, match=said):
        position.parsed(moves, None)


def test_what_an_engine_answers(monkeypatch):
    monkeypatch.setattr(random.Random, "choice", lambda _, cells: cells[-1])
    answer = routed(play, "/api/reply?engine=random&moves=01")
    assert answer["game"]["moves"] == [0, 1, 8]
    assert (answer["did"]["choices"], answer["did"]["nodes"]) == (7, 0)
    asked = "/api/reply?engine=alphabeta&start=XX.OO....&moves="
    first, again = routed(play, asked), routed(play, asked)
    assert first["game"]["moves"] == [2] and first["did"]["cut"] > 0
    assert again == first  # with the time that it took: whoever looks on may ask
    over = routed(play, "/api/reply?engine=alphabeta&start=XX.OO....&moves=2")
    assert over["did"] is None and over["game"]["moves"] == [2]


def test_games_from_another_computer_are_not_kept():
    assert routed(play, "/api/players")["keeps"]
    assert not routed(play, "/api/players", site=Site(NOWHERE, 8017, lan=True))["keeps"]


def test_a_puzzle_is_graded_by_people_wherever_it_was_turned(tmp_path):
    """Of twenty who answered a corner, one did not take the centre."""
    right, wrong = [0, 4, 1, 2, 6, 3, 5, 8, 7], [8, 7, 4, 0, 2, 6, 5]
    told = (stages(wrong if number < 2 else right, "x", "PP", number) for number in range(1, 21))
    db = filled(tmp_path / "games.db", *told)
    found = routed(puzzles, "/api/puzzle?position=..X......", db)
    assert found["people"] == "In the games that are kept, 1 of 20 went wrong here."
    assert found["task"] == "O to move: find the only move that does not lose."
    assert found["level"] == 1  # by its depth it would be 3
    assert routed(puzzles, "/api/puzzle?position=XX.OO....", db)["people"] == ""


@pytest.mark.parametrize("level", [1, 2, 3])
def test_puzzles_of_a_level(level, monkeypatch):
    seeded = random.Random(1)
    monkeypatch.setattr(random, "Random", lambda: seeded)
    after = "........."
    for _ in range(20):
        found = routed(puzzles, f"/api/puzzle?level={level}&after={after}")
        assert found["level"] == level and found["turn"] == found["task"][0]
        assert canonical(parse(found["position"])) != canonical(parse(after))
        after = found["position"]


def test_what_people_did_is_looked_up_once_a_minute(tmp_path, monkeypatch):
    now_s = [0.0]
    monkeypatch.setattr(puzzles.time, "monotonic", lambda: now_s[0])
    db = tmp_path / "games.db"
    people = puzzles._People(Site(db, 8017))
    assert people.met() == {}  # there is no store yet
    filled(db, stages([0, 1, 4, 8, 3, 5, 6], seats="PP"))
    now_s[0] = 59.9
    assert people.met() == {}
    now_s[0] = 60.0
    assert people.met()[canonical(parse("..X......"))] == (1, 1)


@pytest.mark.parametrize(
    ("asked", "right", "words"),
    [
        ("XX.OO....", True, "X at 3, top right, is a win in 1."),
        (
            "XX.OO....&cell=8",
            False,
            "X at 9, bottom right, turns the win into a loss. It allows: O 6.",
        ),
        ("XX..O....", True, "O at 3, top right, holds the draw. With best play: X 7, "),
    ],
)
def test_why_a_move_is_right_or_wrong(asked, right, words):
    found = routed(puzzles, f"/api/puzzle/answer?position={asked}")
    assert found["right"] is right and found["words"].startswith(words)


def test_how_a_puzzle_ends():
    won = routed(puzzles, "/api/puzzle/answer?position=XX.OO....")["end"]
    assert won == {"marks": "XXXOO....", "line": [0, 1, 2], "title": "How it ends: X wins"}
    drawn = routed(puzzles, "/api/puzzle/answer?position=X........")["end"]
    assert (drawn["line"], drawn["title"]) == ([], "How it ends: a draw")


def searched(position, search):
    return routed(learn, f"/api/search?position={position}&search={search}")


def test_a_search_that_is_too_large_to_follow():
    found = searched("XO..X....", "alphabeta")
    assert found["large"] == (
        "From XO..X.... alpha-beta looks at 410 boards and cuts 105 moves: too many to follow. "
        "Take the position after one best move, where alpha-beta looks at 93."
    )
    smaller = searched(**found["instead"])
    assert smaller["nodes"] == 93 == smaller["steps"][-1]["nodes"]


def test_the_window_of_each_step():
    found = routed(learn, "/api/search?position=..XXOO.XO")
    assert (found["search"], found["mover"]) == ("alphabeta", "X")
    windows = [(each["alpha"], each["beta"], each["window"]) for each in found["steps"]]
    assert windows[0] == (-100, 100, ["−∞", "∞"])
    assert windows[5] == (-7, 100, ["loss in 3", "∞"])  # O has a loss in 3 for certain
    assert windows[11] == (8, -7, ["win in 2", "loss in 3"])  # closed: the rest is cut


def test_the_boards_of_a_search():
    root, *others = searched("..XXOO.XO", "alphabeta")["boards"]
    assert (root["value"], root["mover"], root["window"]) == ("win in 3", None, None)
    (cut,) = (each for each in others if each["value"] is None and each["cell"] == 6)
    assert cut["window"] is None
    assert [each["line"] for each in others if each["value"] == "win in 3"][:1] == [[]]
    won = next(each for each in others if each["line"])
    assert (won["mover"], won["marks"], won["line"]) == ("X", "XOXXOOXXO", [0, 3, 6])
    bounds = {each["value"][0] for each in others if each["value"] and each["value"][0] in "≤≥"}
    assert bounds
