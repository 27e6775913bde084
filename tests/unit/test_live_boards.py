"""What the page is told of boards: the newest of each, in words."""

import asyncio
import json
from types import SimpleNamespace

import pytest

from noughts.errors import BoardError
from noughts.protocol.sentences import Boot, Game
from noughts.watch.events import NoiseReceived, SentenceStored
from noughts.watch.port_monitor import PortClosed, PortOpened
from noughts.watch.session import Session
from noughts.web.channel import Channel
from noughts.web.hands import Hands
from noughts.web.live_board import LiveBoard

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
    assert board.done == held
    hands.let_go()
    hands.let_go()
    assert board.done == [*held, ("release", "B"), ("tilt", 0, 0)]
    with pytest.raises(BoardError, match="not a virtual board"):
        hands.do({"board": "usb-1", "do": "tap", "buttons": "A"})


def test_a_board_that_is_back_at_another_port_before_the_first_one_is_gone():
    back = PortOpened("usb-1", "/dev/ttyACM1")
    gone = PortClosed("usb-1", "/dev/ttyACM0", "it was unplugged")
    assert record(OPENED, told(BOOT), back, gone)["running"]
    assert not record(OPENED, told(BOOT), gone)["running"]
