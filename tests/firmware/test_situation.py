"""What an observer makes of a real board: its sentences and LEDs, in device time."""

from boards import A, B, Driver, in_menu
from noughts.views.situation import Observer

LOOK_MS = 20


class Observed(Driver):
    """A stepped board, and the phases that an observer sees, each once."""

    def __init__(self, board):
        super().__init__(board)
        self.observer = Observer()
        self.phases = []

    def listen(self):
        seen = len(self.items)
        super().listen()
        for item in self.items[seen:]:
            self.observer.receive(item.sentence)
            self.note()

    def rest(self, ms):
        for _ in range(0, ms, LOOK_MS):
            super().rest(LOOK_MS)
            self.observer.see(self.board.leds())
            self.note()

    def note(self):
        if self.phases[-1:] != [self.observer.now.phase]:
            self.phases.append(self.observer.now.phase)


def test_texts_that_scroll_are_not_taken_for_the_menu(start):
    """`tilt`, `buttons`, and the end of a game, from which the board goes on to the next."""
    board = in_menu(start, Observed)
    board.rest(200)
    board.press(A, B, up_ms=2500)
    board.press(A, B, up_ms=4000)
    assert board.phases == ["menu"]
    board.press(B, up_ms=600)
    for cell in (0, 3, 1, 4, 2):
        board.place(cell)
        board.rest(200)
    board.rest(4500)  # the row flashes, `A Win` scrolls, and B begins
    assert board.phases == ["menu", "turn", "over", "turn"]
    assert board.observer.now.player == "B"
    board.press(A, B, up_ms=600)
    assert board.phases[-1] == "menu"
