"""The page's server, without a browser: its answers about games, hints, puzzles and searches."""

import json
import random
from urllib.parse import parse_qs, urlsplit

import pytest

from asking import HERE, ask, change, get, page
from noughts.game.board import Board
from noughts.game.positions import SYMMETRIES, canonical, turned
from noughts.game.puzzles import puzzles
from noughts.store import timestamps
from noughts.store.queries import game
from noughts.store.store import Store
from noughts.views.analysis import analysis_of
from noughts.web import play
from noughts.web.safety import Site
from sample_games import AT, filled, stages


def post(db, changed):
    """The answer to PLAYED with these changes, or to these bytes."""
    site = Site(db, 8017)
    body = changed if isinstance(changed, bytes) else json.dumps(PLAYED | changed).encode()
    return ask(change(site), "POST", "/api/games", (body,), site=site)


PLAYED = {
    "session": "0123ABCD", "number": 1, "opponent": "hard", "first": False, "moves": "4108356",
    "times": [10, 20, 30, 40, 50, 60, 7000],
}  # fmt: skip


def test_page_game_is_stored_like_a_boards_game(tmp_path, monkeypatch):
    monkeypatch.setattr(timestamps, "now", lambda: AT)
    db = tmp_path / "games.db"
    for _ in range(2):  # a game sent twice is stored once
        assert post(db, {}).json == {"game": 1, "until_end": ""}
    assert post(db, {"number": 2, "opponent": "friend"}).json == {"game": 2, "until_end": ""}
    with Store(db) as store:
        of_chip, of_two = game(store, 1), game(store, 2)
    assert (of_chip.seats, of_chip.first, of_chip.end, of_chip.ms) == ("PH", "B", "B", 7000)
    assert of_chip.started == AT - 7000
    assert of_chip.thought_ms == [10, 10, 10, 10, 10, 10, 6940]
    assert (of_two.seats, of_two.first, of_two.end) == ("PP", "A", "A")  # A is whoever began


@pytest.mark.parametrize(
    "changed",
    [
        *({"moves": moves} for moves in ("41083", "4408356", "41083567", None)),
        {"moves": [4, 1, 0, 8, 3, 5, 6]},
        *({"opponent": opponent} for opponent in ("stockfish", [])),
        *(
            {"times": [1, 2, 3, 4, 5, *last]}
            for last in ([6], [7, 6], [6, 1e3], [6, "7"], [6, 1e10])
        ),
        *({"session": "<script>"}, {"number": 0}, {"number": 1_000_000_000}, {"number": True}),
        *(b"", b"\xff", b"[" * 100_000, b"9" * 5000, b"[]"),
    ],
)
def test_invalid_page_game_is_refused(tmp_path, changed):
    refused = post(tmp_path / "games.db", changed)
    assert refused.status == 400
    assert refused.json == {"error": "that is not a game; reload the page"}
    assert not (tmp_path / "games.db").exists()


def described(moves, start=None, **named):
    return analysis_of(Board(start or "." * 9), list(map(int, moves)), **named)


def test_hints_show_values_and_chances():
    cells = described("", "XO.......")["hints"]
    hints = [(cells[cell]["best"], cells[cell]["heat"]) for cell in (2, 5, 8, 4)]
    assert hints == [(False, 0), (False, 2), (False, 3), (True, 4)]
    cells = described("", "XX.OO....")["hints"]
    assert [(cells[cell]["value"], cells[cell]["best"]) for cell in (2, 5, 8)] == [
        ("win\xa0in\xa01", True), ("draw", False), ("loss\xa0in\xa02", False),
    ]  # fmt: skip
    alike = described("", "XOXOOX.XO")["hints"][6]
    assert (alike["heat"], alike["chance"]) == (4, "0%")


