"""The page that steps through a search: its boards, and what is known after each step."""

from __future__ import annotations

from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from noughts.engines.search_tree import Search, unfinished
from noughts.errors import NoughtsError
from noughts.views.search import SEARCHES, followed
from noughts.web.pages import PAGES, answer
from noughts.web.site import Site

_EXAMPLES = {
    "Lesson 1 and 2": "..XXOO.XO",
    "The same, turned": "OX.OOXX..",
    "A fork": "X...O...X",
    "Five free cells": "XO..X...O",
}


def routes(site: Site) -> list[BaseRoute]:
    """The page."""
    return [Route(PAGES["learn"].address, partial(_page, site=site), methods=["GET"])]


def _page(request: Request, site: Site) -> Response:
    """The search that the address names; or a message that the position cannot be followed."""
    text = request.query_params.get("position", _EXAMPLES["Lesson 1 and 2"])
    search: Search = "minimax" if request.query_params.get("search") == "minimax" else "alphabeta"
    shown: dict[str, Any] = {"view": None, "message": "", "instead": None, "position": text}
    status = 200
    try:
        shown |= followed(unfinished(text), search)
    except NoughtsError as error:
        shown["message"], status = str(error), 400
    shown |= {"search": search, "searches": SEARCHES, "examples": _EXAMPLES}
    return answer(request, site, "learn", status, **shown)
