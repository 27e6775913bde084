"""A board's situation, from its sentences and the picture on its LEDs; and instructions for it.

The LEDs only add what no sentence says: an arrow and a cross answer a press that places nothing,
a sad face stands for a fault; of two boards that play by radio, a light that goes round looks for
the other one, which a question mark misses, and a house leaves it.

    starting --$NB, $NM--> menu --$NG--> turn <--> thinking --$NG with an end--> over --+
                            ^                                                     |     |
                            +---------------------$NM, or $NG abandoned-----------+     +-$NG-> turn
"""

from dataclasses import dataclass, replace
from typing import Literal

from noughts.protocol.describe import CONTROLS as CONTROLS
from noughts.protocol.describe import opponents, result
from noughts.protocol.sentences import Boot, Game, Menu, Sentence, is_of_earlier_run, is_same
from noughts.recording.session import BoardState
from noughts.views.words import ending

Phase = Literal["starting", "menu", "looking", "turn", "thinking", "over", "fault"]
_PICTURES = {
    "taken": "9...9 .9.9. ..9.. .9.9. 9...9",
    "A's turn": "..9.. .9... 99999 .9... ..9..",
    "B's turn": "..9.. ...9. 99999 ...9. ..9..",
    "fault": "..... .9.9. ..... .999. 9...9",
    "silent": ".999. 9...9 ..99. ..... ..9..",
    "leaving": "..9.. .999. 99999 .999. .9.9.",
}
_MEANINGS = {
    bytes(int(led) for led in picture.replace(" ", "").replace(".", "0")): meaning
    for meaning, picture in _PICTURES.items()
}
_SHOWN_TWICE = 2
"""Looks: a single one may catch a half-drawn picture, or scrolling text."""
_MENU = {
    "P": "2: two people, on this board",
    "E": "E: the chip, easy: it picks any free cell",
    "M": "M: the chip, medium: it finishes and blocks lines",
    "H": "H: the chip, hard: it never loses",
    "R": "R: a friend on another board, by radio",
}
_OTHER = {"A": "B", "B": "A"}
_SWITCH = {"b": "switch to tilt (now: buttons)", "t": "switch to buttons (now: tilt)"}
"""What A+B does in the menu, by the controls there."""
_TOUCH = {"s": "switch sound off", "q": "switch sound on"}
"""What a touch of the logo does in the menu, by the sound."""
_TO_MENU = ("A+B", "to the menu")


@dataclass(frozen=True)
class Situation:
    """What a board is doing."""

    phase: Phase = "starting"
    opponent: str = ""
    """The menu's letter: `P` (shown as 2), `E`, `M`, `H`, or `R` for another board by radio; empty
    if not known yet."""
    controls: str = ""
    """`b` for buttons or `t` for tilt; empty if not known yet."""
    sound: str = ""
    """Of a V2: `s` for sound or `q` for quiet; empty for a V1, and if not known yet."""
    channel: str = ""
    """A digit, if it plays another board by radio, or is about to; else empty."""
    player: str = ""
    """In such a game: the player of this board, `A` or `B`; else empty."""
    game: Game | None = None
    """The current game, or the one that has just ended."""
    answer: str = ""
    """The LEDs' answer to a press that places nothing: `taken`, `A's turn`, `B's turn`; or what
    they say of another board that plays by radio: `silent`, `leaving`."""
    text: bool = False
    """Whether the LEDs show something other than the marks of the game."""

    @property
    def last(self) -> tuple[int, str] | None:
        """The cell of the last move, and whose it was, while the LEDs show the marks."""
        if self.game is None or not self.game.moves or self.text:
            return None
        return self.game.moves[-1], self.game.player(len(self.game.moves) - 1)


