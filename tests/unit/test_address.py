"""What the address of a page chooses, in the words of `noughts games`."""

from datetime import date, timedelta

import pytest
from starlette.datastructures import QueryParams

from noughts.errors import NoughtsError
from noughts.store.filter_words import ChosenGames, day
from noughts.web.address import chosen_games, game_number, page_number


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


def test_what_was_chosen_is_said_in_words():
    chosen = ChosenGames(
        ("blue", "9900"), "PH", ("A", "draw"), date(2026, 11, 20), date(2026, 11, 21)
    )
    assert chosen.in_words() == (
        "boards with 'blue' or '9900' in their name, person against hard, results A or draw, "
        "since 2026-11-20, until 2026-11-21"
    )
    assert ChosenGames().in_words() == ""


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
        ("result=won", "result: 'won' is not a result; choose from A, B, draw, "),
        ("seats=PHP", "seats: 'PHP' is not two letters of "),
        ("result=" + "x" * 99, f"result: '{'x' * 20}' is not a result; "),
        ("since=" + "x" * 99, f"since: '{'x' * 20}' is not a usable date; "),
        ("since=someday", "since: 'someday' is not a usable date; write today, yesterday, "),
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
