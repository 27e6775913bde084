"""The page and a micro:bit on USB: journeys in Chromium with a stand-in of the interface chip.

The packets of a flash are counted, without those that read the serial line.
"""

import re
from contextlib import contextmanager

import pytest
from playwright.sync_api import expect

from boards import Player
from daplink import SERIAL_READ, UNIQUE_IDS
from debug_port import erased
from microbit_emulator import Microbit, leds_as_text
from needed import long
from noughts.boards.firmware import bundled_for, universal_hex
from noughts.boards.flash import our_hex
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import OFF, files_with
from noughts.protocol.data_log import read as read_log
from noughts.virtual.program import unchanged
from plugged import PluggedBoard, SerialBoard, error, no_error, pass_time, passes, status
from sample_games import DRAW, stages, wire, write

FLASH_WRITE = 0x8A
V1_ON_USB = {"bulk": False, "serialNumber": UNIQUE_IDS["V1"]}
TWO = "999..\n...9.\n.99..\n9....\n9999."
DONE = re.compile("Done: the game is running")


PACKETS = ("model", "most_packets")


def board_with(model, changed=None):
    """A board with the game, whose files may be changed."""
    game = files_with(OFF, model, files_for_boards())
    return unchanged(bundled_for(model).with_files({**game, **(changed or {})})).microbit()


class OnlySerialBoard(SerialBoard):
    """In a browser without WebUSB."""

    def script(self):
        return super().script() + "delete Navigator.prototype.usb;"


@pytest.fixture
def plug_in(open_page, whole_file):
    """Opens the page with a board on USB."""

    def plug_in(board, kind=PluggedBoard, language=None, **options):
        plugged = kind(board, **options)
        profile = {"locale": language} if language else {}
        page = open_page(whole_file, "real_board", plugged.script(), plugged.functions, **profile)
        return page, plugged

    return plug_in


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def has_buttons(page, *names):
    """Of those for a board, only these are there, and can be pressed."""
    for name in ("connect", "flash", "watch", "disconnect"):
        button = page.locator(f"#{name}")
        expect(button).to_be_visible(visible=name in names)
        expect(button).to_be_enabled()


def connect(page, plugged):
    press(page, "Connect")
    status(page, re.compile(f"Connected to a micro:bit {plugged.board.board}"))


@contextmanager
def stopped_while(page, plugged, text):
    """Begin to put the game on the board, and stop while the page says this."""
    with plugged.stopped_at(page, text):
        press(page, "Put the game on it")
        status(page, re.compile(text))
        yield


def put_game(page, plugged):
    """Put the game on the board; returns the packets that flashing took."""
    with stopped_while(page, plugged, "Putting the game"):
        count_before = plugged.packet_count()
    status(page, DONE)
    return plugged.packet_count() - count_before


@pytest.fixture
def flashed(plug_in):
    """Opens the page, and puts the game on a board that has it."""

    def flashed(model):
        page, plugged = plug_in(board_with(model))
        connect(page, plugged)
        put_game(page, plugged)
        return page, plugged

    return flashed


def set_visibility(page, state):
    page.evaluate(
        """(state) => {
          const property = { value: state, configurable: true };
          Object.defineProperty(document, 'visibilityState', property);
          document.dispatchEvent(new Event('visibilitychange'));
        }""",
        state,
    )


def has_stored_games(page, count=24):
    page.get_by_role("link", name="Games").click()
    rows = page.get_by_role("region", name="All games").get_by_role("row")
    expect(rows).to_have_count(1 + count)


def place_first_mark(page, plugged):
    """Start a game between two people, and place the first mark."""
    live = page.locator("#live")
    expect(live).to_contain_text("game 1.")  # its release: it listens to the buttons now
    passes(page, lambda: leds_as_text(plugged.board.leds()) == TWO)
    plugged.tap(page, "B")
    expect(live).to_contain_text("Player A (✕) to move")
    plugged.tap(page, "B")
    expect(live).to_contain_text("Player B (◯) to move")


@pytest.mark.long
@pytest.mark.parametrize(PACKETS, [("V1", 11_500), ("V2", 22_000)])
def test_erased_board_gets_the_game_and_plays(plug_in, model, most_packets):
    page, plugged = plug_in(erased(model))
    connect(page, plugged)
    status(page, re.compile("it has another program, or none"))
    assert put_game(page, plugged) <= most_packets
    place_first_mark(page, plugged)
    live = page.locator("#live")
    expect(live).to_contain_text(f"micro:bit {model}")
    expect(live).to_contain_text("A (✕): a person. B (◯): a person.")


