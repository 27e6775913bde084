"""`noughts play`: its screen, driven by Textual's pilot on a stand-in board; and `--keys`."""

import contextlib
from dataclasses import replace

import micropython_microbit_fs
import pytest

from boards import LETTERS
from live_page import Board, settled
from needed import long
from noughts.protocol.sentences import Boot, Game, Menu, parse
from noughts.store.store import Store
from noughts.terminal.board_view import draw
from sample_games import A_WINS, insert, stages
from screens import playing, screen_text

BOOT = Boot("00000A83", "V2", "1.0.0", "2798")
pytestmark = pytest.mark.anyio


@pytest.fixture
def opened(tmp_path):
    """Opens the app on a stand-in board, in a terminal of a given size."""

    @contextlib.asynccontextmanager
    async def start(size=(100, 30), keep_flash=lambda flash: None, other=None):
        board = Board()
        with playing(board, tmp_path / "games.db", keep_flash, other) as app:
            async with app.run_test(size=size, notifications=True) as pilot:
                await pilot.pause(0.1)
                yield app, pilot, board

    return start


async def test_keys_press_buttons_and_tilt(opened):
    async with opened() as (_, pilot, board):
        await pilot.press("a", "b", "space", "left", "right", "up", "down", "l", "r")
        await settled(lambda: len(board.done) == 9)
        taps = [("tap", *buttons) for buttons in ("A", "B", "AB")]
        nudges = [("nudge", *tilt) for tilt in ((-1, 0), (1, 0), (0, -1), (0, 1))]
        assert board.done == [*taps, *nudges, ("touch_logo",), ("reset",)]


async def test_each_of_two_boards_has_keys_instructions_and_messages(opened):
    right = Board()
    async with opened((80, 40), other=right) as (app, pilot, left):
        await pilot.press("a", "s", "d", "1")
        await pilot.press("h", "j", "k", "2", "l", "left", "down")
        await settled(lambda: len(left.done) == len(right.done) == 7)
        taps = [("tap", *buttons) for buttons in ("A", "B", "AB")]
        nudges = [("nudge", -1, 0), ("nudge", 0, 1)]
        for board in (left, right):
            assert board.done == [*taps, ("reset",), ("touch_logo",), *nudges]
        left.says(BOOT, Menu(BOOT.boot, "Rbs"))
        right.says(BOOT, Menu(BOOT.boot, "Hbs"))
        menus = "left: menu: a friend by radio, buttons", "right: menu: the chip (hard), buttons"
        for text in menus:
            await settled(lambda text=text: text in screen_text(app))
        await settled(lambda: "R: a friend on another board" in screen_text(app))
        assert "H: the chip, hard: it never loses" in screen_text(app)


async def test_game_of_two_boards_by_radio_counts_once(opened):
    """Both send it, with the boot of one of them."""
    right = Board()
    async with opened((80, 24), other=right) as (app, _, left):
        games = stages(A_WINS, boot=BOOT.boot, seats="PP")
        left.says(BOOT, *games)
        right.says(replace(BOOT, boot="99999999"), *games)
        await settled(lambda: screen_text(app).count("Player A has won!") == 2)
        await settled(lambda: screen_text(app).count("score  A 1, B 0, draws 0") == 2)


@pytest.mark.parametrize("rows", [24, 40])
async def test_note_is_seen_with_and_without_room_for_messages(opened, rows):
    async with opened((80, rows), other=Board()) as (app, pilot, _):
        app.NOTIFICATION_TIMEOUT = 3600  # seconds; usually five, which a busy machine may need
        await pilot.press("v")
        await settled(lambda: "v replays a game" in screen_text(app))


async def test_tone_is_named_for_a_moment(opened):
    async with opened() as (app, _, board):
        board.hertz = 784
        await settled(lambda: "♪ G5" in screen_text(app))
        board.hertz = 0
        assert "♪ G5" in screen_text(app)
        board.ms += 1000
        await settled(lambda: "♪" not in screen_text(app))


async def test_mouse_holds_a_button_until_released(opened):
    async with opened() as (_, pilot, board):
        await pilot.mouse_down("BoardPicture", offset=(0, 0))  # not a button
        await pilot.mouse_up("BoardPicture", offset=(0, 0))
        for x, y, buttons in (4, 7, "A"), (29, 7, "B"), (16, 12, "AB"):
            await pilot.mouse_down("BoardPicture", offset=(x, y))
            await settled(lambda: board.done)
            await pilot.mouse_up("BoardPicture", offset=(x, y))
            await settled(lambda: len(board.done) > 1)
            assert [(what, *sorted(which)) for what, *which in board.done] == [
                ("press", *buttons),
                ("release", *buttons),
            ]
            board.done.clear()


async def test_key_that_closes_help_does_not_reach_the_board(opened):
    async with opened() as (app, pilot, board):
        await pilot.press("question_mark")
        await settled(lambda: "Any key goes back." in screen_text(app))
        await pilot.press("a")
        await settled(lambda: "Any key goes back." not in screen_text(app))
        await pilot.press("b")
        await settled(lambda: board.done)
        assert board.done == [("tap", "B")]


