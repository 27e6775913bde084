"""`noughts web`: the page in the browser."""

import threading
import webbrowser
from contextlib import suppress
from functools import partial
from pathlib import Path

import click

from noughts.cli import options
from noughts.cli.options import IntRange
from noughts.store.store import Store, default_path
from noughts.terminal.output import say
from noughts.web.safety import Site
from noughts.web.server import PORT, http_server, listening, own_addresses, own_names


@options.command("noughts web", "noughts web --boards 3", "noughts web --lan --no-browser")
@click.option(
    "--port",
    metavar="N",
    cls=options.Option,
    type=IntRange(0, 65535),
    default=PORT,
    help="listen on this port, or the next free one; 0: on any",
)
@click.option(
    "--boards",
    metavar="N",
    cls=options.Option,
    type=IntRange(0, 8),
    default=1,
    help="how many virtual boards to start",
)
@click.option(
    "--lan",
    is_flag=True,
    help="let other computers on the network watch, and play; their games are not stored",
)
@click.option(
    "--no-browser",
    is_flag=True,
    help="do not open a browser",
)
@options.db
def run_web(port: int, boards: int, lan: bool, no_browser: bool, db: Path | None) -> None:
    """Play and watch boards in the browser."""
    from noughts.web.app import application
    from noughts.web.live import live_boards

    path = db or default_path()
    if path.exists():
        Store(path).close()  # refuse a damaged one now, not when the first game is stored
    with listening(port, lan) as sock:
        hosts = (*Site.hosts, *own_addresses(), *own_names()) if lan else Site.hosts
        site = Site(path, sock.getsockname()[1], hosts, lan, boards)
        ready = partial(announce, site, not no_browser)
        live = live_boards(site)
        with suppress(KeyboardInterrupt):  # the usual way to end it
            http_server(application(site, live, ready)).run([sock])
        live.watch.raise_fault()


def announce(site: Site, browse: bool) -> None:
    """Say where the page is, and open it in a browser if that is wanted."""
    here, *others = [f"http://{address}/" for address in site.addresses]
    say(f"noughts is at {here} (Ctrl-C ends)")
    if site.lan:
        say(
            f"other computers can watch at {', '.join(others[1:])}: anyone on your network can see "
            "the boards' names and all games, but cannot change anything"
        )
    if browse:
        threading.Thread(target=webbrowser.open, args=(here,), daemon=True).start()
