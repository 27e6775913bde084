"""The boards page: virtual boards are played, updated and flashed; data logs are imported."""

import re
from dataclasses import replace
from types import SimpleNamespace

import psutil
import pytest
from playwright.sync_api import expect

import page_server
from browser import HIDE, wait
from data_logs import HEADING, data_log, row
from live_page import DARK, board_sends, device_of
from noughts import __version__
from noughts.protocol.sentences import Menu
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.watch import Watch
from noughts.store.queries import game as stored_game
from noughts.store.store import Store
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import program
from noughts.virtual.virtual_boards import VirtualBoards
from noughts.web import safety
from noughts.web.live import LiveBoards
from sample_games import BOOT, stages

MENU = "Menu: choose an opponent"
PEOPLE = stages([4], seats="PP")
pytestmark = pytest.mark.timeout(600)


def card(page, name="virtual-1"):
    return page.get_by_role("article", name=name)


def press(card, button):
    card.get_by_role("button", name=f"Button {button}", exact=True).click()


def open_details(card):
    card.get_by_text("Details, update and flash").click()


def flash(page, card):
    card.get_by_role("button", name="Flash").click()
    page.get_by_role("dialog").get_by_role("button", name="Flash it").click()


def headline(card, text):
    expect(card.locator(".headline")).to_have_text(text)


def test_board_is_played_from_the_menu_to_the_end(command, page, tmp_path):
    server = command("--boards", "1")
    page.goto(f"{server.url}/boards")
    board = card(page)
    expect(board.locator(".about")).to_have_text("2: two people, on this board")
    open_details(board)
    expect(board).to_contain_text("micro:bit V2, MicroPython 1.18")
    expect(board).to_contain_text(re.compile(r"device clock \d:\d\d"))
    clock = board.locator(".clock")
    for _ in range(2):  # a press in the menu's first 8 ms counts as held from the start
        expect(clock).not_to_have_text(clock.inner_text())
    press(board, "B")
    for move in range(9):
        headline(board, f"Player {'AB'[move % 2]}'s turn")
        press(board, "B")
    headline(board, "A draw!")
    last = "game 1, move 9: A in the bottom-right corner; a draw"
    expect(board.get_by_text(last)).to_be_visible()
    expect(board.get_by_role("row", name="Diagonals")).to_contain_text("+1")
    picture = "person against person: A has 3, 4, 5, 8, 9; B has 1, 2, 6, 7"
    expect(board.get_by_role("img", name=picture)).to_be_visible()
    expect(board.get_by_text("score: A 0, B 0, draws 1")).to_be_visible()
    running = psutil.Process(server.process.pid).children()
    assert len(running) == 1
    assert server.end() == (0, f"noughts is at {server.url}/ (Ctrl-C ends)\n")
    assert not psutil.wait_procs(running, timeout=120)[1]
    page.goto("about:blank")
    page.errors.clear()  # the server is gone
    with Store(tmp_path / "noughts" / "games.db") as store:
        game = stored_game(store, 1)
    assert (game.board, game.moves, game.result) == ("virtual-1", "413570268", "draw")


def fast_v1(site):
    """The boards of the page: a virtual V1, four times as fast as real time."""
    ports = PortMonitor()
    virtual = VirtualBoards(
        1, PortMonitor(find=list), start_board=lambda _: VirtualBoard(program("V1"), speed=4)
    )
    virtual.boards["virtual-1"].model = "V1"
    return LiveBoards(Watch(site.db, [ports, virtual]), ports, virtual)


def test_board_is_checked_updated_flashed_and_restarted(serve, page, monkeypatch):
    monkeypatch.setattr(page_server, "live_boards", fast_v1)
    server = serve(boards=1)
    page.goto(f"{server.url}/boards")
    board = card(page)
    headline(board, MENU)
    page.get_by_role("button", name="Check everything").click()
    expect(page.get_by_text("All is well.")).to_be_visible()
    doctor = page.locator("#doctor")
    expect(doctor.get_by_role("listitem").filter(has_text="emulator: wasmtime")).to_be_visible()
    expect(doctor.get_by_role("heading", name="virtual-1")).to_be_visible()
    expect(doctor.get_by_text("MicroPython 1.9.2")).to_be_visible()
    headline(board, MENU)

    open_details(board)
    for what, sent in (("Update", 1), ("Flash", 0)):
        if what == "Update":
            board.get_by_role("button", name=what).click()
        else:
            flash(page, board)
        expect(board.get_by_text("files to send")).to_have_count(sent)
        expect(board.get_by_text(f"✓ Done: the game is running ({__version__}")).to_be_visible()
        headline(board, MENU)

    psutil.Process(device_of(server.live_boards).pid).kill()
    headline(board, "The virtual board does not run")
    board.get_by_role("button", name="Start it again").click()
    headline(board, MENU)


