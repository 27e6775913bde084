"""The page of the boards: virtual ones are played, updated and flashed."""

import json
import re

import pytest
from playwright.sync_api import expect

from browser import rest
from looker import Looker
from noughts.store.queries import game as stored_game
from noughts.store.store import Store

MENU = "Menu: against whom?"
pytestmark = pytest.mark.timeout(600)


def card(page, name="virtual-1"):
    return page.get_by_role("article", name=name)


def press(card, button):
    card.get_by_role("button", name=f"Button {button}", exact=True).click()


def headline(card, text):
    expect(card.locator(".headline")).to_have_text(text)


def in_menu(page, server, name="virtual-1"):
    """The page, with a board in its menu."""
    page.goto(f"{server.url}/boards")
    expect(card(page, name).locator(".about")).to_have_text("2: two people, on this board")
    headline(card(page, name), MENU)
    rest(card(page, name))  # a press in the menu's first 8 ms counts as held from the start
    return card(page, name)


def test_a_board_is_played_from_the_menu_to_the_end(serve, page, tmp_path):
    server = serve("--boards", "1")
    board = in_menu(page, server)
    for letter in "EMH2":
        press(board, "A")
        expect(board.locator(".about")).to_have_text(re.compile(f"^{letter}: "))
    rest(board)
    press(board, "B")
    for move in range(9):
        headline(board, f"Player {'AB'[move % 2]}'s turn")
        press(board, "B")
    headline(board, "A draw!")
    expect(
        board.get_by_text("game 1, move 9: A in the bottom-right corner; a draw")
    ).to_be_visible()
    expect(board.get_by_role("row", name="Diagonals")).to_contain_text("+1")
    picture = "person against person: A has 3, 4, 5, 8, 9; B has 1, 2, 6, 7"
    expect(board.get_by_role("img", name=picture)).to_be_visible()
    expect(board.get_by_text("A won 0, B won 0, 1 draw")).to_be_visible()
    page.goto("about:blank")
    assert server.end()[0] == 0
    with Store(tmp_path / "noughts" / "games.db") as store:
        game = stored_game(store, 1)
    assert (game.board, game.moves, game.result) == ("virtual-1", "413570268", "draw")


def test_the_keys_of_a_board_that_has_the_focus(serve, page):
    board = in_menu(page, serve("--boards", "1"))
    device = board.get_by_role("group", name="virtual-1: the keys A and B press its buttons")
    device.press("a")
    expect(board.locator(".about")).to_have_text(re.compile("^E: "))
    rest(board)
    device.press(" ")
    rest(board)
    device.press("b")
    headline(board, "Your turn, player A")
    expect(board.get_by_text("played by tilt")).to_be_visible()
    expect(page.locator("#status")).to_contain_text("virtual-1: Your turn, player A.")
    board.get_by_role("button", name="Button A", exact=True).press("Enter")
    expect(board.get_by_text("game 1, move 1: A in the centre")).to_be_visible()


def test_tilting_by_the_pad(serve, page):
    board = in_menu(page, serve("--boards", "1"))
    board.get_by_role("button", name="Buttons A + B").click()
    rest(board)
    press(board, "B")
    headline(board, "Player A's turn")
    expect(board.get_by_text("played by tilt")).to_be_visible()
    board.get_by_role("button", name="Tilt left").hover()
    page.mouse.down()
    expect(board.locator("rect").nth(10)).to_have_class(re.compile("l[1-9]"))
    page.mouse.up()
    rest(board)
    press(board, "A")
    expect(board.get_by_text("game 1, move 1: A on the left edge")).to_be_visible()


def test_a_button_is_held_as_long_as_the_pointer_is_down(serve, page):
    done = []

    def note(frame):
        message = json.loads(frame)
        if "do" in message:
            done.append((message["do"], message["buttons"]))

    page.on("websocket", lambda socket: socket.on("framesent", note))
    board = in_menu(page, serve("--boards", "1"))
    board.get_by_role("button", name="Button A", exact=True).hover()
    page.mouse.down()
    expect(board.locator(".about")).to_have_text(re.compile("^E: "))
    rest(board)
    assert done == [("press", "A")]
    page.mouse.up()
    rest(board)
    assert done == [("press", "A"), ("release", "A")]


