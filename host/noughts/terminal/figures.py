"""Figures of matplotlib, which need not be installed, written as files."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from noughts.errors import NoughtsError
from noughts.files import write_whole
from noughts.invocation import installing

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FORMATS = (".png", ".svg")


@contextmanager
def figure_file(path: Path, inches: tuple[float, float]) -> Iterator[Figure]:
    """A figure to draw on, written at the end into a file, one of `FORMATS` by its name.

    Raises `NoughtsError` if matplotlib is not installed, or the file cannot be written.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError as error:
        raise NoughtsError(
            f"drawing needs matplotlib ({error}); install it with `{installing('matplotlib')}`"
        ) from error
    picture = io.BytesIO()
    # A fixed salt and no date: the same content gives the same file.
    with rc_context({"svg.hashsalt": "noughts", "svg.fonttype": "none"}):
        figure = Figure(figsize=inches, layout="constrained")
        yield figure
        kind = path.suffix.lower()[1:]
        metadata = {"Date": None} if kind == "svg" else None
        figure.savefig(picture, format=kind, dpi=120, metadata=metadata)
    write_whole(path, picture.getvalue())
