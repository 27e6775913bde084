"""What must hold of the game on every board: the emulated and the simulated one run these."""

from __future__ import annotations

import time
from collections.abc import Callable

from boards import A, B, Driver, text
from noughts.boards.base import Board, Button
from noughts.device_files import load_device
from noughts.simulator.picture import scrolled

Start = Callable[..., Board]


def started(start: Start, *args: object) -> Driver:
    driver = Driver(start(*args))
    driver.start()
    return driver


def boots_to_the_menu(start: Start) -> None:
    driver = started(start)
    driver.shows("2")
    boot = driver.boots[0]
    assert (boot.board, boot.table_id) == ("V1", load_device("table").ID)
    assert not driver.noise


def the_menu_goes_round_and_starts_each_kind_of_game(start: Start) -> None:
    driver = started(start)
    for seats, letters in (("PE", "E"), ("PM", "M"), ("PH", "H"), ("PP", "2")):
        driver.press(A)
        driver.shows(letters[-1])
        driver.press(B)
        game = driver.says("", "-")
        assert (game.seats, game.first) == (seats, "A")
        driver.rest(300)
        driver.press(A, B)  # back to the menu
        assert driver.says("", "x").number == game.number
        driver.shows(letters[-1])
    assert [game.number for game in driver.games[::2]] == [1, 2, 3, 4]


def two_people_reach_all_three_endings(start: Start) -> None:
    driver = started(start)
    driver.press(B)
    driver.says("", "-")
    driver.play_out("04132", "A")
    driver.wait(lambda: text(driver.board.leds())[0] == ".", "the flashing line")
    driver.press(B)  # skip the rest
    assert driver.says("", "-").first == "B"
    driver.rest(300)
    driver.play_out("04132", "B")
    driver.press(A)
    driver.rest(300)
    driver.play_out("402635178", "=")
    driver.wait(lambda: driver.games[-1].number == 4, "the next game, without a press")
    assert not driver.noise


def marks_are_shown_as_they_should_be(start: Start) -> None:
    driver = started(start)
    driver.press(B)
    driver.says("", "-")
    driver.play_out("40", "-")  # A in the centre, B in the top-left corner
    seen: dict[int, set[int]] = {led: set() for led in range(25)}

    def look() -> bool:
        for led, level in enumerate(driver.board.leds()):
            seen[led].add(level)
        return seen[0] == {4, 7} and seen[2] == {0, 9}

    driver.wait(look, "the pulse of B's mark and the cursor of A")
    assert seen[12] == {9}
    lit = {led for led, levels in seen.items() if levels != {0}}
    assert lit == {0, 2, 12}  # LED 2 is cell 1, where A's cursor is


def the_cursor_passes_taken_cells(start: Start) -> None:
    driver = started(start)
    driver.press(B)
    driver.says("", "-")
    driver.play_out("45", "-")
    for _ in range(7):  # seven free cells: once round
        driver.press(A)
    driver.press(B)
    driver.says("451", "-")


def the_chip_answers_and_the_person_can_leave(start: Start) -> None:
    driver = started(start)
    driver.press(A)
    driver.press(A)
    driver.press(B)
    driver.says("", "-")
    driver.press(B)
    driver.wait(lambda: len(driver.games[-1].moves) == 2, "the chip's reply")
    assert driver.games[-1].ms - driver.games[-2].ms >= 400
    driver.rest(100)
    driver.press(A, B)
    driver.wait(lambda: driver.games[-1].end == "x", "the abandoned game")
    driver.shows("M")


def settings_survive_a_reset(start: Start) -> None:
    driver = started(start)
    driver.press(A)
    driver.press(A)
    driver.press(B)  # medium
    driver.says("", "-")
    first = driver.boots[-1].boot
    driver.board.reset()
    driver.start()
    assert driver.boots[-1].boot != first
    driver.shows("M")


def damaged_settings_mean_the_defaults(start: Start, files: dict[str, bytes]) -> None:
    for damaged in (b"", b"Z", b"Hq", b"\xff\xfe", b"Hb and more", bytes(2000)):
        driver = started(start, {**files, "settings": damaged})
        driver.shows("2")
        assert not driver.noise
        driver.board.close()


