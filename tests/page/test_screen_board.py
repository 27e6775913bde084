"""A micro:bit on the screen: the flash image that boards get, on the emulator's core."""

import pytest
from playwright.sync_api import expect

import build_page
from noughts.boards.flash import our_hex


@pytest.fixture(scope="module")
def path(tmp_path_factory, no_library):
    path = tmp_path_factory.mktemp("screen") / "noughts.html"
    library = build_page.UsbLibrary(no_library, "")
    path.write_text(build_page.whole_page(our_hex(), library), "utf-8")
    return path


@pytest.fixture
def page(open_page, path):
    page = open_page(path, "screen_board")
    page.get_by_role("button", name="Switch it on").click()
    expect(page.locator(".screen-board .l9").first).to_be_visible()
    return page


def situation(page):
    return page.locator(".screen-board .who")


def test_game_is_played_by_mouse_and_stays(page):
    expect(page.get_by_text("micro:bit V1")).to_be_visible()
    page.get_by_role("button", name="Button B").click()
    expect(situation(page)).to_have_text("Player A (✕) to move")
    page.get_by_role("button", name="Button B").click()
    expect(situation(page)).to_have_text("Player B (◯) to move")
    page.get_by_role("button", name="Buttons A and B together").click()
    expect(situation(page)).to_have_text("In the menu: a second person")
    page.get_by_role("link", name="Games").click()
    expect(page.get_by_role("region", name="All games")).to_contain_text("abandoned")


def test_game_is_played_by_keys(page):
    expect(page.get_by_text("micro:bit V1")).to_be_visible()
    page.locator(".microbit").focus()
    page.keyboard.press("b")
    expect(situation(page)).to_have_text("Player A (✕) to move")


def test_board_stands_still_while_another_part_is_shown(page):
    page.get_by_role("link", name="Play").click()
    page.get_by_role("link", name="On the screen").click()
    expect(page.get_by_text("micro:bit V1")).to_be_visible()
    expect(page.locator(".screen-board")).to_have_count(1)