@pytest.fixture
def board_page(stand_in, serve, page):
    """The page with a stand-in board in its menu: its card, and a check of what is done to it."""
    server = serve(boards=1)
    page.goto(f"{server.url}/boards")
    board_sends(server.live_boards, BOOT)
    headline(card(page), MENU)
    device = device_of(server.live_boards)

    def expect_done(*done):
        wait(page, lambda: len(device.done) >= len(done))
        assert device.done == list(done)
        device.done.clear()

    return SimpleNamespace(
        card=card(page), device=device, expect_done=expect_done, live_boards=server.live_boards
    )


def test_keys_press_the_buttons_of_the_board_with_the_focus(board_page, page):
    name = (
        "virtual-1: the keys A and B press its buttons, space both, arrows tilt it, "
        "L touches its logo"
    )
    group = board_page.card.get_by_role("group", name=name)
    device = board_page.device
    group.press("a")
    board_page.expect_done(("press", "A"), ("release", "A"))
    group.press(" ")
    board_page.expect_done(("press", "A", "B"), ("release", "A", "B"))
    group.press("ArrowLeft")
    board_page.expect_done(("nudge", -1, 0))
    group.press("l")
    board_page.expect_done(("touch_logo",))
    board_page.card.get_by_role("button", name="Touch the logo").click()
    board_page.expect_done(("touch_logo",))
    board_page.card.get_by_role("button", name="Button B", exact=True).press("Enter")
    board_page.expect_done(("tap", "B"))
    open_details(board_page.card)
    # Between two cells: else the cursor's cell is announced too, perhaps after the game.
    device.led_levels, device.ms = DARK[:11] + b"\x09" + DARK[12:], 83_000
    expect(board_page.card.locator(".led").nth(11)).to_have_class("led l9")
    expect(board_page.card).to_contain_text("device clock 1:23")
    board_sends(board_page.live_boards, *PEOPLE)
    expect(page.locator("#status")).to_contain_text("virtual-1: A on 5. Player B's turn.")


def test_newest_line_comes_first(board_page):
    board_sends(board_page.live_boards, *PEOPLE)
    lines = board_page.card.locator(".lines li")
    expect(lines.first).to_have_text("game 1, move 1: A in the centre")
    expect(lines.last).to_have_text("connected (there)")


def test_each_detail_of_a_problem_has_a_line(board_page, page):
    checks = [{"what": "drive", "good": False, "found": "2", "details": ["/media/A", "/media/B"]}]
    board_page.live_boards.doctor = {"doing": "", "results": [{"name": "PC", "checks": checks}]}
    expect(page.get_by_text("1 problem found.")).to_be_visible()
    assert page.locator("#doctor pre").inner_text() == "/media/A\n/media/B"


AUDIO = """() => {
  window.tones = [];
  window.volumes = [];
  const { setValueAtTime } = AudioParam.prototype;
  AudioParam.prototype.setValueAtTime = function (value, when) {
    (value > 1 ? tones : volumes).push([value, when]);
    return setValueAtTime.call(this, value, when);
  };
}"""
"""Notes the frequencies and volumes that the page plays, and when."""


def test_tones_are_played_while_somebody_wants_to_hear_them(board_page, page):
    page.evaluate(AUDIO)
    sound, device = board_page.card.get_by_role("button", name="Hear its tones"), board_page.device

    def plays(hertz, led):
        """The board plays a tone, and lights a LED, by which one sees that both have arrived."""
        device.hertz = hertz
        device.led_levels = DARK[:led] + b"\x09" + DARK[led + 1 :]
        expect(board_page.card.locator(".led").nth(led)).to_have_class("led l9")

    plays(784, led=0)
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "true")
    plays(262, led=1)
    sound.click()
    expect(sound).to_have_attribute("aria-pressed", "false")
    plays(302, led=2)
    ((hertz, begin),) = page.evaluate("tones")
    assert hertz == 262
    # It ends by itself, in case the page hears nothing more of the board.
    (volume, loud_from), (silence, silent_from) = page.evaluate("volumes")[:2]
    assert volume > silence == 0 and begin == loud_from < silent_from


