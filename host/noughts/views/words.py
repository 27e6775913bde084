"""Words for results, scores and verdicts."""

import math
import re
from collections.abc import Mapping, Sequence

from noughts.game.positions import Position
from noughts.game.review import Reviewed
from noughts.game.solver import value

SIGNS = "✕◯"
"""The marks of players A and B, wherever they play."""
VALUE_WORDS = {1: "win", 0: "draw", -1: "loss"}
"""By the value of a position or a move."""

_NOTES = ["C", "C♯", "D", "D♯", "E", "F", "F♯", "G", "G♯", "A", "A♯", "B"]
_A4 = 57
"""Semitones above C0; 440 Hz."""


def value_words(position: Position) -> dict[int, str]:
    """By free cell, its value to the player to move."""
    return {cell: VALUE_WORDS[-value(position.play(cell))] for cell in position.free}


def either(cells: Sequence[int]) -> str:
    """`1, 3 or 7`: a choice of cells, numbered from 1 as people do."""
    *others, last = (str(cell + 1) for cell in cells)
    return f"{', '.join(others)} or {last}" if others else last


def ending(winner: str | None) -> str:
    """The end of a game: `X has won`, or `a draw`."""
    return f"{winner} has won" if winner else "a draw"


def score(counts: Mapping[str, int]) -> str:
    """Games by how they ended: `A 2, B 1, draws 0`."""
    return f"A {counts.get('A', 0)}, B {counts.get('B', 0)}, draws {counts.get('=', 0)}"


def note(hertz: float) -> str:
    """The nearest note of a frequency.

    >>> note(440), note(784)
    ('A4', 'G5')
    """
    octave, name = divmod(_A4 + round(12 * math.log2(hertz / 440)), 12)
    return f"{_NOTES[name]}{octave}"


def name_key(name: str) -> list[tuple[bool, int, str]]:
    """A sort key: `table 2` comes before `table 10`."""
    parts = filter(None, re.split(r"(\d+)", name.casefold()))
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts]


def verdict_text(move: Reviewed, mover: str) -> str:
    """The verdict on a move, and a better move if there was one.

    mover: who made it: X, O, A or B, or `you`.
    """
    value_word, best = VALUE_WORDS[move.value_before], either(move.best)
    if move.mistake:
        value_word_after = VALUE_WORDS[move.value_after]
        return f"A mistake: it turns a {value_word} into a {value_word_after}. Best: {best}."
    lost = move.value_before < 0
    losing = f"{mover} {'were' if mover == 'you' else 'was'} losing anyway"
    if move.cell not in move.best:
        fact = losing[0].upper() + losing[1:] if lost else f"Still a {value_word}"
        return f"{fact}, but {best} sets more traps."
    which = "The best move" if len(move.best) == 1 else f"One of the best moves, {best}"
    if lost:
        return f"{which}, though {losing}."
    wins = move.value_before > 0 and move.position.play(move.cell).over
    return f"{which}: it {'wins the game' if wins else f'keeps the {value_word}'}."
