"""Puzzles in a real browser."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from browser import cell, says
from noughts.game.positions import canonical, parse
from noughts.game.solver import puzzle_of


def streak(page):
    return page.locator("dd").all_inner_texts()


def shown(page):
    return parse_qs(urlsplit(page.url).query)["position"][0]


def test_right_wrong_and_the_streak(server, page):
    page.goto(f"{server.url}/puzzles?position=XX.OO....")
    says(page, "X to move: find the only move that wins.")
    page.keyboard.press("3")
    page.get_by_text("X at 3, top right, is a win in 1.").wait_for()
    assert cell(page, 3).get_attribute("aria-label") == "3, top right, X, right"
    assert streak(page) == ["1", "1"]
    page.goto(f"{server.url}/puzzles?position=X........")
    says(page, "O to move: find the only move that does not lose.")
    cell(page, 2).click()
    says(page, "Wrong: 2 is not the move.")
    page.get_by_role("img", name="How it ends: X has won").wait_for()
    assert streak(page) == ["0", "1"]
    page.get_by_role("button", name="Try again").click()
    cell(page, 5).click()
    says(page, "Right!")
    assert streak(page) == ["0", "1"]  # the first answer counts
    for name in ("Show the move", "Try again"):
        assert page.get_by_role("button", name=name).is_hidden()


def following(page):
    was = page.url
    page.get_by_role("button", name="Next puzzle").click()
    page.wait_for_url(lambda url: url != was)


def test_showing_the_move_ends_the_streak(server, page):
    page.goto(f"{server.url}/puzzles?position=XX.OO....")
    cell(page, 3).click()
    says(page, "Right!")
    following(page)
    cell(page, puzzle_of(parse(shown(page))).right + 1).click()
    says(page, "Right!")
    assert streak(page) == ["2", "2"]
    page.goto(f"{server.url}/puzzles?position=XX..O....")
    page.get_by_role("button", name="Show the move").click()
    says(page, "The only move is 3.")
    assert streak(page) == ["0", "2"]


def test_the_next_puzzle_is_of_the_level_and_not_the_same(server, page):
    page.goto(f"{server.url}/puzzles")
    page.get_by_role("status").filter(has_text="find the only move").wait_for()
    was = page.url
    page.get_by_label("Level").select_option("3")
    page.wait_for_url(lambda url: url != was)
    page.get_by_text("★★★", exact=True).wait_for()
    expect(page.get_by_label("Level")).to_have_value("3")
    before = canonical(parse(shown(page)))
    with page.expect_request(f"**/puzzles?after={shown(page)}&level=3"):
        following(page)
    now = canonical(parse(shown(page)))
    assert puzzle_of(now) and now != before
    expect(cell(page, 5)).to_be_focused()
