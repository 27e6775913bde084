"""What a browser holds of virtual boards, and lets go."""

import threading
from types import SimpleNamespace

import pytest

from noughts.errors import BoardError
from noughts.web.hands import Hands


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
