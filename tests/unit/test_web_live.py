"""What browsers receive about boards and do with them; tasks with boards."""

import asyncio
import contextlib
import json
import threading
from functools import partial
from unittest.mock import Mock

import pytest
from serial.tools import list_ports

from live_page import Board, device_of, settled, stand_in_boards, stand_in_virtual
from noughts import brain
from noughts.boards.wait_for_start import Start
from noughts.brain.device import device_files
from noughts.errors import BoardError
from noughts.protocol.sentences import Menu
from noughts.recording.events import (
    BoardRefused,
    NoiseReceived,
    PortClosed,
    PortOpened,
    PortUnavailable,
    PortUnplugged,
    SentenceStored,
    StoreBusy,
)
from noughts.recording.session import Session
from noughts.recording.watch import Watch
from noughts.store.store import Store
from noughts.virtual.virtual_boards import RestartableBoard
from noughts.web import tasks as web_tasks
from noughts.web.app import application
from noughts.web.controls import do
from noughts.web.live import Channel, LiveBoard, LiveBoards
from noughts.web.safety import Site
from sample_games import BOOT, DRAW, stages
from stand_in_drive import BOOTLOADER_DETAILS, StandInDrive
from waiting import until as wait_for

NAME = "virtual-1"
pytestmark = pytest.mark.anyio


class Browser:
    """Watches until `leave()`; `now` has the newest values that it received."""

    def __init__(self, site, live_boards, leds=True, client="127.0.0.1"):
        self._in, self._out = asyncio.Queue(), asyncio.Queue()
        self.now, self.messages = {}, []
        scope = {
            "type": "http", "method": "GET", "path": "/api/live", "query_string": b"leds" * leds,
            "headers": [(b"host", site.addresses[0].encode())], "client": (client, 50_000),
        }  # fmt: skip
        app = application(site, live_boards)
        self._in.put_nowait({"type": "http.request", "body": b""})
        self.task = asyncio.ensure_future(app(scope, self._in.get, self._out.put))

    async def until(self, holds):
        while not holds(self.now):
            sent = await asyncio.wait_for(self._out.get(), 120)
            if sent["type"] == "http.response.body":
                self.messages.append(json.loads(sent["body"].removeprefix(b"data: ")))
                self.now |= self.messages[-1]

    async def leave(self):
        self._in.put_nowait({"type": "http.disconnect"})
        await asyncio.wait_for(self.task, 120)


@pytest.fixture
async def live(tmp_path, monkeypatch):
    """Starts this many boards; gives them and a function that opens browsers on them."""
    monkeypatch.setattr(list_ports, "comports", list)
    started, browsers = [], []
    tasks = asyncio.all_tasks()

    async def start(boards=1, **named):
        site = Site(tmp_path / "games.db", 8017, boards=boards, **named)
        started.append(stand_in_boards(site))
        started[0].start()
        virtual = started[0].virtual.boards.values()
        await settled(lambda: all(board.device for board in virtual))

        def browse(*words, **named):
            browsers.append(Browser(site, started[0], *words, **named))
            return browsers[-1]

        return started[0], browse

    yield start
    for browser in browsers:
        await browser.leave()
    await asyncio.to_thread(started[0].close)
    await settled(lambda: len(asyncio.all_tasks()) == len(tasks))


async def test_other_browsers_keep_watching_when_one_leaves(live):
    live_boards, browse = await live()
    one, two, three = (browse(leds=leds) for leds in (True, True, False))
    for browser in (one, two):
        await browser.until(lambda now: f"leds/{NAME}" in now)
    await one.leave()
    device_of(live_boards).led_levels = bytes([9] * 25)
    await two.until(lambda now: now[f"leds/{NAME}"][0] == "9" * 25)
    live_boards.boards[NAME].work = {"what": "flash", "doing": "copying", "done": 3, "total": 18}
    await two.until(lambda now: now[f"board/{NAME}"]["work"])
    shown = two.now[f"board/{NAME}"]
    assert shown["headline"] == "Flashing: leave it plugged in"
    assert shown["about"] == "copying 3 of 18"
    await three.until(lambda now: now.get(f"board/{NAME}", {}).get("work"))
    assert not any(f"leds/{NAME}" in message for message in three.messages)