class Observer:
    """Follows a board. `situation` is its newest one."""

    def __init__(self) -> None:
        self.situation = Situation()
        self.boot: Boot | None = None
        self._leds = b""
        self._looks = 0
        self._player_in = ("", "")
        """In games of two boards with this boot: the player of this one."""

    def reset(self) -> None:
        """Forget everything: the board starts anew."""
        self.situation = Situation()
        self._leds = b""

    def receive(self, sentence: Sentence) -> None:
        """Process a sentence of the board. One about an earlier game changes nothing."""
        if isinstance(sentence, Boot):
            self._looks, self.boot = 0, sentence
            self.situation = self._started()
            return
        if isinstance(sentence, Menu):
            self.situation = self._in_menu(sentence.choice)
            return
        if is_of_earlier_run(sentence, self.boot) and not is_same(sentence, self.situation.game):
            return
        opponent = sentence.seats[1]
        if sentence.end == "x":
            self._looks = 0
            self.situation = replace(self._in("menu"), opponent=opponent, channel="")
            return
        phase: Phase = "over"
        if sentence.end == "-":
            player = sentence.player(len(sentence.moves))
            phase = "turn" if sentence.seats["AB".index(player)] == "P" else "thinking"
        self.situation = replace(self._in(phase), opponent=opponent, game=sentence)
        if self.situation.channel or sentence.boot == self._player_in[0]:
            self.situation = replace(self.situation, player=self._player(sentence))

    def _started(self) -> Situation:
        """A board resets itself when it has found another one, and when it leaves its game."""
        if not self.situation.channel:
            return self._in("menu")
        if self.situation.game is None:
            return self._in("starting")
        return replace(self._in("starting"), channel="")

    def _player(self, game: Game) -> str:
        """The player of this board in a game of two boards, which has the boot of player A's."""
        if self.boot is not None and game.boot != self._player_in[0]:  # else it was reset
            self._player_in = game.boot, "A" if game.boot == self.boot.boot else "B"
        return self._player_in[1]

    def _in_menu(self, choice: str) -> Situation:
        """What the menu shows with a choice."""
        sound = channel = ""
        if choice[0] == "R":
            channel = choice[3:4]
        if self.boot is not None and self.boot.hardware == "V2":
            sound = choice[2:3]
        return Situation("menu", choice[0], choice[1], sound, channel)

    def _in(self, phase: Phase) -> Situation:
        """This phase, with the last choice, which a board remembers."""
        last = self.situation
        return Situation(phase, last.opponent, last.controls, last.sound, last.channel)

    def see(self, leds: bytes) -> None:
        """Process a look at the 25 LEDs, each 0 to 9 in reading order, even if none has changed."""
        self._looks = self._looks + 1 if leds == self._leds else 1
        self._leds = leds
        if self._looks != _SHOWN_TWICE:
            return
        meaning = _MEANINGS.get(leds, "")
        if meaning == "fault":
            self.situation = self._in("fault")
        elif self.situation.phase in ("menu", "looking"):
            self._see_menu(leds)
        elif self.situation.game is not None or self.situation.channel:
            marks = not any(leds[at] for at in range(25) if at % 5 % 2 or at // 5 % 2)
            # Text that scrolls after the end looks like marks at times.
            text = not marks or (self.situation.text and self.situation.phase == "over")
            self.situation = replace(self.situation, answer=meaning, text=text)

    def _see_menu(self, leds: bytes) -> None:
        lit = sum(level > 0 for level in leds)
        if self.situation.channel and lit:  # it is dark while a button is pressed
            self.situation = self._in("looking" if lit == 1 else "menu")


@dataclass(frozen=True)
class Instructions:
    """What people can do with a board now."""

    headline: str
    about: str
    buttons: tuple[tuple[str, str], ...] = ()
    """Each button or key, and its present function."""
    player: str = ""
    """The player of the headline, `A` or `B`; empty if it has none."""


def instructions(now: Situation) -> Instructions:
    """Instructions for a person. Controls that are not known count as buttons."""
    if now.phase == "menu":
        return _menu(now)
    if now.phase == "fault":
        return Instructions(
            "The game stopped with a fault", "A sad face: it starts again by itself."
        )
    if now.phase == "looking":
        about = f"A light goes round: the other board must look on channel {now.channel} too."
        return Instructions("Looking for the other board", about, (("A+B", "back"),))
    if now.answer == "leaving":
        return Instructions("The board leaves the game", "The menu will appear in a moment.")
    if now.answer == "silent":
        about = "?: it is away or off. The game goes on when it is back."
        return Instructions("The other board is silent", about, (_TO_MENU,))
    game = now.game
    if game is None and now.channel:
        return Instructions("The boards have found each other", "A game begins in a moment.")
    if game is None:
        return Instructions("The board is starting", "The menu will appear in a moment.")
    if now.phase == "over":
        begins = ("a button", f"next game: player {_OTHER[game.first]} begins")
        return Instructions(
            _ended(game), "", (begins, _TO_MENU), game.end if game.end in _OTHER else ""
        )
    player = game.player(len(game.moves))
    if now.phase == "thinking":
        about = "The chip will move in a moment."
        return Instructions("The chip's turn", about, (_TO_MENU,), player)
    return _turn(now, player, game.seats == "PP")


def _menu(now: Situation) -> Instructions:
    if now.channel:
        about = f"Channel {now.channel}: choose the same one on both boards."
        buttons = ("button A", "next channel"), ("button B", "look for the other board")
        return Instructions("Two boards: choose a channel", about, (*buttons, ("A+B", "back")))
    about = _MENU.get(now.opponent, "The LEDs show the opponent.")
    start = "choose a channel" if now.opponent == "R" else "start the game"
    choose = ("button A", "next opponent"), ("button B", start)
    both = _SWITCH.get(now.controls, "switch between buttons and tilt")
    touch = [("logo", _TOUCH[now.sound])] if now.sound in _TOUCH else []
    return Instructions("Menu: choose an opponent", about, (*choose, ("A+B", both), *touch))


def _turn(now: Situation, player: str, of_people: bool) -> Instructions:
    """A person's turn."""
    about = "Steady: A. Pulsing: B. Fast blinking: the cursor."
    if now.answer:
        taken = now.answer == "taken"
        about = "X: that cell is taken." if taken else f"The arrow: it is player {now.answer}."
    if now.player and now.player != player:
        about = f"This board is player {now.player}'s; it waits for the other one."
        return Instructions(f"Player {player}'s turn", about, (_TO_MENU,), player)
    is_shared = of_people and not now.player
    whose = f"Player {player}'s turn" if is_shared else f"Your turn, player {player}"
    move, button = ("button A", "next free cell"), "button B"
    if now.controls == "t":
        move, button = ("tilt", "move the cursor"), f"button {player}"
    return Instructions(whose, about, (move, (button, "place your mark"), _TO_MENU), player)


def summary(board: BoardState) -> tuple[str, str]:
    """Two short lines: who plays, and whose turn it is or the result; or why nobody plays."""
    game = board.game
    if board.room_offline:
        return "room offline", ""
    if not board.connected:
        return "gateway unplugged" if board.gateway else "unplugged", ""
    if game is None or game.end == "x":
        in_menu = board.choice or game or board.boot
        return "in the menu" if in_menu else "waiting for a game", ""
    if board.choice:
        return "in the menu", f"last: {opponents(game.seats)}, {result(game)}"
    turn = f"{game.player(len(game.moves))}'s turn" if game.end == "-" else result(game)
    return opponents(game.seats), turn


def _ended(game: Game) -> str:
    if game.end == "=":
        return f"{ending(None).capitalize()}!"
    if game.seats == "PP":
        return f"{ending(f'Player {game.end}')}!"
    return "You have won!" if game.seats["AB".index(game.end)] == "P" else f"{ending('The chip')}!"
