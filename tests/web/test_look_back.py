"""What the pages of games and statistics have in common, whatever the store holds."""

import hashlib
import json

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from noughts.store.store import Store
from sample_games import AT, BOOT, filled, keep, stages

WON = [4, 1, 0, 2, 8]
HOSTILE = (
    "<script>document.title = 'taken'</script>",
    '"><img src=x onerror="document.title=\'taken\'">',
    "\u202egnp.exe \u2066x",
    "\x1b]0;taken\x07" + "w" * 300,
)
PAGES = ("games", "games/1", "statistics")


@pytest.fixture
def db(tmp_path):
    """A board for each hostile name; one has it as its own, too."""
    path = tmp_path / "games.db"
    for number, name in enumerate(HOSTILE):
        board = name if number == 1 else f"usb-{number}"
        filled(path, stages(WON, number=number + 1), board=board, at=AT + number * 60_000)
        if number != 1:
            with Store(path) as store:
                store.name_board(board, name)
    return path


def opened(page, address):
    page.goto(address)
    expect(page.locator("tbody tr, .empty").first).to_be_visible()


def test_names_are_text(serve, db, page):
    url = serve("--boards", "0", "--db", str(db)).url
    for address in ("games", "statistics", "games/1", "games/2", "games/3", "games/4"):
        opened(page, f"{url}/{address}")
        assert "taken" not in page.title()
        assert page.locator("main img, main script").count() == 0
        assert not set("\u202e\u2066\x1b\x07") & set(page.locator("main").inner_text())
    page.goto(f"{url}/games?board=<script>document.title")
    expect(page.get_by_role("status")).to_contain_text(
        "1 game: boards with '<script>document.title'"
    )
    expect(page.get_by_role("cell", name=HOSTILE[0][:40])).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_everybody_can_use_them(serve, db, page, scheme):
    """No violation that axe-core knows of, and no scroll bar across on a phone."""
    url = serve("--boards", "0", "--db", str(db)).url
    page.emulate_media(color_scheme=scheme)
    for width in (1024, 360):
        page.set_viewport_size({"width": width, "height": 800})
        for address in (*PAGES, "games?board=nobody"):
            page.goto(f"{url}/{address}")
            expect(page.locator("tbody tr, #list a").first).to_be_visible()
            if "1" in address:
                page.keyboard.press("End")
            found = Axe().run(page)
            assert not found.violations_count, found.generate_report()
            assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_without_a_game_it_is_said_how_to_get_one(serve, tmp_path, page):
    empty = tmp_path / "empty.db"
    Store(empty, create=True).close()
    for db in (empty, tmp_path / "none.db"):
        url = serve("--boards", "0", "--db", str(db)).url
        for address in ("games?board=x", "statistics"):
            page.goto(f"{url}/{address}")
            expect(page.get_by_role("status")).to_have_text("No game is kept yet.")
            expect(page.locator(".empty")).to_contain_text("every game that it tells is kept")


def test_a_damaged_store_is_one_line(serve, tmp_path, page):
    path = filled(tmp_path / "games.db", *(stages(WON, number=number) for number in range(1, 300)))
    content = bytearray(path.read_bytes())
    content[4096 * 3 :] = b"\x55" * (len(content) - 4096 * 3)
    path.write_bytes(content)
    server = serve("--boards", "0", "--db", str(path))
    page.errors.clear()
    for address in ("games", "games/1", "statistics"):
        page.goto(f"{server.url}/{address}")
        expect(page.get_by_role("status")).to_contain_text(f"{path} is damaged or not a store")
        status, _, body = server.ask("GET", f"/api/{address}")
        assert status == 400 and "\n" not in json.loads(body)["error"]
    page.errors[:] = [text for text in page.errors if "status of 400" not in text]


def test_others_write_while_it_is_looked_at_and_nothing_is_changed(serve, tmp_path, page):
    path = filled(tmp_path / "games.db", stages(WON))
    url = serve("--boards", "0", "--db", str(path)).url
    before = hashlib.sha256(path.read_bytes()).digest()
    for address in PAGES:
        opened(page, f"{url}/{address}")
    assert hashlib.sha256(path.read_bytes()).digest() == before
    with Store(path) as watch:
        watch.keep("usb-2", BOOT, AT)
        for sentence in stages(WON)[:3]:
            keep(watch, "usb-2", sentence, AT)
        watch.db.execute("BEGIN IMMEDIATE")  # a watcher in the middle of writing
        page.goto(f"{url}/games/2")
        expect(page.get_by_role("heading", level=1)).to_have_text("Game 2: unfinished")
        page.goto(f"{url}/statistics")
        expect(page.get_by_role("status")).to_have_text("2 games")
        watch.db.execute("ROLLBACK")
