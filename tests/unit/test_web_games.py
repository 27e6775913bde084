"""The pages of games and statistics, their filters, and the report on a class."""

import json
import re
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import replace
from datetime import date
from pathlib import Path
from unittest.mock import Mock

import pytest
from starlette.datastructures import QueryParams

from asking import HERE, HtmlPage, ask, change, page
from live_page import idle_boards
from noughts.errors import NoughtsError
from noughts.game.positions import unfinished
from noughts.game.solver import value_preserving_moves
from noughts.store.game_filter import GameFilter
from noughts.store.statistics import MetPosition, met_positions, stats
from noughts.store.store import Store
from noughts.store.timestamps import of_day
from noughts.views import class_report as figures
from noughts.views.game_list import describe
from noughts.web import games as web_games
from noughts.web.games import requested_games
from noughts.web.safety import Site
from sample_games import A_WINS, AT, DRAW, add, filled, insert, stages

WON = [4, 1, 0, 2, 8]


@pytest.fixture
def many(tmp_path):
    """A store with two pages of games."""
    games = (stages(WON, number=number, step_ms=1150) for number in range(1, 51))
    return filled(tmp_path / "games.db", *games)


def links(html_page):
    return [address for name, address in html_page.attributes if name == "href"]


def test_query_is_read_like_command_line_options(monkeypatch):
    monkeypatch.setattr("noughts.store.timestamps.today", lambda: date(2026, 11, 22))
    query = QueryParams(
        "board=blue+table&board=9900&seats=PP&seats=ph&result=a&result=DRAW&result=A"
        "&since=2026-11-21&until=today&other=1"
    )
    chosen = requested_games(query)
    boards, moments = ("blue table", "9900"), [of_day(date(2026, 11, day)) for day in (21, 23)]
    assert chosen == GameFilter(boards, "PH", ("A", "draw"), *moments, moved=True)
    assert describe(chosen) == (
        "boards with 'blue table' or '9900' in their name or USB id, person against hard, "
        "A won or draw, since 2026-11-21, until 2026-11-22"
    )


def test_filter_accepts_days_without_a_midnight(in_zone):
    in_zone("Africa/Cairo")
    chosen = requested_games(QueryParams("since=2026-04-24&until=2026-04-23"))
    assert describe(chosen) == "since 2026-04-24, until 2026-04-23"


def test_invalid_value_error_names_the_field_and_shortens_the_value():
    with pytest.raises(NoughtsError, match=f"^since: '{'x' * 20}' is not a usable date; "):
        requested_games(QueryParams("since=" + "x" * 99))


@pytest.mark.parametrize("number", ["0", "-1", "1.5", "x", "²", "٣", "9" * 19, "9" * 5000])
def test_invalid_page_shows_the_first_and_invalid_game_is_404(many, number):
    assert page(f"/games?page={number}", many).status == "50 games, page 1 of 2"
    assert "This page cannot be shown" in page(f"/games/{number}", expected=404).text


@pytest.mark.parametrize("address", ["/nothing", "/games/x", "/" + "x" * 5000])
def test_address_without_a_page_is_answered_in_words(many, address):
    assert page(address, many, expected=404).status == "There is no such page."


def test_page_after_the_last_shows_the_last(many):
    answer = page("/games?page=3", many)
    assert answer.status == "50 games, page 2 of 2"
    assert [row[0] for row in answer.rows[1:]] == [str(number) for number in range(25, 0, -1)]
    assert {row[6] for row in answer.rows[1:]} == {"6"}  # 5.75 seconds, rounded
    pages = [link for link in links(answer) if "page=" in link]
    assert pages == ["?page=1", "?page=1"]  # the newest, and newer ones
    none = page("/games?seats=PP", many)
    assert none.status == "No game matches." and none.text.count("All games") == 1


def test_form_shows_the_filter_and_links_preserve_it(many):
    answer = page("/games?board=usb&seats=ph&since=2026-09-01&result=A&until=&page=2", many)
    assert answer.status == (
        "50 games: boards with 'usb' in their name or USB id, person against hard, A won, "
        "since 2026-09-01, page 2 of 2"
    )
    fields = ("value", "usb"), ("value", "2026-09-01"), ("selected", None), ("checked", None)
    assert set(fields) <= set(answer.attributes)
    query = "?board=usb&seats=ph&since=2026-09-01&result=A"
    assert {f"{query}&page=1", f"/games/25{query}", f"/statistics{query}"} <= set(links(answer))


