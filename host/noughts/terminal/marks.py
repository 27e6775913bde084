"""Boards in the players' colours: the marks of a game, and a step of a replay.

A is orange and B is blue, as everywhere in noughts; these two are of the set that Okabe and Ito
chose for all kinds of colour vision (https://jfly.uni-koeln.de/color/). A letter or a sign says
the same.
"""

from collections.abc import Container, Mapping

from rich.text import Text

from noughts.game.positions import LINES
from noughts.store.stored_game import StoredGame
from noughts.views.replay import ReplayStep

_SCORES = (
    "On the right is what each line adds up to: +1 for each mark of A,\n"
    "-1 for each mark of B. The winner gets to +3 or -3."
)

PLAYERS = {"A": "bold #e69f00", "B": "bold #56b4e9"}


def mark_rows(
    marks: Mapping[int, str], marked: Container[int | None], free: str = "·········"
) -> list[Text]:
    """The marks of A and B in three rows; those in the cells `marked` are highlighted."""
    cells = [Text(sign, "dim") for sign in free]
    for cell, player in marks.items():
        cells[cell] = Text(player, PLAYERS[player] + " reverse" * (cell in marked))
    return [Text(" ").join(cells[row : row + 3]) for row in (0, 3, 6)]


def step(replay_step: ReplayStep) -> tuple[Text, Text]:
    """A step of a `replay`: the board with the scores of its eight lines; and the words below."""
    rows = mark_rows(replay_step.players, [replay_step.cell, *replay_step.line], "123456789")
    for row_number, (_, score) in enumerate(replay_step.scores):
        row_name = ("column", "row", "diagonal")[row_number // 3]
        cells = " ".join(str(cell + 1) for cell in LINES[row_number])
        rows[row_number % 3].append(f"  {row_name} {cells} ", "dim")
        rows[row_number % 3].append(
            f"{score:+d}" if score else " 0", "bold" if abs(score) > 1 else ""
        )
    move_text = Text(replay_step.made)
    for player, style in PLAYERS.items():
        move_text.highlight_regex(f"(?<=: ){player}", style)
    # A line that wraps would split the board.
    board = Text("\n", no_wrap=True, overflow="ellipsis").join(rows)
    words = [Text(), move_text]
    if replay_step.cell is None:
        words.append(Text(_SCORES, "dim"))
    if replay_step.words:
        words.append(Text(replay_step.words, "bold red" if replay_step.mistake else ""))
    if replay_step.ending:
        words.append(Text(replay_step.ending, "bold"))
    return board, Text("\n").join(words)


def wait_s(game: StoredGame, plies: int, speed: float) -> float:
    """Seconds until the next move, at this multiple of the speed of the game."""
    thought_ms = game.thought_ms[plies]
    return (1000 if thought_ms is None else max(0, thought_ms)) / 1000 / speed
