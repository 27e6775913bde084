"""Puzzles, and the page that steps through a search, in a real browser."""

import re
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from browser import cell, says
from noughts.game.positions import canonical, parse
from noughts.game.puzzles import puzzle_of

LESSON = "..XXOO.XO"


def streak(page):
    return page.locator("dd").all_inner_texts()


def shown(page):
    return parse_qs(urlsplit(page.url).query)["position"][0]


def test_right_and_wrong_answers_change_the_streak(server, page):
    page.goto(f"{server.url}/puzzles?position=XX.OO....")
    says(page, "X to move: find the only move that wins.")
    page.keyboard.press("3")
    page.get_by_text("X at 3, in the top-right corner, wins at once.").wait_for()
    assert cell(page, 3).get_attribute("aria-label") == "3, in the top-right corner, X, right"
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


def next_puzzle(page):
    was = page.url
    page.get_by_role("button", name="Next puzzle").click()
    page.wait_for_url(lambda url: url != was)


def test_showing_the_move_ends_the_streak(server, page):
    page.goto(f"{server.url}/puzzles?position=XX.OO....")
    cell(page, 3).click()
    says(page, "Right!")
    next_puzzle(page)
    cell(page, puzzle_of(parse(shown(page))).right + 1).click()
    says(page, "Right!")
    assert streak(page) == ["2", "2"]
    page.goto(f"{server.url}/puzzles?position=XX..O....")
    prompt = page.get_by_text("Choose a cell")
    expect(prompt).to_be_visible()
    page.get_by_role("button", name="Show the move").click()
    says(page, "The only move is 3.")
    expect(prompt).to_be_hidden()
    assert streak(page) == ["0", "2"]


def test_next_puzzle_is_a_different_one_of_the_same_level(server, page):
    page.goto(f"{server.url}/puzzles")
    page.get_by_role("status").filter(has_text="find the only move").wait_for()
    was = page.url
    page.get_by_label("Level").select_option("3")
    page.wait_for_url(lambda url: url != was)
    page.get_by_text("★★★", exact=True).wait_for()
    expect(page.get_by_label("Level")).to_have_value("3")
    position_before = canonical(parse(shown(page)))
    with page.expect_request(f"**/puzzles?after={shown(page)}&level=3"):
        next_puzzle(page)
    now = canonical(parse(shown(page)))
    assert puzzle_of(now) and now != position_before
    expect(cell(page, 5)).to_be_focused()


def test_forward_and_back_step_through_a_search(server, page):
    page.goto(f"{server.url}/learn?position={LESSON}")
    forward = page.get_by_role("button", name="Forward")
    back = page.get_by_role("button", name="Back")
    boards = page.locator("#tree .one:visible")
    says(page, "X is to move: which move is best?")
    expect(boards).to_have_count(1)
    expect(back).to_have_attribute("aria-disabled", "true")
    for _ in range(3):
        forward.click()
    says(page, re.compile("X plays 7 and has a line: a win in 3 for X"))
    expect(boards).to_have_text(
        ["X to move: …", "X plays 1: …", "O plays 2: …", "★ X plays 7: win in 3"]
    )
    back.click()
    assert page.url.endswith(f"/learn?position={LESSON}&search=alphabeta&step=3")
    page.reload()
    expect(boards).to_have_text(["X to move: …", "X plays 1: …", "O plays 2: …"])
    page.goto(f"{page.url}.5")  # a link may have been typed
    expect(boards).to_have_text(["X to move: …", "X plays 1: …", "O plays 2: …"])


def test_search_shows_a_cut_and_its_last_step(server, page):
    page.goto(f"{server.url}/learn?position={LESSON}&step=12")
    says(page, re.compile(r"1 move cut \(7\): X already has a win in 3"))
    expect(page.locator("[aria-current=step]")).to_have_text("✂ O plays 7: cut")
    figures = page.locator("#figures div")
    expect(figures.filter(has_text="Moves cut").locator("dd")).to_have_text("1 of 2")
    expect(figures.filter(has_text="Window of O")).to_contain_text("win in 2 to loss in 3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".cut:visible")).to_have_count(0)
    page.goto(f"{server.url}/learn?position={LESSON}&step=99999")
    says(page, re.compile("X plays 1: win in 3"))


def test_star_moves_to_a_move_that_is_better(server, page):
    stars = page.locator("#tree .one:visible").filter(has_text="★ O plays")
    page.goto(f"{server.url}/learn?position=X.O.OX.XO&step=5")
    expect(stars).to_have_text([re.compile("O plays 4: ")])
    page.get_by_role("button", name="Forward").click()
    expect(stars).to_have_text([re.compile("O plays 7: ")])


def test_position_can_be_set_up_with_clicks_and_keys(server, page):
    page.goto(f"{server.url}/learn")
    page.get_by_role("button", name="Clear the board").click()
    board = page.get_by_role("group", name="The position")
    for number in (1, 2, 5, 9):
        board.get_by_role("button", name=f"cell {number}, free").click()
    expect(page.get_by_label("Nine characters")).to_have_value("XO..X...O")
    board.get_by_role("button", name="cell 9, O").click()
    board.get_by_role("button", name="cell 5, X").press("4")
    expect(page.get_by_label("Nine characters")).to_have_value("XO.OX....")
    page.get_by_role("button", name="Clear the board").click()
    for number in "12594":
        board.get_by_role("button", name="cell 3, free").press(number)
    page.get_by_role("button", name="Follow the search").click()
    says(page, "O is to move: which move is best?")
