"""Plots of statistics and of MENACE's learning, with matplotlib and as text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from noughts.errors import NoughtsError
from noughts.files import atomic_writer
from noughts.markup import O_COLOUR, X_COLOUR
from noughts.protocol.describe import counted, opponents, seated, won
from noughts.store.statistics import Stats
from noughts.store.stored_game import RESULTS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.typing import HashableList

_WIDTH, _HEIGHT = 60, 10
_SIGNS = "█▒·"
"""Won, drawn, lost, from the bottom up; ASCII terminals get `_PLAIN`."""
_PLAIN = "#:."
FORMATS = (".png", ".svg")

# Everybody can distinguish orange and blue.
_RESULTS = {"A": X_COLOUR, "B": O_COLOUR, "draw": "#7f8fa6", "abandoned": "#c8ccd4"}
_RESULTS["unfinished"] = "#e6e8ec"
# Not the players' colours; the order from the bottom up is that of the terminal.
_LEARNED = {"wins": "#009e73", "draws": "#c8ccd4", "loses": "#cc79a7"}


class Learned(NamedTuple):
    """An engine's chances of winning, drawing and losing after this many games."""

    games: int
    won: float
    drawn: float
    lost: float


def curve_text(curve: Sequence[Learned], plain: bool) -> str:
    """The curve as lines of at most 80 columns, with a key; plain: in ASCII."""
    signs = _PLAIN if plain else _SIGNS
    columns = []
    for at in range(_WIDTH):
        _, won, drawn, _ = curve[round(at * (len(curve) - 1) / (_WIDTH - 1))]
        below, not_lost = round(won * _HEIGHT), round((won + drawn) * _HEIGHT)
        columns.append((signs[0] * below + signs[1] * (not_lost - below)).ljust(_HEIGHT, signs[2]))
    labels = {_HEIGHT - 1: "100%", 0: "0%"}
    lines = [
        f"{labels.get(row, ''):>4} |" + "".join(column[row] for column in columns)
        for row in reversed(range(_HEIGHT))
    ]
    first, last = f"{curve[0].games:,}", counted(curve[-1].games, "game")
    lines.append("     +" + "-" * _WIDTH)
    lines.append(f"      {first}{last:>{_WIDTH - len(first)}}")
    lines.append("      " + "   ".join(map(" ".join, zip(signs, _LEARNED, strict=True))))
    return "\n".join(lines)


@contextmanager
def _figure_file(path: Path, inches: tuple[float, float]) -> Iterator[Figure]:
    """A figure to draw on, which is written to a file at the end, in the format of its name.

    Raises `NoughtsError` if matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NoughtsError(
            "drawing needs matplotlib; docs/install.md says how to install it"
        ) from error
    # A fixed salt and no date: the same content gives the same file.
    with rc_context({"svg.hashsalt": "noughts", "svg.fonttype": "none"}):
        figure = Figure(figsize=inches, layout="constrained")
        yield figure
        file_format = path.suffix.lower()[1:]
        metadata = {"Date": None} if file_format == "svg" else None
        with atomic_writer(path) as file:
            figure.savefig(file, format=file_format, dpi=120, metadata=metadata)


def draw_learning(curve: Sequence[Learned], title: str, path: Path) -> None:
    """Draw the curve into a file, `.png` or `.svg` by its name. Raises `NoughtsError`."""
    with _figure_file(path, (8, 4.5)) as figure:
        axes = figure.subplots()
        games = [learned.games for learned in curve]
        shares = list(zip(*(learned[1:] for learned in curve), strict=True))
        axes.stackplot(games, *shares, labels=list(_LEARNED), colors=list(_LEARNED.values()))
        axes.set_title(title)
        axes.set_xlabel("games that it has learned from")
        axes.set_ylabel("exact chance, with its beads")
        axes.set_xlim(games[0], games[-1])
        axes.set_ylim(0, 1)
        axes.yaxis.set_major_formatter("{x:.0%}")
        axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.15), ncols=3)


def draw_statistics(totals: Stats, path: Path) -> None:
    """Draw the statistics into a file, `.png` or `.svg` by its name. Raises `NoughtsError`."""
    with _figure_file(path, (12, 7.5)) as figure:
        figure.suptitle(counted(totals.games, "game"))
        above: list[str | HashableList[str]] = ["results", "results", "first"]
        axes = figure.subplot_mosaic([above, ["lengths", "times", "mistakes"]])
        _results(axes["results"], totals)
        _first_moves(axes["first"], totals)
        lengths = {str(length): totals.lengths[length] for length in range(5, 10)}
        _bars(axes["lengths"], "Moves in a game", "games won or drawn", lengths)
        axes["lengths"].locator_params("y", integer=True, min_n_ticks=1)
        _times(axes["times"], totals)
        rates = {
            seated(seat): player.mistakes_a_game or 0 for seat, player in totals.players.items()
        }
        _bars(axes["mistakes"], "Mistakes per game", "", rates)


def _bars(axes: Axes, title: str, unit: str, heights: Mapping[str, float]) -> None:
    axes.bar(list(heights), list(heights.values()), color="#5b8def")
    axes.set_title(title)
    axes.set_ylabel(unit)


def _results(axes: Axes, totals: Stats) -> None:
    kinds = [*totals.results.items()][::-1]  # the first on top
    labels = [f"{opponents(seats)}, {first} first" for (seats, first), _ in kinds]
    left = [0] * len(kinds)
    for name, end in RESULTS.items():
        counts = [results[end] for _, results in kinds]
        axes.barh(labels, counts, left=left, color=_RESULTS[name], label=won(name))
        left = [height + count for height, count in zip(left, counts, strict=True)]
    axes.set_title("Results")
    axes.set_xlabel("games")
    axes.locator_params("x", integer=True, min_n_ticks=1)  # a single game has 0 and 1
    axes.legend(fontsize="small", ncols=5, loc="upper center", bbox_to_anchor=(0.5, -0.15))


def _first_moves(axes: Axes, totals: Stats) -> None:
    counts = totals.first_moves
    total = sum(counts) or 1
    axes.imshow([counts[row : row + 3] for row in (0, 3, 6)], cmap="Blues", vmin=0)
    for cell, count in enumerate(counts):
        dark = count > 0.6 * max(counts)
        axes.text(
            cell % 3, cell // 3, f"{count:,}\n{count / total:.0%}",
            ha="center", va="center", color="white" if dark else "black",
        )  # fmt: skip
    axes.set_xticks([])
    axes.set_yticks([])
    axes.set_title("First moves of people")


def _times(axes: Axes, totals: Stats) -> None:
    seats = [seated(seat) for seat in totals.players]
    times = [
        [ms / 1000 for ms in player.thought_ms if ms is not None]
        for player in totals.players.values()
    ]
    axes.boxplot(times, whis=(25, 75), showfliers=False, showcaps=False, patch_artist=True)
    axes.set_xticks(range(1, len(seats) + 1), seats)
    axes.set_title("Time for a move\n(median, and the middle half)")
    axes.set_ylabel("seconds")
    axes.set_ylim(bottom=0)
