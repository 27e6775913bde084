"""The game on the official firmware of both boards, in device time."""

import itertools

import pytest

from ask_hard import ask_hard
from boards import A, B, Driver, in_menu, scrolled
from needed import long
from noughts import brain
from noughts.boards.firmware import firmware_for
from noughts.brain.device import device_files, load_device
from noughts.game.positions import canonical, unfinished
from noughts.game.solver import hard_moves
from noughts.protocol.sentences import Boot
from noughts.views.situation import Observer
from noughts.virtual.program import unchanged
from official import NEWEST

LETTER_F = "9999. 9.... 999.. 9.... 9...."


def begun(start, *presses):
    """A board in its first game, by default between two people."""
    driver = in_menu(start)
    for button in presses or (B,):
        driver.press(button)
    driver.says("", "-")
    return driver


def lean(driver, x_mg, y_mg):
    driver.board.tilt(x_mg, y_mg)
    driver.rest(300)
    driver.board.tilt(0, 0)
    driver.rest(100)


def test_hex_boots_and_plays_on_both_boards(folder, printed):
    printed("hex")
    for board in ("V1", "V2"):
        driver = Driver(unchanged(firmware_for(board, folder / "noughts.hex")).microbit())
        driver.start()
        assert (driver.boots[0].hardware, driver.boots[0].table_id) == (
            board,
            brain.make_table().id,
        )
        driver.shows("2")
        assert driver.start_game().boot == driver.boots[0].boot
        driver.play_out("04132", "A")
        assert not driver.noise


def test_boot_ids_have_32_random_bits(start):
    """Each board draws a new one at each start."""
    script = b"# noughts:\nimport sentences\nprint(sentences.boot)\n"
    files = {"main.py": script, "sentences.py": device_files()["sentences.py"]}
    drawn = []
    for seed in 1, 2:
        board = start(files, seed=seed)
        for _ in range(3):
            board.run_for(500_000)
            drawn.append(board.uart.receive().split()[0].decode().strip("\0"))
            board.reset()
    assert [len(boot) for boot in drawn] == [8] * 6
    assert len(set(drawn)) == len(drawn)
    for digit in zip(*drawn, strict=True):
        assert len(set(digit)) > 1


def test_another_level_is_one_letter_in_two_files(start):
    """As `device/README.md` says: a letter before H plays without weights."""
    files = device_files()
    for name in "menu.py", "loop.py":
        assert b'"PEMHR' in files[name]
        files[name] = files[name].replace(b'"PEMHR', b'"PEMHFR')
    driver = Driver(start(files))
    driver.start()
    for _ in "EMHF":
        driver.press(A)
    driver.shows(LETTER_F)
    assert driver.start_game().seats == "PF"
    driver.press(B)
    driver.wait(lambda: len(driver.games[-1].moves) == 2, "the chip's move")
    assert not driver.noise
    driver.board.reset()
    driver.start()
    driver.shows(LETTER_F)


def test_menu_cycles_and_starts_each_kind_of_game(start):
    driver = in_menu(start)
    for seats, letters in (("PE", "E"), ("PM", "M"), ("PH", "H"), ("PP", "R2")):
        for letter in letters:
            driver.press(A)
            driver.shows(letter)
        driver.shows(letters[-1])
        game = driver.start_game()
        assert (game.seats, game.first) == (seats, "A")
        driver.rest(300)
        driver.press(A, B)  # back to the menu
        assert driver.says("", "x").number == game.number
        driver.shows(letters[-1])
    assert [game.number for game in driver.games[::2]] == [1, 2, 3, 4]


def test_two_people_can_play_on_each_firmware(start_any):
    """The player who begins wins, then the one who goes second, then neither."""
    driver = begun(start_any)
    driver.play_out("41365", "A")
    # While the line in the middle is dark, only B's marks are lit, in cells 1 and 6.
    marks_of_b = [2, 20]
    driver.wait(
        lambda: [led for led, level in enumerate(driver.board.leds()) if level] == marks_of_b,
        "the flashing line",
        seconds=1,
    )
    driver.press(B)  # skip the rest
    assert driver.says("", "-").first == "B"
    driver.rest(300)
    driver.play_out("431650", "A")
    driver.press(A)
    driver.rest(300)
    driver.play_out("413570268", "=")
    driver.scrolls("Draw Game")
    driver.wait(lambda: driver.games[-1].number == 4, "the next game, without a press")
    assert not driver.noise


def test_marks_and_cursor_blink_as_designed(start):
    driver = begun(start)
    driver.play_out("41", "-")  # A in the centre, B above it
    driver.rest(200)  # until that is shown, which is not a pulse
    levels = [set() for _ in range(25)]
    changes = {2: [], 10: []}  # when B's mark and A's cursor changed
    shown = driver.board.leds()
    for _ in range(1100):
        driver.rest(2)
        shown_before, shown = shown, driver.board.leds()
        for led, level in enumerate(shown):
            levels[led].add(level)
        for led, times in changes.items():
            if shown[led] != shown_before[led]:
                times.append(driver.board.clock_us / 1000)
    assert levels[2] == {4, 7} and levels[10] == {0, 9} and levels[12] == {9}
    lit = {led for led, seen in enumerate(levels) if seen != {0}}
    assert lit == {2, 10, 12}  # LED 10 is cell 3, where A's cursor is
    # All LEDs are drawn when the cursor blinks, so a mark's pulse may be late by that much.
    for led, period_ms, late_ms in ((2, 500, 110), (10, 100, 40)):
        gaps = [later - sooner for sooner, later in itertools.pairwise(changes[led])]
        assert all(abs(gap - period_ms) < late_ms for gap in gaps), gaps
        assert abs(sum(gaps) / len(gaps) - period_ms) < 40