async def test_port_of_a_virtual_board_is_closed_while_a_task_uses_it(live):
    live_boards, _ = await live()
    board = live_boards.session.board(NAME)
    await settled(lambda: board.connected)
    with live_boards.released(NAME):
        await settled(lambda: not board.connected)


async def press(live_boards, browser, what="press", buttons="AB", name=NAME, **more):
    """Let the page of this browser hold something, or release it."""
    message = {"board": name, "do": what, "buttons": buttons, "stream": browser.now["stream"]}
    await do(live_boards, message | more)


@pytest.fixture
async def two_pages(live):
    """Two boards, and two pages that follow them and may press buttons."""
    live_boards, browse = await live(2)
    pages = browse(), browse()
    for page in pages:
        await page.until(lambda now: "stream" in now)
    return live_boards, *pages


async def test_stream_that_ends_lets_go_of_what_its_page_holds(two_pages):
    live_boards, one, two = two_pages
    first, second = (device_of(live_boards, name) for name in (NAME, "virtual-2"))
    await press(live_boards, one, buttons="A")
    await press(live_boards, one, "tilt", x=1, y=0)
    await press(live_boards, one, name="virtual-2")
    second.ended = True
    await press(live_boards, two, buttons="B")
    first.done.clear()
    await one.leave()
    await settled(lambda: first.done == [("release", "A"), ("tilt", 0, 0)])
    await two.leave()
    await settled(lambda: first.done == [("release", "A"), ("tilt", 0, 0), ("release", "B")])


async def test_button_of_a_page_that_leaves_is_released_outside_the_event_loop(two_pages):
    live_boards, one, _ = two_pages
    device = device_of(live_boards)
    await press(live_boards, one, buttons="A")
    stream, threads = one.now["stream"], []
    device.before_release = lambda: threads.append(threading.current_thread())
    await one.leave()
    assert stream not in live_boards.holds
    await settled(lambda: device.done[-1] == ("release", "A"))
    assert threading.current_thread() not in threads


async def test_button_is_down_until_each_page_that_holds_it_has_released_it(two_pages):
    live_boards, one, two = two_pages
    device = device_of(live_boards)
    for page in (one, two):
        await press(live_boards, page)
    device.done.clear()
    await press(live_boards, one, "release", "A")
    await one.leave()
    assert device.done == []
    await press(live_boards, two, "release")
    assert device.done == [("release", "A", "B")]


async def test_page_that_releases_one_button_still_holds_the_other(two_pages):
    live_boards, one, _ = two_pages
    device = device_of(live_boards)
    await press(live_boards, one)
    await press(live_boards, one, "release", "A")
    await one.leave()
    await settled(lambda: device.done[1:] == [("release", "A"), ("release", "B")])


async def test_press_that_arrives_after_its_stream_has_ended_is_refused_or_released(two_pages):
    live_boards, one, two = two_pages
    device = device_of(live_boards)
    await one.leave()
    with pytest.raises(BoardError, match="lost its connection"):
        await press(live_boards, one)
    assert device.done == []
    ended = asyncio.ensure_future(two.leave())
    device.before_press = partial(wait_for, ended.done)  # in the thread that presses
    await press(live_boards, two)
    assert device.done == [("press", "A", "B"), ("release", "A", "B")]


@pytest.mark.parametrize(("leds", "lan", "may"), [(1, 0, 1), (0, 0, 0), (1, 1, 0)])
async def test_only_a_page_that_may_press_buttons_gets_a_stream(live, leds, lan, may):
    _, browse = await live(lan=bool(lan))
    browser = browse(leds=bool(leds), client="192.0.2.7" if lan else "127.0.0.1")
    await browser.until(lambda now: "order" in now)
    assert ("stream" in browser.now) == may


async def test_controls_are_what_the_boards_menu_says(live):
    live_boards, browse = await live()
    browser = browse()

    def played_by(controls):
        return lambda now: now.get(f"board/{NAME}", {}).get("facts", "").endswith(controls)

    for letter, controls in (("b", "buttons"), ("t", "tilt")):
        device_of(live_boards).says(BOOT, Menu(BOOT.boot, f"P{letter}"), stages([4])[0])
        await browser.until(played_by(f"played by {controls}"))


