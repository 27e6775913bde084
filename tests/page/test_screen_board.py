"""A micro:bit on the screen: the flash image that boards get, on the emulator's core."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import expect

from accessibility import violations
from needed import long
from screen_boards import PHONE, UPRIGHT, cursor_follows_tilts, situation, switch_on

RECORD_DRAWING = """
  window.drawn = []; // [ms, colour] of each LED
  const { prototype } = OffscreenCanvasRenderingContext2D;
  const { fill } = prototype;
  prototype.fill = function () {
    drawn.push([performance.now(), this.fillStyle]);
    fill.call(this);
  };
"""
COUNT_RUNS = """
  window.runs = 0;
  const { setTimeout } = window;
  window.setTimeout = (...what) => {
    runs += 1; // each run of the board sets the time of the next
    return setTimeout(...what);
  };
"""
# A V1's clock loses 66 ms now and then. When, depends on its random numbers.
SAME_BOARDS = "let seed = 0; crypto.getRandomValues = (values) => values.fill((seed += 2));"


def later(page, ms=1000):
    """Let time pass for the page and its boards."""
    page.clock.run_for(ms)


def press(page, key):
    """Press a key, and let time pass until the board has shown what follows."""
    page.keyboard.press(key)
    later(page)


def click(page, locator):
    """The same for a button of the page."""
    locator.click()
    later(page)


@pytest.fixture
def page(open_stepped_page, screen_file):
    """With a board that is in its menu, always the same one. Time passes only `later`."""
    page = open_stepped_page(screen_file, "screen_board", RECORD_DRAWING + SAME_BOARDS)
    page.get_by_role("button", name="Switch it on").click()
    expect(page.locator(".screen-board")).to_have_count(1)
    later(page, 2000)
    expect(situation(page)).to_have_text("In the menu: a second person")
    return page


@pytest.fixture
def two_boards(page):
    """Both in their menus."""
    page.get_by_role("button", name="Switch a second one on").click()
    cards = page.locator(".screen-board")
    expect(cards).to_have_count(2)
    later(page, 2000)
    for card in cards.all():
        expect(card.locator(".who")).to_have_text("In the menu: a second person")
    return cards.all()


@pytest.fixture(scope="module")
def page_to_look_at(open_shared_tab, screen_file):
    """With two boards in their menus, in real time. Nobody presses a button."""
    page = open_shared_tab().open(screen_file, "screen_board")
    switch_on(page)
    page.get_by_role("button", name="Switch a second one on").click()
    expect(page.get_by_text("In the menu: a second person")).to_have_count(2)
    return page


@pytest.fixture
def looked_at(page_to_look_at):
    """The same, with the looks that it had at first."""
    size = page_to_look_at.viewport_size
    yield page_to_look_at
    page_to_look_at.set_viewport_size(size)
    page_to_look_at.emulate_media(color_scheme="light", forced_colors="none")
    english = page_to_look_at.get_by_role("button", name="English")
    if english.is_visible():
        english.click()


def test_game_is_played_by_mouse_and_stays(open_page, screen_file):
    """In real time."""
    page = open_page(screen_file, "screen_board")
    switch_on(page)
    page.get_by_role("button", name="Button B").click()
    expect(situation(page)).to_have_text("Player A (✕) to move")
    page.get_by_role("button", name="Button B").click()
    expect(situation(page)).to_have_text("Player B (◯) to move")
    page.get_by_role("button", name="Buttons A and B together").click()
    expect(situation(page)).to_have_text("In the menu: a second person")
    page.get_by_role("link", name="Games").click()
    expect(page.get_by_role("region", name="All games")).to_contain_text("abandoned")


def test_button_that_is_held_by_touch_opens_no_menu(looked_at):
    button = looked_at.get_by_role("button", name="Button B").first
    event = "new MouseEvent('contextmenu', {bubbles: true, cancelable: true})"
    assert not button.evaluate(f"button => button.dispatchEvent({event})")


def test_keys_work_at_once_and_from_anywhere(page):
    expect(page.locator(".microbit")).to_be_focused()
    expect(page.get_by_text("press its buttons, space both")).to_be_visible()
    for text in ("Switch it on", "gets the keys", "Tilt it with this device"):
        expect(page.get_by_text(text)).to_be_hidden()
    press(page, "a")
    expect(situation(page)).to_have_text("In the menu: the chip (easy)")
    page.get_by_role("heading", name="A micro:bit on the screen").click()
    press(page, "a")
    expect(situation(page)).to_have_text("In the menu: the chip (medium)")
    page.get_by_role("link", name="Play").click()
    expect(page.locator("#screen_board")).to_be_hidden()  # a link shows its part a little later
    press(page, "a")
    page.get_by_role("link", name="On the screen").click()
    expect(page.locator("#screen_board")).to_be_visible()
    press(page, "b")
    expect(situation(page)).to_have_text("Player A (✕) to move")
    expect(page.locator(".screen-board")).to_contain_text("B (◯): the chip (medium)")


def test_space_is_both_buttons_or_presses_what_has_the_focus(page):
    click(page, page.get_by_role("button", name="Button A"))
    press(page, "Space")
    expect(situation(page)).to_have_text("In the menu: the chip (easy), by tilting")
    page.get_by_role("button", name="中文").focus()
    press(page, "Space")
    press(page, "a")
    expect(situation(page)).to_have_text("在菜单里：芯片（中等），倾斜控制")
    button = page.get_by_role("button", name="按钮 A")
    button.focus()
    press(page, "Space")
    expect(situation(page)).to_have_text("在菜单里：芯片（困难），倾斜控制")
    expect(button).to_be_focused()
    press(page, "Space")  # it was released
    expect(situation(page)).to_have_text("在菜单里：无线电另一端的朋友，倾斜控制")


def start_game(page):
    """Time passes until the page no longer hurries after the press."""
    page.keyboard.press("b")
    later(page, 3000)
    expect(situation(page)).to_have_text("Player A (✕) to move")


def test_blinking_cursor_changes_nothing_in_the_document(page):
    start_game(page)
    page.evaluate(
        """() => {
          window.changes = [];
          const observer = new MutationObserver((records) => changes.push(...records));
          const everything = { attributes: true, characterData: true, childList: true };
          observer.observe(document, { subtree: true, ...everything });
          drawn.length = 0;
        }"""
    )
    later(page)
    assert page.evaluate("changes.length") == 0
    assert 8 <= page.evaluate("drawn.length") <= 11  # each 100 ms, its LED and no other


def test_cursor_blinks_evenly_while_nobody_plays(page):
    start_game(page)
    page.evaluate(f"() => {{ drawn.length = 0; {COUNT_RUNS} }}")
    page.clock.run_for(2000)
    assert page.evaluate("runs") <= 25  # about once for each change of the LEDs
    times = page.evaluate("drawn.map(([ms]) => ms)")
    gaps = [later - earlier for earlier, later in pairwise(times)]
    assert len(gaps) > 15
    assert min(gaps) >= 80 and max(gaps) <= 130, gaps


def test_press_is_shown_soon_however_long_nobody_played(page):
    """Within two runs: a board sees a press some 20 ms later."""
    page.clock.run_for(3000)
    page.evaluate("drawn.length = 0; window.pressedMs = performance.now()")
    page.keyboard.down("a")
    page.clock.run_for(400)
    assert page.evaluate("drawn[0][0] - pressedMs") <= 60


MENU_IS_DRAWN = """() => {
  const leds = document.querySelector('.leds');
  const { width, height } = leds;
  const copy = new OffscreenCanvas(width, height).getContext('2d');
  copy.drawImage(leds, 0, 0);
  const colour = (at) => {
    const [x, y] = [((at % 5) + 0.5) / 5, (Math.floor(at / 5) + 0.5) / 5];
    return copy.getImageData(width * x, height * y, 1, 1).data.slice(0, 3).join();
  };
  const lit = '1110000010011001000011110';
  const isAsWide = Math.abs(width - leds.clientWidth * devicePixelRatio) < 1;
  const colours = { 0: '67,48,45', 1: '255,92,72' };
  return isAsWide && [...lit].every((led, at) => colour(at) === colours[led]);
}"""
"""With 2, for two players, in the colours of the LEDs' levels."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_leds_have_the_colours_of_their_levels(looked_at, scheme):
    """Also after the board has another size."""
    page = looked_at
    page.emulate_media(color_scheme=scheme)
    for width in (1280, 390):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function(MENU_IS_DRAWN)