@pytest.mark.parametrize("level", [9, 0])
def test_cursor_responds_at_once_to_the_press_that_places(start, level):
    """Whether it is lit at that moment or dark."""
    driver = begun(start)
    leds = driver.board.leds
    driver.wait(lambda: leds()[12] == 9 - level, "the cursor", seconds=1)
    driver.wait(lambda: leds()[12] == level, "the cursor", seconds=1)
    driver.board.press(B)
    driver.rest(60)  # of the 100 until it would change by itself
    assert leds()[12] == 9 - level


def test_chip_replies_and_the_person_can_leave(start):
    driver = begun(start, A, A, A, B)
    for moves in "24", "2410":  # hard takes the centre, then blocks in cell 0
        driver.place(int(moves[-2]))
        driver.says(moves, "-")
        took_ms = driver.games[-1].ms - driver.games[-2].ms
        assert 400 <= took_ms < 450
    driver.rest(100)
    driver.press(A, B)
    driver.wait(lambda: driver.games[-1].end == "x", "the abandoned game")
    driver.shows("H")


def test_menu_choice_survives_a_reset_and_a_power_cut(start_any):
    driver = begun(start_any, A, A, B)
    driver.rest(500)
    driver.board.reset()
    driver.start()
    driver.shows("M")
    driver.cut_power()
    driver.start()
    driver.shows("M")
    assert len({boot.boot for boot in driver.boots}) == 3


def test_ctrl_c_reaches_the_repl(start_any):
    driver = begun(start_any)
    driver.board.uart.send(b"\x03")
    received = bytearray()

    def prompt():
        received.extend(driver.board.uart.receive())
        return received.endswith(b">>> ")

    assert driver.board.run_until(prompt, timeout_us=2e6)
    assert b"KeyboardInterrupt" in received
    driver.board.uart.send(b"\x04")
    driver.start()  # it plays again
    driver.shows("2")


@pytest.mark.parametrize("first", [A, long(B)])
def test_both_buttons_within_100_ms_are_never_a_single_press(start, first):
    """They lead from a new game to the menu.

    A single B would have placed a mark; in the menu, B would have started a game and A would have
    changed the opponent.
    """
    driver, second = in_menu(start), B if first is A else A
    for number, apart_ms in enumerate((0, 3, 92, 100), 1):
        driver.start_game()
        driver.rest(100)
        driver.board.press(first)
        driver.rest(apart_ms)
        driver.press(second)
        driver.board.release(first)
        game = driver.says("", "x")
        assert (game.number, game.seats) == (number, "PP")
        driver.rest(303)
    assert len(driver.games) == 8


def test_each_player_has_their_own_button_in_tilt_mode(start):
    driver = in_menu(start)
    driver.press(A, B)
    driver.rest(500)
    driver.start_game()
    driver.rest(100)
    lean(driver, 400, 0)
    driver.press(A)
    driver.says("5", "-")
    driver.press(A)  # B is to move: an arrow points to B's button
    driver.shows(">")
    driver.rest(900)
    lean(driver, 400, 0)
    driver.press(B)  # on A's mark
    driver.shows("X")
    driver.rest(900)
    assert driver.games[-1].moves == (5,)
    lean(driver, -400, 0)
    lean(driver, 0, 400)
    driver.press(B)
    driver.says("57", "-")
    lean(driver, 0, -400)
    driver.press(A)
    driver.says("571", "-")


@pytest.mark.parametrize(
    ("firmware", "up_to_symmetry"),
    [("V1 1.1.1", True), *(long(firmware, False) for firmware in NEWEST)],
)
def test_board_plays_a_best_move_in_every_position(firmware, up_to_symmetry):
    """A board answers like the same code on this computer, and never gives value away.

    So no line of play beats it.
    """
    asked, ai = ask_hard(firmware, up_to_symmetry=up_to_symmetry), load_device("ai")
    positions = set(unfinished())
    assert set(asked) == positions or {*map(canonical, asked)} == {*map(canonical, positions)}
    assert len(asked) == (627 if up_to_symmetry else 4520)
    for position, answer in asked.items():
        assert answer.cells == brain.best_cells(ai, position), position
        assert set(answer.cells) <= set(hard_moves(position)), position


@pytest.mark.parametrize("text", ["tilt", "buttons", "A Win", "B Win", "Draw", "Game", "radio 7"])
def test_scrolling_text_is_not_taken_for_the_menu(text):
    observer = Observer()
    observer.receive(Boot("00000A83", "V1", "1.0.0", "2798"))
    for leds in scrolled("V1 1.1.1", text):
        for _ in range(2):
            observer.see(leds)
        assert (observer.situation.phase, observer.situation.opponent) == ("menu", "")
