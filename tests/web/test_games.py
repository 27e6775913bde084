"""The pages of stored games: the table with its filters, each game, and the statistics."""

import re
from datetime import datetime
from random import Random

import pytest
from playwright.sync_api import expect

from needed import long
from noughts.store.store import Store
from random_games import random_game
from sample_games import AT, DRAW, HOSTILE_NAMES, filled, stages

DAY_MS = 86_400_000
WON = [4, 1, 0, 2, 8]  # B's reply on an edge loses the draw


@pytest.fixture
def db(tmp_path):
    """Games 1 to 3 on usb-1, and a day later 4 and 5 on the blue table."""
    path = tmp_path / "games.db"
    filled(path, stages(WON), stages(DRAW, number=2), stages(WON, number=3, first="B"))
    later = stages(WON, number=1, seats="PP"), stages([4, 0], "x", number=2)
    filled(path, *later, board="usb-2", at=AT + DAY_MS)
    with Store(path) as store:
        store.name_board("usb-2", "blue table")
    return path


@pytest.fixture
def url(serve, db, in_zone):
    return serve(db).url


def test_filter_form_selects_games_and_sets_the_address(url, page):
    page.goto(f"{url}/games")
    page.get_by_label("Board").fill("USB-1")
    page.get_by_label("A against B").select_option("person against hard")
    page.get_by_label("A won").check()
    page.get_by_label("draw").check()
    page.get_by_label("Until").fill("2026-09-21")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(
        f"{url}/games?board=USB-1&seats=PH&since=&until=2026-09-21&result=A&result=draw"
    )
    expect(page.locator("tbody th")).to_have_text(["2", "1"])


def test_game_is_stepped_by_slider_keys_buttons_and_list(url, page):
    page.goto(f"{url}/games/1")
    remark, corner = page.locator("#sentences"), page.locator(".cell").first
    link = page.get_by_role("link", name="Try this position")
    expect(remark).to_have_text("A begins.")
    expect(page.get_by_text("A begins.")).to_have_count(1)
    page.keyboard.press("ArrowRight")
    expect(remark).to_contain_text("Move 1 of 5: A plays 5, in the centre, after 1.0 s.")
    page.keyboard.press("ArrowRight")
    expect(remark).to_contain_text("A mistake: it turns a draw into a loss. Best: 1, 3, 7 or 9.")
    expect(corner).to_have_accessible_name("1, in the top-left corner, free; win with best play")
    expect(link).to_have_attribute("href", "/?position=.O..X....")
    page.get_by_label("Show what each free cell is worth").uncheck()
    expect(corner).to_have_accessible_name("1, in the top-left corner, free")
    page.keyboard.press("End")
    expect(remark).to_contain_text("A has won: diagonal from the top left.")
    expect(page.locator("#falling")).to_have_text("diagonal from the top left: +3")
    expect(page.locator(".cell.line")).to_have_count(3)
    expect(link).to_be_hidden()
    page.keyboard.press("Home")
    page.keyboard.press("ArrowLeft")  # there is no earlier step
    expect(remark).to_have_text("A begins.")
    graph = page.get_by_role("slider", name="Evaluation over the game")
    graph.fill("4")
    expect(remark).to_contain_text("Move 4 of 5: B plays 3")
    page.get_by_role("button", name="Back", exact=True).click()
    expect(remark).to_contain_text("Move 3 of 5")
    page.get_by_role("button", name="Show move 2").click()
    expect(page.locator("[aria-current=step] button")).to_have_text("Show move 2")
    text = re.compile("after move 2, B .*, mistake: A wins")
    expect(graph).to_have_attribute("aria-valuetext", text)
    graph.press("ArrowRight")
    expect(remark).to_contain_text("Move 3 of 5")


def test_game_plays_back_at_its_original_speed(url, chromium):
    context = chromium.new_context()  # whose time the test controls
    page = context.new_page()
    page.clock.install(time=datetime(2026, 1, 1))
    page.goto(f"{url}/games/1")
    slider = page.get_by_role("slider", name="Evaluation over the game")
    expect(slider).to_have_value("0")
    page.clock.pause_at(datetime(2026, 1, 2))
    play = page.get_by_role("button", name="Play", exact=True)
    play.click()
    for passed_ms, move in ((999, "0"), (1, "1"), (999, "1"), (1, "2")):
        page.clock.run_for(passed_ms)
        expect(slider).to_have_value(move)
    page.get_by_role("button", name="Stop").click()
    page.clock.run_for(5000)
    expect(slider).to_have_value("2")
    play.click()
    page.clock.run_for(3000)
    expect(slider).to_have_value("5")
    expect(play).to_be_visible()
    context.close()


def test_hostile_names_are_shown_as_text(serve, hostile, page):
    url = serve(hostile).url
    for address in ("games", "statistics", "games/1", "games/2", "games/3", "games/4"):
        page.goto(f"{url}/{address}")
        assert page.locator("tbody tr").first.is_visible()
        assert "taken" not in page.title()
        assert page.locator("main img, main script:not([src], #view)").count() == 0
        assert not set("\u202e\u2066\x1b\x07") & set(page.locator("main").inner_text())
    page.goto(f"{url}/games?board=<script>document.title")
    expect(page.get_by_role("status")).to_contain_text(
        "1 game: boards with '<script>document.title'"
    )
    expect(page.get_by_role("cell", name=HOSTILE_NAMES[0][:40])).to_be_visible()


