"""What the page is told of boards: the newest of each, in words."""

import asyncio
import contextlib
import json
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest

from noughts.errors import BoardError
from noughts.protocol.sentences import Boot, Game
from noughts.watch.events import NoiseReceived, SentenceStored
from noughts.watch.port_monitor import PortClosed, PortOpened
from noughts.watch.session import Session
from noughts.web import works as web_works
from noughts.web.channel import Channel
from noughts.web.hands import Hands
from noughts.web.hub import Hub
from noughts.web.live_board import LiveBoard
from noughts.web.site import Site

BOOT = Boot("0A83", "V1", "1.0.0", "2798")


def game(moves, end="-", seats="PH"):
    return Game("0A83", 3, seats, "A", tuple(map(int, moves)), 1000 * len(moves), end)


def record(*events):
    session, board = Session(), LiveBoard("usb-1")
    for event in events:
        session.take(event)
        board.take(event)
    return json.loads(json.dumps(board.record("blue table", session.boards.get("usb-1"))))


def told(sentence):
    return SentenceStored("usb-1", sentence, 7 if isinstance(sentence, Game) else None, True)


OPENED = PortOpened("usb-1", "/dev/ttyACM0")


def test_a_game_that_is_won():
    board = record(OPENED, told(BOOT), told(game("03142", "A")))
    assert (board["name"], board["kind"], board["headline"]) == (
        "blue table",
        "V1",
        "You have won!",
    )
    assert board["tile"] == ["person against hard", "A won"] and board["score"] == [1, 0, 0]
    shown = board["game"]
    assert (shown["marks"], shown["line"], shown["last"]) == ("XXXOO....", [0, 1, 2], 2)
    assert ["top row", 3] in shown["scores"] and ["middle row", -2] in shown["scores"]
    assert shown["opponents"] == "person against hard" and shown["number"] == 7
    assert board["lines"][-1] == [
        3, "said", "game 7, move 5: A in the top-right corner; A wins (top row)",
    ]  # fmt: skip


def test_a_board_that_is_silent_in_the_menu_or_unplugged():
    assert record(OPENED)["tile"] == ["waiting for a game", ""]
    assert record(OPENED, told(BOOT))["tile"] == ["in the menu", ""]
    assert record(OPENED, told(game("4", "x")))["tile"] == ["in the menu", ""]
    board = record(OPENED, told(game("40")), PortClosed("usb-1", "/dev/ttyACM0", "pulled"))
    assert (board["headline"], board["tile"], board["running"]) == (
        "Unplugged", ["unplugged", ""], False,
    )  # fmt: skip
    assert board["buttons"] == [] and board["game"]["marks"] == "O...X...."


def test_what_a_board_says_is_short_and_printable():
    board = record(OPENED, NoiseReceived("usb-1", "x" * 5000 + "\u202e"), told(BOOT))
    assert [len(text) <= 200 and text.isprintable() for _, _, text in board["lines"]] == [True] * 3
    many = record(*[NoiseReceived("usb-1", f"{number}") for number in range(1000)])
    assert [text for _, _, text in many["lines"]] == [f"{number}" for number in range(994, 1000)]


def test_who_follows_gets_the_newest_once():
    async def follow():
        channel = Channel()
        channel.set("a", 1)
        channel.set("b", [1])
        assert json.loads(channel.since(0)) == {"a": 1, "b": [1]}
        seen = channel.version
        for value in range(100):
            channel.set("a", value)
        channel.set("b", [1])
        assert json.loads(channel.since(seen)) == {"a": 99}
        channel.set("b", 2)
        assert json.loads(channel.since(seen)) == {"a": 99, "b": 2}
        assert channel.since(seen) is channel.since(seen)  # encoded once for all
        waiting = asyncio.ensure_future(channel.beyond(channel.version))
        await asyncio.sleep(0)
        assert not waiting.done()
        channel.set("c", None)
        await waiting

    asyncio.run(follow())


class Board:
    """Notes what is done with it."""

    def __init__(self):
        self.done = []

    def __getattr__(self, name):
        return lambda *given: self.done.append((name, *given))


def test_what_a_browser_held_is_let_go():
    board = Board()
    virtual = SimpleNamespace(kinds={"virtual-1": "V2"}, board=lambda name: board)
    hands = Hands(SimpleNamespace(virtual=virtual))
    for message in (
        {"do": "press", "buttons": "AB"},
        {"do": "release", "buttons": "A"},
        {"do": "tilt", "x": -1, "y": 0},
        {"do": "tap", "buttons": "B"},
    ):
        hands.do({"board": "virtual-1", **message})
    held = [("press", "A", "B"), ("release", "A"), ("tilt", -400, 0), ("tap", "B")]
    with pytest.raises(BoardError, match="not a virtual board"):
        hands.do({"board": "usb-1", "do": "tap", "buttons": "A"})
    assert board.done == held
    hands.let_go()
    hands.let_go()
    assert board.done == [*held, ("release", "B"), ("tilt", 0, 0)]


