"""The page that steps through a search."""

from playwright.sync_api import expect

LESSON = "..XXOO.XO"


def said(page):
    return page.get_by_role("status")


def figure(page, term):
    return page.locator("#figures div", has_text=term).locator("dd")


def test_forward_and_back(server, page):
    page.goto(f"{server.url}/learn?position={LESSON}")
    forward = page.get_by_role("button", name="Forward")
    back = page.get_by_role("button", name="Back")
    boards = page.locator("#tree .one:visible")
    expect(said(page)).to_have_text("X is to move: which move is best?")
    expect(boards).to_have_count(1)
    expect(back).to_have_attribute("aria-disabled", "true")
    for _ in range(3):
        forward.click()
    expect(said(page)).to_contain_text("X plays 7 and has a line: a win in 3 for X.")
    expect(boards).to_have_text(
        ["X to move: …", "X plays 1: …", "O plays 2: …", "★ X plays 7: win in 3"]
    )
    back.click()
    assert page.url.endswith(f"/learn?position={LESSON}&search=alphabeta&step=3")
    page.reload()
    expect(boards).to_have_text(["X to move: …", "X plays 1: …", "O plays 2: …"])


def test_a_cut_and_the_end(server, page):
    page.goto(f"{server.url}/learn?position={LESSON}&step=12")
    expect(said(page)).to_contain_text("1 move cut (7): X already has a win in 3")
    expect(page.locator("[aria-current=step]")).to_have_text("✂ O plays 7: cut")
    expect(figure(page, "Moves cut")).to_have_text("1 of 2")
    expect(figure(page, "Window of O")).to_contain_text("win in 2 to loss in 3")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".cut:visible")).to_have_count(0)
    page.goto(f"{server.url}/learn?position={LESSON}&step=99999")
    expect(said(page)).to_contain_text("X plays 1: win in 3.")


def test_a_position_that_is_drawn(server, page):
    page.goto(f"{server.url}/learn")
    page.get_by_role("button", name="Clear the board").click()
    board = page.get_by_role("group", name="The position")
    for cell in (1, 2, 5, 9):
        board.get_by_role("button", name=f"cell {cell}, free").click()
    expect(page.get_by_label("Nine characters")).to_have_value("XO..X...O")
    board.get_by_role("button", name="cell 9, O").click()
    board.get_by_role("button", name="cell 5, X").press("4")
    expect(page.get_by_label("Nine characters")).to_have_value("XO.OX....")
    page.get_by_role("button", name="Clear the board").click()
    for cell in "12594":
        board.get_by_role("button", name="cell 3, free").press(cell)
    page.get_by_role("button", name="Follow it").click()
    expect(said(page)).to_have_text("O is to move: which move is best?")
