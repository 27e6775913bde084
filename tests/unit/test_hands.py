"""What a browser holds of virtual boards, and lets go."""

import threading
from types import SimpleNamespace

import pytest

from live_page import Board
from noughts.errors import BoardError
from noughts.web.hands import Hands


def hands_on(**boards):
    """Hands on virtual boards of these names."""
    virtual = SimpleNamespace(kinds=boards, board=boards.get)
    return Hands(SimpleNamespace(virtual=virtual))


def test_what_a_browser_held_is_let_go():
    board = Board()
    hands = hands_on(one=board)
    for message in (
        {"do": "press", "buttons": "AB"},
        {"do": "release", "buttons": "A"},
        {"do": "tilt", "x": -1, "y": 0},
        {"do": "tap", "buttons": "B"},
    ):
        hands.do({"board": "one", **message})
    held = [("press", "A", "B"), ("release", "A"), ("tilt", -400, 0), ("tap", "B")]
    assert board.done == held
    hands.let_go()
    hands.let_go()
    assert board.done == [*held, ("release", "B"), ("tilt", 0, 0)]


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
def test_a_message_that_no_page_sends_is_refused(message):
    board = Board()
    with pytest.raises(BoardError, match=r"not a virtual board|cannot do that"):
        hands_on(one=board).do(message)
    assert board.done == []


def test_a_board_that_is_held_level_again_is_left_so():
    board = Board()
    hands = hands_on(one=board)
    hands.do({"board": "one", "do": "tilt", "x": 0, "y": 1})
    hands.do({"board": "one", "do": "level"})
    hands.let_go()
    assert board.done == [("tilt", 0, 400), ("tilt", 0, 0)]


def test_what_was_held_on_other_boards_is_let_go_though_one_has_ended():
    boards = {f"virtual-{number}": Board() for number in range(1, 9)}

    def running(name):
        if name in ("virtual-3", "virtual-6"):
            raise BoardError("it has ended")
        return boards[name]

    hands = hands_on(**boards)
    for name in boards:
        hands.do({"board": name, "do": "press", "buttons": "A"})
        hands.do({"board": name, "do": "tilt", "x": 1, "y": 0})
    hands._hub.virtual.board = running
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
    hands = hands_on(one=board)
    goes = threading.Thread(target=hands.let_go)
    hands.do({"board": "one", "do": "press", "buttons": "A"})
    goes.join()
    hands.do({"board": "one", "do": "tap", "buttons": "A"})
    assert board.done == [("press", "A"), ("release", "A")]
