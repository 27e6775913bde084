"""The pages: their addresses, names and HTML.

A page is `pages/NAME.html`, the inside of the `<main>` of `pages/frame.html`.
"""

from typing import NamedTuple

from jinja2 import Environment, PackageLoader, StrictUndefined


class Page(NamedTuple):
    """A page's address, its name in the navigation (if it is there), its title, and its style."""

    address: str
    nav_name: str
    title: str
    style: str = ""
    scripted: bool = False
    """Whether it needs JavaScript; it runs `static/NAME.js`."""


PAGES = {
    "play": Page("/", "Play", "Play tic-tac-toe against a friend or an engine", "play", True),
    "puzzles": Page("/puzzles", "Puzzles", "Tic-tac-toe puzzles: find the only move", "play", True),
    "learn": Page("/learn", "Learn", "Step through minimax and alpha-beta", "learn", True),
    "boards": Page("/boards", "Boards", "Boards, live", "live", True),
    "class": Page("/class", "Class", "The class, live", "live", True),
    "games": Page("/games", "Games", "Games that were played", "look_back"),
    "game": Page("/games/{number:int}", "", "A game, move by move", "look_back"),
    "statistics": Page("/statistics", "Statistics", "Statistics of the games", "look_back"),
}
"""By name."""
ERROR = Page("", "", "This page cannot be shown")


_TEMPLATES = Environment(
    loader=PackageLoader("noughts.web", ""),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":")}


def render(template: str, /, **values: object) -> str:
    """A template of `pages/`, filled with these values, whose text is escaped."""
    return _TEMPLATES.get_template(f"pages/{template}").render(values)


def framed(name: str, token: str = "", **values: object) -> str:
    """A page in its frame; token: permits it to change something."""
    page = PAGES.get(name, ERROR)
    content = {"title": page.title, **values}
    return render("frame.html", name=name, page=page, pages=PAGES, token=token, **content)