TAKEN = bytes(9 if led % 5 in (led // 5, 4 - led // 5) else 0 for led in range(25))
"""The cross with which a board answers."""


def leds(**levels):
    """25 levels, dark but for some cells: `c5=9` is cell 5 at level 9."""
    led_levels = [0] * 25
    for name, level in levels.items():
        cell = int(name[1:]) - 1
        led_levels[cell // 3 * 10 + cell % 3 * 2] = level
    return bytes(led_levels)


def test_cursor_marks_and_leds_are_announced(board_page, page):
    """A's mark is steady, B's pulses, and the cursor blinks; a reader hears where it goes."""
    card, device, status = board_page.card, board_page.device, page.locator("#status")
    card.get_by_role("group", name="virtual-1").focus()
    picture = card.locator(".microbit svg")

    def until(text, cursor, **others):
        """Blink the cursor until something is said."""
        for turn in range(400):
            device.led_levels = leds(**{cursor: 7 * (turn % 2)}, **others)
            page.wait_for_timeout(40)
            if text in status.inner_text():
                return
        raise AssertionError(status.inner_text())

    until("virtual-1: cursor on 5", "c5")
    until("virtual-1: cursor on 6", "c6", c5=9)
    board_sends(board_page.live_boards, *PEOPLE)
    until("virtual-1: A on 5. Player B's turn.", "c6", c5=9)
    for turn in range(400):
        device.led_levels = leds(c5=9, c1=(7, 4)[turn // 4 % 2], c9=7 * (turn % 2))
        page.wait_for_timeout(40)
        name = picture.get_attribute("aria-label")
        if name == "LEDs of virtual-1: steady (A) 5; pulsing (B) 1; fast blinking (cursor) 9":
            break
    else:
        raise AssertionError(name)
    device.led_levels = TAKEN
    expect(status).to_contain_text("Cell 9 is taken.")
    device.led_levels = bytes([9] * 25)
    expect(picture).to_have_attribute("aria-label", "LEDs of virtual-1: a letter, an icon or text")


def test_card_keeps_its_size_when_a_game_starts(board_page, page):
    """Also that of a V2, whose menu has a line more."""
    board_sends(board_page.live_boards, replace(BOOT, hardware="V2"), Menu(BOOT.boot, "Pbs"))
    expect(board_page.card).to_contain_text("switch sound off")
    tall = board_page.card.bounding_box()["height"]
    board_sends(board_page.live_boards, *PEOPLE)
    headline(board_page.card, "Player B's turn")
    assert board_page.card.bounding_box()["height"] == tall


def test_flash_asks_before_it_removes_games(board_page, page):
    open_details(board_page.card)
    board_page.card.get_by_role("button", name="Flash").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("It removes the games that are stored on the board")
    expect(dialog.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(dialog).to_be_hidden()
    assert board_page.live_boards.boards["virtual-1"].work is None


def test_focus_stays_on_a_board_when_the_page_is_shown_again(board_page, page):
    group = board_page.card.get_by_role("group", name="virtual-1")
    group.focus()
    for hidden in ("true", "false"):
        page.evaluate(f"({HIDE})({hidden})")
    board_sends(board_page.live_boards, *PEOPLE)
    expect(board_page.card.locator(".headline")).to_have_text("Player B's turn")
    expect(group).to_be_focused()


def test_buttons_and_tilt_are_held_while_the_pointer_is_down(board_page, page):
    board_page.card.get_by_role("button", name="Button A", exact=True).hover()
    page.mouse.down()
    board_page.expect_done(("press", "A"))
    page.mouse.up()
    board_page.expect_done(("release", "A"))
    board_page.card.get_by_role("button", name="Buttons A + B").click()
    board_page.expect_done(("press", "A", "B"), ("release", "A", "B"))
    board_page.card.get_by_role("button", name="Tilt left").hover()
    page.mouse.down()
    board_page.expect_done(("tilt", -400, 0))
    page.mouse.up()
    board_page.expect_done(("tilt", 0, 0))
    board_page.card.get_by_role("button", name="Reset").click()
    board_page.expect_done(("reset",))

    board_page.card.get_by_role("button", name="Button B").hover()
    page.mouse.down()
    board_page.expect_done(("press", "B"))
    page.evaluate(HIDE, True)  # as when another tab is chosen
    board_page.expect_done(("release", "B"))
    page.mouse.up()
    board_page.expect_done(("release", "B"))
    board_sends(board_page.live_boards, *PEOPLE)
    page.evaluate(HIDE, False)
    headline(board_page.card, "Player B's turn")
    board_page.expect_done()  # it was not connected in the meantime


def test_boards_are_shown_even_if_games_cannot_be_stored(stand_in, serve, page, tmp_path):
    path = tmp_path / "letter.txt"
    path.write_text("Dear class")
    server = serve(path, boards=1)
    page.goto(f"{server.url}/boards")
    expect(page.get_by_text("games are stored only until noughts ends: ")).to_be_visible()
    board_sends(server.live_boards, BOOT, *PEOPLE)
    open_details(card(page))
    expect(card(page).get_by_text("game 1, move 1: A in the centre")).to_be_visible()
    assert path.read_text() == "Dear class"


def test_page_continues_after_the_server_restarts(stand_in, serve, page):
    first = serve(boards=1)
    page.goto(f"{first.url}/boards")
    board_sends(first.live_boards, BOOT)
    headline(card(page), MENU)
    first.close()
    expect(page.get_by_role("alert")).to_contain_text("noughts has stopped")
    press(card(page), "A")  # which must not arrive later
    second = serve(boards=1, port=first.port)
    expect(page.get_by_role("alert")).to_be_hidden()
    board_sends(second.live_boards, BOOT, *PEOPLE)
    headline(card(page), "Player B's turn")
    press(card(page), "B")  # with the new token
    done = device_of(second.live_boards).done
    wait(page, lambda: ("press", "B") in done)
    assert ("press", "A") not in done
    assert all("net::ERR_" in error or "401" in error for error in page.errors)
    page.errors.clear()


def test_refused_page_connects_later(stand_in, serve, page, monkeypatch):
    monkeypatch.setattr(safety, "MAX_STREAMS", 0)
    page.goto(f"{serve(boards=1).url}/boards")
    expect(page.get_by_role("alert")).to_have_text("too many pages are open; close some.")
    monkeypatch.setattr(safety, "MAX_STREAMS", 64)
    expect(card(page)).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()
    page.errors.clear()  # the 429 answers


DROP = """
(data) => {
  const dropped = new DataTransfer();
  dropped.items.add(new File([data], 'short.htm'));
  document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: dropped, bubbles: true }));
}
"""


def test_data_logs_are_imported_from_the_file_picker_and_by_drop(serve, page, tmp_path):
    played = [replace(stages([4, 0, 8], "x", number=n)[-1], boot="3E5A5FD2") for n in (1, 2)]
    (tmp_path / "anna.htm").write_bytes(data_log(HEADING, *map(row, played)))
    page.goto(f"{serve().url}/boards")
    section = page.get_by_role("region", name="Games of a V2")
    expect(section).to_be_visible()  # from then on this browser may make changes
    results = section.get_by_role("listitem")
    page.get_by_label("MY_DATA.HTM").set_input_files(tmp_path / "anna.htm")
    expect(results).to_have_text(["✓ anna.htm: 2 games, 2 new"])
    page.get_by_label("MY_DATA.HTM").set_input_files(tmp_path / "anna.htm")
    expect(results).to_have_text(["✓ anna.htm: 2 games, 0 new", "✓ anna.htm: 2 games, 2 new"])
    with page.expect_response("**/api/logs?*"):
        page.evaluate(DROP, "<html>")
    refused, stored = (
        results.nth(at).evaluate("item => getComputedStyle(item).color") for at in (0, 1)
    )
    assert refused != stored  # a failure does not look like a success
    expect(results.first).to_contain_text("✗ short.htm is not a micro:bit's data log; copy")
    page.errors.clear()  # the browser logs every 400 answer
    with Store(tmp_path / "games.db") as store:
        assert store.read("SELECT count(*) FROM games") == [(2,)]