@pytest.mark.long
@pytest.mark.parametrize(PACKETS, [("V1", 200), ("V2", 750)])
def test_same_game_again_changes_nothing(flashed, model, most_packets):
    page, plugged = flashed(model)
    assert put_game(page, plugged) <= most_packets


@pytest.mark.long
@pytest.mark.parametrize(PACKETS, [("V1", 250), ("V2", 850)])
def test_one_changed_file(flashed, model, most_packets):
    page, plugged = flashed(model)
    old = files_for_boards()["ending.py"].replace(b"Draw Game", b"draw game")
    old_flash, new_flash = board_with(model, {"ending.py": old}).flash, board_with(model).flash
    changed = [place for place, byte in enumerate(new_flash) if byte != old_flash[place]]
    plugged.daplink.port.replace_flash(old_flash)
    assert put_game(page, plugged) <= most_packets
    assert changed and all(plugged.board.flash[place] == new_flash[place] for place in changed)


@pytest.mark.long
@pytest.mark.parametrize("model", ["V1", "V2"])
def test_unplugged_while_flashing_then_once_more(plug_in, model):
    page, plugged = plug_in(erased(model))
    connect(page, plugged)
    with stopped_while(page, plugged, "Putting the game"):
        plugged.daplink.unplug_after = 2000
    error(page, re.compile("unplugged before the game was complete.*once more"))
    plugged.daplink.plug_in()
    connect(page, plugged)
    put_game(page, plugged)
    passes(page, lambda: leds_as_text(plugged.board.leds()) == TWO)


def test_unplugged_while_flashing(plug_in):
    page, plugged = plug_in(erased("V1"))
    connect(page, plugged)
    status(page, re.compile("^Connected to a micro:bit V1. .* it has another program, or none"))
    with stopped_while(page, plugged, "Putting the game"):
        expect(page.locator("#flash-progress")).to_be_visible()
        plugged.daplink.unplug_after = 0
    error(page, re.compile("unplugged before the game was complete.*once more"))
    status(page, "No micro:bit is connected.")
    expect(page.locator("#flash-progress")).to_be_hidden()


STORED = [stages(DRAW, boot="AAAAAAAA", number=number)[-1] for number in range(1, 25)]
STORED_FILES = {
    str(index): f"{100_000 + index}{write(game)}".encode() for index, game in enumerate(STORED)
}
FEW_STORED_FILES = {name: STORED_FILES[name] for name in "012"}
"""For tests in which it does not matter how many games a board sends."""


def test_stored_games_of_a_v1_are_taken_before_it_is_flashed(plug_in):
    """All 24 of them, as fast as the board sends: none is lost.

    From a browser that hides the serial number, which would be the board's name.
    """
    page, plugged = plug_in(board_with("V1", STORED_FILES), serialNumber=None)
    connect(page, plugged)
    set_visibility(page, "hidden")
    status(page, "Paused while this page is hidden.")
    set_visibility(page, "visible")
    status(page, re.compile("was hidden and received nothing.*press reset to send them again"))
    assert put_game(page, plugged) <= 1000  # of 11,500 for everything
    status(page, "Done: the game is running. Games saved from the micro:bit first: 24.")
    progress = page.locator("#flash-progress")
    expect(progress).to_have_js_property("value", 1)
    expect(progress).to_be_hidden()
    has_stored_games(page)
    name = page.get_by_role("region", name="Results by board").get_by_role("cell").first
    expect(name).to_have_text(re.compile("^chip-[0-9A-F]{8}$"))


@pytest.mark.long
def test_v1_that_takes_the_place_of_a_v2_is_asked_for_its_games_too(plug_in):
    page, plugged = plug_in(board_with("V2"))
    connect(page, plugged)
    with stopped_while(page, plugged, "Asking the micro:bit"):
        plugged.daplink.unplug_after = 0
    error(page, re.compile("was unplugged"))
    plugged.plug_in(board_with("V1", FEW_STORED_FILES))
    page.evaluate("(options) => Object.assign(fakeUsb, options)", V1_ON_USB)
    connect(page, plugged)
    put_game(page, plugged)
    status(page, "Done: the game is running. Games saved from the micro:bit first: 3.")


