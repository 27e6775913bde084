"""The page to play on, in a real browser: games, hints, undo and stored games."""

import re

import pytest
from playwright.sync_api import expect

from browser import Held, cell, says
from noughts.protocol.describe import CELLS
from noughts.web.server import own_addresses
from watcher import games

_AT_THE_END = re.compile(r"/api/play\?(?!.*\bat=)")
"""Requests for the game as it stands, not as it was after an earlier move."""


def marks(page):
    """The marks on the nine cells, read from the ends of their names."""
    cells = page.get_by_role("group", name="Board").get_by_role("button")
    names = cells.evaluate_all("cells => cells.map((cell) => cell.ariaLabel)")
    assert len(names) == 9
    return "".join("." if name.endswith("free") else name[-1] for name in names)


def play_on(page, engine, *rounds, you="X", choose=None):
    """Play rounds: a cell, and the engine's answer; then it is the person's turn."""
    for number, answer in rounds:
        (choose or (lambda number: cell(page, number).click()))(number)
        played = f"{engine.capitalize()} plays {answer}, {CELLS[answer - 1]}."
        expect(page.locator("#remark")).to_have_text(played)
        says(page, f"Your turn: you are {you}")


def win_between_friends(page):
    for number, turn in ((1, "O"), (4, "X"), (2, "O"), (5, "X")):
        cell(page, number).click()
        says(page, f"{turn}’s turn")
        expect(page.locator(".cell.last")).to_have_accessible_name(re.compile(f"^{number}, "))
    cell(page, 3).click()
    says(page, "X has won: top row")


@pytest.fixture
def play(server, page):
    """Opens the page with a query, and waits until it shows a status."""

    def opened(query, status):
        page.goto(f"{server.url}/?{query}")
        says(page, status)
        return page

    return opened


def test_game_won_by_clicks_is_stored_once(server, page):
    page.goto(server.url)
    page.get_by_label("Opponent").select_option("kind")
    play_on(page, "kind", (5, 1), (9, 2), (3, 4))
    cell(page, 7).click()
    says(page, "You won: diagonal from the top right")
    page.get_by_text("How it chose").wait_for()  # with its last move
    page.get_by_text("Stored as game 1.").wait_for()
    (game,) = games(server.db)
    played = game.board, game.seats, game.first, game.moves, game.end
    assert played == ("page", "PG", "A", "4081236", "A")
    assert len(game.thought_ms) == 7 and all(ms is not None for ms in game.thought_ms)
    assert page.get_by_role("link", name="Look at it").get_attribute("href") == "/games/1"
    page.reload()
    page.get_by_text("Stored as game 1.").wait_for()
    assert len(games(server.db)) == 1


def test_games_are_played_with_number_keys_and_arrow_keys(server, play):
    page = play("opponent=alphabeta", "Your turn: you are X")
    rounds = (5, 1), (3, 7), (4, 6), (8, 2)
    play_on(page, "alphabeta", *rounds, choose=lambda number: page.keyboard.press(str(number)))
    page.keyboard.press("9")
    says(page, "A draw")
    page.get_by_text("Stored as game 1.").wait_for()
    page.get_by_role("button", name="New game").click()
    expect(page.locator("#remark")).to_have_text(re.compile("^Alphabeta plays "))  # as on a board
    page.get_by_label("Who begins").select_option("you")
    expect(page.locator("#remark")).to_be_empty()  # it was the person's turn before, too
    says(page, "Your turn: you are X")
    cell(page, 5).focus()

    def press(keys):
        for key in keys.split():
            page.keyboard.press(key)

    rounds = ("Enter", 1), ("ArrowRight ArrowDown Enter", 3)
    play_on(page, "alphabeta", *rounds, choose=press)
    press("Tab Shift+Tab ArrowLeft ArrowLeft ArrowLeft Space")
    says(page, "You lost: top row")
    assert cell(page, 2).get_attribute("class") == "cell last line"
    cell(page, 4).click(force=True)
    assert marks(page) == "OOO.X.X.X"
    page.get_by_text("Score: you 0, Alphabeta 1, draws 1").wait_for()
    page.get_by_text("Stored as game 2.").wait_for()
    assert [(game.seats, game.end) for game in games(server.db)] == [("PC", "="), ("PC", "B")]
    page.get_by_label("Opponent").select_option("kind")
    expect(page.locator("#score")).to_be_empty()  # it counts games with one opponent


