"""What a board is doing, judged by its sentences and LEDs, and the text that says so."""

from dataclasses import replace

import pytest
from rich.console import Console

from boards import LETTERS
from noughts.engines.built_in import engines
from noughts.protocol.describe import opponents, seat_of
from noughts.protocol.sentences import Boot, Game, Menu
from noughts.terminal.board_view import panel
from noughts.views.situation import Instructions, Observer, instructions

BOOT = Boot("00000A83", "V2", "1.0.0", "2798")


def picture(name):
    return bytes(int(char) for char in LETTERS[name].replace(" ", "").replace(".", "0"))


def show(observer, leds):
    for _ in range(3):
        observer.see(leds)
    return observer.situation


def game(moves="", end="-", seats="PH", first="A"):
    return Game("00000A83", 1, seats, first, tuple(map(int, moves)), 1000 * len(moves), end)


def observed(*sentences, controls=""):
    observer = Observer()
    menu = [Menu(BOOT.boot, f"P{controls}")] if controls else []
    for sentence in (BOOT, *menu, *sentences):
        observer.receive(sentence)
    return observer


def panel_text(observer, stopped=""):
    """What `play` shows next to the board."""
    parts = Console(width=60).render(panel(observer.situation, stopped, {}))
    return "".join(part.text for part in parts)


def buttons(observer):
    return dict(instructions(observer.situation).buttons)


def test_menu_is_what_the_board_says():
    observer = Observer()
    assert observer.situation.phase == "starting"
    observer.receive(BOOT)
    assert instructions(observer.situation).about == "The LEDs show the opponent."
    for letter, seat, about in (
        ("2", "P", "two people, on this board"),
        ("E", "E", "the chip, easy: it picks any free cell"),
        ("M", "M", "the chip, medium: it finishes and blocks lines"),
        ("H", "H", "the chip, hard: it never loses"),
        ("R", "R", "a friend on another board, by radio"),
    ):
        observer.receive(Menu(BOOT.boot, f"{seat}t"))
        show(observer, picture("2"))  # whatever is on the LEDs
        now = observer.situation
        assert (now.phase, now.opponent, now.controls) == ("menu", seat, "t")
        assert instructions(now).about == f"{letter}: {about}"
    assert buttons(observer) == {
        "button A": "next opponent", "button B": "choose a channel",
        "A+B": "switch to buttons (now: tilt)",
    }  # fmt: skip
    observer.receive(game("03142", end="A"))
    observer.receive(Menu(BOOT.boot, "Hb"))
    assert (observer.situation.phase, observer.situation.controls) == ("menu", "b")


@pytest.mark.parametrize(
    ("choice", "hardware", "touch"),
    [
        ("Pbs", "V2", "switch sound off"),
        ("Htq", "V2", "switch sound on"),
        ("Pb", "V2", None),  # a board without sound
        ("Pbs", "V1", None),  # it has the letter, and no logo to touch
    ],
)
def test_menu_says_what_the_logo_does(choice, hardware, touch):
    observer = Observer()
    observer.receive(replace(BOOT, hardware=hardware))
    observer.receive(Menu(BOOT.boot, choice))
    assert buttons(observer).get("logo") == touch
    observer.receive(game("03142", end="x"))
    assert buttons(observer).get("logo") == touch  # the choice stays


def test_boards_that_play_by_radio_know_whose_turn_it_is():
    """Both send the same sentences, with the boot of player A's board, also after a reset."""
    boots = {"A": BOOT.boot, "B": "99999999"}
    boards = {player: Observer() for player in boots}
    for player, observer in boards.items():
        observer.receive(replace(BOOT, boot="12345678"))
        observer.receive(Menu("12345678", "Rbs"))
        assert buttons(observer)["button B"] == "choose a channel"
        observer.receive(Menu("12345678", "Rbs3"))
        what = instructions(observer.situation)
        assert what.about == "Channel 3: choose the same one on both boards."
        assert buttons(observer)["button A"] == "next channel"
        observer.receive(replace(BOOT, boot=boots[player]))  # they start anew, to play
        assert instructions(observer.situation).headline == "The boards have found each other"
    for moves, player in (("", "A"), ("4", "B"), ("40", "A")):
        for observer in boards.values():
            observer.receive(game(moves, seats="PP"))
        ours, theirs = (
            instructions(boards[seat].situation) for seat in (player, "AB".replace(player, ""))
        )
        assert ours.headline == f"Your turn, player {player}"
        assert theirs.headline == f"Player {player}'s turn"
        assert dict(ours.buttons)["button A"] == "next free cell"
        assert dict(theirs.buttons) == {"A+B": "to the menu"}
        for board in boards.values():
            board.reset()
            board.receive(replace(BOOT, boot="77777777"))
    for sentence in (game("402", seats="PP"), game("402", end="x", seats="PP")):
        boards["B"].receive(sentence)
    for _ in range(2):
        assert instructions(boards["B"].situation).headline == "Menu: choose an opponent"
        boards["B"].receive(replace(BOOT, boot="12345678"))


