"""The page of statistics: figures, charts, and positions that can be tried."""

import pytest
from playwright.sync_api import expect

from browser import Held
from sample_games import filled, stages

WON = [4, 1, 0, 2, 8]
DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


@pytest.fixture
def db(tmp_path):
    """A person who begins loses twice against O on an edge; and a board with a game of two."""
    path = tmp_path / "games.db"
    mistaken = [stages(WON, number=number, seats="HP") for number in (1, 2)]
    filled(path, *mistaken, stages(DRAW, number=3))
    return filled(path, stages(DRAW, seats="PP"), board="usb-2")


@pytest.fixture
def url(serve, db):
    return f"{serve(db).url}/statistics"


def rows(page, name):
    """The rows of the table of this name, without its charts."""
    table = page.get_by_role("table", name=name)
    return [
        [cell for cell in row.inner_text().split("\t") if cell.strip()]
        for row in table.get_by_role("row").all()[1:]
    ]


def test_figures_charts_and_positions_that_can_be_tried(url, page):
    held = Held(page, "**/api/statistics")
    page.goto(url)
    expect(page.get_by_role("status")).to_have_text("Counting the games…")
    held.next().continue_()
    expect(page.get_by_role("status")).to_have_text("4 games")
    facts = page.locator(".facts li").all_inner_texts()
    assert [fact.replace("\n", " ") for fact in facts] == [
        "4 games",
        "2 boards",
        "0 – 1 – 2 won, drawn, lost against the chip",
        "0.40 mistakes a game, of each person",
    ]
    assert rows(page, "Results") == [
        ["person against person", "A", "1", "0", "0", "1", "0", "0"],
        ["person against hard", "A", "1", "0", "0", "1", "0", "0"],
        ["hard against person", "A", "2", "2", "0", "0", "0", "0"],
    ]
    assert [row[:8] for row in rows(page, "Boards")] == [
        ["usb-1", "3", "0", "1", "2", "0", "0", "2"],
        ["usb-2", "1", "0", "0", "0", "1", "0", "0"],
    ]
    assert rows(page, "Mistakes")[1] == ["2", "3", "2", "67%"]
    assert rows(page, "How long games are")[::4] == [["5", "2"], ["9", "2"]]
    assert [row[:4] for row in rows(page, "Players")] == [
        ["person", "5", "18", "2"],
        ["hard", "3", "10", "0"],
    ]
    widths = page.locator("section", has_text="Results").locator(".bar").nth(2).locator("rect")
    assert [each.get_attribute("width") for each in widths.all()] == ["100", "0", "0", "0"]

    first = "Where people began 2 games: 100% in the centre, 0% in a corner, 0% on an edge."
    expect(page.get_by_role("img", name=first).locator(".heat5")).to_have_count(1)
    page.get_by_text("As a table").click()
    assert rows(page, "First moves, cell by cell as on the board")[0] == [
        "0 (0%)",
        "2 (100%)",
        "0 (0%)",
    ]

    talk = page.get_by_role("listitem").filter(has_text="O to move")
    expect(talk).to_contain_text("O to move: 2 mistakes in 3 games (67%).")
    expect(talk).to_contain_text("Most often wrong: 2, on the top edge (2 times)")
    expect(talk.locator(".win")).to_have_count(4)
    expect(talk.locator(".loss")).to_have_count(1)
    expect(talk.get_by_role("link", name="Try it")).to_have_attribute(
        "href", "/?position=....X...."
    )

    page.goto(f"{url}?board=usb-2")
    expect(page.get_by_role("status")).to_have_text("1 game: boards with 'usb-2' in their name")
    expect(page.get_by_text("No person made a mistake.")).to_be_visible()
    page.goto(f"{url}?result=abandoned")
    expect(page.get_by_role("status")).to_have_text("No game matches.")