def test_new_ending_after_undo_is_not_stored_again(server, play):
    page = play("opponent=friend", "X’s turn")
    assert page.get_by_label("Who begins").is_hidden()
    win_between_friends(page)
    page.get_by_text("Stored as game 1.").wait_for()
    page.get_by_role("button", name="Undo").click()
    says(page, "Looking back: after move 4 of 5")
    cell(page, 9).click()
    says(page, "O’s turn")
    cell(page, 6).click()
    says(page, "O has won: middle row")
    assert [(game.seats, game.moves) for game in games(server.db)] == [("PP", "03142")]


def test_clicks_faster_than_the_server_are_played_in_order(play):
    page = play("opponent=friend", "X’s turn")
    held = Held(page, "**/api/play?*")
    for number in (1, 5, 9, 5, 3):
        cell(page, number).click()
    for _ in range(4):
        held.next().continue_()
    page.wait_for_url(lambda url: url.endswith("moves=0482"))
    assert marks(page) == "X.O.O...X"


def test_undo_and_redo_survive_a_reload(play):
    page = play("opponent=alphabeta", "Your turn: you are X")
    undo, redo = (page.get_by_role("button", name=name) for name in ("Undo", "Redo"))
    assert undo.is_disabled() and redo.is_disabled()
    play_on(page, "alphabeta", (5, 1), (9, 3))
    undo.click()
    says(page, "Looking back: after move 2 of 4")
    page.keyboard.press("Control+z")
    says(page, "Looking back: at the beginning")
    assert marks(page) == "........." and undo.is_disabled()
    page.keyboard.press("Control+y")
    says(page, "Looking back: after move 2 of 4")
    page.reload()
    says(page, "Looking back: after move 2 of 4")
    redo.click()
    says(page, "Your turn: you are X")
    assert marks(page) == "O.O.X...X"
    page.keyboard.press("Control+z")
    play_on(page, "alphabeta", (2, 8))
    assert marks(page) == "OX..X..O." and redo.is_disabled()


def test_hints_label_cells_and_can_be_switched_off(play):
    page = play("opponent=friend&moves=41", "X’s turn")
    corner = cell(page, 1)
    page.get_by_label("What each free cell is worth").check()
    named = "1, in the top-left corner, free; win\xa0in\xa05 with best play; the best move"
    assert corner.get_attribute("aria-label") == named
    assert corner.inner_text() == "win\xa0in\xa05"
    assert [cell(page, number).get_attribute("class") for number in (1, 8)] == ["cell best", "cell"]
    page.get_by_label("Chance of winning against random play").check()
    assert "; 100% against random play" in corner.get_attribute("aria-label")
    assert corner.get_attribute("class") == "cell heat4 best"
    page.get_by_label("What each free cell is worth").uncheck()
    assert corner.inner_text() == "100%"
    page.get_by_label("Chance of winning against random play").uncheck()
    assert corner.inner_text() == ""
    page.keyboard.press("5")  # while a box has the focus
    page.get_by_text("Cell 5 is taken.").wait_for()