def test_game_page_links_to_neighbours_within_the_filter(tmp_path):
    """Games without a time come before all others."""
    db = tmp_path / "games.db"
    for number, at in enumerate((AT, AT + 1, None, None), 1):
        filled(db, stages(WON, number=number), at=at)
    filled(db, stages(DRAW), board="usb-2")
    query = "?board=usb-1"
    assert [row[0] for row in page(f"/games{query}", db).rows[1:]] == ["2", "1", "4", "3"]
    for number, previous, following in ((3, None, 4), (4, 3, 1), (1, 4, 2), (2, 1, None)):
        answer = page(f"/games/{number}{query}", db)
        neighbours = [
            f"/games/{neighbour}{query}" for neighbour in (previous, following) if neighbour
        ]
        assert [link for link in links(answer) if query in link] == [*neighbours, f"/games{query}"]
        assert ("Previous game" in answer.text) == bool(previous)


def test_missing_game_or_unusable_store_is_404(many, tmp_path):
    for number in (0, 999):
        missing = page(f"/games/{number}", many, expected=404)
        assert missing.status == f"There is no game {number}."
    without_store = page("/games/999", tmp_path / "none.db", expected=404)
    assert without_store.status.startswith("No games are stored")
    many.write_bytes(b"marks " * 1000)
    assert "is damaged" in page("/games/1", many, expected=404).status


@pytest.mark.parametrize("address", ["/games", "/games/1", "/statistics"])
def test_pages_are_about_the_store_in_use_after_the_first_was_lost(tmp_path, address):
    site = Site(tmp_path / "games.db", 8017)
    live_boards = idle_boards(site)
    live_boards.watch.store_path = filled(tmp_path / "games-2.db", stages(WON))
    answer = ask(
        {"host": HERE, "accept": "text/html"}, path=address, site=site, live_boards=live_boards
    )
    assert answer.status == 200 and "A won" in HtmlPage(answer.text).text


def test_game_of_the_page_goes_to_the_store_in_use(tmp_path):
    site = Site(tmp_path / "games.db", 8017)
    live_boards = idle_boards(site)
    live_boards.watch.store_path = filled(tmp_path / "games-2.db", stages(WON))
    game = {"session": "00000001", "number": 1, "opponent": "friend", "first": True}
    body = json.dumps(game | {"moves": "03142", "times": [1, 2, 3, 4, 5]}).encode()
    sent = ask(change(site), "POST", "/api/games", (body,), site=site, live_boards=live_boards)
    assert sent.json["game"] == 2 and not site.db.exists()


def test_empty_store_says_how_to_get_a_game(store):
    for address in ("/games?board=x", "/statistics"):
        answer = page(address, store.path)
        assert answer.status == "No game is stored yet."
        assert "stores every game that it sends" in answer.text


def test_game_page_is_readable_without_a_script(tmp_path):
    answer = page("/games/1", filled(tmp_path / "games.db", stages(WON, first="B")))
    verdict = "? A mistake: it turns a draw into a loss. Best: 1, 3, 7 or 9."
    assert answer.rows[2] == ["2", "A ✕", "2 , on the top edge", "1.0 s", verdict]
    for text in (
        "Game 1: B won A ✕ a person B ◯ the chip (hard)",
        "B begins.",
        "B has won: diagonal from the top left.",
        "Kind micro:bit V1 Hard uses table 2798 Number game 1 since the board was switched on",
    ):
        assert text in answer.text
    assert ("role", "img") in answer.attributes  # the final position


def test_table_is_named_only_in_games_with_hard(tmp_path):
    db = filled(tmp_path / "games.db", stages(WON, seats="PE"), stages(WON, seats="HP", number=2))
    assert "Kind micro:bit V1 Number" in page("/games/1", db).text
    assert "Kind micro:bit V1 Hard uses table 2798 Number" in page("/games/2", db).text


