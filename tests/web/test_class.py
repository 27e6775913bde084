"""Real boards on the page, behind ports that send what the test wants."""

from dataclasses import replace

import pytest
from playwright.sync_api import expect

from boards import PortDriver
from live_page import board_sends
from needed import long
from noughts import __version__
from noughts.protocol.sentences import Boot
from sample_games import BOOT, stages, wire
from stand_in_drive import USB_ID, StandInDrive

NAME = f"usb-{USB_ID}"


def flash(page, card):
    card.get_by_role("button", name="Flash").click()
    page.get_by_role("dialog").get_by_role("button", name="Flash it").click()


@pytest.fixture
def board(plugged, port):
    """A plugged-in port."""
    made = port("board")
    plugged.ports[USB_ID] = made.path
    return made


def test_real_board_is_shown_named_and_unplugged_with_noise_as_text(
    plugged, board, serve, page, printed
):
    plugged.ports.clear()
    server = serve()
    page.goto(f"{server.url}/class")
    expect(page.get_by_text("No board yet")).to_be_visible()
    plugged.ports[USB_ID] = board.path
    tile = page.get_by_role("listitem")
    expect(tile.get_by_text("waiting for a game")).to_be_visible()
    first, second, *_ = stages([4, 0], seats="PP")
    board.say(BOOT, first)
    expect(tile.get_by_text("✕ A person")).to_be_visible()
    board.say(second)
    expect(tile.get_by_text("B's turn")).to_be_visible()
    expect(tile.get_by_role("img", name="A has 5; B has no cell")).to_be_visible()
    printed("boards", "name", 1, "table <b>2", db=server.db)
    expect(tile.get_by_role("heading", name="table <b>2")).to_be_visible()
    plugged.ports.clear()
    board.pull()
    expect(tile.get_by_text("unplugged")).to_be_visible()
    page.goto(f"{server.url}/boards")
    card = page.get_by_role("article", name="table <b>2")
    expect(card.get_by_text("Unplugged")).to_be_visible()
    card.get_by_text("Details, update and flash").click()
    board.plug()
    plugged.ports[USB_ID] = board.path
    expect(card.get_by_text(f"connected ({board.path})", exact=True)).to_have_count(2)
    expect(card.locator(".headline")).to_have_text("Player B's turn")
    noise = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    board.send(f"{noise}\r\n".encode())
    board.send("\x1b[2J\u202egnp.exe\r\n".encode())
    expect(card.get_by_text(noise)).to_be_visible()
    expect(card.get_by_text(r"\x1b[2J\xe2\x80\xaegnp.exe")).to_be_visible()
    assert page.locator("article script, article img").count() == 0


def test_boards_by_radio_are_shown_but_their_gateway_is_not(board, serve, page):
    server = serve()
    page.goto(f"{server.url}/class")
    tiles = page.get_by_role("listitem")
    expect(tiles.get_by_role("heading")).to_have_count(1)
    boot, sent = Boot("3E5A5FD2", "V2", "1.1.0", "2798"), stages([4, 0, 2, 1, 6])
    games = [replace(game, boot=boot.boot) for game in sent]
    stored = replace(games[-1], boot="AAAAAAAA")
    board.send(wire(boot, stored, *games[:2], radio_id="9A1B2C3D"))
    expect(tiles.get_by_role("heading")).to_have_text(["radio-9A1B2C3D"])
    expect(tiles.get_by_text("◯ B hard")).to_be_visible()
    expect(tiles.get_by_role("img", name="A has 5; B has no cell")).to_be_visible()
    expect(tiles.get_by_text("B's turn")).to_be_visible()
    page.goto(f"{server.url}/boards")
    card = page.get_by_role("article")
    expect(card).to_have_count(1)
    card.get_by_text("Details, update and flash").click()
    expect(card.get_by_text(f"by radio, via {NAME}")).to_be_visible()
    expect(card.get_by_role("button", name="Flash")).to_be_hidden()
    page.goto(f"{server.url}/games")
    row = page.get_by_role("row").filter(has_text="A won")
    expect(row.get_by_text("before")).to_be_visible()
    row.get_by_role("link").click()
    expect(page.get_by_text("its last moves by radio only, where")).to_be_visible()