def test_verdicts_and_graph_step_to_their_moves(play):
    page = play("opponent=friend&moves=4108356", "X has won: left column")
    steps = page.get_by_role("listitem").get_by_role("button")
    texts = [text.split("\n")[0] for text in steps.all_inner_texts()]
    assert texts[:4] == ["Start", "X 5", "O 2", "X 1"]
    expect(steps.nth(2)).to_have_accessible_name("O 2 on the top edge, mistake")
    assert page.locator(".called").all_inner_texts() == ["", "?", *["best"] * 5]
    steps.nth(2).click()
    page.get_by_text("A mistake: it turns a draw into a loss. Best: 1, 3, 7 or 9.").wait_for()
    expect(steps.nth(2)).to_be_focused()
    graph = page.get_by_role("slider", name="Evaluation over the game")
    graph.press("ArrowLeft")
    says(page, "Looking back: after move 1 of 7")
    graph.click(position={"x": graph.bounding_box()["width"] - 12, "y": 20})
    says(page, "X has won: left column")
    assert marks(page) == "XO.XXOX.O"


def test_only_games_from_the_empty_board_are_stored(server, play):
    page = play("position=xo.+.....X&opponent=alphabeta", "Your turn: you are O")
    learn = page.get_by_role("link", name="How alpha-beta searches this position")
    assert learn.get_attribute("href") == "/learn?position=XO......X"
    play_on(page, "alphabeta", (5, 8), you="O")
    cell(page, 6).click()
    says(page, "You lost: bottom row")
    page.get_by_text("Games that start from a set-up position are not stored.").wait_for()
    assert not games(server.db)
    page.get_by_label("Opponent").select_option("kind")
    page.get_by_label("Who begins").select_option("your opponent")
    says(page, "Your turn: you are X")
    page.get_by_role("button", name="O 2").click()
    assert marks(page) == ".O......."
    play_on(page, "kind", (5, 8), (1, 3))
    cell(page, 9).click()
    says(page, "You won: diagonal from the top left")
    page.get_by_text("Stored as game 1.").wait_for()
    assert [(game.seats, game.first, game.end) for game in games(server.db)] == [("PG", "B", "A")]


def test_invalid_link_begins_a_new_game(server, page):
    page.goto(f"{server.url}/?opponent=friend&moves=44")
    page.get_by_text("This link does not work: move 2 goes to cell 5, which is taken.").wait_for()
    page.errors.clear()  # the browser reports the server's 400
    cell(page, 5).click()
    says(page, "O’s turn")


def test_clicks_while_the_server_thinks_apply_to_the_old_position(play):
    """The buttons still belong to the old position, and lead only to its own moves."""
    page = play("opponent=alphabeta&moves=40", "Your turn: you are X")
    held = Held(page, _AT_THE_END)
    cell(page, 9).click()
    answer = held.next()
    page.get_by_role("button", name="Undo").click()
    with page.expect_response(_AT_THE_END):
        answer.continue_()
    says(page, "Looking back: after move 2 of 3")
    page.get_by_role("button", name="Redo").click()
    held.next().continue_()
    says(page, "Your turn: you are X")
    assert marks(page) == "O.O.X...X"
    page.get_by_role("button", name="New game").click()
    answer = held.next()
    page.get_by_role("button", name="O 1").click()
    answer.continue_()
    expect(page.get_by_role("heading", name="The game so far")).to_be_hidden()
    says(page, "Your turn: you are X")


def test_busy_server_is_asked_again(server, page):
    """A game that is still loading is not discarded."""
    busy = [{"status": 429, "json": {"error": "too many requests at once; wait a second"}}]
    page.route(
        "**/api/play?*",
        lambda route: route.fulfill(**busy.pop()) if busy else route.continue_(),
    )
    page.goto(f"{server.url}/?opponent=friend&moves=40")
    says(page, "X’s turn")
    assert (marks(page), busy) == ("O...X....", [])
    page.errors.clear()  # the 429 answers