@pytest.mark.parametrize(
    ("language", "names", "text"),
    [
        (
            None,
            ("Connect", "Put the game on it", "Asking the micro:bit"),
            "was unplugged. Plug it in, and press “Conn",
        ),
        long(
            "zh-CN",
            ("连接", "把游戏放上去", "正在读取 micro:bit 里"),
            "被拔下了。请插上它，再按“连接”",
        ),
    ],
)
def test_unplugged_while_it_is_asked_for_its_games(plug_in, language, names, text):
    page, plugged = plug_in(board_with("V1", FEW_STORED_FILES), language=language)
    press(page, names[0])
    put = page.get_by_role("button", name=names[1], exact=True)
    with plugged.stopped_at(page, names[2]):
        put.click()
        status(page, re.compile(names[2]))
        expect(put).to_be_disabled()
        expect(page.locator("#disconnect")).to_be_disabled()
        plugged.daplink.unplug_after = 0
    error(page, re.compile(text))
    expect(page.locator("#connect")).to_be_enabled()
    assert plugged.daplink.packets[FLASH_WRITE] == 0


LOG_KEPT = re.compile("Done: .* games in the micro:bit’s data log are still there")


def v2_with_games():
    """A board that has played two games; and these."""
    player = Player(board_with("V2"))
    player.start()
    for _ in range(2):
        player.begin()
        player.leave()
    games = player.logged
    assert len(games) == 2
    return player.board, games


def logged_after_restart(page, plugged):
    """The games in the log, once the firmware has had another chance to empty it."""
    plugged.board.reset()
    pass_time(page, plugged.board, 1000)
    return read_log(plugged.board.my_data()).games


def test_game_that_does_not_start_is_said(plug_in):
    page, plugged = plug_in(board_with("V1"))
    connect(page, plugged)
    with plugged.stopped_at(page, "The game is starting"):
        press(page, "Put the game on it")
        status(page, "Done. The game is starting …")
        plugged.daplink.port.erase_all()
        plugged.board.reset()
    error(page, "The game did not start. Put it on the micro:bit once more.")
    has_buttons(page, "flash", "disconnect")
    expect(page.locator("#live")).to_be_visible()  # it is connected
    expect(page.locator("#flash-progress")).to_be_hidden()


def test_v2_keeps_its_data_log_when_it_is_flashed(plug_in):
    board, games = v2_with_games()
    page, plugged = plug_in(board)
    connect(page, plugged)
    press(page, "Put the game on it")
    status(page, LOG_KEPT)
    assert logged_after_restart(page, plugged) == games


@pytest.mark.long
def test_log_of_another_program_is_emptied_when_a_v2_gets_the_game(plug_in):
    """As by any other program; it might be full."""
    other = {"main.py": b"import log\nlog.add({'temperature': 21})\n"}
    board = Microbit("V2", universal_hex({"V2": bundled_for("V2").with_files(other)}))
    page, plugged = plug_in(board)
    connect(page, plugged)
    status(page, re.compile("it has another program, or none"))
    assert b"temperature" in board.my_data()
    put_game(page, plugged)
    status(page, "Done: the game is running. Games saved from the micro:bit first: 0.")
    assert b"temperature" not in board.my_data()


@pytest.mark.long
def test_v2_keeps_its_data_log_when_all_of_it_is_flashed_after_it_was_unplugged(plug_in):
    """As after a full flash that was cut: nothing says any more that the board had the game."""
    board, games = v2_with_games()
    page, plugged = plug_in(board)
    connect(page, plugged)
    with stopped_while(page, plugged, "Putting the game"):
        plugged.daplink.unplug_after = 0
    error(page, re.compile("unplugged before the game was complete"))
    plugged.daplink.port.erase_all()
    plugged.daplink.plug_in()
    connect(page, plugged)
    press(page, "Put the game on it")
    status(page, LOG_KEPT)
    assert plugged.daplink.packets[FLASH_WRITE] > 0
    assert logged_after_restart(page, plugged) == games


def test_game_comes_live_and_stays(plug_in):
    """The interface chip swallows the first 128 bytes; each sentence has the whole game."""
    page, plugged = plug_in(board_with("V1"))
    has_buttons(page, "connect", "watch")
    expect(page.locator("#no-usb")).to_be_hidden()
    connect(page, plugged)
    passes(page, lambda: leds_as_text(plugged.board.leds()) == TWO)
    for _ in range(4):  # the game, and three marks
        plugged.tap(page, "B")
    live = page.locator("#live")
    expect(live).to_contain_text("Player B (◯) to move")
    plugged.tap(page, "A", "B")
    expect(live).to_contain_text("In the menu: a second person")
    later = page.context.new_page()  # shows what is written, also if that takes a moment
    later.goto(page.url.partition("#")[0] + "#games")
    expect(later.get_by_role("region", name="All games")).to_contain_text("abandoned")
    name = later.get_by_role("region", name="Results by board").get_by_role("cell").first
    expect(name).to_have_text("usb-…0123456789abcdef")
    has_buttons(page, "flash", "disconnect")
    press(page, "Disconnect")
    status(page, "No micro:bit is connected.")
    no_error(page)
    expect(live).to_be_hidden()
    has_buttons(page, "connect", "watch")
    assert not page.evaluate("fakeUsb.device.opened")  # another program can use it


