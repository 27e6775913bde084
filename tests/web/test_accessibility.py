"""Everybody can use the pages: axe-core finds nothing, and a phone is wide enough."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from browser import cell, says
from live_page import told
from noughts.recording.events import PortOpened
from sample_games import BOOT, stages


@pytest.fixture
def phone(page):
    page.set_viewport_size({"width": 360, "height": 640})
    yield page
    page.set_viewport_size({"width": 1280, "height": 720})
    page.emulate_media(color_scheme="null")


def check(page):
    for scheme, rules in (("light", {}), ("dark", {"runOnly": ["color-contrast"]})):
        page.emulate_media(color_scheme=scheme)  # which changes colours alone
        found = Axe().run(page, options={"resultTypes": ["violations"], **rules})
        assert found.violations_count == 0, found.generate_report()
    assert is_wide_enough(page)


def is_wide_enough(page, width=360):
    return page.evaluate("document.documentElement.scrollWidth") <= width


def test_play(server, phone):
    phone.goto(f"{server.url}/?opponent=friend&moves=4108")
    says(phone, "X’s turn")
    phone.get_by_label("What each free cell is worth").check()
    check(phone)
    phone.get_by_label("Chance to win against random play").check()
    check(phone)


def test_puzzles(server, phone):
    phone.goto(f"{server.url}/puzzles?position=X........")
    cell(phone, 2).click()
    says(phone, "Wrong: 2 is not the move.")
    check(phone)


def test_learn(server, phone):
    for query in ("..XXOO.XO&step=12", "X...O....", "XO..X...O&step=100"):
        phone.goto(f"{server.url}/learn?position={query}")
        if not query.endswith("100"):  # where there are 117 boards of the same kind
            check(phone)
    assert is_wide_enough(phone)
    now, tree = phone.locator("[aria-current=step]"), phone.get_by_role("region", name="The boards")
    inside, outside = now.bounding_box(), tree.bounding_box()
    assert outside["y"] <= inside["y"] <= outside["y"] + outside["height"] - inside["height"]


def test_games_and_statistics(serve, hostile, phone):
    url = serve(hostile).url
    for address in ("games", "games?board=nobody", "games/1", "statistics"):
        phone.goto(f"{url}/{address}")
        expect(phone.get_by_role("heading", level=1)).to_be_visible()
        if address == "games/1":
            phone.keyboard.press("End")
        check(phone)
        phone.set_viewport_size({"width": 1024, "height": 640})
        assert is_wide_enough(phone, 1024)
        phone.set_viewport_size({"width": 360, "height": 640})


def test_boards_and_class(stand_in, serve, phone):
    server = serve(boards=1)
    phone.goto(f"{server.url}/boards")
    told(server.live_boards, PortOpened("virtual-1", "there"), BOOT, *stages([4], seats="PP"))
    board = phone.get_by_role("article")
    expect(board.locator(".headline")).to_have_text("Player B's turn")
    board.get_by_text("Update or flash").click()
    check(phone)
    phone.goto(f"{server.url}/class")
    expect(phone.get_by_text("person against person")).to_be_visible()
    check(phone)
