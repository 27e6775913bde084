"""The pages: where each is, what it is called, and the files that pages load.

A page is `pages/NAME.html`, the inside of the `<main>` of `pages/frame.html`.
"""

from __future__ import annotations

from functools import partial
from importlib import resources
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from noughts.web.safety import may_change
from noughts.web.site import Site
from noughts.web.templates import render


class Page(NamedTuple):
    """A page's address, what the navigation calls it (if it is there), and its title."""

    address: str
    called: str
    title: str
    scripted: bool = False
    """Whether it needs JavaScript; it runs `static/NAME.js`."""


PAGES = {
    "play": Page("/", "Play", "Play tic-tac-toe against a friend or an engine", True),
    "puzzles": Page("/puzzles", "Puzzles", "Tic-tac-toe puzzles: find the only move", True),
    "learn": Page("/learn", "Learn", "Step through minimax and alpha-beta", True),
    "boards": Page("/boards", "Boards", "Boards, live", True),
    "class": Page("/class", "Class", "The class, live", True),
    "games": Page("/games", "Games", "Games that were played"),
    "game": Page("/games/{number}", "", "A game, move by move"),
    "statistics": Page("/statistics", "Statistics", "Statistics of the games"),
}
"""By name."""

_UNFILLED = ("boards", "class")
"""Their templates need no values; each of the others is in the file of its subject."""

_TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


def routes(site: Site) -> list[Route]:
    """The pages that are only a template, and every file that pages load."""
    found = [
        Route(PAGES[name].address, partial(_unfilled, site=site, name=name), methods=["GET"])
        for name in _UNFILLED
    ]
    for file in (resources.files("noughts.web") / "static").iterdir():
        kind = _TYPES.get(file.name.rpartition(".")[2])
        if kind:
            answer = partial(_file, content=file.read_bytes(), kind=kind)
            found.append(Route(f"/static/{file.name}", answer, methods=["GET"]))
    return found


def answer(
    request: Request, site: Site, name: str, status: int = 200, **values: object
) -> Response:
    """A page, filled with these values; a page that may only watch does not get the token."""
    known = may_change(site, request.client.host if request.client else "?")
    token = site.token if known else ""
    shown = {"title": PAGES[name].title, "error": None, **values}
    html = render("frame.html", name=name, page=PAGES[name], pages=PAGES, token=token, **shown)
    return HTMLResponse(html, status)


async def _unfilled(request: Request, site: Site, name: str) -> Response:
    return answer(request, site, name)


async def _file(request: Request, content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind)