@pytest.mark.long
def test_leds_are_drawn_by_a_browser_without_offscreen_canvases(open_page, screen_file):
    page = open_page(screen_file, "screen_board")
    page.evaluate("delete HTMLCanvasElement.prototype.transferControlToOffscreen")
    switch_on(page)
    page.wait_for_function(MENU_IS_DRAWN)


def test_arrow_key_tilts_the_board_until_the_cursor_has_moved_once(page):
    page.keyboard.press("Space")
    page.clock.run_for(500)
    expect(situation(page)).to_have_text("In the menu: a second person, by tilting")
    press(page, "b")
    expect(situation(page)).to_have_text("Player A (✕) to move")
    press(page, "ArrowRight")
    press(page, "ArrowLeft")  # from the edge; if the tilt stayed, it would go on to the other one
    press(page, "a")
    expect(situation(page)).to_have_text("Player B (◯) to move")
    leds = page.locator(".screen-board svg[role=img]").first
    for tilt, cell in (
        (lambda: press(page, "ArrowUp"), 2),
        (lambda: click(page, page.get_by_role("button", name="Tilt left")), 1),
    ):
        tilt()
        name = re.compile(rf"steady \(A\) 5; fast blinking \(cursor\) {cell}$")
        expect(leds).to_have_accessible_name(name)


