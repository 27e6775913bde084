"""What a board is doing, from its sentences and its LEDs, and both in words."""

import pytest

from boards import LETTERS
from noughts.engines.registry import engines
from noughts.protocol.describe import SEATS, opponents, seat_of
from noughts.protocol.sentences import Boot, Game
from noughts.terminal.play import panel
from noughts.views.situation import Instructions, Observer, instructions

BOOT = Boot("00000A83", "V2", "1.0.0", "2798")


def picture(name):
    return bytes(int(char) for char in LETTERS[name].replace(" ", "").replace(".", "0"))


def look(observer, leds):
    for _ in range(3):
        observer.see(leds)
    return observer.now


def game(moves="", end="-", seats="PH", first="A"):
    return Game("00000A83", 1, seats, first, tuple(map(int, moves)), 1000 * len(moves), end)


def observed(*sentences):
    observer = Observer()
    for sentence in (BOOT, *sentences):
        observer.receive(sentence)
    return observer


def words(observer, controls="b"):
    what = instructions(observer.now, controls)
    return what.headline, dict(what.buttons)


def test_the_menu_is_read_off_the_leds():
    observer = Observer()
    assert look(observer, picture("2")).phase == "starting"
    observer.receive(BOOT)
    assert (observer.now.phase, observer.now.opponent) == ("menu", "P")
    for letter, seat, about in (
        ("2", "P", "two people, on this board"),
        ("E", "E", "the chip, easy: it plays anywhere"),
        ("M", "M", "the chip, medium: it completes and blocks rows"),
        ("H", "H", "the chip, hard: it never loses"),
    ):
        assert (look(observer, picture(letter)).phase, observer.now.opponent) == ("menu", seat)
        assert instructions(observer.now, "b").about == f"{letter}: {about}"
    assert words(observer)[1] == {
        "button A": "next opponent", "button B": "start the game", "A+B": "tilt or buttons",
    }  # fmt: skip
    assert instructions(observed().now, "b").about == "The LEDs show the opponent."


def test_what_stands_on_the_leds_from_before_a_game_does_not_end_it():
    observer = observed()
    look(observer, picture("H"))
    observer.receive(game())
    assert look(observer, picture("H")).phase == "turn"
    look(observer, bytes(25))
    observer.see(picture("H"))
    assert observer.now.phase == "turn"  # a picture that is seen once may be half drawn
    observer.see(picture("H"))
    assert observer.now.phase == "menu"


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
        (game("40", end="x"), "Menu: against whom?", ""),
    ],
)
def test_whose_turn_it_is_and_who_has_won(sentence, headline, player):
    what = instructions(observed(sentence).now, "b")
    assert (what.headline, what.player) == (headline, player)


def test_what_the_buttons_do():
    place = "place your mark"
    for controls in ("b", ""):  # as long as they are not known, those of the buttons
        assert words(observed(game()), controls)[1] == {
            "button A": "next free cell", "button B": place, "A+B": "to the menu",
        }  # fmt: skip
    assert instructions(observed(game("4", seats="PP")).now, "t").buttons == (
        ("tilt", "move the cursor"), ("button B", place), ("A+B", "to the menu"),
    )  # fmt: skip
    assert words(observed(game("4")))[1] == {"A+B": "to the menu"}
    over = observed(game("03142", end="A"))
    assert words(over)[1] == {"A or B": "next game: player B begins", "A+B": "to the menu"}
    assert "v       replay this game" in panel(over.now, "", "b", {}).renderables[1].plain


def test_icons_and_texts_hide_no_marks():
    observer = observed(game("402", seats="PP"))
    marks = bytes([9, 0, 9] + [0] * 9 + [9] + [0] * 12)
    assert look(observer, marks).last == (2, "A")
    assert look(observer, picture("X")).last is None
    assert instructions(observer.now, "t").about == "X: that cell is taken."
    look(observer, picture("<"))
    assert instructions(observer.now, "t").about == "The arrow: it is player A's turn."
    assert look(observer, marks).last == (2, "A") and observer.now.answer == ""
    assert instructions(observer.now, "t").about == "Bright: A. Pulsing: B. Blinking: the cursor."
    # A text that scrolls after the end shows no marks in between.
    observer.receive(game("03142", end="A"))
    for leds, last in ((marks, (2, "A")), (picture("X"), None), (marks, None)):
        assert look(observer, leds).last == last
    observer.receive(game("4"))
    assert look(observer, marks).last == (4, "A")


def test_a_reset_and_a_fault():
    observer = observed(game("40"))
    sad = bytes.fromhex("0000000000 0009000900 0000000000 0009090900 0900000009")
    assert look(observer, sad).phase == "fault"
    failed = Instructions("The game stopped with a fault", "A sad face: it starts again by itself.")
    assert instructions(observer.now, "b") == failed
    observer.reset()
    assert observer.now.phase == "starting"
    starts = Instructions("The board starts", "The game's menu comes in a moment.")
    assert instructions(observer.now, "b") == starts


def test_every_engine_has_a_seat_of_its_own():
    assert sorted(map(seat_of, engines())) == sorted(set(SEATS) - {"P"})
    assert opponents("P" + seat_of("minimax")) == "person against minimax"
    assert opponents("P" + seat_of("hard")) == "person against hard"
