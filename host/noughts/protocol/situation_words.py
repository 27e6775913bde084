"""What a board is doing, and what its buttons do now, in words."""

from __future__ import annotations

from dataclasses import dataclass

from noughts.protocol.sentences import Game
from noughts.protocol.situation import Situation

_MENU = {
    "P": "2: two people, on this board",
    "E": "E: the chip, easy: it plays anywhere",
    "M": "M: the chip, medium: it completes and blocks rows",
    "H": "H: the chip, hard: it never loses",
}
_OTHER = {"A": "B", "B": "A"}
CONTROLS = {"b": "buttons", "t": "tilt"}
"""How a board is played, by the letter in its settings."""


@dataclass(frozen=True)
class Said:
    """The text for a situation."""

    headline: str
    about: str
    """What is on the LEDs, and what they mean."""
    buttons: tuple[tuple[str, str], ...] = ()
    """What each button or key does now."""
    player: str = ""
    """Whose the headline is, `A` or `B`; empty if nobody's."""


def said(now: Situation, controls: str) -> Said:
    """What a situation means; controls: `b` buttons, `t` tilt, or empty if not known."""
    if now.phase == "menu":
        return Said(
            "Menu: against whom?",
            _MENU.get(now.opponent, "The LEDs show the opponent."),
            (
                ("button A", "next opponent"),
                ("button B", "start the game"),
                ("A+B", "tilt or buttons"),
            ),
        )
    if now.phase == "fault":
        return Said("The game has failed", "A sad face: it starts again by itself.")
    game = now.game
    if game is None:
        return Said("The board starts", "The game's menu comes in a moment.")
    if now.phase == "over":
        others = (
            ("A or B", f"next game: player {_OTHER[game.first]} begins"),
            ("A+B", "to the menu"),
        )
        winner = game.end if game.end in _OTHER else ""
        return Said(_ended(game), "", others, winner)
    if now.phase == "thinking":
        about = "The chip shows its move in a moment."
        return Said("The chip's turn", about, (("A+B", "to the menu"),), now.player)
    mine = f"Your turn, player {now.player}"
    alone = game.seats != "PP"
    headline = mine if alone else f"Player {now.player}'s turn"
    return Said(headline, _answer(now), _moves(now.player, controls, alone), now.player)


def _ended(game: Game) -> str:
    if game.end == "=":
        return "A draw!"
    if game.seats == "PP":
        return f"Player {game.end} has won!"
    return "You have won!" if game.seats["AB".index(game.end)] == "P" else "The chip has won!"


def _answer(now: Situation) -> str:
    if now.answer == "taken":
        return "X: that cell is taken."
    if now.answer:
        return f"The arrow: it is player {now.answer}."
    return "Bright: A. Pulsing: B. Blinking: the cursor."


def _moves(player: str, controls: str, alone: bool) -> tuple[tuple[str, str], ...]:
    menu = ("A+B", "to the menu")
    if controls != "t":
        return (("button A", "next free cell"), ("button B", "place your mark"), menu)
    other = "not yours" if alone else f"player {_OTHER[player]}'s"
    buttons = {f"button {player}": "place your mark", f"button {_OTHER[player]}": other}
    return (("tilt", "move the cursor"), *sorted(buttons.items()), menu)
