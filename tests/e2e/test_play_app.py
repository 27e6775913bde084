"""The terminal program, by Textual's own pilot, on a stand-in for a board."""

import asyncio
import threading

import pytest

from live_page import settled
from noughts.protocol.sentences import Boot
from noughts.store.store import Store
from noughts.terminal.play import HEIGHT, WIDTH, buttons_at, draw
from noughts.watch.play_recording import PlayRecording
from sample_games import stages
from screens import StandIn, screen_lines

BOOT = Boot("00000A83", "V2", "1.0.0", "2798")
WON = [4, 1, 0, 8, 3, 5, 6]
"""A wins the left column."""


@pytest.fixture
def run(tmp_path):
    """Runs an async test with the app on a board, in a terminal of a size."""
    from noughts.terminal.play import BoardApp  # Textual takes 0.3 s

    def start(test, size=(100, 30), board=None, keep_flash=lambda flash: None):
        board = board or StandIn()
        recording = PlayRecording(tmp_path / "games.db", "virtual-V2")
        app = BoardApp(board, threading.Event(), recording, keep_flash)

        async def main():
            async with app.run_test(size=size) as pilot:
                await pilot.pause(0.1)
                await test(app, pilot, board)

        try:
            asyncio.run(main())
        finally:
            recording.close()
        return app

    return start


def screen(app):
    return "\n".join(screen_lines(app))


def test_keys_press_buttons_and_tilt(run):
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
            await settled(lambda: board.done)
            assert board.done == [done]

    run(test)


@pytest.mark.parametrize(("x", "y", "buttons"), [(4, 7, "A"), (29, 7, "B"), (16, 12, "AB")])
def test_the_mouse_holds_a_button_as_long_as_it_is_down(run, x, y, buttons):
    async def test(app, pilot, board):
        await pilot.mouse_down("#picture", offset=(x, y))
        await settled(lambda: board.done)
        await pilot.mouse_up("#picture", offset=(x, y))
        await settled(lambda: len(board.done) > 1)
        assert [(what, *sorted(which)) for what, *which in board.done] == [
            ("press", *buttons),
            ("release", *buttons),
        ]

    run(test)
    assert buttons_at(x, y) == tuple(buttons) and buttons_at(0, 0) == ()


def test_noise_does_not_act_on_the_terminal(run):
    async def test(app, pilot, board):
        board.sent = b"boom\x1b[31m\r\n"
        await settled(lambda: "boom\\x1b[31m" in screen(app))

    run(test)


def test_help_screen_takes_all_keys(run):
    async def test(app, pilot, board):
        await pilot.press("question_mark")
        await settled(lambda: "Any key goes back." in screen(app))
        for wanted in ("Two players, A and B", "a b       button A and button B", "q         quit"):
            assert wanted in screen(app), wanted
        await pilot.press("a")
        await settled(lambda: "Any key goes back." not in screen(app))
        await pilot.press("b")
        await settled(lambda: board.done)
        assert board.done == [("tap", "B")]

    run(test)


def test_v_replays_the_last_game_with_verdicts_and_comes_back(run, tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:  # it has the number 1
        store.keep("usb-1", stages([0], boot="BBBBBBBB")[0], None)

    async def test(app, pilot, board):
        await pilot.press("v")  # nothing to replay: says so
        await settled(lambda: "once one has ended" in screen(app))
        board.says(BOOT, *stages(WON), *stages([4], number=2, first="B"))
        await settled(lambda: "game 2, move 1: B in the centre" in screen(app))
        await settled(lambda: app._recording.kept)
        await pilot.press("v")
        await settled(lambda: "0/7" in screen(app))
        shown = " ".join(screen(app).split())
        assert "game 2: A is a person, B is the chip (hard); A began; A won" in shown
        await pilot.press("right", "right")
        await settled(lambda: "A mistake: it turns a draw into a loss." in screen(app))
        board.says(*stages([4, 0], number=2, first="B")[2:])  # the board goes on meanwhile
        await pilot.press("q")
        await settled(lambda: "game 2, move 2: A in the top-left corner" in screen(app))
        assert board.done == []

    run(test)


def test_program_error_is_shown_until_reset(run):
    async def test(app, pilot, board):
        board.sent = (
            b'Traceback (most recent call last):\r\n  File "__main__", line 3\r\n'
            b"NameError: name 'gmae' is not defined\r\n"
        )
        await settled(lambda: "The game has stopped" in screen(app))
        assert "device/main.py, line 3" in screen(app)
        await pilot.press("r")
        await settled(lambda: "The board starts" in screen(app))

    run(test)


def test_the_mode_is_the_board_s_own_and_its_flash_is_passed_on(run):
    kept = []

    async def test(app, pilot, board):
        board.says(BOOT, *stages(WON)[:1])
        await settled(lambda: "mode   buttons" in screen(app))
        board.flash = b"\xfe\x0c\x08settingsPt"
        await settled(lambda: "mode   tilt" in screen(app))
        assert kept == [board.flash]

    run(test, keep_flash=kept.append)


def test_a_narrow_terminal_says_what_to_do_below_and_a_tiny_one_says_so(run):
    async def test(app, pilot, board):
        board.says(BOOT, stages(WON)[0])
        await settled(lambda: "a next free cell  b place your mark" in screen(app))
        await pilot.resize_terminal(30, 10)
        await settled(lambda: "too small" in screen(app))
        await pilot.resize_terminal(100, 30)
        await settled(lambda: "too small" not in screen(app))
        await settled(lambda: "button A  next free cell" in screen(app))

    run(test, size=(40, 17))


@pytest.mark.parametrize("by_a_key", [False, True])
def test_a_board_that_dies_ends_the_program_with_its_reason(run, by_a_key):
    async def test(app, pilot, board):
        if by_a_key:
            board.leds = lambda: bytes(25)
        board.ended = True
        await pilot.press("a")
        await settled(lambda: app.failure)

    app = run(test)
    assert str(app.failure) == "it was killed; start again"


def test_the_drawing_has_its_size_and_its_leds():
    text = draw(bytes([9] * 25), frozenset({"A"})).plain
    lines = text.split("\n")
    assert len(lines) == HEIGHT and {len(line) for line in lines} == {WIDTH}
    assert text.count("██") == 25
    assert len({draw(bytes([level] * 25), frozenset()).plain for level in (0, 4, 7, 9)}) == 4


def test_the_last_move_is_marked():
    for cell in range(9):
        leds = bytearray(25)
        leds[cell // 3 * 10 + cell % 3 * 2] = 9
        assert draw(bytes(leds), frozenset(), (cell, "A")).plain.count("[██]") == 1


def test_a_terminal_that_takes_ascii_only(run, monkeypatch):
    monkeypatch.setenv("LC_ALL", "C")

    async def test(app, pilot, board):
        board.shows("H")
        await settled(lambda: "##" in screen(app))
        assert screen(app).isascii()

    run(test)