def test_real_board_is_flashed_through_its_drive(
    plugged, virtual, serve, page, tmp_path, monkeypatch
):
    board = virtual(speed=4)
    PortDriver(board).start()  # or the page would see its first start too
    plugged.ports[USB_ID] = board.port
    drive = StandInDrive(tmp_path / "MICROBIT", board)
    plugged.drives.append(drive.path)
    monkeypatch.setattr("noughts.boards.clock.sleep", lambda seconds: drive.look())
    try:
        page.goto(f"{serve().url}/boards")
        card = page.get_by_role("article")
        expect(card.get_by_text(f"connected ({board.port})", exact=True)).to_have_count(1)
        card.get_by_text("Details, update and flash").click()
        flash(page, card)
        expect(card.get_by_text(f"✓ Done: the game is running ({__version__}")).to_be_visible()
        expect(card.get_by_text("board started: micro:bit V1")).to_have_count(1)
        expect(card.locator(".headline")).to_have_text("Menu: choose an opponent")
        assert len(drive.received) == 1
        plugged.drives.clear()
        flash(page, card)
        expect(card.get_by_text("✗ the board's drive was not found")).to_be_visible()
    finally:
        plugged.ports.clear()  # before another board's port can get its name


def test_tiles_are_sorted_by_name(stand_in, serve, page):
    page.goto(f"{serve(boards=2).url}/class")
    expect(page.get_by_role("listitem").get_by_role("heading")).to_have_text(
        ["virtual-1", "virtual-2"]
    )
    page.get_by_role("button", name="Full screen").click()
    expect(page.get_by_role("link", name="Play")).to_be_hidden()
    page.get_by_role("button", name="Leave full screen").click()
    expect(page.get_by_role("link", name="Play")).to_be_visible()


LAYOUTS = """() => {
  const tiles = document.getElementById('tiles');
  const one = tiles.firstElementChild;
  const box = (part) => part.getBoundingClientRect();
  const boxes = (selector) => [...tiles.querySelectorAll(selector)].map(box);
  const outside = (part) => {
    const [inner, outer] = [box(part), box(part.closest('.tile'))];
    return Math.max(
      inner.bottom - outer.bottom, inner.right - outer.right, outer.left - inner.left);
  };
  const layouts = Array.from({ length: 30 }, (_, more) => {
    if (more) tiles.append(one.cloneNode(true));
    dispatchEvent(new Event('resize'));
    const rows = {};
    for (const { top } of boxes('.tile')) rows[Math.round(top)] = (rows[Math.round(top)] ?? 0) + 1;
    const { scrollHeight, scrollWidth } = document.documentElement;
    return {
      rows: Object.values(rows),
      below: Math.max(...boxes('.tile').map(({ bottom }) => bottom)) - innerHeight,
      over: Math.max(scrollHeight - innerHeight, scrollWidth - innerWidth),
      outside: Math.max(...[...tiles.querySelectorAll('h2, .turn, svg')].map(outside)),
      board: Math.min(...boxes('svg').map(({ width, height }) => Math.min(width, height))),
    };
  });
  tiles.replaceChildren(one);
  return layouts;
}"""
SMALLEST_OF_30 = {(1024, 768): 45, (1280, 800): 60, (1366, 768): 60, (1920, 1080): 85}
"""By the window's size: pixels of a board."""


@pytest.mark.parametrize("full_screen", [long(False), True])
def test_1_to_30_tiles_fit_in_even_rows(stand_in, serve, page, full_screen):
    server = serve(boards=1)
    page.goto(f"{server.url}/class")
    board_sends(server.live_boards, BOOT, *stages([4], seats="PP"))
    expect(page.get_by_text("◯ B's turn")).to_be_visible()
    for size in SMALLEST_OF_30:
        page.set_viewport_size({"width": size[0], "height": size[1]})
        if full_screen:
            page.get_by_role("button", name="Full screen").click()
            expect(page.get_by_role("link", name="Play")).to_be_hidden()
        layouts = page.evaluate(LAYOUTS)
        if full_screen:
            page.get_by_role("button", name="Leave full screen").click()
            expect(page.get_by_role("link", name="Play")).to_be_visible()
        for count, layout in enumerate(layouts, 1):
            outside = max(layout["below"], layout["over"], layout["outside"])
            assert outside < 1, (size, count, layout)
            assert max(layout["rows"]) - min(layout["rows"]) <= 1, (size, count, layout)
        assert layouts[-1]["board"] >= SMALLEST_OF_30[size]
        assert layouts[0]["board"] > 0.6 * size[1]
    page.set_viewport_size({"width": 1280, "height": 720})


def test_result_is_announced_once(stand_in, serve, page):
    server = serve(boards=1)
    page.goto(f"{server.url}/class")
    *started, ended = stages([4, 1, 0, 2, 8], seats="PP")
    board_sends(server.live_boards, BOOT, *started)
    expect(page.get_by_text("✕ A's turn")).to_be_visible()
    status = page.get_by_role("status")
    expect(status).to_be_empty()
    board_sends(server.live_boards, ended)
    expect(status).to_have_text("virtual-1: game 1: A won")
