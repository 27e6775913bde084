"""`noughts web`: the page in the browser."""

from __future__ import annotations

import argparse
import threading
import webbrowser
from contextlib import suppress
from functools import partial
from pathlib import Path

from noughts.commands.options import add_db
from noughts.store.store import default_path
from noughts.terminal.lines import say
from noughts.web.server import PORT, listening, own_addresses, own_names, serve
from noughts.web.site import Site

_MAX_BOARDS = 8


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "--port",
        metavar="N",
        type=int,
        default=PORT,
        help=f"the port to answer on, or the next that is free ({PORT}; 0: any)",
    )
    parser.add_argument(
        "--boards",
        metavar="N",
        type=int,
        default=1,
        help=f"how many virtual boards to start, 0 to {_MAX_BOARDS} (1)",
    )
    parser.add_argument(
        "--lan",
        action="store_true",
        help="let other computers in the network look on; they can change nothing",
    )
    parser.add_argument("--no-browser", action="store_true", help="do not open a browser")
    add_db(parser)


def run(args: argparse.Namespace) -> int:
    """Serve the page until Ctrl-C."""
    if not 0 <= args.port <= 65_535:
        args.error(f"argument --port: {args.port} is not from 0 to 65535")
    if not 0 <= args.boards <= _MAX_BOARDS:
        args.error(f"argument --boards: {args.boards} is not from 0 to {_MAX_BOARDS}")
    from noughts.web.app import application
    from noughts.web.hub import Hub

    with listening(args.port, args.lan) as sock:
        site = _site(args, sock.getsockname()[1])
        hub = Hub(site)
        ready = partial(_ready, site, not args.no_browser)
        with suppress(KeyboardInterrupt):  # which is how it ends
            serve(application(site, hub, ready), sock, hub.stop)
    return 0


def _site(args: argparse.Namespace, port: int) -> Site:
    db: Path = args.db or default_path()
    hosts = (*Site.hosts, *own_addresses(), *own_names()) if args.lan else Site.hosts
    return Site(db, port, hosts, args.lan, args.boards)


def _ready(site: Site, browse: bool) -> None:
    here, *others = [f"http://{address}/" for address in site.addresses]
    say(f"noughts is at {here} (Ctrl-C ends)")
    if site.lan:
        where = ", ".join(others[1:]) or "no other address"
        say(
            f"other computers can look on at {where}: whoever is in your network sees the boards' "
            "names and all games, and can change nothing"
        )
    if browse:
        threading.Thread(target=webbrowser.open, args=(here,), daemon=True).start()
