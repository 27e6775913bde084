"""The terminal program, by Textual's own pilot, on a stand-in for a board."""

import asyncio
import threading

import pytest

from boards import LETTERS
from live_page import Board, settled
from noughts.protocol.sentences import Boot, Game, write
from noughts.store.store import Store
from noughts.terminal.picture import HEIGHT, WIDTH, buttons_at, draw
from noughts.watch.play_recording import PlayRecording
from sample_games import stages
from screens import screen_lines

SIZES = pytest.mark.parametrize("size", [(60, 20), (80, 24), (140, 40)])
BOOT = Boot("00000A83", "V2", "1.0.0", "2798")
WON = [4, 1, 0, 8, 3, 5, 6]
"""A wins the left column."""


class StandIn(Board):
    """A board that says what the test wants, too."""

    firmware = "stand-in of the tests"

    def __init__(self):
        super().__init__()
        self.serial = self
        self.sent = b""

    def says(self, *sentences):
        self.sent += "".join(f"{write(sentence)}\r\n" for sentence in sentences).encode()

    def shows(self, letter):
        self.shown = bytes(int(c) for c in LETTERS[letter].replace(" ", "").replace(".", "0"))

    def read(self, size):
        sent, self.sent = self.sent[:size], self.sent[size:]
        return sent


@pytest.fixture
def run(tmp_path):
    """Runs an async test with the app on a board, in a terminal of a size."""
    from noughts.terminal.play_app import BoardApp  # Textual takes 0.3 s

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


def test_leds_are_shown_and_sentences_in_words(run):
    async def test(app, pilot, board):
        board.shown, board.ms = bytes([9] + [0] * 24), 61_500
        await settled(lambda: "██" in screen(app))
        board.sent = (
            write(Boot("00000A83", "V1", "0.1.0", "2798")) + "\r\n"
            + write(Game("00000A83", 3, "PP", "A", (2,), 10, "-")) + "\r\n"
            + "boom\x1b[31m\r\n"
        ).encode()  # fmt: skip
        await settled(lambda: "boom" in screen(app) and "table 2798" in screen(app))
        shown = screen(app)
        assert "board started: micro:bit V1" in shown
        assert "game 3, move 1: A in the top-right corner" in shown
        assert "boom\\x1b[31m" in shown
        assert "clock 1:01.5" in shown and "table 2798" in shown
        assert "stand-in of the tests" in shown

    run(test)


@SIZES
def test_the_screen_explains_itself(run, size):
    """In the menu, in a game and at its end, at every size."""

    async def test(app, pilot, board):
        board.shows("H")
        board.says(BOOT)
        await settled(lambda: "H: the chip, hard: it" in screen(app))
        shown = screen(app)
        for wanted in ("Menu: against whom?", "button A  next opponent", "? help", "q quit"):
            assert wanted in shown, wanted
        board.says(*stages(WON)[:3])
        board.shown = bytes([0, 0, 7] + [0] * 9 + [9] + [0] * 12)
        await settled(lambda: "game 1, move 2: B on the top edge" in screen(app))
        await settled(lambda: "[▓▓]" in screen(app))
        shown = screen(app)
        for wanted in ("Your turn, player A", "· B ·  A  you", "· A ·  B  the chip, hard"):
            assert wanted in shown, wanted
        board.says(*stages(WON)[3:])
        await settled(lambda: "You have won!" in screen(app))
        await settled(lambda: "A wins (left column)" in " ".join(screen(app).split()))
        shown = screen(app)
        for wanted in ("v       replay this game", "score  A 1, B 0, draws 0"):
            assert wanted in shown, wanted
        # The log is as wide as there is room for; the help stands whole beside it.
        wraps = not any(
            "bottom-left corner; A wins (left column)" in line for line in shown.split("\n")
        )
        assert wraps == (size[0] == 60)
        assert ("Two players, A and B" in shown and "q         quit" in shown) == (size[0] == 140)
        assert ("arrows tilt" in shown and "r reset" in shown) == (size[0] > 60)

    run(test, size=size)


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
def test_help_screen_takes_all_keys(run, size):
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

    run(test, size=size)


@SIZES
def test_v_replays_the_last_game_with_verdicts_and_comes_back(run, tmp_path, size):
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

    run(test, size=size)


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


@pytest.mark.parametrize("plain", [False, True])
def test_the_drawing_has_its_size_and_its_leds(plain):
    text = draw(bytes([9] * 25), frozenset({"A"}), plain).plain
    lines = text.split("\n")
    assert len(lines) == HEIGHT and {len(line) for line in lines} == {WIDTH}
    assert text.count("##" if plain else "██") == 25
    assert text.isascii() == plain
    without_colour = {draw(bytes([level] * 25), frozenset(), plain).plain for level in (0, 4, 7, 9)}
    assert len(without_colour) == 4


@pytest.mark.parametrize("plain", [False, True])
def test_the_last_move_is_marked(plain):
    for cell in range(9):
        leds = bytearray(25)
        leds[cell // 3 * 10 + cell % 3 * 2] = 9
        lines = draw(bytes(leds), frozenset(), plain, (cell, "A")).plain.split("\n")
        assert {len(line) for line in lines} == {WIDTH}
        assert "".join(lines).count("[##]" if plain else "[██]") == 1