def test_game_won_with_two_lines_shows_both():
    analysis = described("032546781")
    assert analysis["headline"] == "X has won: middle column and top row"
    assert (analysis["winner"], analysis["line"], analysis["turn"]) == ("X", [0, 1, 2, 4, 7], None)
    assert analysis["hints"] == {}
    assert [(point["score"], point["text"]) for point in analysis["graph"][-2:]] == [
        (9, "after move 8, O in the bottom-right corner, best: X wins in 1"),
        (10, "after move 9, X on the top edge, best: X has won"),
    ]


def test_graph_shows_a_win_of_o_and_a_draw():
    start, end = described("5", "XX.OO.X..")["graph"]
    assert (start["score"], start["text"]) == (-9, "before the first move: O wins in 1")
    assert end["score"] == -10
    drawn = described("012436758")["graph"][-1]
    assert drawn["score"] == 0 and drawn["text"].endswith(": a draw")


def test_looking_back_stops_where_the_person_moves():
    analysis = described("40128", at=2, opponent="kind")
    assert analysis["headline"] == "Looking back: after move 2 of 5"
    assert analysis["remark"] == "Play on from here."
    assert (analysis["undo"], analysis["redo"], analysis["last"]) == (0, 4, 0)
    engines = described("40128", at=1, opponent="kind")
    assert (engines["playable"], engines["hints"], engines["remark"]) == (False, {}, "")
    assert (described("4", at=0)["undo"], described("4")["redo"]) == (None, None)


def test_engine_answer_has_its_move_and_cost(monkeypatch):
    monkeypatch.setattr(random.Random, "choice", lambda _, cells: cells[-1])
    answer = get("/api/play?opponent=random&you=X&moves=0")
    assert (answer["moves"], answer["at"], answer["playable"]) == ("08", 2, True)
    assert answer["remark"] == "Random plays 9, in the bottom-right corner."
    assert answer["cost"].startswith("It did not search: it picked one of 8 equal cells, in ")
    asked = "/api/play?opponent=alphabeta&you=O&position=XX.OO....&moves="
    first, again = get(asked), get(asked)
    assert first["moves"] == "2" and first["headline"] == "You lost: top row"
    assert " boards and cut " in first["cost"]
    assert again == first  # cached with its time, since any spectator may ask
    over = get(f"{asked}2")
    assert over["moves"] == "2" and "cost" not in over
    person = get("/api/play?opponent=alphabeta&position=XO......X")
    assert (person["you"], person["moves"]) == ("O", "")  # the person is the one to move


@pytest.mark.parametrize(("at", "shown"), [("1", 1), ("-1", 2), ("1.5", 2), ("3", 2), ("²", 2)])
def test_link_opens_a_game_at_its_move_or_at_the_end(at, shown):
    assert get(f"/api/play?moves=41&at={at}")["at"] == shown


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("puzzles?position=.........", "This position has more than one right move"),
        ("puzzles?level=4", "'4' is not a level"),
        ("puzzles?after=x", "'x' is not a position"),
        ("puzzles?position=XXXOO....", "This position is over, so it is not a puzzle."),
        ("puzzles?position=XOXXOOO.X", "This position has only one free cell"),
        ("learn?position=XXXOO....", "The game is over in XXXOO....; give an unfinished position"),
        ("api/play?opponent=x&you=O", "'x' is not an engine"),
        ("api/play?moves=0x", "'x' is not a cell; choose one of 0 to 8"),
    ],
)
def test_invalid_query_error_names_the_value(address, error):
    assert error in page(f"/{address}", expected=400).text


def test_browser_cannot_use_a_file_as_an_engine(tmp_path):
    mine = tmp_path / "mine.py"
    mine.write_text("open(__file__ + '.ran', 'w')\ndef choose(board):\n    return 0\n")
    answer = get(f"/api/play?you=O&opponent={mine}", expected=400)
    assert "is not an engine" in answer["error"]
    assert not mine.with_name("mine.py.ran").exists()
    assert "mine" not in page("/").text