async def test_stored_names_are_shown_from_the_start(live, tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:
        store.name_board(NAME, "blue table")
        store.name_board("usb-9", "not here")

    _, browse = await live()
    browser = browse()
    await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("name") == "blue table")
    assert browser.now["order"] == [NAME] and "board/usb-9" not in browser.now


async def test_reset_updates_the_page_and_a_second_start_is_ignored(live):
    live_boards, browse = await live()
    browser = browse()
    live_boards.record(NAME, BOOT)  # as the update task does
    await browser.until(lambda now: len(now.get(f"board/{NAME}", {}).get("lines", ())) > 1)
    assert browser.now[f"board/{NAME}"]["headline"] == "Menu: choose an opponent"
    for what in ("start", "reset"):  # it already runs, started by an earlier click
        await do(live_boards, {"board": NAME, "do": what})
    await browser.until(lambda now: now[f"board/{NAME}"]["headline"] != "Menu: choose an opponent")
    assert device_of(live_boards).done == [("reset",)]


async def test_ended_board_is_reported_and_starts_again(live):
    live_boards, browse = await live()
    browser = browse()
    device = device_of(live_boards)
    device.ended = True
    await browser.until(lambda now: now.get(f"board/{NAME}", {}).get("ended"))
    assert browser.now[f"board/{NAME}"]["about"] == "it was killed; start again"
    await do(live_boards, {"board": NAME, "do": "start"})
    await browser.until(lambda now: not now[f"board/{NAME}"]["ended"])
    await settled(lambda: device_of(live_boards) not in (None, device))


async def test_gateways_and_refused_boards_have_no_card(live):
    live_boards, browse = await live(boards=0)
    by_radio = SentenceStored("radio-1", BOOT, None, True, gateway="usb-1")
    for event in (OPENED, by_radio, BoardRefused("radio-2", "usb-1", "unknown")):
        live_boards.watch.receive(event)
    await (browser := browse()).until(lambda now: now.get("order"))
    assert browser.now["order"] == ["radio-1"]


async def test_unavailable_ports_give_a_few_printable_lines(live):
    live_boards, browse = await live(boards=0)
    port = "/dev/ttyACM0"
    refused = [PortUnavailable(f"/dev/tty{number}", "no\u202e") for number in range(9)]
    for event in (PortOpened("usb-1", port), PortClosed("usb-1", port, "pulled"), *refused):
        live_boards.watch.receive(event)
    browser = browse()
    await browser.until(lambda now: len(now.get("site", ())) == 5)
    assert all(line.isprintable() for line in browser.now["site"])


def test_unplugged_port_is_no_longer_waited_for():
    session = Session()
    session.take(PortUnavailable("/dev/ttyACM0", "no permission"))
    session.take(PortUnplugged("/dev/ttyACM0"))
    assert not session.waiting and not session.boards


async def test_notice_about_the_store_does_not_name_its_folder_to_other_computers(live, tmp_path):
    live_boards, browse = await live(boards=0, lan=True)
    live_boards.watch.receive(StoreBusy(str(tmp_path / "games.db")))
    browser = browse()
    await browser.until(lambda now: now.get("site"))
    (notice,) = browser.now["site"]
    assert notice.startswith("games.db is in use by another program; ")


@pytest.mark.parametrize("lan", [True, False])
async def test_tasks_and_doctor_name_no_person_to_other_computers(live, monkeypatch, lan):
    monkeypatch.setenv("HOME", "/home/ann")
    live_boards, browse = await live(lan=lan)
    drive, hex_file = "/run/media/ann/MICROBIT", "/home/ann/class 9b/noughts.hex"
    live_boards.boards[NAME].work = {"what": "flash", "lines": [drive], "result": hex_file}
    live_boards.doctor = {"doing": "", "results": [{"checks": [{"details": (drive,)}]}]}
    browser = browse()
    await browser.until(lambda now: now.get("doctor") and now.get(f"board/{NAME}"))
    work, doctor = browser.now[f"board/{NAME}"]["work"], browser.now["doctor"]
    (details,) = (check["details"] for check in doctor["results"][0]["checks"])
    if lan:
        drive, hex_file = "/run/media/…/MICROBIT", "~/class 9b/noughts.hex"
    assert (work["lines"], work["result"], details) == ([drive], hex_file, [drive])


