"""The picture of `noughts train --plot`: how likely an engine wins, draws and loses, by games."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from noughts.terminal.figures import figure_file
from noughts.terminal.learning_curve import Learned

# As the results of `noughts stats --plot`; the order from the bottom up is that in the terminal.
_COLOURS = {"wins": "#0072b2", "draws": "#c8ccd4", "loses": "#d55e00"}


def draw(curve: Sequence[Learned], title: str, path: Path) -> None:
    """Draw the curve into a file, `.png` or `.svg` by its name.

    Raises `NoughtsError` if matplotlib is not installed, or the file cannot be written.
    """
    with figure_file(path, (8, 4.5)) as figure:
        axes = figure.subplots()
        games = [learned.games for learned in curve]
        shares = list(zip(*(learned[1:] for learned in curve), strict=True))
        axes.stackplot(games, *shares, labels=list(_COLOURS), colors=list(_COLOURS.values()))
        axes.set_title(title)
        axes.set_xlabel("games that it has learned from")
        axes.set_ylabel("chance, exactly, by its beads")
        axes.set_xlim(games[0], games[-1])
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter("{x:.0%}")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3)
