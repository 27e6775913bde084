"""What is counted of a class: its figures, and the page and the table of `noughts report`."""

import re
import xml.etree.ElementTree as ET

import pytest

from asking import HtmlPage
from noughts.store.queries import GameFilter
from noughts.store.statistics import met_positions
from noughts.store.store import Store
from noughts.views import class_report as figures
from sample_games import A_WINS, AT, DRAW, filled, stages


@pytest.fixture
def stored(tmp_path):
    """A person who begins makes no mistake; one who moves second answers the centre on an edge."""
    path = filled(
        tmp_path / "games.db",
        stages(DRAW),
        stages(A_WINS, seats="PH", number=2),  # the mistake is the chip's
        stages(A_WINS, seats="PH", number=3, first="B"),
        stages([4, 3, 0, 8, 1, 7, 2], seats="PE", number=4, first="B"),  # the same, turned
        stages([4, 1], "x", seats="PP", number=5),  # abandoned: nothing of it is counted
    )
    return filled(path, stages(A_WINS, seats="PP"), board="usb-2", at=AT + 86_400_000)


def pictures(page):
    return page.attributes.count(("role", "img"))


@pytest.fixture
def report(printed):
    """The page that a command writes."""
    return lambda *words, **named: HtmlPage(printed("report", *words, **named))


def test_the_page_says_results_boards_first_moves_and_mistakes(noughts, stored, tmp_path):
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


def test_the_page_needs_nothing_but_itself(printed):
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


def test_names_are_text(report, stored):
    name = '\x1b[2J"><script>a&b'
    with Store(stored) as store:
        store.name_board("usb-2", name)
    page = report("--board", name.replace("\x1b", "b"), "--board", "usb-2")
    assert "script" not in page.tags and pictures(page) == 2
    assert name.replace("\x1b", "") in [row[0] for row in page.rows]
    assert name.replace("\x1b", "b") in page.text  # which games: as it was typed


def test_it_is_of_the_games_that_are_chosen(report):
    page = report("--board", "usb-2", "--since", "2026-09-22")
    assert "Only boards with 'usb-2' in their name, since 2026-09-22." in page.text
    assert page.rows[-1] and "usb-1" not in page.text
    assert "1 game 1 board 0.50 mistakes per person and game" in page.text


def test_the_table_of_boards_as_csv(printed, stored, tmp_path):
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


def test_the_commonest_mistake_counts_moves_that_are_the_same_when_turned(tmp_path):
    played = [0, 1, 3, 2, 6], [0, 2, 3, 1, 6], [0, 6, 1, 3, 2]
    games = (stages(moves, seats="HP", number=n) for n, moves in enumerate(played, 1))
    with Store(filled(tmp_path / "wrong.db", *games)) as store:
        (found,) = (each for each in met_positions(store, GameFilter()) if each.position.ply == 1)
    assert found.commonest_mistake == (2, 2)


def test_first_moves_are_darker_the_more_often_they_were_played():
    found = figures.first_moves([2, 0, 1, 0, 4, 2, 0, 0, 1])
    assert "10 games: 40% in the centre, 40% in a corner, 20% on an edge." in found.picture.title
    assert found.picture.grounds[:5] == ("heat2", "heat0", "heat1", "heat0", "heat4")
