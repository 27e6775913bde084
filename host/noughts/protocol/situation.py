"""What a board is doing now, from its sentences and from the picture on its LEDs.

The sentences cover only games, so the menu is read off the LEDs: it shows the opponent's letter.
An arrow and a cross answer a press that places nothing, and a sad face a fault.

    starting ---$NB----> menu --$NG--> turn <--> thinking --$NG with an end--> over --+
                          ^                                                    |      |
                          +------------------letter, or $NG abandoned----------+      +--$NG--> turn
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from noughts.protocol.sentences import Boot, Game, Sentence, is_present

Phase = Literal["starting", "menu", "turn", "thinking", "over", "fault"]

_PICTURES = {
    "P": "999.. ...9. .99.. 9.... 9999.",
    "E": "9999. 9.... 999.. 9.... 9999.",
    "M": "9...9 99.99 9.9.9 9...9 9...9",
    "H": "9..9. 9..9. 9999. 9..9. 9..9.",
    "taken": "9...9 .9.9. ..9.. .9.9. 9...9",
    "A's turn": "..9.. .9... 99999 .9... ..9..",
    "B's turn": "..9.. ...9. 99999 ...9. ..9..",
    "fault": "..... .9.9. ..... .999. 9...9",
}


def _levels(picture: str) -> bytes:
    return bytes(0 if char == "." else int(char) for char in picture.replace(" ", ""))


_MEANINGS = {_levels(picture): meaning for meaning, picture in _PICTURES.items()}
_SHOWN_TWICE = 2
"""Looks: a picture may be half drawn, or go by in a text that scrolls."""


@dataclass(frozen=True)
class Situation:
    """What a board is doing."""

    phase: Phase = "starting"
    opponent: str = ""
    """The seat that the menu offers: `P` (shown as 2), `E`, `M` or `H`; empty if not seen yet."""
    game: Game | None = None
    """The game that goes on, or that is just over."""
    answer: str = ""
    """What the LEDs answer to a press that places nothing: `taken`, `A's turn`, `B's turn`."""
    text: bool = False
    """Whether the LEDs show something else than the marks of the game."""

    @property
    def player(self) -> str:
        """Whose turn it is, `A` or `B`; empty if nobody's."""
        if self.game is None or self.phase not in ("turn", "thinking"):
            return ""
        return self.game.player(len(self.game.moves))

    @property
    def last(self) -> int | None:
        """The cell of the last move, while the LEDs show the marks."""
        if self.game is None or not self.game.moves or self.text:
            return None
        return self.game.moves[-1]


class Observer:
    """Follows a board. `now` is its situation."""

    def __init__(self) -> None:
        self.now = Situation()
        self._boot: str | None = None
        self._leds = b""
        self._looks = 0

    def reset(self) -> None:
        """Note that the board was reset: it begins anew."""
        self.now = Situation()
        self._leds = b""

    def hear(self, sentence: Sentence) -> None:
        """Take a sentence of the board. One about an earlier game changes nothing."""
        if isinstance(sentence, Game) and not is_present(sentence, self._boot, self.now.game):
            return
        self._looks = 0
        if isinstance(sentence, Boot):
            self._boot = sentence.boot
            self.now = Situation("menu", self.now.opponent)
            return
        if sentence.end == "x":
            self.now = Situation("menu", _opponent(sentence))
            return
        self._looks = _SHOWN_TWICE  # the letter may still be there: wait for a change
        if sentence.end != "-":
            self.now = Situation("over", _opponent(sentence), sentence)
        else:
            seat = sentence.seats["AB".index(sentence.player(len(sentence.moves)))]
            phase: Phase = "turn" if seat == "P" else "thinking"
            self.now = Situation(phase, _opponent(sentence), sentence)

    def see(self, leds: bytes) -> None:
        """Take a look at the 25 LEDs, each 0 to 9 in reading order; again where nothing changed."""
        self._looks = self._looks + 1 if leds == self._leds else 1
        self._leds = leds
        if self._looks != _SHOWN_TWICE:
            return
        meaning = _MEANINGS.get(leds, "")
        if meaning in ("P", "E", "M", "H"):
            # Before its first sentence the board shows the menu, but does not answer yet.
            phase: Phase = "starting" if self.now.phase == "starting" else "menu"
            self.now = Situation(phase, meaning)
        elif meaning == "fault":
            self.now = Situation("fault", self.now.opponent)
        elif self.now.game is not None:
            marks = not any(leds[at] for at in range(25) if at % 5 % 2 or at // 5 % 2)
            # A text that scrolls after the end has moments that look like marks.
            text = not marks or (self.now.text and self.now.phase == "over")
            self.now = replace(self.now, answer=meaning, text=text)


def _opponent(game: Game) -> str:
    """Player B's seat: the menu's choice."""
    return game.seats[1]
