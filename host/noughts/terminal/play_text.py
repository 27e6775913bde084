"""What `noughts play` says beside the board: what it is doing, and what the buttons do now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rich.text import Text

from noughts.game.positions import LINES
from noughts.protocol.describe import seated
from noughts.protocol.sentences import Game
from noughts.protocol.situation import Situation
from noughts.terminal.palette import PLAYERS

RULES = """\
Two players, A and B, mark nine cells by turns. Three in a row win: \
across, down or diagonal. Nine marks and no such row: a draw.

2 E M H   two people; the chip at easy, medium, hard
bright    a mark of A
pulsing   a mark of B, less bright
blinking  the cursor
[ ]       around the last move

a b       the buttons A and B; or click on them
space     both: to the menu, and in it tilt on and off
arrows    tilt the board that way for a moment
v         replay the last game, each move judged
r         the reset button
q         quit"""

_MENU = {
    "P": "2: two people, on this board",
    "E": "E: the chip, easy: it plays anywhere",
    "M": "M: the chip, medium: it completes and blocks rows",
    "H": "H: the chip, hard: it never loses",
}
_CONTROLS = {"b": "buttons", "t": "tilt"}
_TALL = 12
"""Lines; with less there is room for what is to be done now, and no more."""
_OTHER = {"A": "B", "B": "A"}


@dataclass(frozen=True)
class Said:
    """What is to be said of a situation."""

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
        switch = {"b": "tilt instead", "t": "buttons instead"}.get(controls, "tilt or buttons")
        return Said(
            "Menu: against whom?",
            _MENU.get(now.opponent, "The LEDs show the opponent."),
            (("A", "next opponent"), ("B", "start the game"), ("A+B", switch)),
        )
    if now.phase == "fault":
        return Said("The game has failed", "A sad face: it starts again by itself.")
    game = now.game
    if game is None:
        return Said("The board starts", "The game's menu comes in a moment.")
    if now.phase == "over":
        others = (("A, B", f"next game: {_OTHER[game.first]} begins"), ("A+B", "to the menu"))
        winner = game.end if game.end in PLAYERS else ""
        return Said(_ended(game), "", (*others, ("v", "replay this game")), winner)
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
        return f"The arrow: it is {now.answer}."
    return "Bright: A. Pulsing: B. Blinking: the cursor."


def _moves(player: str, controls: str, alone: bool) -> tuple[tuple[str, str], ...]:
    menu = ("A+B", "to the menu")
    if controls != "t":
        return (("A", "next free cell"), ("B", "place your mark"), menu)
    other = "not yours" if alone else f"player {_OTHER[player]}'s"
    buttons = {player: "place your mark", _OTHER[player]: other}
    return (("tilt", "arrows: the cursor"), *sorted(buttons.items()), menu)


def panel(
    now: Situation,
    controls: str,
    scores: Mapping[str, Mapping[str, int]],
    width: int,
    height: int,
) -> Text:
    """All that is said beside the board, the most important first, in lines of this width."""
    what = said(now, controls)
    style = PLAYERS.get(what.player, "bold")
    banner = Text(f" {what.headline}".ljust(width)[:width], f"{style} reverse")
    if height < _TALL:
        keys = "  ".join(f"{name} {does}" for name, does in what.buttons)
        return Text("\n").join([banner, Text(keys), Text(what.about)])
    blank = Text(" " * width, f"{style} reverse")
    text = Text("\n").join([blank, banner, blank] if now.phase == "over" else [banner])
    if what.about:
        text.append(f"\n{what.about}")
    text.append("\n")
    wide = max((len(name) for name, _ in what.buttons), default=0)
    for name, does in what.buttons:
        text.append(f"\n{name.ljust(wide)}", "bold").append(f"  {does}")
    if now.game is not None:
        text.append("\n\n").append_text(_game(now.game))
    seats = now.game.seats if now.game else f"P{now.opponent or 'P'}"
    score = scores.get(seats, {})
    text.append("\n\nscore", "dim")
    for name, end in (("A", "A"), ("B", "B"), ("draws", "=")):
        text.append(f"  {name} ", PLAYERS.get(name, "")).append(str(score.get(end, 0)))
    if controls:
        text.append("\nmode", "dim").append(f"   {_CONTROLS[controls]}")
    return text


def _game(game: Game) -> Text:
    """The marks, the last one or the row that has won marked, and beside them who plays."""
    marks = {cell: game.player(ply) for ply, cell in enumerate(game.moves)}
    row = {
        cell for line in LINES if all(marks.get(each) == game.end for each in line) for cell in line
    }
    cells = [Text("·", "dim") for _ in range(9)]
    for cell, player in marks.items():
        reverse = cell in row if row else cell == game.moves[-1]
        cells[cell] = Text(player, PLAYERS[player] + " reverse" * reverse)
    rows = [Text(" ").join(cells[start : start + 3]) for start in (0, 3, 6)]
    for text, player in zip(rows, "AB", strict=False):
        text.append(f"  {player}", PLAYERS[player]).append(f"  {_seat(game, player)}")
    rows[2].append(f"  game {game.number}", "dim")
    return Text("\n").join(rows)


def _seat(game: Game, player: str) -> str:
    seat = game.seats["AB".index(player)]
    if seat != "P":
        return f"the chip, {seated(seat)}"
    return "a person" if game.seats == "PP" else "you"