def test_game_page_omits_unknown_facts(tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:
        insert(store, "usb-1", stages(WON)[-1], None)
    answer = page("/games/1", tmp_path / "games.db")
    assert "Kind" not in answer.text and [row[3] for row in answer.rows[1:]] == ["–"] * 5


def test_game_page_data_has_every_step(tmp_path):
    view = json.loads(page("/games/1", filled(tmp_path / "games.db", stages(WON, first="B"))).data)
    assert [step["next"] for step in view["steps"]] == ["B", "A", "B", "A", "B", None]
    assert view["thought_ms"] == [1000] * 5


def test_statistics_have_tables_and_bars(tmp_path):
    """A person who plays O on an edge loses twice; another board has a game between people."""
    mistaken = [stages(WON, number=n, seats="HP", step_ms=n * 2000) for n in (1, 2)]
    db = filled(tmp_path / "games.db", *mistaken, stages(DRAW, number=3, step_ms=500))
    filled(db, stages(DRAW, seats="PP"), board="usb-2")
    answer = page("/statistics", db)
    assert answer.status == "4 games" and "4 games 2 boards" in answer.text
    results = answer.source.split('class="bar"')[3].split("</svg>")[0]
    assert re.findall(r'width="(\d+)"', results) == ["100", "0", "0", "0"]  # A won them all
    assert ["0 (0%)", "2 (100%)", "0 (0%)"] in answer.rows  # first moves
    people = answer.rows.index(["person", "5", "18", "2", "0.40", "1.0", "0.6 to 1.0"])
    assert answer.rows[people + 1][0] == "hard"  # people come first
    assert "1 ✓ 2 ✗ 3 ✓ 4 6 7 ✓ 8 9 ✓" in answer.text  # where people went wrong
    assert ("aria-label", "O to move; X has 5; O has no cell") in answer.attributes
    assert ("href", "/?position=....X....") in answer.attributes
    assert "Nobody made a mistake." in page("/statistics?board=usb-2", db).text
    assert page("/statistics?result=abandoned", db).status == "No game matches."


def test_statistics_are_cached_until_the_store_changes(tmp_path, monkeypatch):
    stats = Mock(wraps=web_games.stats)
    monkeypatch.setattr(web_games, "stats", stats)
    db = filled(tmp_path / "games.db", stages(DRAW))
    filled(db, stages(DRAW), board="usb-2")
    assert [page("/statistics", db).status for _ in range(2)] == ["2 games"] * 2
    Path(f"{db}-wal").touch()  # an empty log: a program is reading
    assert page("/statistics", db).status == "2 games" and stats.call_count == 1
    board = "1 game: boards with 'usb-2' in their name or USB id"
    assert page("/statistics?board=usb-2", db).status == board
    with Store(db) as watch:
        for sentence in stages(DRAW, number=2):
            add(watch, "usb-2", sentence, AT)
        assert page("/statistics", db).status == "3 games"
        assert stats.call_count == 3


@pytest.fixture
def stored(tmp_path):
    """A person who begins makes no mistake; one who moves second answers the centre on an edge."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW),
        stages(A_WINS, seats="PH", number=2),  # the mistake is the chip's
        stages(A_WINS, seats="PH", number=3, first="B"),
        stages([4, 3, 0, 8, 1, 7, 2], seats="PE", number=4, first="B"),  # the same, turned
        stages([4, 1], "x", seats="PP", number=5),  # abandoned: its moves are not counted
    )
    return filled(path, stages(A_WINS, seats="PP"), board="usb-2", at=AT + 86_400_000)


def pictures(page):
    return page.attributes.count(("role", "img"))


@pytest.fixture
def report(printed):
    """Runs `report`; gives the page that it writes."""
    return lambda *words, **named: HtmlPage(printed("report", *words, **named))


def test_report_shows_results_boards_first_moves_and_mistakes(noughts, stored, tmp_path):
    with Store(stored) as store:
        store.name_board("usb-2", "blue table")
    file = tmp_path / "class.html"
    assert noughts("report", "-o", file) == (0, f"{file} written: 6 games on 2 boards\n", "")
    page = HtmlPage(file.read_text("utf-8"))
    rows = [[row[0], *row[2:]] for row in page.rows]  # without the bar
    assert ["person against hard", "A", "2", "1", "0", "1", "0", "0"] in rows
    boards = {row[0]: row[1:9] for row in rows}
    assert boards["blue table"] == ["1", "0", "0", "0", "1", "0", "1", "0.50"]
    assert boards["usb-1"] == ["5", "1", "1", "2", "0", "1", "2", "0.50"]
    assert ["2", "3", "3", "100%"] in rows  # the second move of the game
    for text in (
        "1 – 1 – 2 won, drawn, lost against the chip",
        "Where people began 3 games: 100% in the centre, 0% in a corner, 0% on an edge.",
        "Most often wrong: 2, on the top edge (3 times); it turns a draw into a loss: ",
        "X answers 1, 3, 4, 6, 7 or 9. Right: 1, 3, 7 or 9.",
    ):
        assert text in page.text


def test_report_is_self_contained(printed):
    out = printed("report", "-o", "-")
    page = HtmlPage(out)
    assert not {"script", "link", "img", "iframe", "object", "a", "base"} & set(page.tags)
    names = {name for name, _ in page.attributes}
    assert not {"src", "href", "style", "srcset"} & names
    assert not [name for name in names if name.startswith("on")]
    assert "url(" not in out and "@import" not in out and "@media print" in out
    for picture in re.findall(r"<svg.*?</svg>", out, re.DOTALL):
        ET.fromstring(picture)
    assert "2 ✗" in page.text and "1 ✓" in page.text and pictures(page) == 2


def test_report_escapes_board_names(report, stored):
    name = '\x1b[2J"><script>a&b'
    with Store(stored) as store:
        store.name_board("usb-2", name)
    page = report("--board", name.replace("\x1b", "b"), "--board", "usb-2")
    assert "script" not in page.tags and pictures(page) == 2
    assert name.replace("\x1b", "") in [row[0] for row in page.rows]
    assert name.replace("\x1b", "b") in page.text  # the filter, as typed


def test_report_covers_only_games_in_the_filter(report):
    page = report("--board", "usb-2", "--since", "2026-09-22")
    assert "Only games: boards with 'usb-2' in their name or USB id, since 2026-09-22." in page.text
    assert page.rows[-1] and "usb-1" not in page.text
    drawn = report("--seats", "PH", "--result", "draw")
    assert "0 – 1 – 0 won, drawn, lost against the chip" in drawn.text
    assert "1 game 1 board 0.50 mistakes per person per game" in page.text


def test_report_writes_the_table_of_boards_as_csv(printed, stored, tmp_path):
    with Store(stored) as store:
        store.name_board("usb-2", "=1+1")
    out = printed("report", "--csv")
    assert out.startswith(
        "board,name,games,won,drawn,lost,between_people,abandoned,unfinished,mistakes,"
        "mistakes_a_game,last_utc,last_before_utc\r\n"
        "usb-2,_=1+1,1,0,0,0,1,0,0,1,0.5,2026-09-22 14:13:20.000,\r\n"
    )
    file = tmp_path / "class.csv"
    printed("report", "-o", file)
    assert file.read_bytes().decode() == out


def test_commonest_mistake_counts_symmetric_moves_together(tmp_path):
    played = [0, 1, 3, 2, 6], [0, 2, 3, 1, 6], [0, 6, 1, 3, 2]
    games = (stages(moves, seats="HP", number=n) for n, moves in enumerate(played, 1))
    with Store(filled(tmp_path / "wrong.db", *games)) as store:
        (met_position,) = (
            candidate
            for candidate in met_positions(store, GameFilter())
            if candidate.position.ply == 1
        )
    assert met_position.commonest_mistake == (2, 2)


def test_report_shows_positions_with_mistakes_as_many_as_fit_on_a_page(tmp_path):
    with Store(filled(tmp_path / "one.db", stages(WON))) as store:
        one_game = stats(store, GameFilter())
    mistaken_positions = []
    for position in unfinished():
        right = tuple(value_preserving_moves(position))
        if wrong := {*position.free} - {*right}:
            mistaken_positions.append(MetPosition(position, Counter({min(wrong): 1}), right))
    without_mistakes = replace(
        mistaken_positions[0], moves=Counter({mistaken_positions[0].right[0]: 1})
    )

    def shown(positions):
        return figures.statistics(one_game, {"usb-1": AT}, positions).positions

    assert shown(mistaken_positions[:20]) == list(
        map(figures.to_talk_about, mistaken_positions[:9])
    )
    assert shown([*mistaken_positions[:4], without_mistakes]) == list(
        map(figures.to_talk_about, mistaken_positions[:4])
    )


def test_more_frequent_first_moves_are_darker():
    picture = figures.first_moves([2, 0, 1, 0, 4, 2, 0, 0, 1])
    assert "10 games: 40% in the centre, 40% in a corner, 20% on an edge." in picture.title
    assert picture.grounds[:5] == ("heat2", "heat0", "heat1", "heat0", "heat4")