async def test_fault_in_recording_is_shown_on_the_page(live, monkeypatch):
    def fail(*_):
        raise KeyError("seats")

    monkeypatch.setattr(Store, "add_many", fail)
    live_boards, browse = await live()
    browser = browse()
    device_of(live_boards).says(BOOT)
    await browser.until(lambda now: now.get("site"))
    why = "a fault of noughts (KeyError('seats')); please report it"
    assert browser.now["site"] == [f"games are stored only until noughts ends: {why}"]


@pytest.mark.parametrize(
    "message",
    [
        {"board": "usb-1", "do": "reset"},
        {"board": ["one"], "do": "reset"},
        {"do": "reset"},
        {"board": NAME, "do": "explode"},
        {"board": NAME, "do": "tap", "buttons": "AAAA"},
        {"board": NAME, "do": "tilt", "x": 9, "y": 0},
        {"board": NAME, "do": "nudge", "x": None, "y": 0},
    ],
)
async def test_invalid_message_is_refused(tmp_path, message):
    boards = stand_in_virtual(1)
    device = Board()
    boards.boards["virtual-1"].device = device
    live_boards = LiveBoards(Watch(tmp_path / "games.db"), Mock(), boards)
    with pytest.raises(BoardError, match=r"not a virtual board|cannot do that"):
        await do(live_boards, message)
    assert device.done == []


def test_channel_gives_changes_and_refreshes_when_due():
    refresh = Mock()
    channel = Channel(60, refresh)
    channel.set("a", 1)
    channel.set("b", [1])
    version, news = channel.since(0)
    assert news == '"a":1,"b":[1]' and channel.since(version) == (version, "")
    channel.set("b", [1])
    channel.set("a", 2)
    channel.set("a", 3)
    assert channel.since(version)[1] == '"a":3'
    assert channel.since(0)[1] == '"a":3,"b":[1]'
    refresh.assert_called_once()


def record(*events):
    """What the page receives after these events."""
    session = Session()
    board = LiveBoard(session.board("usb-1"))
    for event in events:
        session.take(event)
        board.take(event)
    return json.loads(json.dumps(board.record("blue table")))


def played(*moves, end=None):
    """The event of a game's sentence after these moves."""
    return SentenceStored("usb-1", stages(moves, end)[-1], 7, True)


STARTED = SentenceStored("usb-1", BOOT, None, True)
OPENED = PortOpened("usb-1", "/dev/ttyACM0")


def test_record_of_a_won_game():
    board = record(OPENED, STARTED, played(0, 3, 1, 4, 2))
    shown_texts = board["name"], board["kind"], board["headline"]
    assert shown_texts == ("blue table", "micro:bit V1", "You have won!")
    assert board["tile"] == ["person against hard", "A won"]
    assert board["score"] == "score: A 1, B 0, draws 0"
    shown = board["game"]
    assert (shown["marks"], shown["line"], shown["last"]) == ("XXXOO....", [0, 1, 2], 2)
    assert ["top row", 3] in shown["scores"] and ["middle row", -2] in shown["scores"]
    assert shown["title"] == "person against hard: A has 1, 2, 3; B has 4, 5"
    assert shown["about"] == "game 7: A won"
    text = "game 7, move 5: A in the top-right corner; A wins (top row)"
    assert board["lines"][-1] == ["event", text]


def test_record_names_the_second_player_who_has_won():
    lines = record(OPENED, STARTED, played(8, 0, 3, 1, 4, 2))["lines"]
    text = "game 7, move 6: B in the top-right corner; B wins (top row)"
    assert lines[-1] == ["event", text]


