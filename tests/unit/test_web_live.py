"""What browsers are told of boards and do with them; tasks with boards."""

import asyncio
import contextlib
import json
from functools import partial
from itertools import count
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from serial.tools import list_ports

from live_page import Board, Boards, settled
from noughts import brain
from noughts.boards.start import Start
from noughts.device_files import device_files
from noughts.errors import BoardError
from noughts.recording.events import (
    NoiseReceived,
    PortClosed,
    PortOpened,
    PortUnavailable,
    SentenceStored,
)
from noughts.recording.session import BoardState, Session
from noughts.store.store import Store
from noughts.views.situation import Situation
from noughts.web import controls as web_controls
from noughts.web import live as web_live
from noughts.web import tasks as web_tasks
from noughts.web.app import application
from noughts.web.controls import BoardControls
from noughts.web.live import Channel, LiveBoard, LiveBoards
from noughts.web.safety import RateLimit, Site
from sample_games import BOOT, stages

NAME = "virtual-1"
TOKEN = "of this start"
pytestmark = pytest.mark.anyio


class Browser:
    """One that watches until `leave()`; the newest values that it received are in `now`."""

    def __init__(self, site, live_boards, client="127.0.0.1", leds=True, token=True, confirms=True):
        self._confirms = confirms
        self._in, self._out = asyncio.Queue(), asyncio.Queue()
        self.now, self.messages = {}, []
        here = site.addresses[0].encode()
        scope = {
            "type": "websocket", "path": "/api/live", "query_string": b"leds" * leds,
            "headers": [(b"host", here), (b"origin", b"http://" + here)],
            "client": (client, 50_000), "subprotocols": [],
        }  # fmt: skip
        app = application(site, live_boards)
        self._in.put_nowait({"type": "websocket.connect"})
        self.task = asyncio.ensure_future(app(scope, self._in.get, self._out.put))
        if token:
            self.say(token=site.token)

    def say(self, **message):
        self.send(json.dumps(message))

    def send(self, text):
        self._in.put_nowait({"type": "websocket.receive", "text": text})

    async def until(self, holds):
        while not holds(self.now):
            sent = await asyncio.wait_for(self._out.get(), 120)
            if sent["type"] != "websocket.send":
                continue
            message = json.loads(sent["text"])
            self.messages.append(message)
            self.now |= message
            if self._confirms and "error" not in message:
                self.say(seen=1)

    async def leave(self, how=None):
        self._in.put_nowait(how or {"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self.task, 120)


@pytest.fixture
async def live(tmp_path, monkeypatch):
    """Starts so many boards, and what opens browsers on them; all of it ends with the test."""
    monkeypatch.setattr(list_ports, "comports", list)
    monkeypatch.setattr(web_live, "VirtualBoards", Boards)
    monkeypatch.setattr(web_live, "_SHUTDOWN_TIMEOUT_S", 120)  # on a busy computer
    started, browsers = [], []
    tasks = asyncio.all_tasks()

    def start(boards=1, **named):
        site = Site(tmp_path / "games.db", 8017, boards=boards, token=TOKEN, **named)
        started.append(LiveBoards(site))
        started[0].start()

        def browse(*words, **named):
            browsers.append(Browser(site, started[0], *words, **named))
            return browsers[-1]

        return started[0], browse

    yield start
    for browser in browsers:
        await browser.leave()
    await asyncio.to_thread(started[0].close)
    await settled(lambda: len(asyncio.all_tasks()) == len(tasks))
    assert started[0].virtual.recorded, "boards ended before all that they sent was stored"
    assert not started[0]._recording.is_alive()


async def test_buttons_are_released_however_a_browser_goes_away(live):
    live_boards, browse = live()
    board = live_boards.virtual.running[NAME]
    for how in (None, {"type": "websocket.receive", "bytes": b"x"}):
        browser = browse()
        board.goes_on.clear()
        browser.say(board=NAME, do="press", buttons="A")
        leaving = asyncio.create_task(browser.leave(how))
        await asyncio.sleep(0.05)  # the press is on its way when the browser goes
        board.goes_on.set()
        await leaving
        assert board.done == [("press", "A"), ("release", "A", "B"), ("tilt", 0, 0)]
        board.done.clear()


async def test_others_watch_on_when_one_goes_away(live):
    live_boards, browse = live()
    one, two, three = (browse(leds=leds) for leds in (True, True, False))
    for browser in (one, two):
        await browser.until(lambda now: f"leds/{NAME}" in now)
    await one.leave()
    live_boards.virtual.running[NAME].shown = bytes([9] * 25)
    await two.until(lambda now: now[f"leds/{NAME}"][0] == "9" * 25)
    live_boards.boards[NAME].work = {"what": "flash", "doing": "copying", "done": 3, "total": 18}
    await two.until(lambda now: now[f"board/{NAME}"]["work"])
    shown = two.now[f"board/{NAME}"]
    assert shown["headline"] == "Flashing: leave it plugged in"
    assert shown["about"] == "copying 3 of 18"
    await three.until(lambda now: now.get(f"board/{NAME}", {}).get("work"))
    assert not any(f"leds/{NAME}" in each for each in three.messages)


async def test_the_controls_of_a_board_are_read_from_its_flash(live):
    live_boards, browse = live()
    browser = browse()

    def played_by(controls):
        return lambda now: now.get(f"board/{NAME}", {}).get("facts", "").endswith(controls)

    await browser.until(played_by("played by buttons"))
    live_boards.virtual.running[NAME].flash = b"\xfe.\x08settingsHt"
    await browser.until(played_by("played by tilt"))


@pytest.mark.parametrize(
    ("client", "token", "may"),
    [("127.0.0.1", TOKEN, True), ("192.0.2.7", TOKEN, False), ("127.0.0.1", ["x"], False)],
)
async def test_who_may_press(live, client, token, may):
    live_boards, browse = live(lan=True)
    browser = browse(client, token=False)
    browser.say(token=token)
    browser.say(board=NAME, do="tap", buttons="A")
    browser.say(board="virtual-9")
    await browser.until(lambda now: "error" in now)
    assert live_boards.virtual.board(NAME).done == [("tap", "A")] * may


async def test_what_is_not_json_ends_a_connection_and_what_is_no_object_changes_nothing(live):
    live_boards, browse = live()
    browser = browse()
    for text in ("[]", '"x"', "null", "{}"):
        browser.send(text)
    browser.say(board=NAME, do="tap", buttons="A")
    await settled(lambda: live_boards.virtual.board(NAME).done)
    for text in ("", "[" * 60_000, "{"):
        browser = browse()
        browser.send(text)
        await asyncio.wait_for(browser.task, 120)


async def test_messages_have_a_rate_and_wait(live, monkeypatch):
    quarters = count()
    limit = partial(RateLimit, rate=1, clock=lambda: next(quarters) / 4)
    monkeypatch.setattr(web_controls, "RateLimit", limit)
    _, browse = live()
    browser = browse()  # its token is the first message
    for _ in range(3):
        browser.say(board="virtual-9")
    await browser.until(lambda _: sum("error" in each for each in browser.messages) == 3)
    assert next(quarters) >= 12  # three seconds


async def test_stored_names_are_shown_from_the_start(live, tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:
        store.name_board(NAME, "blue table")
        store.name_board("usb-9", "not here")

    _, browse = live()
    browser = browse()
    await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("name") == "blue table")
    assert browser.now["order"] == [NAME] and "board/usb-9" not in browser.now


async def test_a_board_begins_and_is_reset(live):
    live_boards, browse = live()
    browser = browse()
    live_boards.record(NAME, BOOT)  # as a task that updated it does
    await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("lines"))
    assert browser.now[f"board/{NAME}"]["headline"] == "Menu: against whom?"
    browser.say(board=NAME, do="reset")
    await browser.until(lambda now: now[f"board/{NAME}"]["headline"] != "Menu: against whom?")
    await settled(lambda: live_boards.virtual.board(NAME).done == [("reset",)])
    assert len(browser.now[f"board/{NAME}"]["lines"]) == 1


async def test_ports_that_cannot_be_opened(live):
    live_boards, browse = live(boards=0)
    port = "/dev/ttyACM0"
    refused = [PortUnavailable(f"/dev/tty{number}", "no\u202e") for number in range(9)]
    live_boards._take([PortOpened("usb-1", port), PortClosed("usb-1", port, "pulled"), *refused])
    browser = browse()
    await browser.until(lambda now: len(now.get("site", ())) == 5)
    assert all(line.isprintable() for line in browser.now["site"])


@pytest.fixture
def boards():
    return {"one": Board(), "ended": Board()}


@pytest.fixture
def controls(boards):
    virtual = SimpleNamespace(kinds=boards, board=boards.get)
    return BoardControls(SimpleNamespace(virtual=virtual))


def test_buttons_and_tilt_are_released_on_boards_that_run(boards, controls):
    one, ended = boards.values()
    controls.do({"board": "ended", "do": "press", "buttons": "A"})
    controls.do({"board": "one", "do": "release", "buttons": "AB"})
    controls.do({"board": "one", "do": "tilt", "x": -1, "y": 0})
    assert one.done == [("release", "A", "B"), ("tilt", -400, 0)]
    ended.ended = True
    controls.let_go()
    assert one.done[2:] == [("release", "A", "B"), ("tilt", 0, 0)]
    assert ended.done == [("press", "A")]


@pytest.mark.parametrize(
    "message",
    [
        {"board": "usb-1", "do": "reset"},
        {"board": ["one"], "do": "reset"},
        {"do": "reset"},
        {"board": "one", "do": "explode"},
        {"board": "one", "do": "tap", "buttons": "AAAA"},
        {"board": "one", "do": "tilt", "x": 9, "y": 0},
        {"board": "one", "do": "nudge", "x": None, "y": 0},
    ],
)
def test_invalid_message_is_refused(boards, controls, message):
    with pytest.raises(BoardError, match=r"not a virtual board|cannot do that"):
        controls.do(message)
    assert boards["one"].done == []


async def test_a_browser_gets_the_latest_state_once_it_is_ready():
    channel, room, sent = Channel(0.001, lambda: None), asyncio.Semaphore(1), []

    async def send(text):
        sent.append(text)

    followers = [asyncio.create_task(channel.follow(room.acquire, send)) for _ in range(2)]
    channel.set("a", 1)
    channel.set("b", [1])
    await settled(lambda: sent)
    for value in range(100):
        channel.set("a", value)
        await asyncio.sleep(0)
    channel.set("b", [1])
    assert [json.loads(text) for text in sent] == [{"a": 1, "b": [1]}]
    for _ in range(6):
        room.release()
    await settled(lambda: len(sent) == 3)
    assert {"a": 99} in [json.loads(text) for text in sent[1:]]
    channel.set("b", 2)
    await settled(lambda: len(sent) == 5)
    assert sent[-1] == sent[-2]
    for follower in followers:
        follower.cancel()
    await asyncio.gather(*followers, return_exceptions=True)


async def test_a_browser_that_draws_nothing_is_sent_eight_messages(live):
    """However much it confirmed before there was anything."""
    live_boards, browse = live()
    live_boards.words._every_s = 0.001
    browser = browse(leds=False, confirms=False)
    browser.say(seen=100)
    await browser.until(lambda now: "order" in now)
    for number in range(web_controls._UNSEEN * 2):
        live_boards.words.set("a", number)
        await asyncio.sleep(0.01)
    browser.say()
    await browser.until(lambda now: "error" in now)
    drawn = [each for each in browser.messages if "error" not in each]
    assert len(drawn) == web_controls._UNSEEN
    browser.say(seen=1)
    await browser.until(lambda now: now.get("a") == web_controls._UNSEEN * 2 - 1)


def record(*events, shows=None):
    """What the page is told after these events; shows: a situation that the LEDs show."""
    session, board = Session(), LiveBoard("usb-1")
    for event in events:
        session.take(event)
        board.take(event)
    board.observer.now = shows or board.observer.now
    return json.loads(json.dumps(board.record("blue table", session.boards.get("usb-1"))))


def played(*moves, end=None):
    """What was received of a game with these moves last."""
    return SentenceStored("usb-1", stages(moves, end)[-1], 7, True)


STARTED = SentenceStored("usb-1", BOOT, None, True)
OPENED = PortOpened("usb-1", "/dev/ttyACM0")


def test_a_game_that_is_won():
    board = record(OPENED, STARTED, played(0, 3, 1, 4, 2))
    known = board["name"], board["kind"], board["headline"]
    assert known == ("blue table", "micro:bit V1", "You have won!")
    assert board["tile"] == ["person against hard", "A won"]
    assert board["score"] == "score: A 1, B 0, draws 0"
    shown = board["game"]
    assert (shown["marks"], shown["line"], shown["last"]) == ("XXXOO....", [0, 1, 2], 2)
    assert ["top row", 3] in shown["scores"] and ["middle row", -2] in shown["scores"]
    assert shown["title"] == "person against hard: A has 1, 2, 3; B has 4, 5"
    assert shown["about"] == "game 7: A won"
    text = "game 7, move 5: A in the top-right corner; A wins (top row)"
    assert board["lines"][-1] == ["event", text]


def test_a_board_that_is_silent_in_the_menu_or_unplugged():
    for events, tile in (
        ([], "waiting for a game"),
        ([STARTED], "in the menu"),
        ([played(4), played(4, end="x")], "in the menu"),
    ):
        assert record(OPENED, *events)["tile"] == [tile, ""]
    board = record(OPENED, STARTED, played(0, 3, 1, 4, 2), shows=Situation("menu", "H"))
    assert board["tile"] == ["in the menu", "last: person against hard, A won"]
    assert record(OPENED, played())["game"]["last"] is None
    board = record(OPENED, played(4, 0), PortClosed("usb-1", "/dev/ttyACM0", "pulled"))
    assert (board["headline"], board["tile"]) == ("Unplugged", ["unplugged", ""])
    assert not board["running"] and board["buttons"] == []
    assert board["game"]["marks"] == "O...X...."


def test_lines_of_a_board_are_short_and_printable():
    board = record(OPENED, NoiseReceived("usb-1", "x" * 5000 + "\u202e"), STARTED)
    assert [len(text) <= 200 and text.isprintable() for _, text in board["lines"]] == [True] * 3
    many = record(*[NoiseReceived("usb-1", f"{number}") for number in range(1000)])
    expected = [["noise", f"noise: {number}"] for number in range(994, 1000)]
    assert many["lines"] == expected


def test_a_virtual_board_that_starts_and_one_that_does_not_run():
    board = LiveBoard("virtual-1", "V2")
    state = BoardState("virtual-1", "/dev/pts/1")
    shown = board.record("virtual-1", None)
    assert shown["headline"] == "The board starts"
    shown = board.record("virtual-1", state)
    assert shown["headline"] != "Waiting for a game" and "/dev" not in shown["facts"]
    shown = board.record("virtual-1", state, error="it was killed")
    assert shown["headline"] == "The virtual board does not run" and not shown["running"]
    assert (shown["about"], shown["tile"]) == ("it was killed", ("does not run", ""))


def boards_of(*names):
    """Real boards; what was recorded of them is in `recorded`."""
    boards = SimpleNamespace(
        boards={name: LiveBoard(name) for name in names}, recorded=[], busy=set(),
        session=Session(), virtual=SimpleNamespace(names={}, kinds={}),
        monitor=SimpleNamespace(released=contextlib.nullcontext),
    )  # fmt: skip
    for name in names:
        boards.session.take(PortOpened(name, f"/dev/{name}"))
    boards.record = lambda *said: boards.recorded.append(said)
    return boards


def test_one_task_with_a_board_at_a_time(monkeypatch):
    """`doctor` has all boards, also those that are plugged in later."""

    def find(also):
        raise BoardError("none")

    begun = []
    boards = boards_of("usb-1", "usb-2")
    monkeypatch.setattr(
        web_tasks, "Thread", lambda target, **_: Mock(start=partial(begun.append, target))
    )
    monkeypatch.setattr(web_tasks, "find_boards", find)
    begin = partial(web_tasks.begin, boards)

    def refuses(*refused):
        for what, name in refused:
            with pytest.raises(BoardError, match="wait until that is done"):
                begin(what, name)

    begin("update", "usb-1")
    begin("update", "usb-2")
    refuses(("check", ""), ("update", "usb-1"), ("flash", "usb-2"))
    with pytest.raises(BoardError, match="there is no board 'usb-3'"):
        begin("update", "usb-3")
    monkeypatch.setattr(web_tasks, "bring_up_to_date", lambda *_: Start(None, "V1", "1.0.0"))
    for work in begun:
        work()
    begin("check", "")
    boards.boards["usb-3"] = LiveBoard("usb-3")
    refuses(("check", ""), ("update", "usb-1"), ("flash", "usb-3"))
    begun[-1]()
    begin("flash", "usb-3")


@pytest.mark.parametrize("task", ["update", "flash"])
def test_the_page_sends_no_table_that_can_lose(monkeypatch, task):
    table = brain.Table((1,) * 10, ())
    files = device_files() | {"table.py": brain.source(table).encode()}
    monkeypatch.setattr("noughts.boards.packing.device_files", lambda: files)
    boards = boards_of("usb-1")
    web_tasks._change(boards, task, "usb-1")
    done = boards.boards["usb-1"].work
    assert not done["good"] and "by playing 5 in X.O......" in done["result"]
    assert boards.recorded == []
