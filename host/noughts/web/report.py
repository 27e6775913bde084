"""The class report: the page's statistics as one file, which needs no server."""

from noughts import __version__
from noughts.store import timestamps
from noughts.views.class_report import Statistics
from noughts.web.pages import render


def report_page(figures: Statistics, description: str) -> str:
    """The HTML, made now. description: which games it is about; empty if about all."""
    made = timestamps.local(timestamps.now())
    return render(
        "report.html", figures=figures, game_filter=description, made=made, version=__version__
    )