def test_board_stands_still_while_the_page_is_hidden(page):

    def set_hidden(hidden):
        page.evaluate(
            "(value) => Object.defineProperty(document, 'hidden', { value, configurable: true })",
            hidden,
        )

    set_hidden(True)
    page.keyboard.press("b")
    page.clock.run_for(10_000)
    expect(situation(page)).to_have_text("In the menu: a second person")
    set_hidden(False)
    later(page)
    expect(situation(page)).to_have_text("Player A (✕) to move")


def test_board_stands_still_while_another_part_is_shown(page):
    page.keyboard.press("b")
    page.get_by_role("link", name="Play").click()
    expect(page.locator("#screen_board")).to_be_hidden()
    page.clock.run_for(10_000)
    expect(situation(page)).to_have_text("In the menu: a second person")
    page.get_by_role("link", name="On the screen").click()
    expect(page.locator("#screen_board")).to_be_visible()
    later(page)
    expect(situation(page)).to_have_text("Player A (✕) to move")


def test_one_of_two_boards_gets_the_keys(page, two_boards):
    """It is said which one, and shown."""
    first, second = two_boards

    def get_keys(card, name, opponent):
        expect(page.get_by_text(f"press the buttons of {name}, space both")).to_be_visible()
        expect(page.get_by_text("gets the keys").locator("visible=true")).to_have_count(1)
        expect(card.get_by_text("gets the keys")).to_be_visible()
        press(page, "a")
        expect(card.locator(".who")).to_contain_text(opponent)

    get_keys(second, "micro:bit 2", "easy")
    expect(page.get_by_role("button", name="Switch a second one on")).to_be_hidden()
    first.locator(".name").click()
    get_keys(first, "micro:bit 1", "easy")
    while "micro:bit 2" not in page.locator("#screen-keys").inner_text():
        page.keyboard.press("Tab")
    get_keys(second, "micro:bit 2", "medium")
    expect(first.locator(".who")).to_contain_text("easy")