def ctrl_c_reaches_the_repl(start: Start) -> None:
    driver = started(start)
    driver.press(B)
    driver.says("", "-")
    driver.board.serial.write(b"\x03")
    heard = bytearray()

    def prompt() -> bool:
        heard.extend(driver.board.serial.read(4096))
        return heard.endswith(b">>> ")

    end = time.monotonic() + 120
    while not prompt():
        assert time.monotonic() < end, heard
        time.sleep(0.05)
    assert b"KeyboardInterrupt" in heard
    driver.board.serial.write(b"\x04")
    driver.start()  # it plays again
    driver.shows("2")


def a_fault_shows_a_sad_face_and_it_starts_again(start: Start, files: dict[str, bytes]) -> None:
    broken = files["chip.py"].replace(b"    stop = ", b"    oops\n    stop = ")
    driver = started(start, {**files, "chip.py": broken})
    driver.press(A)
    driver.press(B)
    driver.says("", "-")
    driver.press(B)
    driver.shows("..... .9.9. ..... .999. 9...9")
    assert any("NameError" in str(item) for item in driver.noise)
    driver.shows("E")


def incomplete_files_are_told_on_the_leds(start: Start, files: dict[str, bytes]) -> None:
    without_table = {name: content for name, content in files.items() if name != "table.py"}
    without_loop = {name: content for name, content in files.items() if name != "loop.py"}
    # A file whose writing was cut short reads as its whole chunks.
    cut_short = {**files, "table.py": files["table.py"][: 5 * 126]}
    pictures = set(scrolled("files incomplete"))
    for incomplete in (without_table, without_loop, cut_short):
        board = start(incomplete)
        seen: set[bytes] = set()
        driver = Driver(board)

        def enough(board: Board = board, seen: set[bytes] = seen) -> bool:
            seen.add(board.leds())
            return len(seen & pictures) > 20

        driver.wait(enough, "the scrolling text", 600)
        assert not driver.boots
        assert "Traceback" in str(driver.noise)
        board.close()


def tilt_moves_the_cursor(start: Start, files: dict[str, bytes], lean: Callable[..., None]) -> None:
    """`lean(driver, x, y)` tilts the board, in mg."""
    driver = started(start, files)
    driver.press(A, B)
    driver.rest(500)
    driver.press(B)
    driver.says("", "-")
    driver.rest(100)

    def lean_until(x: int, led: int, level: int) -> None:
        """Lean until the cursor is seen there, which would move on 800 ms later."""
        lean(driver, x, 0)
        driver.wait(lambda: driver.board.leds()[led] == level, "the cursor")
        lean(driver, 0, 0)
        driver.rest(250)

    def press_until(button: Button, picture: str) -> None:
        """Hold a button until its icon is seen, which stays for 700 ms from the press on."""
        driver.board.press(button)
        driver.shows(picture)
        driver.board.release(button)
        driver.rest(900)

    lean_until(400, 14, 9)
    driver.press(A)  # A places with A
    driver.says("5", "-")
    press_until(A, ">")  # not B's button: an arrow toward B
    assert driver.games[-1].moves == (5,)
    lean_until(400, 14, 4)
    press_until(B, "X")  # on A's mark
    assert driver.games[-1].moves == (5,)
    lean_until(-400, 12, 7)
    driver.press(B)
    driver.says("54", "-")


CASES = [
    boots_to_the_menu,
    the_menu_goes_round_and_starts_each_kind_of_game,
    two_people_reach_all_three_endings,
    marks_are_shown_as_they_should_be,
    the_cursor_passes_taken_cells,
    the_chip_answers_and_the_person_can_leave,
    settings_survive_a_reset,
    ctrl_c_reaches_the_repl,
]
CASES_WITH_FILES = [
    damaged_settings_mean_the_defaults,
    a_fault_shows_a_sad_face_and_it_starts_again,
    incomplete_files_are_told_on_the_leds,
]