def test_unplugged_while_watching(plug_in):
    page, plugged = plug_in(board_with("V1"))
    connect(page, plugged)
    plugged.daplink.unplug_after = 0
    error(page, re.compile("was unplugged. Plug it in, and press “Connect”"))
    status(page, "No micro:bit is connected.")
    expect(page.locator("#live")).to_be_hidden()


@pytest.mark.long
def test_hidden_for_a_minute_while_a_v1_resends_its_games(plug_in):
    """The page says that games may be missing, and what brings them."""
    page, plugged = plug_in(board_with("V1", STORED_FILES))
    connect(page, plugged)
    set_visibility(page, "hidden")
    status(page, "Paused while this page is hidden.")
    plugged.board.reset()
    for _ in range(60):
        plugged.board.run_for(1_000_000)
    set_visibility(page, "visible")
    status(page, re.compile("was hidden and received nothing.*press reset to send them again"))
    plugged.board.reset()
    has_stored_games(page)


@pytest.mark.long
def test_board_is_not_flashed_if_the_page_was_hidden_while_it_was_asked_for_its_games(plug_in):
    page, plugged = plug_in(board_with("V1", FEW_STORED_FILES))
    connect(page, plugged)
    with stopped_while(page, plugged, "Asking the micro:bit"):
        set_visibility(page, "hidden")
    status(page, "Paused while this page is hidden.")
    expect(page.locator("#flash")).to_be_hidden()
    set_visibility(page, "visible")
    put = page.get_by_role("button", name="Put the game on it", exact=True)
    expect(put).to_be_enabled()
    status(page, re.compile("was hidden and received nothing"))
    assert plugged.daplink.packets[FLASH_WRITE] == 0
    put_game(page, plugged)
    status(page, "Done: the game is running. Games saved from the micro:bit first: 3.")


@pytest.mark.long
def test_unplugged_while_the_page_is_hidden(plug_in):
    page, plugged = plug_in(board_with("V1"))
    connect(page, plugged)
    set_visibility(page, "hidden")
    status(page, "Paused while this page is hidden.")
    page.evaluate("fakeUsb.device.unplug()")
    status(page, "No micro:bit is connected.")
    error(page, re.compile("was unplugged"))


def test_unplugged_as_soon_as_it_is_connected(plug_in):
    page, plugged = plug_in(erased("V1"))
    plugged.daplink.unplug_at = SERIAL_READ
    press(page, "Connect")
    error(page, re.compile("was unplugged"))
    for _ in range(3):  # seconds; then the page would say that it is connected
        page.evaluate("new Promise((resolve) => setTimeout(resolve, 1000))")
    status(page, "No micro:bit is connected.")


def hide_as_soon_as_it_says(page, text):
    """Hide the page in the moment in which its status has this text."""
    page.evaluate(
        """(text) => {
          const status = document.getElementById('board-status');
          const observer = new MutationObserver(() => {
            if (!status.textContent.includes(text)) return;
            observer.disconnect();
            const property = { value: 'hidden', configurable: true };
            Object.defineProperty(document, 'visibilityState', property);
            document.dispatchEvent(new Event('visibilitychange'));
          });
          observer.observe(status, { childList: true, characterData: true, subtree: true });
        }""",
        text,
    )


@pytest.mark.parametrize("moment", ["Putting the game", long("The game is starting")])
def test_page_that_is_hidden_while_the_board_is_flashed_says_that_the_game_was_put(plug_in, moment):
    page, plugged = plug_in(board_with("V1"))
    connect(page, plugged)
    hide_as_soon_as_it_says(page, moment)
    press(page, "Put the game on it")
    was_put = re.compile("Done: the game is on the micro:bit, .*press its reset button")
    status(page, was_put)
    no_error(page)
    set_visibility(page, "visible")
    expect(page.get_by_role("button", name="Put the game on it", exact=True)).to_be_enabled()
    status(page, was_put)