def test_game_that_is_stored_only_until_noughts_ends_says_so(serve, page, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    server = serve(tmp_path / "file" / "games.db")
    page.goto(f"{server.url}/?opponent=friend")
    win_between_friends(page)
    stored = page.get_by_text(
        "Stored as game 1, but only until noughts ends: cannot make the folder"
    )
    expect(stored).to_be_visible()
    page.get_by_role("button", name="New game").click()
    says(page, "X’s turn")


def test_game_continues_after_the_server_restarts(serve, page):
    first = serve()
    page.goto(f"{first.url}/?opponent=alphabeta")
    says(page, "Your turn: you are X")
    first.close()
    cell(page, 5).click()
    page.get_by_text("noughts has stopped. Start it again").wait_for()
    page.errors.clear()
    serve(port=first.port)
    says(page, "Your turn: you are X")
    expect(page.locator("#remark")).to_have_text("Alphabeta plays 1, in the top-left corner.")
    assert page.get_by_role("alert").is_hidden()
    page.errors.clear()


def test_games_from_another_computer_are_not_stored(serve, page):
    if not own_addresses():
        pytest.skip("this computer is in no network")
    server = serve(lan=True)
    page.goto(f"http://{own_addresses()[0]}:{server.port}/?opponent=friend")
    win_between_friends(page)
    page.get_by_text("Games from another computer are not stored.").wait_for()
    # Without TLS, the browser reports that it ignores one of the headers.
    page.errors[:] = [error for error in page.errors if "Opener-Policy" not in error]
    assert not games(server.db)


def test_move_is_shown_and_marked_before_the_answer(play):
    page = play("opponent=friend", "X’s turn")
    page.route("**/api/play?*", lambda route: None)  # no answer comes
    cell(page, 5).click()
    last = page.locator(".cell.last")
    expect(last).to_have_accessible_name(re.compile("^5, .*X$"))
    page.goto("about:blank")  # or it would still wait for the answer


def test_duplicated_tab_does_not_report_the_others_game(server, play):
    page = play("opponent=friend", "X’s turn")
    for number, turn in ((1, "O"), (4, "X"), (2, "O"), (5, "X")):
        cell(page, number).click()
        says(page, f"{turn}’s turn")
    with page.expect_popup() as popup:
        page.evaluate("window.open(location.href)")
    copy = popup.value
    cell(copy, 3).click()
    copy.get_by_text("This game began in another tab or with a link").wait_for()
    copy.get_by_role("button", name="New game").click()
    win_between_friends(copy)
    copy.get_by_text("Stored as game 1.").wait_for()
    copy.close()
    cell(page, 3).click()
    page.get_by_text("Stored as game 2.").wait_for()
    assert [game.moves for game in games(server.db)] == ["03142", "03142"]


def test_undo_to_the_start_keeps_the_focus(play):
    page = play("opponent=friend&moves=4", "O’s turn")
    undo = page.get_by_role("button", name="Undo")
    undo.press("Enter")
    says(page, "Looking back: at the beginning")
    expect(undo).to_be_focused()


def test_slow_server_is_named_until_it_answers(play):
    page = play("opponent=alphabeta", "Your turn: you are X")
    held = Held(page, "**/api/play?*")
    cell(page, 5).click()
    says(page, "Alphabeta’s turn")
    expect(page.get_by_role("alert")).to_contain_text("noughts is slow to answer")
    held.next().continue_()
    says(page, "Your turn: you are X")
    expect(page.get_by_role("alert")).to_be_hidden()


def test_equal_values_are_written_once_instead_of_in_each_cell(play):
    page = play("opponent=friend", "X’s turn")
    page.get_by_label("What each free cell is worth").check()
    page.get_by_text("Every move here has the same value: draw.").wait_for()
    assert cell(page, 1).inner_text() == ""
    assert "draw with best play" in cell(page, 1).get_attribute("aria-label")


def test_person_is_x_and_the_engine_o_whoever_begins(play):
    page = play("opponent=alphabeta&first=O&you=X", "Your turn: you are X")
    assert sorted(marks(page)) == sorted("O........")
    learn = page.get_by_role("link", name="How alpha-beta searches this position")
    assert learn.get_attribute("href").count("X") == 1  # there, X moves first