async def test_v_replays_the_last_game_with_verdicts_and_q_returns(opened, tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:  # this takes number 1
        insert(store, "usb-1", stages([0], boot="BBBBBBBB")[0], None)

    async with opened() as (app, pilot, board):
        await pilot.press("v")  # there is nothing to replay yet
        await settled(lambda: "once one has ended" in screen_text(app))
        board.says(BOOT, *stages(A_WINS), *stages([4], number=2, first="B"))
        await settled(lambda: "game 2, move 1: B in the centre" in screen_text(app))
        await pilot.press("v")
        await settled(lambda: "A begins." in screen_text(app))
        shown = " ".join(screen_text(app).split())
        assert "game 2: A is a person, B is the chip (hard); A began; A won" in shown
        await pilot.press("right", "right")
        await settled(lambda: "A mistake: it turns a draw into a loss." in screen_text(app))
        board.says(*stages([4, 0], number=2, first="B")[2:])  # the board plays on
        await pilot.press("q")
        await settled(lambda: "game 2, move 2: A in the top-left corner" in screen_text(app))
        assert board.done == []


async def test_noise_is_escaped_and_an_error_shows_until_reset(opened):
    async with opened() as (app, pilot, board):
        board.serial.unread = b"boom\x1b[31m\r\n"
        await settled(lambda: "boom\\x1b[31m" in screen_text(app))
        board.serial.unread = (
            b'Traceback (most recent call last):\r\n  File "__main__", line 3\r\n'
            b"NameError: name 'gmae' is not defined\r\n"
        )
        await settled(lambda: "The game has stopped" in screen_text(app))
        # As it was before packing, where it was in the board's third line.
        assert "device/main.py, line 4" in screen_text(app)
        assert 'File "__main__", line 4' in screen_text(app)
        await pilot.press("r")
        await settled(lambda: "The board is starting" in screen_text(app))


async def test_mode_is_what_the_menu_says_and_flash_is_passed_on(opened):
    passed = []

    async with opened(keep_flash=passed.append) as (app, _, board):
        board.says(BOOT, Menu(BOOT.boot, "Pb"), *stages(A_WINS)[:1])
        await settled(lambda: "mode   buttons" in screen_text(app))
        board.ms = 119_960
        await settled(lambda: "clock 1:59.9" in screen_text(app))
        board.flash = b"changed"
        await settled(lambda: passed == [board.flash])


@pytest.mark.parametrize("on_key_press", [False, True])
async def test_dead_board_ends_the_app_with_the_reason(opened, on_key_press):
    async with opened() as (app, pilot, board):
        if on_key_press:
            board.leds = lambda: bytes(25)
        board.ended = True
        await pilot.press("a")
        await settled(lambda: app.failure)
    assert str(app.failure) == "it was killed; start again"


def test_picture_marks_the_last_move_and_shows_brightness():
    for cell in range(9):
        leds = bytearray(25)
        leds[cell // 3 * 10 + cell % 3 * 2] = 9
        assert draw(bytes(leds), (cell, "A")).plain.count("[██]") == 1
    assert len({draw(bytes([level] * 25)).plain for level in (0, 4, 7, 9)}) == 4


@pytest.mark.parametrize("board", ["v1", long("v2")])
def test_same_keys_give_byte_identical_output(board, started, noughts):
    """Even against the chip on easy, which plays at random."""
    words = "play", "--board", board, "--keys", "A 100 B 200 B 900 B 900"
    program = started(*words, text=True)
    out, err = program.communicate(timeout=300)
    assert (program.returncode, out, err) == noughts(*words) and not program.returncode
    rows = [block.split() for block in out.split(" ms  ")[1:]]
    pictures = [" ".join(words[1:6]) for words in rows if words[0] == "LEDs"]
    # The menu shows 2, then E when A is pressed; a press of B starts with A's cursor.
    assert pictures[0] == LETTERS["2"]
    assert pictures.index(LETTERS["E"]) < pictures.index("..... ..... ..9.. ..... .....")
    boot, *sent = [parse(line[1:-3]).sentence for line, *_ in rows if line.startswith("$")]
    assert isinstance(boot, Boot) and boot.hardware == board.upper()
    assert [sentence.choice for sentence in sent[:2] if isinstance(sentence, Menu)] == [
        "Pbs",
        "Ebs",
    ]
    begun, *games = sent[2:]
    assert (begun.seats, begun.moves) == ("PE", ())
    assert len(games) > 3 and all(isinstance(game, Game) for game in games)


def test_hex_without_the_game_is_reported(tmp_path, noughts):
    path = tmp_path / "bare.hex"
    path.write_text(micropython_microbit_fs.get_bundled_hex(1).content)
    status, out, err = noughts("play", "--board", "v1", "--keys", "A", "--hex", path)
    assert status == 1
    assert "MicroPython v1.9.2" in out
    assert err == "noughts: the board does not start the game; check its files\n"


@pytest.mark.usefixtures("broken_wasmtime")
def test_missing_wasmtime_is_reported(monkeypatch, refused):
    monkeypatch.setattr("noughts.cli.play.has_screen", lambda: True)
    assert refused("play", "--board", "v1") == (
        "noughts: the emulator needs wasmtime, which cannot be loaded here (no library for this "
        "computer); install the version that works: pip install wasmtime==50.0.1\n"
    )