@pytest.mark.long
def test_serial_port_of_a_hidden_page_is_read(plug_in):
    page, plugged = plug_in(board_with("V1", FEW_STORED_FILES), SerialBoard)
    press(page, "Watch its games")
    set_visibility(page, "hidden")
    plugged.board.reset()
    has_stored_games(page, 3)


def test_error_says_what_to_do(plug_in):
    page, _ = plug_in(erased("V1"))
    no_error(page)
    for option, value, text in (
        ("nothing", True, "No micro:bit was chosen"),
        ("claim", "Unable to claim interface.", "Another tab or program is using"),
        ("open", "Access denied.", "On Linux, save the line below"),
        ("old", True, "drive is called MAINTENANCE.*Otherwise its firmware is old"),
        ("silent", True, "The micro:bit is not answering. Unplug it"),
        ("open", "A new kind of error", r"cannot be reached \(A new kind of error\)"),
    ):
        page.evaluate("(option) => Object.assign(fakeUsb, option)", {option: value})
        press(page, "Connect")
        error(page, re.compile(text))
        expect(page.locator("#udev")).to_be_visible(visible="Linux" in text)
        status(page, "No micro:bit is connected.")
        expect(page.get_by_role("button", name="Connect", exact=True)).to_be_enabled()
        page.evaluate("(option) => { delete fakeUsb[option]; }", option)


def test_serial_port_shows_games_and_their_end(plug_in):
    page, plugged = plug_in(board_with("V2"), SerialBoard)
    press(page, "Watch its games")
    status(page, "Watching the micro:bit.")
    no_error(page)
    expect(page.locator("#live")).to_contain_text("In the menu")
    place_first_mark(page, plugged)
    plugged.unplugged = True
    error(page, re.compile("was unplugged"))


def test_each_watched_board_has_its_own_name(plug_in):
    page, plugged = plug_in(board_with("V1"), SerialBoard)
    live = page.locator("#live")
    for boot in ("AAAAAAAA", "BBBBBBBB"):
        press(page, "Watch its games")
        expect(live).to_contain_text("In the menu")
        has_buttons(page, "disconnect")
        plugged.send(b"".join(map(wire, stages(DRAW, boot=boot))))
        expect(live).to_contain_text("A draw")
        plugged.board.reset()
        press(page, "Disconnect")
        status(page, "No micro:bit is connected.")
        no_error(page)
        expect(live).to_be_hidden()
        press(page, "中文")  # shows everything anew
        press(page, "English")
        expect(live).to_be_hidden()
    page.get_by_role("link", name="Games").click()
    boards = page.get_by_role("region", name="Results by board").get_by_role("row")
    expect(boards).to_have_text(["BoardGamesA wonB wonDraws", "serial-21001", "serial-11001"])


def test_browser_that_can_only_watch_says_so(plug_in):
    """And names the button that it has."""
    page, _ = plug_in(board_with("V1"), OnlySerialBoard, nothing=True)
    expect(page.get_by_role("button", name="Connect", exact=True)).to_be_hidden()
    expect(page.get_by_text("but it can watch the games")).to_be_visible()
    press(page, "Watch its games")
    error(page, re.compile("Plug it in, press “Watch its games”, choose it"))
    press(page, "中文")
    error(page, re.compile("请插上它，按“观看对局”，"))


def test_error_of_the_serial_port(plug_in):
    page, _ = plug_in(board_with("V1"), SerialBoard, nothing=True)
    press(page, "Watch its games")
    error(page, re.compile("No micro:bit was chosen"))
    for options, text in (
        ({"nothing": False, "open": "Failed to open serial port."}, "serial port cannot be opened"),
        ({"silent": "It does not answer."}, "not answering.*press “Watch its games”"),
    ):
        page.evaluate("(options) => Object.assign(fakeSerial, options)", options)
        press(page, "Watch its games")
        error(page, re.compile(text))
        status(page, "No micro:bit is connected.")
    page.evaluate("Object.assign(fakeSerial, { open: '', silent: '' })")
    press(page, "Watch its games")
    status(page, "Watching the micro:bit.")
    no_error(page)


def test_saved_hex_is_that_of_noughts_hex(plug_in):
    page, _ = plug_in(erased("V1"))
    with page.expect_download() as download:
        press(page, "Save noughts.hex")
    assert download.value.suggested_filename == "noughts.hex"
    assert download.value.path().read_bytes() == our_hex().content
