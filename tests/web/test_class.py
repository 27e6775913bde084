"""Real boards on the page: a virtual board of the test's stands in for one that is plugged in."""

import os
import re
import signal
import time
import tty
from dataclasses import replace

import psutil
import pytest
from playwright.sync_api import expect

from boards import PortDriver
from browser import rest
from looker import Looker
from noughts.cli import main
from noughts.protocol.sentences import Boot, write
from noughts.store.queries import GameFilter, count
from noughts.store.store import Store
from noughts.virtual.board import VirtualBoard
from noughts.virtual.program import program
from sample_games import stages
from stand_in_drive import USB_ID, StandInDrive
from stand_in_ports import Plugged

pytestmark = pytest.mark.timeout(600)
NAME = f"usb-{USB_ID}"


@pytest.fixture
def plugged(tmp_path):
    return Plugged(tmp_path / "plugged.json")


@pytest.fixture
def board(plugged):
    """A board in its menu; on a busy computer the page would else hear its first start too."""
    with VirtualBoard(program("V1")) as board:
        PortDriver(board).start()
        yield board
        plugged.write({})  # before another board's port may have its name


def heard(looker, board, plugged):
    """The board, plugged in and in its menu."""
    plugged.write({USB_ID: board.port})
    looker.wait(lambda: looker.board(NAME).get("running"), "the port")
    board.reset()
    looker.wait(lambda: "board started" in " ".join(looker.said(NAME)), "its start")
    rested_us = board.clock_us() + 50_000  # a press in its first 8 ms is one from before
    while board.clock_us() < rested_us:
        time.sleep(0.01)


def test_a_real_board_is_shown_named_and_unplugged(serve, page, plugged, board, tmp_path):
    server = serve("--boards", "0", plugged=plugged)
    page.goto(f"{server.url}/class")
    expect(page.get_by_text("No board yet")).to_be_visible()
    looker = Looker(server)
    heard(looker, board, plugged)
    tile = page.get_by_role("listitem")
    expect(tile.get_by_text("in the menu")).to_be_visible()
    board.tap("B")
    expect(tile.get_by_text("person against person")).to_be_visible()
    board.tap("B")
    expect(tile.get_by_text("B's turn")).to_be_visible()
    expect(tile.get_by_role("img", name="A has 5; B has no cell")).to_be_visible()
    assert main(["boards", "name", "1", "table <b>2", "--db", str(db(tmp_path))]) == 0
    expect(tile.get_by_role("heading", name="table <b>2")).to_be_visible()
    plugged.write({})  # before another board's port may have its name
    board.unplug()
    expect(tile.get_by_text("unplugged")).to_be_visible()
    page.goto(f"{server.url}/boards")
    card = page.get_by_role("article", name="table <b>2")
    expect(card.get_by_text("Unplugged")).to_be_visible()
    board.plug()
    plugged.write({USB_ID: board.port})
    expect(card.get_by_text("connected", exact=True)).to_have_count(2)
    expect(card.locator(".headline")).to_have_text("Player B's turn")
    looker.close()


def test_boards_by_radio_are_shown_and_their_gateway_is_not(serve, page, plugged):
    server = serve("--boards", "0", plugged=plugged)
    page.goto(f"{server.url}/class")
    gateway, port = os.openpty()
    tty.setraw(port)
    plugged.write({USB_ID: os.ttyname(port)})
    tiles = page.get_by_role("listitem")
    expect(tiles.get_by_role("heading")).to_have_count(1)
    boot, told = Boot("3E5A5FD2", "V2", "1.1.0", "2798"), stages([4, 0, 2, 1, 6])
    games = [replace(game, boot=boot.boot) for game in told]
    kept = replace(games[-1], boot="AAAAAAAA")
    for sentence in (boot, kept, *games[:2]):
        os.write(gateway, f"{write(sentence, '9A1B2C3D')}\r\n".encode())
    expect(tiles.get_by_role("heading")).to_have_text(["radio-9A1B2C3D"])
    expect(tiles.get_by_text("person against hard")).to_be_visible()
    expect(tiles.get_by_role("img", name="A has 5; B has no cell")).to_be_visible()
    expect(tiles.get_by_text("B's turn")).to_be_visible()
    page.goto(f"{server.url}/boards")
    card = page.get_by_role("article")
    expect(card).to_have_count(1)
    expect(card.get_by_text(f"by radio, at {NAME}")).to_be_visible()
    expect(card.get_by_text("Update or flash")).to_be_hidden()
    page.goto(f"{server.url}/games")
    row = page.get_by_role("row").filter(has_text="A won")
    expect(row.get_by_text("before")).to_be_visible()
    row.get_by_role("link").click()
    expect(page.get_by_text("by radio only, where anybody near can send")).to_be_visible()
    os.close(gateway)
    os.close(port)


def db(tmp_path):
    return tmp_path / "noughts" / "games.db"


