"""What an observer makes of a real board: its sentences and LEDs, in device time."""

import pytest

from boards import A, B, Driver, in_menu
from noughts.protocol.parser import ParsedSentence
from noughts.views.situation import Observer

LOOK_MS = 20


class Observed(Driver):
    """A stepped board, and each situation that an observer sees, once."""

    def __init__(self, board):
        super().__init__(board)
        self.observer = Observer()
        self.seen = []

    def listen(self):
        seen = len(self.items)
        super().listen()
        for item in self.items[seen:]:
            assert isinstance(item, ParsedSentence)
            self.observer.receive(item.sentence)
            self.note()

    def rest(self, ms):
        for _ in range(0, ms, LOOK_MS):
            super().rest(LOOK_MS)
            self.observer.see(self.board.leds())
            self.note()

    def note(self):
        now = self.observer.now
        if not self.seen or self.seen[-1] != (now.phase, now.opponent):
            self.seen.append((now.phase, now.opponent))

    def phases(self):
        seen, self.seen = self.seen, self.seen[-1:]
        return seen


@pytest.fixture
def board(start):
    observed = in_menu(start, Observed)
    observed.rest(200)
    assert observed.phases()[-1] == ("menu", "P")
    return observed


def test_texts_that_scroll_are_not_taken_for_the_menu(board):
    """`tilt`, `buttons`, and the end of a game, from which the board goes on to the next."""
    board.press(A, B, up_ms=2500)
    board.press(A, B, up_ms=4000)
    assert board.phases() == [("menu", "P")]
    board.press(B, up_ms=600)
    for cell in (0, 3, 1, 4, 2):
        board.place(cell)
        board.rest(200)
    board.rest(4500)  # the row flashes, `A Win` scrolls, and B begins
    assert board.phases() == [("menu", "P"), ("turn", "P"), ("over", "P"), ("turn", "P")]
    assert board.observer.now.player == "B"


def test_a_game_against_the_chip_and_back_to_the_menu(board):
    for _ in range(5):
        board.press(A, up_ms=600)
    assert [opponent for _, opponent in board.phases()][-5:] == ["E", "M", "H", "P", "E"]
    board.press(B, up_ms=600)
    board.press(B, up_ms=2000)
    assert board.phases() == [("menu", "E"), ("turn", "E"), ("thinking", "E"), ("turn", "E")]
    assert board.observer.now.last == board.games[-1].moves[-1]
    board.press(A, B, up_ms=600)
    assert board.phases() == [("turn", "E"), ("menu", "E")]
