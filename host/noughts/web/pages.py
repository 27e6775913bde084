"""The pages: what each is called, its HTML in the frame that all share, and the files beside it.

A page is `pages/NAME.html`, the inside of its `<main>`; it runs `static/NAME.js`. All of it is
read at the start.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape
from importlib import resources
from string import Template

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from noughts.web.safety import may_change
from noughts.web.site import Site

PAGES = {
    "play": ("/", "Play", "Play tic-tac-toe against a friend or an engine"),
    "puzzles": ("/puzzles", "Puzzles", "Tic-tac-toe puzzles: find the only move"),
    "learn": ("/learn", "Learn", "Step through minimax and alpha-beta"),
    "boards": ("/boards", "Boards", "Boards, live"),
    "class": ("/class", "Class", "The class, live"),
    "games": ("/games", "Games", "Games that were played"),
    "game": ("/games/{number}", "", "A game, move by move"),
    "statistics": ("/statistics", "Statistics", "Statistics of the games"),
}
"""By name: the address, what the navigation calls it, and its title."""

_TYPES = {"js": "text/javascript", "css": "text/css", "svg": "image/svg+xml"}


def routes(site: Site) -> list[Route]:
    """Every page, and every file that pages load."""
    folder = resources.files("noughts.web")
    frame = Template((folder / "pages" / "frame.html").read_text("utf-8"))
    found = []
    for name, (address, _, title) in PAGES.items():
        html = partial(
            frame.substitute,
            title=escape(title),
            name=name,
            navigation=_navigation(name),
            main=(folder / "pages" / f"{name}.html").read_text("utf-8"),
        )
        found.append(_page(address, html, site))
    for file in (folder / "static").iterdir():
        kind = _TYPES.get(file.name.rpartition(".")[2])
        if kind:
            found.append(_route(f"/static/{file.name}", file.read_bytes(), kind))
    return found


def _navigation(current: str) -> str:
    """The links to all pages that stand in it, in their order."""
    links = [
        f'<a href="{address}"{" aria-current=page" * (name == current)}>{called}</a>'
        for name, (address, called, _) in PAGES.items()
        if called
    ]
    return "\n".join(links)


def _page(address: str, html: Callable[..., str], site: Site) -> Route:
    """A page; who may only look on is not told the token."""
    ours, guests = (html(token=token).encode() for token in (site.token, ""))

    async def answer(request: Request) -> Response:
        known = may_change(site, request.client.host if request.client else "?")
        return Response(ours if known else guests, media_type="text/html")

    return Route(address, answer, methods=["GET"])


def _route(address: str, content: bytes, kind: str) -> Route:
    return Route(address, partial(_answer, content=content, kind=kind), methods=["GET"])


async def _answer(request: Request, content: bytes, kind: str) -> Response:
    return Response(content, media_type=kind)