def test_players_keep_marks_and_colours_if_b_begins(url, page):
    page.goto(f"{url}/games/3")
    page.keyboard.press("ArrowRight")  # B's first move, in the centre
    mark = page.locator(".cell").nth(4).locator(".O")
    blue = mark.evaluate("mark => getComputedStyle(mark).stroke")
    expect(page.get_by_role("link", name="Try this position")).to_have_attribute(
        "href", "/?position=....O....&first=O"
    )
    page.get_by_role("link", name="Try this position").click()
    expect(page.get_by_role("button", name="5, in the centre, O")).to_be_visible()
    page.goto(f"{url}/statistics")
    bar = page.locator(".bar .b").first
    assert bar.evaluate("bar => getComputedStyle(bar).fill") == blue


LONG_ID = "usb-9904360258824e45007c1011000000160000000097969901"
OVERFLOWS = """() => [...document.querySelectorAll(".scroll")]
    .filter((box) => box.scrollWidth > box.clientWidth).map((box) => box.ariaLabel)"""


TEXT_SIZES = """() => [...document.querySelectorAll("main svg text")]
    .map((text) => parseFloat(getComputedStyle(text).fontSize) * text.getScreenCTM().a)"""


@pytest.mark.parametrize("address", ["games", "games/1", "statistics", "learn?position=..XXOO.XO"])
def test_narrow_page_has_no_sideways_scroll_and_text_that_can_be_read(serve, db, page, address):
    """The text is that in pictures, which get smaller with the page."""
    filled(db, stages(WON), stages(DRAW, number=2), board=LONG_ID)
    page.goto(f"{serve(db).url}/{address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    try:
        for width in (360, 390, 700, 768, 820, 1024):
            page.set_viewport_size({"width": width, "height": 844})
            if not address.startswith("learn"):  # whose tree is wider than a phone
                assert page.evaluate(OVERFLOWS) == [], width
            if width == 390:
                assert all(size >= 11.9 for size in page.evaluate(TEXT_SIZES))
            if address == "games":  # who played is seen wherever there is room
                assert page.get_by_role("columnheader", name="A", exact=True).is_visible() == (
                    width > 720
                )
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_id_that_is_too_long_for_its_column_shows_its_end(serve, db, page):
    """Boards of one class differ only there."""
    filled(db, stages(WON), board=LONG_ID)
    url = serve(db).url
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        page.goto(f"{url}/games")
        end_is_in_view = page.get_by_role("cell", name="usb-…").evaluate(
            """(cell) => {
                const text = document.createNodeIterator(cell, NodeFilter.SHOW_TEXT).nextNode();
                const range = new Range();
                range.setStart(text, text.length - 4);
                range.setEnd(text, text.length);
                const [end, box] = [range.getBoundingClientRect(), cell.getBoundingClientRect()];
                return cell.scrollWidth > cell.clientWidth
                    && end.left >= box.left && end.right <= box.right;
            }"""
        )
        assert end_is_in_view
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_equal_values_are_written_once_instead_of_in_each_cell(url, page):
    page.goto(f"{url}/games/1")
    common_value = page.get_by_text("Every move here has the same value: draw.")
    expect(common_value).to_be_visible()
    corner = page.locator(".cell").first
    expect(corner).to_have_text("")
    expect(corner).to_have_accessible_name("1, in the top-left corner, free; draw with best play")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # after B's mistake
    expect(corner).to_have_text("win")
    expect(common_value).to_be_hidden()


@pytest.mark.parametrize("width", [1280, long(1920)])
def test_filter_has_two_even_rows(url, page, width):
    page.set_viewport_size({"width": width, "height": 800})
    try:
        page.goto(f"{url}/games?board=usb")
        fields = [page.get_by_label(name) for name in ("Board", "A against B", "Since", "Until")]
        boxes = [field.bounding_box() for field in fields]
        assert len({box["y"] for box in boxes}) == len({box["width"] for box in boxes}) == 1
        assert [box["x"] for box in boxes] == sorted(box["x"] for box in boxes)
        second_row = [
            page.get_by_role("group", name="Result").bounding_box(),
            page.get_by_role("button", name="Show").bounding_box(),
            page.get_by_role("link", name="All games").bounding_box(),
        ]
        middles = [box["y"] + box["height"] / 2 for box in second_row]
        assert max(middles) - min(middles) < second_row[0]["height"] / 2
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_phone_shows_four_positions_until_more_are_asked_for(serve, tmp_path, page):
    dice = Random(1)
    games = (random_game("00000A83", number, dice) for number in range(1, 61))
    url = serve(filled(tmp_path / "many.db", *games)).url
    positions = page.locator(".positions li:visible")
    page.goto(f"{url}/statistics")
    expect(positions).to_have_count(9)
    page.set_viewport_size({"width": 390, "height": 844})
    try:
        expect(positions).to_have_count(4)
        page.get_by_text("5 more").click()
        expect(positions).to_have_count(9)
        assert page.evaluate("document.documentElement.scrollHeight") < 6 * 844
    finally:
        page.set_viewport_size({"width": 1280, "height": 720})


def test_number_that_no_game_has_is_named_and_there_is_a_way_on(url, page):
    page.goto(f"{url}/games/{'9' * 23}")
    expect(page.get_by_role("status")).to_have_text(f"There is no game {'9' * 23}.")
    page.get_by_role("link", name="See all games").click()
    expect(page.get_by_role("heading", name="Games")).to_be_visible()
    page.errors.clear()  # the 404
