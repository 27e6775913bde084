"""What an observer makes of a real board: its sentences and LEDs, in device time."""

import pytest

from boards import A, B, in_menu
from noughts.protocol.parser import ParsedSentence
from noughts.protocol.situation import Observer

LOOK_US = 20_000


class Observed:
    """A stepped board, and each situation that an observer sees, once."""

    def __init__(self, start):
        self.driver = in_menu(start)
        self.observer = Observer()
        self.heard = 0
        self.seen = []

    def watch(self, ms):
        for _ in range(0, ms * 1000, LOOK_US):
            self.driver.rest(LOOK_US / 1000)
            for item in self.driver.items[self.heard :]:
                assert isinstance(item, ParsedSentence)
                self.observer.receive(item.sentence)
                self.note()
            self.heard = len(self.driver.items)
            self.observer.see(self.driver.board.leds())
            self.note()

    def note(self):
        now = self.observer.now
        if not self.seen or self.seen[-1] != (now.phase, now.opponent):
            self.seen.append((now.phase, now.opponent))

    def press(self, *buttons, ms=600):
        for button in buttons:
            self.driver.board.press(button)
        self.watch(60)
        for button in buttons:
            self.driver.board.release(button)
        self.watch(ms)

    def phases(self):
        seen, self.seen = self.seen, self.seen[-1:]
        return seen


@pytest.fixture
def board(start):
    observed = Observed(start)
    observed.watch(200)
    assert observed.phases()[-1] == ("menu", "P")
    return observed


def test_texts_that_scroll_are_not_taken_for_the_menu(board):
    """`tilt`, `buttons`, and the end of a game, from which the board goes on to the next."""
    board.press(A, B, ms=2500)
    board.press(A, B, ms=4000)
    assert board.phases() == [("menu", "P")]
    board.press(B)
    for cell in (0, 3, 1, 4, 2):
        board.driver.place(cell)
        board.watch(200)
    board.watch(4500)  # the row flashes, `A Win` scrolls, and B begins
    assert board.phases() == [("menu", "P"), ("turn", "P"), ("over", "P"), ("turn", "P")]
    assert board.observer.now.player == "B"


def test_a_game_against_the_chip_and_back_to_the_menu(board):
    for _ in range(5):
        board.press(A)
    assert [opponent for _, opponent in board.phases()][-5:] == ["E", "M", "H", "P", "E"]
    board.press(B)
    board.press(B, ms=2000)
    assert board.phases() == [("menu", "E"), ("turn", "E"), ("thinking", "E"), ("turn", "E")]
    assert board.observer.now.last == board.driver.games[-1].moves[-1]
    board.press(A, B)
    assert board.phases() == [("turn", "E"), ("menu", "E")]