def test_puzzle_is_graded_by_stored_games_in_any_orientation(tmp_path, monkeypatch):
    """Of twenty answers to a corner, one is not the centre; the store is read once a minute."""
    right, wrong = [0, 4, 1, 2, 6, 3, 5, 8, 7], [8, 7, 4, 0, 2, 6, 5]
    played = (stages(wrong if number < 2 else right, "x", "PP", number) for number in range(1, 21))
    db = tmp_path / "games.db"
    for now_s, is_known in (
        (0.0, False),
        (59.9, False),
        (60.0, True),
    ):  # at first there is no store
        monkeypatch.setattr(play.time, "monotonic", lambda now_s=now_s: now_s)
        answer = page("/puzzles?position=..X......", db)
        assert ("In the stored games, 1 of 20 went wrong here." in answer.text) == is_known
        if not db.exists():
            filled(db, *played)
    assert "★ In the stored" in answer.text and "★★ In" not in answer.text  # by its depth: ★★★
    assert json.loads(answer.data)["task"] == "O to move: find the only move that does not lose."
    assert "In the stored games" not in page("/puzzles?position=XX.OO....", db).text


def test_next_puzzle_is_not_the_one_before(monkeypatch):
    """Even if it is the only one of the level that was chosen."""
    only = puzzles()[0].position
    monkeypatch.setattr(play, "puzzle_level", lambda puzzle, _: 1 + (puzzle.position != only))

    def drawn(query):
        answer = ask({"host": HERE}, path=f"/puzzles?level=1{query}")
        assert answer.status == 303
        (position,) = parse_qs(urlsplit(answer.headers["location"]).query)["position"]
        return canonical(Board(position).position)

    assert drawn("") == only
    assert drawn(f"&after={turned(only, SYMMETRIES[1])}") != only


def test_puzzle_explains_right_and_wrong_moves_and_its_end():
    def answer(position, cell):
        return json.loads(page(f"/puzzles?position={position}").data)["answers"][str(cell)]

    ending = {"marks": "XXXOO....", "line": [0, 1, 2], "title": "How it ends: X has won"}
    assert answer("XX.OO....", 2)["end"] == ending
    why = "X at 9, in the bottom-right corner, turns the win into a loss. Now O can play 6."
    assert answer("XX.OO....", 8)["why"].startswith(why)
    held = answer("XX..O....", 2)
    assert held["why"].startswith(
        "O at 3, in the top-right corner, holds the draw. With best play: X 7, "
    )
    drawn = answer("X........", 4)["end"]
    assert (drawn["line"], drawn["title"]) == ([], "How it ends: a draw")


def test_too_large_search_offers_a_smaller_one():
    answer = page("/learn?position=X...O...X&search=minimax")
    assert "From X...O...X minimax looks at 1,053 boards: too many" in answer.text
    assert "Follow alpha-beta from X...O...X" in answer.text
    answer = page("/learn?position=XO..X....")
    assert (
        "From XO..X.... alpha-beta looks at 410 boards: too many to follow. "
        "From XO..X...O alpha-beta looks at 93."
    ) in answer.text
    *_, instead = (link for name, link in answer.attributes if name == "href" and "?" in link)
    assert json.loads(page(instead).data)["steps"][-1]["nodes"] == 93


def test_search_has_steps_and_boards():
    data = json.loads(page("/learn?position=..xxoo.xo&search=nonsense").data)
    assert data["search"] == "alphabeta"  # the default
    last = data["steps"][-1]
    assert len(data["boards"]) == last["nodes"] + last["cut"]
    windows = [(step["alpha"], step["beta"], step["window"]) for step in data["steps"]]
    assert windows[5] == (-7, 100, "loss in 3 to ∞")  # O is sure of a loss in 3 or better
    assert windows[11] == (8, -7, "win in 2 to loss in 3")  # closed: the rest is cut
    root, *others = data["boards"]
    assert (root["value"], root["text"], root["window"]) == ("win in 3", "X to move", None)
    won = next(board for board in others if board["line"])
    assert (won["text"], won["marks"], won["line"]) == ("X plays 7", "XOXXOOXXO", [0, 3, 6])
    assert {board["value"][0] for board in others if board["value"]} & {"≤", "≥"}  # bounds
