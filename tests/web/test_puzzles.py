"""Puzzles in a real browser."""

from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import expect

from browser import cell, says
from noughts.game.positions import canonical, parse
from noughts.game.puzzles import puzzle_of
from sample_games import filled, stages


def streak(page):
    return page.locator("dd").all_inner_texts()


def shown(page):
    return parse_qs(urlsplit(page.url).query)["position"][0]


def test_right_wrong_and_the_streak(server, page):
    page.goto(f"{server.url}/puzzles?position=XX.OO....")
    says(page, "X to move: find the only move that wins.")
    page.keyboard.press("3")
    says(page, "Right!")
    page.get_by_text("X at 3, top right, is a win in 1.").wait_for()
    assert cell(page, 3).get_attribute("aria-label") == "3, top right, X, right"
    assert streak(page) == ["1", "1"]
    page.goto(f"{server.url}/puzzles?position=X........")
    says(page, "O to move: find the only move that does not lose.")
    cell(page, 2).click()
    says(page, "Wrong: 2 is not the move.")
    allowed = "turns the draw into a loss. It allows: X 4, O 7, X 5, O 3, X 6."
    page.get_by_text(f"O at 2, top middle, {allowed}").wait_for()
    page.get_by_role("img", name="How it ends: X wins").wait_for()
    assert streak(page) == ["0", "1"]
    page.get_by_role("button", name="Try again").click()
    cell(page, 5).click()
    says(page, "Right!")
    assert streak(page) == ["0", "1"]  # the first answer counts
    for name in ("Show the move", "Try again"):
        assert page.get_by_role("button", name=name).is_hidden()


def test_the_level_and_what_people_did_are_shown(serve, page, tmp_path):
    """Ten people answer a corner, six of them on an edge."""
    wrong, right = [0, 1, 4, 8, 3, 5, 6], [8, 4, 0, 2, 6, 3, 7]
    answers = enumerate([wrong] * 6 + [right] * 4, 1)
    db = filled(tmp_path / "class.db", *(stages(cells, None, "PP", at) for at, cells in answers))
    page.goto(f"{serve(db).url}/puzzles?position=..X......")
    page.get_by_text("★★★ In the stored games, 6 of 10 went wrong here.").wait_for()


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


def test_a_link_to_what_is_not_a_puzzle(server, page):
    page.goto(f"{server.url}/puzzles?position=.........")
    says(page, "......... is not a puzzle; in one, exactly one move is right")
    page.errors.clear()  # the browser tells of the server's 400
    page.locator("main").get_by_role("link", name="Puzzles").click()
    page.get_by_role("status").filter(has_text="find the only move").wait_for()
    page.get_by_role("button", name="Show the move").click()
    page.get_by_role("status").filter(has_text="The only move is").wait_for()


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
