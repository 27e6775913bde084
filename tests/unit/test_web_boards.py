"""What the page is told of boards, in words, and its tasks with them."""

import contextlib
import json
import threading
from functools import partial
from types import SimpleNamespace

import pytest

from noughts import brain
from noughts.boards.start import Start
from noughts.device_files import device_files
from noughts.errors import BoardError
from noughts.protocol.sentences import Boot, Game
from noughts.recording.events import NoiseReceived, PortClosed, PortOpened, SentenceStored
from noughts.recording.session import BoardState, Session
from noughts.views.situation import Situation
from noughts.web import tasks as web_tasks
from noughts.web.live import Channel, LiveBoard

BOOT = Boot("00000A83", "V1", "1.0.0", "2798")


def game(moves, end="-", seats="PH"):
    return Game("00000A83", 3, seats, "A", tuple(map(int, moves)), 1000 * len(moves), end)


def record(*events, shows=None):
    """What the page is told after these events; shows: a situation that the LEDs show."""
    session, board = Session(), LiveBoard("usb-1")
    for event in events:
        session.take(event)
        board.take(event)
    board.observer.now = shows or board.observer.now
    return json.loads(json.dumps(board.record("blue table", session.boards.get("usb-1"))))


def told(sentence):
    return SentenceStored("usb-1", sentence, 7 if isinstance(sentence, Game) else None, True)


OPENED = PortOpened("usb-1", "/dev/ttyACM0")


def test_a_game_that_is_won():
    board = record(OPENED, told(BOOT), told(game("03142", "A")))
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
    assert board["lines"][-1] == ["said", text]


def test_a_board_that_is_silent_in_the_menu_or_unplugged():
    for events, tile in (
        ([], "waiting for a game"),
        ([told(BOOT)], "in the menu"),
        ([told(game("4")), told(game("4", "x"))], "in the menu"),
    ):
        assert record(OPENED, *events)["tile"] == [tile, ""]
    board = record(OPENED, told(BOOT), told(game("03142", "A")), shows=Situation("menu", "H"))
    assert board["tile"] == ["in the menu", "last: person against hard, A won"]
    assert record(OPENED, told(game("")))["game"]["last"] is None
    board = record(OPENED, told(game("40")), PortClosed("usb-1", "/dev/ttyACM0", "pulled"))
    assert (board["headline"], board["tile"]) == ("Unplugged", ["unplugged", ""])
    assert not board["running"] and board["buttons"] == []
    assert board["game"]["marks"] == "O...X...."


def test_lines_of_a_board_are_short_and_printable():
    board = record(OPENED, NoiseReceived("usb-1", "x" * 5000 + "\u202e"), told(BOOT))
    assert [len(text) <= 200 and text.isprintable() for _, text in board["lines"]] == [True] * 3
    many = record(*[NoiseReceived("usb-1", f"{number}") for number in range(1000)])
    assert [text for _, text in many["lines"]] == [f"{number}" for number in range(994, 1000)]


def test_a_virtual_board_that_starts_and_one_that_does_not_run():
    board = LiveBoard("virtual-1", virtual=True)
    state = BoardState("virtual-1", "/dev/pts/1")
    shown = board.record("virtual-1", None)
    assert shown["headline"] not in ("Unplugged", "Waiting for a game") and not shown["running"]
    shown = board.record("virtual-1", state)
    assert shown["headline"] != "Waiting for a game" and "/dev" not in shown["facts"]
    shown = board.record("virtual-1", state, "it was killed")
    assert shown["headline"] == "The virtual board does not run" and not shown["running"]
    assert (shown["about"], shown["tile"]) == ("it was killed", ("does not run", ""))


def boards_of(*names, run=lambda work: work()):
    """Real boards; what was recorded of them is in `recorded`."""
    boards = SimpleNamespace(
        boards={name: LiveBoard(name) for name in names}, recorded=[], busy=set(),
        session=Session(), run_in_background=run, stopping=threading.Event(),
        changed=lambda *_, after=None: None,
        virtual=SimpleNamespace(names={}, kinds={}, ports=list), words=Channel(),
        monitor=SimpleNamespace(released=contextlib.nullcontext),
    )  # fmt: skip
    for name in names:
        boards.session.take(PortOpened(name, f"/dev/{name}"))
    boards.record = lambda *said: boards.recorded.append(said)
    return boards


def test_one_task_with_a_board_at_a_time(monkeypatch):
    """`doctor` has all boards, also those that are plugged in meanwhile."""

    def find(also):
        raise BoardError("none")

    begun = []
    boards = boards_of("usb-1", "usb-2", run=begun.append)
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
    web_tasks.begin(boards, task, "usb-1")
    done = boards.boards["usb-1"].work
    assert not done["good"] and "can play 5 in X.O......" in done["result"]
    assert boards.recorded == []
