"""What browsers are told of boards and do with them, by the WebSocket's messages alone."""

import asyncio
import threading

import pytest

from live_page import Boards, Browser, settled
from noughts.store.store import Store
from noughts.watch.port_monitor import PortClosed, PortOpened, PortUnavailable
from noughts.web import hub as web_hub
from noughts.web import live
from noughts.web.hub import Hub
from noughts.web.site import Site
from sample_games import BOOT

NAME = "virtual-1"
LIT = bytes([9] * 25)


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Runs a test in an event loop, with a hub of so many boards, and sees that all ends."""
    monkeypatch.setattr(web_hub, "VirtualBoards", Boards)
    monkeypatch.setattr(web_hub, "_END_S", 120)  # on a busy computer
    monkeypatch.setattr(web_hub, "_WORK_S", 120)

    def start(test, boards=1, **named):
        hubs = []

        async def around():
            site = Site(tmp_path / "games.db", 8017, boards=boards, **named)
            hub = Hub(site, find=list)
            hubs.append(hub)
            hub.start()
            try:
                await test(site, hub)
            finally:
                hub.stop()
                await hub.close()
            await settled(lambda: len(asyncio.all_tasks()) == 1)
            assert hub.virtual.running == {}
            assert "keep games" not in hub.virtual.beside_the_end  # all that they said is kept

        before = set(threading.enumerate())
        asyncio.run(around())
        for thread in set(threading.enumerate()) - before:
            thread.join(120)
            assert not thread.is_alive(), thread.name
        assert hubs[0].virtual.closed == 1

    return start


def test_what_was_held_is_let_go_however_a_browser_goes_away(run):
    async def test(site, hub):
        board = hub.virtual.running[NAME]
        for how in (None, {"type": "websocket.receive", "bytes": b"x"}):
            browser = Browser(site, hub)
            browser.say(board=NAME, do="press", buttons="A")
            await settled(lambda: board.done)
            await browser.leave(how)
            assert board.done == [("press", "A"), ("release", "A")]
            board.done.clear()
        assert not hub.led_lookers.there.is_set() and not hub.lookers.there.is_set()

    run(test)


def test_others_look_on_when_one_goes_away(run):
    async def test(site, hub):
        one, two, three = (Browser(site, hub, leds=leds) for leds in (True, True, False))
        for browser in (one, two):
            await browser.until(lambda now: f"leds/{NAME}" in now)
        await one.leave()
        hub.virtual.running[NAME].shown = LIT
        await two.until(lambda now: now[f"leds/{NAME}"][0] == "9" * 25)
        hub.note_work(NAME, {"what": "flash"})
        await two.until(lambda now: now[f"board/{NAME}"]["work"])
        await two.leave()
        await three.until(lambda now: now.get(f"board/{NAME}", {}).get("work"))
        await three.leave()
        assert not any(f"leds/{NAME}" in told for told in three.told)

    run(test)


def test_what_the_leds_clock_and_flash_of_a_board_tell(run):
    async def test(site, hub):
        board, browser = hub.virtual.running[NAME], Browser(site, hub)
        await browser.until(lambda now: now.get(f"leds/{NAME}") == ["0" * 25, 1000])
        board.ms = 7  # it was programmed anew, and looks the same
        await browser.until(lambda now: now[f"leds/{NAME}"] == ["0" * 25, 7])
        await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("controls") == "buttons")
        board.flash = b"\xfe.\x08settingsHt"
        await browser.until(lambda now: now[f"board/{NAME}"]["controls"] == "tilt")
        await browser.leave()

    run(test)


def test_a_board_that_has_ended_is_started_again(run):
    async def test(site, hub):
        browser, board = Browser(site, hub), hub.virtual.running[NAME]
        browser.say(board=NAME, do="start")  # it runs: nothing is to be done
        browser.say(board=NAME, do="tap", buttons="A")
        await settled(lambda: board.done)
        hub.hear(NAME, BOOT)
        await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("lines"))
        menu = browser.now[f"board/{NAME}"]["headline"]
        board.ended = True
        await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("ended"))
        assert browser.now[f"board/{NAME}"]["about"] == "it was killed; start again"
        assert hub.virtual.started == []
        for _ in range(2):
            browser.say(board=NAME, do="start")
        await browser.until(lambda now: not now[f"board/{NAME}"]["ended"])
        assert browser.now[f"board/{NAME}"]["about"] != "it was killed; start again"
        assert hub._boards[NAME].observer.now.phase == "starting" and menu.startswith("Menu")
        browser.say(board=NAME, do="tap", buttons="B")
        await settled(lambda: hub.virtual.running[NAME].done)
        assert hub.virtual.started == [NAME]
        await browser.leave()

    run(test)


@pytest.mark.parametrize(
    ("client", "lan", "token", "may"),
    [
        ("127.0.0.1", True, None, True),
        ("192.0.2.7", True, None, False),
        ("192.0.2.7", False, None, True),  # there is no such connection
        ("127.0.0.1", True, "wrong", False),
        ("127.0.0.1", False, ["x"], False),
    ],
)
def test_who_may_press(run, client, lan, token, may):
    async def test(site, hub):
        browser = Browser(site, hub, client, token=False)
        browser.say(token=site.token if token is None else token)
        await browser.until(lambda now: "you" in now)
        assert browser.now["you"] == {"may": may}
        browser.say(board=NAME, do="tap", buttons="A")
        browser.say(board="virtual-9")
        await browser.until(lambda now: "error" in now)
        await browser.leave()
        assert hub.virtual.board(NAME).done == [("tap", "A")] * may

    run(test, lan=lan)


def test_what_is_no_message_is_said_and_nothing_ends(run):
    async def test(site, hub):
        browser = Browser(site, hub)
        for number, text in enumerate(("", "[]", "[" * 60_000, '"x"', "null", "{", "{}"), 1):
            browser.send(text)
            await browser.until(lambda _, n=number: sum("error" in m for m in browser.told) == n)
        browser.say(board=NAME, do="tap", buttons="A")
        await settled(lambda: hub.virtual.board(NAME).done)
        await browser.leave()

    run(test)


def test_who_asks_faster_than_a_board_can_loses_some_and_stays(run):
    async def test(site, hub):
        board, browser = hub.virtual.board(NAME), Browser(site, hub)
        board.goes_on.clear()
        for _ in range(live._WAITING * 2):
            browser.say(board=NAME, do="tap", buttons="A")
        browser.say(token=site.token)  # which is answered at once, after those before it
        await browser.until(lambda _: sum("you" in told for told in browser.told) == 2)
        board.goes_on.set()
        await settled(lambda: len(board.done) >= live._WAITING)
        browser.say(board=NAME, do="tap", buttons="B")
        await settled(lambda: ("tap", "B") in board.done)
        assert len(board.done) <= live._WAITING + 2
        await browser.leave()

    run(test)


def test_names_that_are_kept_are_told_from_the_start(run, tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:
        store.name_board(NAME, "blue table")
        store.name_board("usb-9", "not here")

    async def test(site, hub):
        browser = Browser(site, hub)
        await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("name") == "blue table")
        assert browser.now["order"] == [NAME] and "board/usb-9" not in browser.now
        with Store(tmp_path / "games.db") as store:
            store.name_board(NAME, "red table")
        await browser.until(lambda now: now[f"board/{NAME}"]["name"] == "red table")
        await browser.leave()

    run(test)


def test_a_board_begins_and_is_reset(run):
    async def test(site, hub):
        browser = Browser(site, hub)
        hub.hear(NAME, BOOT)  # as whoever has updated it heard it
        await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("lines"))
        assert browser.now[f"board/{NAME}"]["headline"] == "Menu: against whom?"
        browser.say(board=NAME, do="reset")
        await browser.until(lambda now: now[f"board/{NAME}"]["headline"] != "Menu: against whom?")
        await settled(lambda: hub.virtual.board(NAME).done == [("reset",)])
        assert len(browser.now[f"board/{NAME}"]["lines"]) == 1
        # And then there is nothing to tell.
        await settled(lambda: not hub._changed and not hub._news.is_set())
        await browser.leave()

    run(test)


def test_what_ports_tell(run):
    async def test(site, hub):
        port = "/dev/ttyACM0"
        hub._take([PortOpened("usb-1", port)])
        assert hub.port("usb-1") == port
        refused = [PortUnavailable(f"/dev/tty{number}", "no\u202e") for number in range(9)]
        hub._take([PortClosed("usb-1", port, "it was unplugged"), *refused])
        assert hub.port("usb-1") is None and hub.port("usb-2") is None
        browser = Browser(site, hub)
        await browser.until(lambda now: len(now.get("site", {}).get("waiting", ())) == 5)
        assert all(line.isprintable() for line in browser.now["site"]["waiting"])
        await browser.leave()

    run(test, boards=0)


def test_what_is_being_done_is_waited_for_at_the_end(run):
    done = []

    async def test(site, hub):
        def work():
            while hub._ended is None or not hub._ended.is_alive():
                pass
            hub._ended.join(0.2)  # it ends before us only if nothing makes it wait
            done.append(hub._ended.is_alive())

        hub.beside(work)

    run(test)
    assert done == [True]
