"""The terminal program, by Textual's own pilot, on a stand-in for a board."""

import asyncio
import threading
import time

import pytest

from noughts.errors import BoardGoneError
from noughts.protocol.sentences import Boot, Game, write
from noughts.terminal.drawing import HEIGHT, WIDTH, buttons_at, draw


class StandIn:
    """A stand-in for a board: it notes what is done to it and shows what the test sets."""

    firmware = "stand-in of the tests"

    def __init__(self):
        self.serial = self
        self.done = []
        self.picture = bytes(25)
        self.sent = b""
        self.dead = False

    def read(self, size):
        sent, self.sent = self.sent[:size], self.sent[size:]
        return sent

    def _do(self, *what):
        if self.dead:
            raise BoardGoneError("the stand-in is gone; start again")
        self.done.append(what)

    def press(self, *buttons):
        self._do("press", *sorted(buttons))

    def release(self, *buttons):
        self._do("release", *sorted(buttons))

    def tap(self, *buttons):
        self._do("tap", *buttons)

    def nudge(self, x, y):
        self._do("nudge", x, y)

    def leds(self):
        if self.dead:
            raise BoardGoneError("the stand-in is gone; start again")
        return self.picture

    def clock_us(self):
        return 61_500_000

    def reset(self):
        self._do("reset")


def run(test, size=(100, 30), board=None):
    """Run an async test with the app on a board, in a terminal of this size."""
    from noughts.terminal.play_app import BoardApp  # Textual takes 0.3 s

    board = board or StandIn()
    app = BoardApp(board, threading.Event())

    async def main():
        async with app.run_test(size=size) as pilot:
            await pilot.pause(0.1)
            await test(app, pilot, board)

    asyncio.run(main())
    return app


def screen(app):
    return "\n".join(
        "".join(segment.text for segment in strip)
        for strip in app.screen._compositor.render_strips()
    )


async def until(condition):
    """Wait until something has happened, however long a busy machine takes for it."""
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end
        await asyncio.sleep(0.005)


def test_keys_press_buttons_and_tilt():
    async def test(app, pilot, board):
        for key, done in (
            ("a", ("tap", "A")),
            ("b", ("tap", "B")),
            ("space", ("tap", "A", "B")),
            ("left", ("nudge", -1, 0)),
            ("right", ("nudge", 1, 0)),
            ("up", ("nudge", 0, -1)),
            ("down", ("nudge", 0, 1)),
            ("r", ("reset",)),
        ):
            board.done.clear()
            await pilot.press(key)
            await until(lambda: board.done)
            assert board.done == [done]

    run(test)


@pytest.mark.parametrize(("x", "y", "buttons"), [(6, 6, "A"), (32, 6, "B"), (19, 10, "AB")])
def test_the_mouse_holds_a_button_as_long_as_it_is_down(x, y, buttons):
    async def test(app, pilot, board):
        await pilot.mouse_down("#picture", offset=(x, y))
        await until(lambda: board.done)
        assert board.done == [("press", *buttons)]
        board.done.clear()
        await pilot.mouse_up("#picture", offset=(x, y))
        await until(lambda: board.done)
        assert board.done == [("release", *buttons)]

    run(test)


def test_leds_are_shown_and_sentences_in_words():
    async def test(app, pilot, board):
        board.picture = bytes([9] + [0] * 24)
        await until(lambda: "██" in screen(app))
        board.sent = (
            write(Boot("0A83", "V1", "0.1.0", "2798")) + "\r\n"
            + write(Game("0A83", 3, "PP", "A", (2,), 10, "-")) + "\r\n"
            + "boom\x1b[31m\r\n"
        ).encode()  # fmt: skip
        await until(lambda: "boom" in screen(app) and "table 2798" in screen(app))
        shown = screen(app)
        assert "board started: micro:bit V1" in shown
        assert "game 3, move 1: A in the top-right corner" in shown
        assert "boom\\x1b[31m" in shown
        assert "clock 1:01.5" in shown and "table 2798" in shown
        assert "stand-in of the tests" in shown

    run(test)


def test_a_narrow_terminal_puts_the_log_below_and_a_tiny_one_says_so():
    async def test(app, pilot, board):
        await until(lambda: app.screen.has_class("narrow"))
        await pilot.resize_terminal(30, 10)
        await until(lambda: "too small" in screen(app))
        await pilot.resize_terminal(100, 30)
        await until(lambda: "too small" not in screen(app))
        await until(lambda: not app.screen.has_class("narrow"))

    run(test, size=(50, 30))


def test_a_board_that_dies_ends_the_program_with_its_reason():
    async def test(app, pilot, board):
        board.dead = True
        await until(lambda: app.failure)

    app = run(test)
    assert str(app.failure) == "the stand-in is gone; start again"


def test_a_dead_board_found_by_a_key_does_too():
    board = StandIn()

    async def test(app, pilot, board):
        board.leds = lambda: bytes(25)
        board.dead = True
        await pilot.press("a")
        await until(lambda: app.failure)

    assert "gone" in str(run(test, board=board).failure)


@pytest.mark.parametrize("plain", [False, True])
def test_the_drawing_has_its_size_and_its_leds(plain):
    text = draw(bytes([9] * 25), frozenset({"A"}), plain).plain
    lines = text.split("\n")
    assert len(lines) == HEIGHT and {len(line) for line in lines} == {WIDTH}
    assert text.count("##" if plain else "██") == 25
    assert text.isascii() == plain


def test_levels_can_be_told_apart_without_colour():
    shown = {level: draw(bytes([level] * 25), frozenset()).plain for level in (0, 4, 7, 9)}
    assert len(set(shown.values())) == 4


def test_clicks_beside_the_buttons_mean_nothing():
    assert buttons_at(0, 0) == ()
    assert buttons_at(5, 6) == ("A",)
