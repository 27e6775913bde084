"""The text that a Textual app shows, and a stand-in board for it."""

from textual.app import App

from live_page import Board
from noughts.protocol.sentences import Sentence
from sample_games import wire


def screen_text(app: App[object]) -> str:
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(part.text for part in strip).rstrip() for strip in strips)


class StandIn(Board):
    """A board that shows and sends what the test wants."""

    firmware = "stand-in of the tests"

    def __init__(self) -> None:
        super().__init__()
        self.serial = self
        self.sent = b""

    def says(self, *sentences: Sentence) -> None:
        self.sent += wire(*sentences)

    def read(self, size: int) -> bytes:
        sent, self.sent = self.sent[:size], self.sent[size:]
        return sent