def test_record_of_a_silent_idle_or_unplugged_board():
    for events, tile in (
        ([], "waiting for a game"),
        ([STARTED], "in the menu"),
        ([played(4), played(4, end="x")], "in the menu"),
    ):
        assert record(OPENED, *events)["tile"] == [tile, ""]
    menu = SentenceStored("usb-1", Menu(BOOT.boot, "Hbs"), None, True)
    board = record(OPENED, STARTED, played(0, 3, 1, 4, 2), menu)
    assert board["tile"] == ["in the menu", "last: person against hard, A won"]
    assert record(OPENED, played())["game"]["last"] is None
    board = record(OPENED, played(4, 0), PortClosed("usb-1", "/dev/ttyACM0", "pulled"))
    assert (board["headline"], board["tile"]) == ("Unplugged", ["unplugged", ""])
    assert board["about"] == "Games appear again once it is plugged in."
    assert not board["running"] and board["buttons"] == []
    assert board["game"]["marks"] == "O...X...."
    by_radio = SentenceStored("usb-1", BOOT, None, True, gateway="usb-2")
    gateway = "usb-2", "/dev/ttyACM1"
    board = record(PortOpened(*gateway), by_radio, PortClosed(*gateway, "pulled"))
    assert board["about"] == "Games appear again once its gateway is plugged in."


def test_board_lines_are_short_few_and_printable():
    board = record(OPENED, NoiseReceived("usb-1", "x" * 5000 + "\u202e"), STARTED)
    assert [len(text) <= 200 and text.isprintable() for _, text in board["lines"]] == [True] * 3
    resent = SentenceStored("usb-1", stages([4], "x")[-1], 7, False, late=True)
    assert len(record(OPENED, resent)["lines"]) == 1
    many = record(*[NoiseReceived("usb-1", f"{number}") for number in range(1000)])
    expected = [["noise", f"noise: {number}"] for number in range(994, 1000)]
    assert many["lines"] == expected


def test_record_of_a_virtual_board_that_starts_or_has_failed():
    session = Session()
    board = LiveBoard(session.board(NAME), RestartableBoard(NAME, "V2"))
    assert board.record(NAME)["headline"] == "The board is starting"
    session.take(PortOpened(NAME, "/dev/pts/1"))
    shown = board.record(NAME)
    assert shown["headline"] != "Waiting for a game" and "/dev" not in shown["facts"]
    board.virtual.error = "it was killed"
    shown = board.record(NAME)
    assert shown["headline"] == "The virtual board does not run" and not shown["running"]
    assert (shown["about"], shown["tile"]) == ("it was killed", ("does not run", ""))


@pytest.fixture
def boards_of(tmp_path):
    """Real boards, whose ports tasks may use."""

    def plugged_in(*names):
        ports = Mock(released=lambda name: contextlib.nullcontext())
        boards = LiveBoards(Watch(tmp_path / "games.db"), ports, stand_in_virtual(0))
        for name in names:
            boards.session.take(PortOpened(name, f"/dev/{name}"))
            boards.boards[name] = LiveBoard(boards.session.board(name))
        return boards

    return plugged_in


def test_board_has_one_task_at_a_time(monkeypatch, boards_of):
    """`doctor` takes all boards, even those that are plugged in later."""

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
            with pytest.raises(BoardError, match="wait until it has finished"):
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
    boards.boards["usb-3"] = LiveBoard(boards.session.board("usb-3"))
    refuses(("check", ""), ("update", "usb-1"), ("flash", "usb-3"))
    begun[-1]()
    begin("flash", "usb-3")


def test_progress_of_a_task_begins_with_0(monkeypatch, boards_of):
    """Before its total is known, too."""
    boards, shares = boards_of("usb-1"), []

    def note_share():
        work = boards.boards["usb-1"].work
        shares.append((work["done"], work["total"]))

    def update(port, files, replace, say, progress):
        note_share()
        with progress(18) as steps:
            note_share()
            for amount in (5, 13):
                steps.advance(amount)
                note_share()
        return Start(None, "V1", "1.0.0")

    monkeypatch.setattr(web_tasks, "Thread", lambda target, **_: Mock(start=target))
    monkeypatch.setattr(web_tasks, "bring_up_to_date", update)
    web_tasks.begin(boards, "update", "usb-1")
    assert shares == [(0, 0), (0, 18), (5, 18), (18, 18)]


