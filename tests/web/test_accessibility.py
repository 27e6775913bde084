"""Everybody can use the pages: axe-core finds no violations, and they fit on a phone."""

import io

import pytest
from PIL import Image
from playwright.sync_api import expect

from accessibility import violations
from browser import cell, says
from live_page import board_sends
from needed import long
from sample_games import BOOT, stages

PHONE, SCREEN = {"width": 360, "height": 640}, {"width": 1280, "height": 720}
PROJECTOR = {"width": 1920, "height": 1080}


@pytest.fixture
def page(page):
    page.set_viewport_size(PHONE)
    yield page
    page.set_viewport_size(SCREEN)
    page.emulate_media(color_scheme="null", forced_colors="none")


def check(page):
    """Check all rules on a phone and on a screen; other colours change only contrasts."""
    contrast = ["color-contrast"]
    for size, scheme, forced, rules in (
        (SCREEN, "light", "none", []),
        (PHONE, "light", "none", []),
        (PHONE, "dark", "none", contrast),
        (PROJECTOR, "light", "active", contrast),
    ):
        page.set_viewport_size(size)
        page.emulate_media(color_scheme=scheme, forced_colors=forced)
        assert not violations(page, rules), (size, scheme, forced)
        assert page.evaluate("document.documentElement.scrollWidth") <= size["width"]


def test_play(server, page):
    page.goto(f"{server.url}/?opponent=friend&moves=4108")
    says(page, "X’s turn")
    page.get_by_label("What each free cell is worth").check()
    page.get_by_label("Chance of winning against random play").check()
    check(page)


def test_puzzles(server, page):
    page.goto(f"{server.url}/puzzles?position=X........")
    cell(page, 2).click()
    says(page, "Wrong: 2 is not the move.")
    check(page)


def test_large_tree_scrolls_to_the_current_step(server, page):
    page.set_viewport_size({"width": 240, "height": 640})  # as on a phone with large type
    page.goto(f"{server.url}/learn?position=XO..X...O&step=100")
    now, tree = page.locator("[aria-current=step]"), page.get_by_role("region", name="The boards")
    inside, outside = now.bounding_box(), tree.bounding_box()
    assert outside["x"] <= inside["x"]
    assert outside["y"] <= inside["y"] <= outside["y"] + outside["height"] - inside["height"]


TOPS = "(links) => links.map((link) => link.getBoundingClientRect().top)"


def test_navigation_is_one_line_and_the_name_is_not_split(server, page):
    page.goto(server.url)
    links = page.get_by_role("navigation", name="Pages").get_by_role("link")
    for width in (360, 768, 820, 900, 1024, 1920):
        page.set_viewport_size({"width": width, "height": 900})
        assert len(set(links.evaluate_all(TOPS))) == 1, width
        name = page.locator(".brand").bounding_box()
        assert name is None or name["width"] > 2.5 * name["height"], width


def test_text_grows_on_a_projector(server, page):
    page.set_viewport_size(PROJECTOR)
    page.goto(server.url)
    text = page.get_by_label("Opponent")
    assert text.evaluate("text => parseFloat(getComputedStyle(text).fontSize)") > 20


def test_phone_shows_the_tree_next_to_the_buttons_that_step(server, page):
    page.goto(f"{server.url}/learn?position=XO..X...O&step=100")
    tree = page.get_by_role("region", name="The boards")
    tree.scroll_into_view_if_needed()
    for button in ("Back", "Play", "Forward"):
        button = page.get_by_role("button", name=button, exact=True)
        expect(button).to_be_in_viewport(ratio=1)
    assert tree.bounding_box()["height"] > PHONE["height"] / 3


@pytest.mark.parametrize(
    "address",
    [
        *("learn?position=..XXOO.XO&step=12", "games", "games/1", "statistics"),
        *map(long, ("learn?position=X...O....", "games?board=nobody", "x")),
    ],
)
def test_other_pages(serve, hostile, page, address):
    page.goto(f"{serve(hostile).url}/{address}")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.keyboard.press("End")  # to the end of a game
    check(page)
    page.errors.clear()  # the 404 for x


def test_boards_and_class(stand_in, serve, page):
    server = serve(boards=1)
    page.goto(f"{server.url}/boards")
    board_sends(server.live_boards, BOOT, *stages([4], seats="PP"))
    board = page.get_by_role("article")
    expect(board.locator(".headline")).to_have_text("Player B's turn")
    board.get_by_text("Details, update and flash").click()
    check(page)
    page.goto(f"{server.url}/class")
    expect(page.get_by_text("A person")).to_be_visible()
    check(page)


def dark_runs(board, at):
    """How many dark lines a horizontal line crosses on a board that has no marks there."""
    picture = Image.open(io.BytesIO(board.screenshot())).convert("L")
    row = [picture.getpixel((x, int(picture.height * at))) < 128 for x in range(picture.width)]
    return sum(
        dark and not dark_before for dark_before, dark in zip([False, *row], row, strict=False)
    )


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("?opponent=friend", "Board"),
        long("learn?position=.........", "The position: click a cell to fill or clear it"),
        ("games/1", "Board"),
    ],
)
def test_board_has_a_grid_and_a_frame_with_forced_colours(serve, hostile, page, address, name):
    page.set_viewport_size(SCREEN)
    page.emulate_media(forced_colors="active")
    page.goto(f"{serve(hostile).url}/{address}")
    board = page.get_by_role("group", name=name)
    expect(board.get_by_role("button")).to_have_count(9)
    # The left and the right of the frame, and two lines of the grid.
    assert dark_runs(board, 0.04) == 4


def test_best_move_has_a_ring_with_forced_colours(server, page):
    page.emulate_media(forced_colors="active")
    page.goto(f"{server.url}/?opponent=friend&moves=41")
    page.get_by_label("What each free cell is worth").check()
    best = page.get_by_role("button", name="the best move").first
    assert best.evaluate("cell => getComputedStyle(cell).outlineStyle") == "solid"