def test_two_boards_play_games_of_their_own(page, two_boards):
    """Their random numbers differ, by which games are told apart."""
    first, second = two_boards
    for card in (first, second):
        click(page, card.get_by_role("button", name="Button B"))
        expect(card.locator(".who")).to_have_text("Player A (✕) to move")
    click(page, second.get_by_role("button", name="Reset"))
    later(page)
    expect(second.locator(".who")).to_have_text("In the menu: a second person")
    expect(first.locator(".who")).to_have_text("Player A (✕) to move")
    page.get_by_role("link", name="Games").click()
    rows = page.get_by_role("region", name="All games").get_by_role("row")
    expect(rows).to_have_count(1 + 2)


@pytest.mark.parametrize("forced_colors", ["none", long("active")])
@pytest.mark.parametrize("language", ["English", long("中文")])
@pytest.mark.parametrize("scheme", ["light", long("dark")])
def test_everybody_can_use_two_boards(looked_at, scheme, language, forced_colors):
    page = looked_at
    if language == "中文":
        page.get_by_role("button", name=language).click()
    page.emulate_media(color_scheme=scheme, forced_colors=forced_colors)
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 700})
        assert not violations(page), width
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_badge_keeps_its_colours_apart_where_colours_are_forced(looked_at):
    page = looked_at
    page.emulate_media(forced_colors="active")
    style = page.locator(".chosen .name .keyboard").evaluate(
        "(badge) => [getComputedStyle(badge).color, getComputedStyle(badge).backgroundColor]"
    )
    system = page.evaluate(
        """() => ['HighlightText', 'Highlight'].map((name) => {
          const part = document.createElement('i');
          document.body.append(part);
          part.attributeStyleMap.set('color', name);
          return getComputedStyle(part).color;
        })"""
    )
    assert style == system


def test_two_boards_play_each_other_by_radio(page, two_boards):
    cards = two_boards

    def press(card, button):
        click(page, card.get_by_role("button", name=f"Button {button}", exact=True))

    def both_say(text):
        for card in cards:
            expect(card.locator(".who")).to_contain_text(text)

    for card in cards:
        expect(card).to_contain_text("micro:bit V1")
        for opponent in ("easy", "medium", "hard", "a friend by radio"):
            press(card, "A")
            expect(card.locator(".who")).to_contain_text(opponent)
        press(card, "B")
        expect(card.locator(".who")).to_contain_text("on channel 0. Choose the same")
    press(cards[0], "B")
    expect(cards[0].locator(".who")).to_contain_text("Looking for the other board on channel 0")
    press(cards[1], "B")
    later(page, 3000)
    both_say("Player A (✕) to move")
    is_first_a = "This board is player A" in cards[0].inner_text()
    boards = dict(zip("AB" if is_first_a else "BA", cards, strict=True))
    for player, other in ("AB", "BA", "AB"):
        press(boards[player], "B")
        both_say(f"Player {other}")
    page.get_by_role("link", name="Games").click()
    rows = page.get_by_role("region", name="All games").get_by_role("row")
    expect(rows).to_have_count(1 + 1)  # both have sent the same game


def test_game_goes_on_while_the_disk_is_full(open_page, screen_file):
    page = open_page(screen_file, "screen_board")
    devtools = page.context.new_cdp_session(page)
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": "file://", "quotaSize": 1})
    page.reload()  # the browser reckons what room is left when it opens the store
    page.get_by_role("button", name="Switch it on").click()
    expect(page.get_by_text("no room left for games")).to_be_visible()
    expect(page.get_by_text("micro:bit V1")).to_be_visible()
    devtools.send("Storage.overrideQuotaForOrigin", {"origin": "file://"})
    page.get_by_role("button", name="Button B").click()
    expect(situation(page)).to_have_text("Player A (✕) to move")
    expect(page.get_by_text("no room left for games")).to_be_hidden()


BELOW_ITS_BARS = {"width": 390, "height": 664}