def test_a_board_that_is_held_level_again_is_left_so():
    board = Board()
    virtual = SimpleNamespace(kinds={"virtual-1": "V2"}, board=lambda name: board)
    hands = Hands(SimpleNamespace(virtual=virtual))
    hands.do({"board": "virtual-1", "do": "tilt", "x": 0, "y": 1})
    hands.do({"board": "virtual-1", "do": "level"})
    hands.let_go()
    assert board.done == [("tilt", 0, 400), ("tilt", 0, 0)]


def test_what_was_held_on_other_boards_is_let_go_though_one_has_ended():
    boards = {f"virtual-{number}": Board() for number in range(1, 9)}

    def running(name):
        if name in ("virtual-3", "virtual-6"):
            raise BoardError("it has ended")
        return boards[name]

    virtual = SimpleNamespace(kinds=boards, board=boards.get)
    hands = Hands(SimpleNamespace(virtual=virtual))
    for name in boards:
        hands.do({"board": name, "do": "press", "buttons": "A"})
        hands.do({"board": name, "do": "tilt", "x": 1, "y": 0})
    virtual.board = running
    hands.let_go()
    let_go = [board.done[2:] for name, board in boards.items() if name[-1] not in "36"]
    assert let_go == [[("release", "A"), ("tilt", 0, 0)]] * 6


def test_nothing_is_pressed_for_a_browser_that_has_gone_away():
    """The press may be on its way, in another thread."""

    class Slow(Board):
        def press(self, button):
            goes.start()
            goes.join(0.1)  # it ends before only if nothing makes it wait
            self.done.append(("press", button))

    board = Slow()
    virtual = SimpleNamespace(kinds={"virtual-1": "V2"}, board=lambda name: board)
    hands = Hands(SimpleNamespace(virtual=virtual))
    goes = threading.Thread(target=hands.let_go)
    hands.do({"board": "virtual-1", "do": "press", "buttons": "A"})
    goes.join()
    hands.do({"board": "virtual-1", "do": "tap", "buttons": "A"})
    assert board.done == [("press", "A"), ("release", "A")]


def test_a_board_is_started_again_once(monkeypatch):
    """Two browsers may ask for it, and what looks at LEDs may come late to see that it ended."""
    hub = Hub(Site(Path("games.db"), 8017, boards=1))
    monkeypatch.setattr(hub, "changed", lambda name: None)
    ended, began = Board(), []
    running = {"virtual-1": ended}

    def again(name):
        began.append(name)
        del running[name]

    monkeypatch.setattr(hub, "virtual", SimpleNamespace(running=running, again=again))
    hub.restart("virtual-1")
    assert began == []
    hub.note_end("virtual-1", ended, "it was killed")
    hub.restart("virtual-1")
    hub.restart("virtual-1")
    hub.note_end("virtual-1", ended, "it was killed")
    running["virtual-1"] = Board()
    hub.note_end("virtual-1", ended, "it was killed")
    hub.restart("virtual-1")
    assert began == ["virtual-1"]


def test_one_task_with_a_board_at_a_time(monkeypatch):
    """`doctor` has all boards, also those that are plugged in meanwhile."""

    def find(also):
        raise BoardError("none")

    begun, there = [], ["usb-1", "usb-2"]
    virtual = SimpleNamespace(names={}, kinds={}, ports=list)
    hub = SimpleNamespace(
        known=lambda: there, beside=begun.append, virtual=virtual, stopping=False,
        note_work=lambda *_: None, note_findings=lambda _: None, port=lambda _: None,
        monitor=SimpleNamespace(lent=contextlib.nullcontext),
    )  # fmt: skip
    monkeypatch.setattr(web_works, "find_boards", find)
    monkeypatch.setattr(web_works, "files_for_boards", dict)
    works = web_works.Works(hub)
    works.update("usb-1")
    works.update("usb-2")
    for refused in (works.check, lambda: works.update("usb-1"), lambda: works.flash("usb-2")):
        with pytest.raises(BoardError, match="wait until that is done"):
            refused()
    with pytest.raises(BoardError, match="there is no board 'usb-3'"):
        works.update("usb-3")
    for work in begun:
        work()
    works.check()
    there.append("usb-3")
    for refused in (works.check, lambda: works.update("usb-1"), lambda: works.flash("usb-3")):
        with pytest.raises(BoardError, match="wait until that is done"):
            refused()
    begun[-1]()
    works.flash("usb-3")


def test_a_board_that_is_back_at_another_port_before_the_first_one_is_gone():
    back = PortOpened("usb-1", "/dev/ttyACM1")
    gone = PortClosed("usb-1", "/dev/ttyACM0", "it was unplugged")
    assert record(OPENED, told(BOOT), back, gone)["running"]
    assert not record(OPENED, told(BOOT), gone)["running"]
