"""What `noughts play` says beside the board: what it is doing, and what the buttons do now."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from noughts.game.positions import after
from noughts.protocol.describe import score, seated
from noughts.protocol.sentences import Game
from noughts.protocol.situation import Situation
from noughts.protocol.situation_words import Said, said
from noughts.terminal.palette import PLAYERS

RULES = """\
Two players, A and B, mark nine cells by turns. Three in a row win: \
across, down or diagonal. Nine marks and no such row: a draw.

2 E M H   two people; the chip at easy, medium, hard
bright    a mark of player A
pulsing   a mark of player B, less bright
blinking  the cursor
[ ]       around the last move

a b       button A and button B; or click on them
space     both: to the menu, and in it tilt on and off
arrows    tilt the board that way for a moment
v         replay the last game, each move judged
r         the reset button
q         quit"""

_CONTROLS = {"b": "buttons", "t": "tilt"}
_TALL = 12
"""Lines; with less there is room for what is to be done now, and no more."""
_REPLAY = ("v", "replay this game")
_KEYS = {"button A": "a", "button B": "b", "A or B": "a or b", "A+B": "space"}
"""What to press for a button, where there is no room for its name."""


def panel(
    now: Situation,
    stopped: str,
    controls: str,
    scores: Mapping[str, Mapping[str, int]],
    width: int,
    height: int,
) -> Text:
    """All that is said beside the board, the most important first, in lines of this width.

    stopped: why the game does not run, from its last traceback, or empty.
    """
    what = said(now, controls)
    if stopped and now.phase in ("starting", "fault"):
        what = Said("The game has stopped", stopped)
    buttons = (*what.buttons, _REPLAY) if now.phase == "over" else what.buttons
    style = PLAYERS.get(what.player, "bold")
    banner = Text(f" {what.headline}".ljust(width)[:width], f"{style} reverse")
    if height < _TALL:
        keys = "  ".join(f"{_KEYS.get(name, name)} {does}" for name, does in buttons)
        return Text("\n").join([banner, Text(keys), Text(what.about)])
    blank = Text(" " * width, f"{style} reverse")
    text = Text("\n").join([blank, banner, blank] if now.phase == "over" else [banner])
    if what.about:
        text.append(f"\n{what.about}")
    text.append("\n")
    wide = max((len(name) for name, _ in buttons), default=0)
    for name, does in buttons:
        text.append(f"\n{name.ljust(wide)}", "bold").append(f"  {does}")
    if now.game is not None:
        text.append("\n\n").append_text(_game(now.game))
    seats = now.game.seats if now.game else f"P{now.opponent or 'P'}"
    text.append("\n\nscore", "dim").append(f"  {score(scores.get(seats, {}))}")
    if controls and now.phase != "menu":  # there they may be about to change
        text.append("\nmode", "dim").append(f"   {_CONTROLS[controls]}")
    return text


def _game(game: Game) -> Text:
    """The marks, the last one or the row that has won marked, and beside them who plays."""
    marks = game.marks
    row = after(game.moves).won_cells
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