def test_leds_say_what_no_sentence_does_about_the_other_board():
    observer = Observer()
    for sentence in (BOOT, Menu(BOOT.boot, "Rbs"), BOOT, Menu(BOOT.boot, "Rbs3")):
        observer.receive(sentence)

    def shows(leds, headline):
        show(observer, leds)
        assert instructions(observer.situation).headline == headline

    digit = bytes.fromhex("0909090900 0000000900 0000090000 0009000000 0900000000")
    light, dark = bytes([0, 0, 4] + [0] * 22), bytes(25)
    shows(digit, "Two boards: choose a channel")
    shows(dark, "Two boards: choose a channel")
    shows(light, "Looking for the other board")
    assert buttons(observer) == {"A+B": "back"}
    shows(dark, "Looking for the other board")
    observer.receive(BOOT)
    shows(light, "The boards have found each other")
    observer.receive(game("4", seats="PP"))
    shows(picture("?"), "The other board is silent")
    assert buttons(observer) == {"A+B": "to the menu"}
    shows(light, "Player B's turn")
    shows(picture("house"), "The board leaves the game")
    observer.receive(BOOT)  # without the game's end, which the other board did not confirm
    shows(picture("R"), "The board is starting")


@pytest.mark.parametrize(
    ("sentence", "headline", "player"),
    [
        (game(), "Your turn, player A", "A"),
        (game("4"), "The chip's turn", "B"),
        (game("4", seats="PP"), "Player B's turn", "B"),
        (game("40213", seats="PP", first="B"), "Player A's turn", "A"),
        (game("03142", end="A"), "You have won!", "A"),
        (game("803142", end="B"), "The chip has won!", "B"),
        (game("03142", end="A", seats="PP"), "Player A has won!", "A"),
        (game("402635178", end="="), "A draw!", ""),
        (game("40", end="x"), "Menu: choose an opponent", ""),
    ],
)
def test_headline_says_whose_turn_it_is_or_who_won(sentence, headline, player):
    what = instructions(observed(sentence).situation)
    assert (what.headline, what.player) == (headline, player)


def test_instructions_list_the_buttons():
    place = "place your mark"
    for controls in ("b", ""):  # unknown controls count as buttons
        assert buttons(observed(game(), controls=controls)) == {
            "button A": "next free cell", "button B": place, "A+B": "to the menu",
        }  # fmt: skip
    assert instructions(observed(game("4", seats="PP"), controls="t").situation).buttons == (
        ("tilt", "move the cursor"), ("button B", place), ("A+B", "to the menu"),
    )  # fmt: skip
    assert buttons(observed(game("4"))) == {"A+B": "to the menu"}
    over = observed(game("03142", end="A"))
    assert buttons(over) == {"a button": "next game: player B begins", "A+B": "to the menu"}
    assert "v         replay this game" in panel_text(over)


def test_icons_are_explained_and_not_read_as_marks():
    observer = observed(game("402", seats="PP"))
    marks = bytes([9, 0, 9] + [0] * 9 + [9] + [0] * 12)
    assert show(observer, marks).last == (2, "A")
    assert show(observer, picture("X")).last is None
    assert instructions(observer.situation).about == "X: that cell is taken."
    show(observer, picture("<"))
    assert instructions(observer.situation).about == "The arrow: it is player A's turn."
    assert show(observer, marks).last == (2, "A") and observer.situation.answer == ""
    assert (
        instructions(observer.situation).about
        == "Steady: A. Pulsing: B. Fast blinking: the cursor."
    )
    # Text that scrolls after the end is not read as marks.
    observer.receive(game("03142", end="A"))
    for leds, last in ((marks, (2, "A")), (picture("X"), None), (marks, None)):
        assert show(observer, leds).last == last
    observer.receive(game("4"))
    assert show(observer, marks).last == (4, "A")


def test_fault_and_reset_are_explained():
    observer = observed(game("40"))
    sad = bytes.fromhex("0000000000 0009000900 0000000000 0009090900 0900000009")
    assert show(observer, sad).phase == "fault"
    failed = Instructions("The game stopped with a fault", "A sad face: it starts again by itself.")
    assert instructions(observer.situation) == failed
    observer.reset()
    assert observer.situation.phase == "starting"
    starts = Instructions("The board is starting", "The menu will appear in a moment.")
    assert instructions(observer.situation) == starts


def test_traceback_is_shown_only_while_no_game_runs():
    observer = observed(game("40"))
    assert "line 4" not in panel_text(observer, stopped="line 4")
    observer.reset()
    assert "line 4" in panel_text(observer, stopped="line 4")


def test_every_engine_has_its_own_seat():
    seats = [seat_of(engine) for engine in engines()]
    assert len(set(seats)) == len(seats) and "P" not in seats
    assert opponents("P" + seat_of("minimax")) == "person against minimax"
    assert opponents("P" + seat_of("hard")) == "person against hard"