@pytest.mark.parametrize("language", [long("en-GB"), "zh-CN"])
def test_two_boards_fit_a_phone(open_page, screen_file, language):
    page = open_page(screen_file, "screen_board", locale=language, viewport=BELOW_ITS_BARS, **PHONE)
    page.locator("#switch-on").tap()
    page.locator("#second-board").tap()
    cards = page.locator(".screen-board")
    expect(cards).to_have_count(2)
    for card in cards.all():
        expect(card.locator(".who")).to_be_visible()
    for card in cards.all():
        expect(card).to_be_in_viewport(ratio=1)
        expect(card.locator(".name .keyboard")).to_be_hidden()  # a phone has no keys
        for name in ("Button A", "Reset") if language == "en-GB" else ("按钮 A", "复位"):
            expect(card.get_by_role("button", name=name, exact=True)).to_be_visible()
        for button in card.get_by_role("button").all():
            size = button.bounding_box()
            assert min(size["width"], size["height"]) >= 32
    assert page.evaluate("document.documentElement.scrollWidth") <= UPRIGHT["width"]


RUNS_BY_SENSOR = """(tilts) => {
  const tilt = ([beta, gamma]) =>
    dispatchEvent(new DeviceOrientationEvent('deviceorientation', { alpha: 0, beta, gamma }));
  tilt(tilts.at(-1)); // a browser without a sensor may have sent an event that it is level
  COUNT_RUNS
  for (let frame = 0; frame < 60; frame += 1) tilt(tilts[frame % tilts.length]);
  window.setTimeout = setTimeout;
  return runs;
}""".replace("COUNT_RUNS", COUNT_RUNS)
"""How often the board runs while the sensor speaks 60 times."""


def test_phone_runs_its_board_at_once_only_if_it_is_moved(open_page, screen_file):
    """Its sensor speaks 60 times a second, also in a hand that is still."""
    page = open_page(screen_file, "screen_board", viewport=UPRIGHT, **PHONE)
    switch_on(page)
    button = page.get_by_role("button", name="Tilt it with this device")
    button.tap()
    expect(button).to_be_hidden()
    assert page.evaluate(RUNS_BY_SENSOR, [[0, 1], [-1, 0], [1, 2]]) == 0
    assert page.evaluate(RUNS_BY_SENSOR, [[0, 30], [0, -30]]) == 60
    assert page.evaluate(RUNS_BY_SENSOR, [[30, -30], [-30, -30]]) == 60
    assert page.evaluate(RUNS_BY_SENSOR, [[-30, -30], [-31, -30]]) == 0
    page.get_by_role("link", name="Play").tap()
    expect(page.locator("#screen_board")).to_be_hidden()
    assert page.evaluate(RUNS_BY_SENSOR, [[0, 30], [0, -30]]) == 0


def test_board_is_tilted_as_the_phone_is(open_page, screen_file):
    """The headless shell has no sensor: the test sends its events."""
    page = open_page(screen_file, "screen_board", viewport=UPRIGHT, **PHONE)
    switch_on(page)
    send = "(angles) => dispatchEvent(new DeviceOrientationEvent('deviceorientation', angles))"
    cursor_follows_tilts(page, lambda angles: page.evaluate(send, angles))


@pytest.mark.parametrize("answer", ["return 'denied'", long("throw new DOMException('no')")])
def test_sensor_that_is_refused_is_said(open_page, screen_file, answer):
    script = f"DeviceOrientationEvent.requestPermission = async () => {{ {answer}; }};"
    page = open_page(screen_file, "screen_board", script, viewport=UPRIGHT, **PHONE)
    button = page.get_by_role("button", name="Tilt it with this device")
    button.tap()
    expect(page.get_by_text("did not let this page use")).to_be_visible()
    expect(button).to_be_visible()


def test_leds_are_described_in_the_language_of_the_page(looked_at):
    page = looked_at
    leds = page.locator(".screen-board svg[role=img]").first
    expect(leds).to_have_accessible_name(re.compile("LEDs of micro:bit 1: a letter"))
    page.get_by_role("button", name="中文").click()
    expect(leds).to_have_accessible_name(re.compile("micro:bit 1 的 LED：字母"))
    expect(page.locator(".microbit").first).to_have_accessible_name(re.compile("空格键"))