async def test_tasks_begin_in_the_event_loop(monkeypatch, boards_of):
    """So of two requests at once, the second finds that the board is busy."""
    threads = []
    monkeypatch.setattr(web_tasks, "begin", lambda *_: threads.append(threading.current_thread()))
    await do(boards_of("usb-1"), {"board": "usb-1", "do": "update"})
    assert threads == [threading.current_thread()]


@pytest.mark.parametrize(
    ("task", "fails_at"), [("update", "files_for_boards"), ("check", "of_computer")]
)
def test_task_with_a_fault_ends_on_the_page(monkeypatch, boards_of, task, fails_at):
    def fail(*_):
        raise KeyError("seats")

    monkeypatch.setattr(web_tasks, fails_at, fail)
    monkeypatch.setattr(web_tasks, "find_boards", list)
    monkeypatch.setattr(web_tasks, "Thread", lambda target, **_: Mock(start=target))
    boards = boards_of("usb-1")
    with pytest.raises(KeyError):  # its traceback can be reported
        web_tasks.begin(boards, task, "usb-1")
    why = "a fault of noughts (KeyError('seats')); please report it"
    if task == "update":
        assert boards.boards["usb-1"].work["result"] == why
    else:
        assert boards.doctor["doing"] == ""
        assert boards.doctor["results"][-1]["checks"][0]["found"] == why
    assert not boards.boards["usb-1"].is_busy and not boards.is_checking


def test_check_that_cannot_go_on_says_why(monkeypatch, boards_of):
    why = "the ports cannot be listed; try again"
    monkeypatch.setattr(web_tasks, "find_boards", Mock(side_effect=BoardError(why)))
    monkeypatch.setattr(web_tasks, "Thread", lambda target, **_: Mock(start=target))
    boards = boards_of("usb-1")
    web_tasks.begin(boards, "check", "usb-1")
    check = {"what": "doctor", "good": False, "found": why, "details": []}
    assert boards.doctor == {"doing": "", "results": [{"name": "Stopped", "checks": [check]}]}
    assert not boards.is_checking


def test_board_known_by_its_drive_alone_is_not_connected(monkeypatch, boards_of):
    shown = record(SentenceStored("usb-1", stages(DRAW)[-1], 7, True, late=True))
    assert (shown["headline"], shown["running"]) == ("Its port is not open", False)
    assert "usb-1" not in shown["facts"]
    boards = boards_of()
    boards.boards["usb-1"] = LiveBoard(boards.session.board("usb-1"))
    monkeypatch.setattr(web_tasks, "Thread", lambda target, **_: Mock(start=target))
    web_tasks.begin(boards, "update", "usb-1")
    assert "port is not open; plug the board in" in boards.boards["usb-1"].work["result"]


def test_flashing_names_maintenance_mode(monkeypatch, boards_of, tmp_path, plugged):
    StandInDrive(tmp_path / "MAINTENANCE", details=BOOTLOADER_DETAILS)
    plugged.drives.append(tmp_path / "MAINTENANCE")
    monkeypatch.setattr(web_tasks, "Thread", lambda target, **_: Mock(start=target))
    boards = boards_of("usb-1")
    web_tasks.begin(boards, "flash", "usb-1")
    work = boards.boards["usb-1"].work
    assert not work["good"] and "the board is in maintenance mode; unplug it" in work["result"]


@pytest.mark.parametrize("task", ["update", "flash"])
async def test_page_refuses_to_send_a_table_that_can_lose(monkeypatch, boards_of, task):
    table = brain.Table((1,) * 10, ())
    files = device_files() | {"table.py": brain.source(table).encode()}
    monkeypatch.setattr("noughts.boards.packing.device_files", lambda: files)
    boards = boards_of("usb-1")
    await do(boards, {"board": "usb-1", "do": task})
    board = boards.boards["usb-1"]
    await settled(lambda: "result" in (board.work or {}))
    assert not board.work["good"] and "by playing 5 in X.O......" in board.work["result"]