def test_a_real_board_is_flashed_through_its_drive(serve, page, plugged, board, tmp_path):
    server = serve("--boards", "0", plugged=plugged)
    drive = StandInDrive(tmp_path / "MICROBIT", board)
    try:
        plugged.write({USB_ID: board.port}, (drive.path,))
        page.goto(f"{server.url}/boards")
        card = page.get_by_role("article")
        expect(card.get_by_text("connected", exact=True)).to_have_count(1)
        card.get_by_text("Update or flash").click()
        card.get_by_role("button", name="Flash").click()
        expect(card.get_by_text("✓ flashed")).to_be_visible()
        expect(card.get_by_text("started on micro:bit V1: game 1.0.0")).to_be_visible()
        expect(card.get_by_text("board started: micro:bit V1")).to_have_count(1)
        expect(card.locator(".headline")).to_have_text("Menu: against whom?")
        assert len(drive.received) == 1
        plugged.write({USB_ID: board.port})
        card.get_by_role("button", name="Flash").click()
        expect(card.get_by_text("✗ its drive was not found")).to_be_visible()
    finally:
        drive.close()


def test_tiles_are_sorted_by_name_and_fill_the_screen(serve, page):
    server = serve("--boards", "2")
    page.goto(f"{server.url}/class")
    expect(page.get_by_role("listitem").get_by_role("heading")).to_have_text(
        ["virtual-1", "virtual-2"]
    )
    page.get_by_role("button", name="Full screen").click()
    expect(page.locator("body")).to_have_class(re.compile("full"))
    page.get_by_role("button", name="Leave full screen").click()
    expect(page.locator("body")).not_to_have_class(re.compile("full"))


def test_noise_is_only_ever_text(serve, page, plugged, board):
    server = serve("--boards", "0", plugged=plugged)
    looker = Looker(server)
    heard(looker, board, plugged)
    page.goto(f"{server.url}/boards")
    noise = "<script>alert(1)</script><img src=x onerror=alert(2)>"
    board._line.feed(f"{noise}\r\n".encode())
    board._line.feed("\x1b[2J\u202egnp.exe\r\n".encode())
    card = page.get_by_role("article")
    expect(card.get_by_text(noise)).to_be_visible()
    expect(card.get_by_text(r"\x1b[2J\xe2\x80\xaegnp.exe")).to_be_visible()
    assert page.locator("article script, article img").count() == 0
    looker.close()


def test_twenty_look_on_and_one_that_is_slow_gets_the_newest(serve, plugged, board):
    server = serve("--boards", "0", plugged=plugged)
    lookers = [Looker(server, token=False) for _ in range(20)]
    slow = Looker(server, token=False)
    heard(lookers[0], board, plugged)
    lines = 12
    for number in range(lines):
        board._line.feed(f"line {number}\r\n".encode())
        lookers[0].wait(lambda n=number: f"line {n}" in lookers[0].said(NAME), "the line")
    for looker in lookers:
        looker.wait(lambda one=looker: f"line {lines - 1}" in one.said(NAME), "the last line")
    # What the slow one was sent before it said a word, and nothing more.
    for _ in range(4):
        slow.read(confirm=False)
    assert f"line {lines - 1}" not in slow.said(NAME)
    slow.confirm()
    slow.read()
    assert slow.said(NAME) == lookers[0].said(NAME)
    for looker in (*lookers, slow):
        looker.close()


def test_without_the_token_one_only_looks_on(serve):
    looker = Looker(serve("--boards", "1"), token=False)
    looker.wait(lambda: looker.board().get("running"), "the board")
    looker.send(board="virtual-1", do="reset")
    looker.wait(lambda: looker.errors, "the answer")
    assert looker.errors == ["from another computer you can look on, but change nothing"]
    assert len([line for line in looker.said("virtual-1") if "started" in line]) <= 1
    looker.close()


def test_what_no_page_sends_is_refused(serve):
    looker = Looker(serve("--boards", "1"))
    looker.wait(lambda: looker.board().get("running"), "the board")
    for message in (
        {"board": "virtual-9", "do": "reset"},
        {"board": ["virtual-1"], "do": "reset"},
        {"board": "virtual-1", "do": "explode"},
        {"board": "virtual-1", "do": "tap", "buttons": "AAAA"},
        {"board": "virtual-1", "do": "tilt", "x": 9, "y": 0},
        {"board": "virtual-1", "do": "nudge", "x": None, "y": 0},
    ):
        errors = len(looker.errors)
        looker.send(**message)
        looker.wait(lambda n=errors: len(looker.errors) > n, "the refusal")
    looker.close()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGKILL])
def test_the_end_closes_every_board(serve, page, tmp_path, number):
    server = serve("--boards", "2")
    page.goto(f"{server.url}/boards")
    expect(page.locator(".headline")).to_have_text(["Menu: against whom?"] * 2)
    rest(page.get_by_role("article").first)  # a press in its first 8 ms is one from before
    page.get_by_role("button", name="Button B", exact=True).first.click()
    expect(page.get_by_text("game 1: A is a person, B is a person")).to_be_visible()
    boards = psutil.Process(server.process.pid).children()
    assert len(boards) == 2
    status, said = server.end(number)
    assert status == (0 if number == signal.SIGINT else -number) and said.count("\n") == 1
    assert not psutil.wait_procs(boards, timeout=120)[1]
    with Store(db(tmp_path)) as store:
        assert count(store, GameFilter()) == 1
    page.goto("about:blank")
    page.errors.clear()  # that it is gone