def test_a_browser_that_goes_away_lets_everything_go(serve):
    server = serve("--boards", "1")
    one = Looker(server, leds=True)
    one.wait(lambda: one.board().get("about", "").startswith("2: "), "the menu")
    one.wait(lambda: "leds/virtual-1" in one.now, "the device clock")
    soon_ms = one.now["leds/virtual-1"][1] + 1000
    one.wait(lambda: one.now["leds/virtual-1"][1] > soon_ms, "a second of the device's")
    one.send(board="virtual-1", do="press", buttons="A")
    one.wait(lambda: one.board()["about"].startswith("E: "), "the next opponent")
    one.close()
    two = Looker(server, leds=True)
    two.wait(lambda: "leds/virtual-1" in two.now, "the device clock")
    later_ms = two.now["leds/virtual-1"][1] + 1000
    two.wait(lambda: two.now["leds/virtual-1"][1] > later_ms, "a second of the device's")
    two.send(board="virtual-1", do="press", buttons="A")  # only counts if it is not down
    two.wait(lambda: two.board()["about"].startswith("M: "), "the opponent after that")
    two.close()


def test_the_reset_button(serve, page):
    board = in_menu(page, serve("--boards", "1"))
    press(board, "B")
    headline(board, "Player A's turn")
    board.get_by_role("button", name="Reset").click()
    expect(board.get_by_text("board started")).to_have_count(2)
    headline(board, MENU)


def test_boards_are_v2_and_v1_by_turns_with_their_firmware_and_clock(serve, page):
    in_menu(page, serve("--boards", "2"), "virtual-2")
    expect(card(page, "virtual-1")).to_contain_text("micro:bit V2, MicroPython 1.18")
    expect(card(page, "virtual-2")).to_contain_text("micro:bit V1, MicroPython 1.9.2")
    expect(card(page, "virtual-2")).to_contain_text(re.compile(r"device clock \d:\d\d"))


@pytest.mark.parametrize("what", ["Update", "Flash"])
def test_a_board_is_updated_or_flashed_and_watched_again(serve, page, what):
    board = in_menu(page, serve("--boards", "1"))
    board.get_by_text("Update or flash").click()
    board.get_by_role("button", name=what).click()
    expect(board.get_by_text("✓ started on micro:bit V2: game 1.0.0")).to_be_visible()
    expect(board.get_by_text("connected", exact=True)).to_have_count(2)
    headline(board, MENU)
    press(board, "B")
    expect(board.get_by_text("game 1: A is a person, B is a person")).to_be_visible()


def test_what_doctor_finds(serve, page):
    board = in_menu(page, serve("--boards", "1"))
    page.get_by_role("button", name="Check everything").click()
    expect(page.get_by_text("All is well.")).to_be_visible()
    found = page.locator("#doctor")
    expect(found.get_by_role("listitem").filter(has_text="emulator: Unicorn")).to_be_visible()
    expect(found.get_by_role("heading", name="virtual-1")).to_be_visible()
    expect(found.get_by_text("MicroPython 1.18 (firmware 2.1.2)")).to_be_visible()
    headline(board, MENU)


def test_a_board_that_has_ended_can_be_started_again(serve, page):
    import psutil

    server = serve("--boards", "1")
    board = in_menu(page, server)
    for child in psutil.Process(server.process.pid).children():
        child.kill()
    headline(board, "The virtual board does not run")
    board.get_by_role("button", name="Start it again").click()
    headline(board, MENU)


def test_without_a_board_the_page_says_how_to_get_one(serve, page):
    page.goto(f"{serve('--boards', '0').url}/boards")
    expect(page.get_by_role("heading", name="No board yet")).to_be_visible()
    expect(page.get_by_text("noughts web --boards 2")).to_be_visible()


def test_where_games_cannot_be_kept_the_page_says_so(serve, page, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear class")
    in_menu(page, serve("--boards", "1", "--db", str(path)))
    expect(page.get_by_text("games are not kept: ")).to_be_visible()
    press(card(page), "B")
    expect(card(page).get_by_text("game 1: A is a person, B is a person")).to_be_visible()
    assert path.read_text() == "Dear class"


def test_it_goes_on_when_the_server_was_killed_and_started_again(serve, page):
    first = serve("--boards", "1")
    board = in_menu(page, first)
    first.process.kill()
    expect(page.get_by_role("alert")).to_contain_text("noughts is not running any more")
    serve("--boards", "1", port=first.port)
    expect(page.get_by_role("alert")).to_be_hidden()
    headline(board, MENU)
    expect(board.get_by_text("device clock")).to_be_visible()
    rest(board)
    press(board, "B")
    headline(board, "Player A's turn")
    assert all("net::ERR_CONNECTION" in error for error in page.errors)
    page.errors.clear()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("address", ["boards", "class"])
def test_everybody_can_use_it(serve, page, scheme, address):
    from axe_playwright_python.sync_playwright import Axe

    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 360, "height": 740})
    server = serve("--boards", "1")
    board = in_menu(page, server)
    board.get_by_text("Update or flash").click()
    press(board, "B")
    headline(board, "Player A's turn")
    press(board, "B")
    headline(board, "Player B's turn")
    if address == "class":
        page.goto(f"{server.url}/class")
        expect(page.get_by_text("person against person")).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
