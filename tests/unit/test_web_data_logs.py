"""A data log that is dropped on the page: in the store, and in one line."""

import base64
import json
from dataclasses import replace

import pytest

from asking import SITE, ask, change, status, text
from data_logs import HEADING, data_log, row
from noughts.protocol.data_log import MAX_SIZE
from noughts.store.store import Store
from noughts.web.site import Site
from sample_games import stages
from unplugged import COLUMNS, as_row

PLAYED = [replace(stages([4, 0, 8], "x", number=n)[-1], boot="3E5A5FD2") for n in (1, 2)]


@pytest.fixture
def site(tmp_path):
    return Site(tmp_path / "games.db", 8017, token=SITE.token)


@pytest.fixture
def drop(site):
    """Drops a file on the page; gives the status and what the page is answered."""

    def drop(content, name="anna.htm"):
        in_base64 = content if isinstance(content, str) else base64.b64encode(content).decode()
        body = json.dumps({"name": name, "content": in_base64}).encode()
        said = ask(change(), "POST", "/api/logs", (body,), site=site)
        return status(said), json.loads(text(said))

    return drop


def stored(site, columns):
    with Store(site.db, create=True) as store:
        return store.read(f"SELECT {columns} FROM games")


def test_a_log_is_stored_once(drop, site):
    one, both = (data_log(HEADING, *map(row, games)) for games in (PLAYED[:1], PLAYED))
    assert drop(one) == (200, {"said": "anna.htm: 1 game, 1 new"})
    assert drop(both) == (200, {"said": "anna.htm: 2 games, 1 new"})
    assert drop(both) == (200, {"said": "anna.htm: 2 games, 0 new"})
    assert stored(site, COLUMNS) == [as_row(game) for game in PLAYED]
    assert stored(site, "count(started), count(played_before)") == [(0, 2)]
    assert drop(data_log(HEADING)) == (200, {"said": "anna.htm: no games yet"})


def test_a_file_that_is_not_a_whole_log_stores_nothing(drop, site):
    log = data_log(HEADING, *map(row, PLAYED))
    assert drop(log[:9000]) == (
        400,
        {"error": "anna.htm is cut short at 9,000 bytes; copy it from the board's drive once more"},
    )
    answer, error = drop(log.ljust(MAX_SIZE + 1), name="\x1b[2J.htm")
    assert answer == 400 and "too large" in error["error"] and error["error"].isprintable()
    for content, name in (("*", "a"), ("", 5)):
        assert drop(content, name) == (400, {"error": "that is not a file; load the page again"})
    assert drop(bytes(300_000))[0] == 413
    assert stored(site, "*") == []
