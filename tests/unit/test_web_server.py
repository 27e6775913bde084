"""The page's server: which requests it accepts, how many, its port, and the `web` command."""

import socket
from dataclasses import replace
from pathlib import Path

import pytest
from starlette.responses import JSONResponse

from asking import HERE, OURS, SITE, ask, change
from noughts.cli import web
from noughts.web import safety, server
from noughts.web.safety import MAX_BODY, Safety, Site
from sample_games import filled

OPEN = Site(Path("games.db"), 8017, ("127.0.0.1", "localhost", "192.0.2.2"), lan=True)


@pytest.mark.parametrize("address", ["/games/99999", "/games", "/statistics", "/puzzles"])
@pytest.mark.parametrize("state", ["missing", "damaged", "empty"])
def test_answers_to_other_computers_do_not_name_folders(tmp_path, monkeypatch, address, state):
    """A path names the teacher, and perhaps the class."""
    monkeypatch.setenv("HOME", str(tmp_path))
    db = tmp_path / "7b of Ms Smith" / "games.db"
    db.parent.mkdir()
    if state == "empty":
        filled(db)
    elif state == "damaged":
        db.write_bytes(b"marks " * 1000)
    site = replace(OPEN, db=db)
    for accept in ("text/html", "application/json"):
        headers = {"host": "192.0.2.2:8017", "accept": accept}
        answer = ask(headers, path=address, client="192.0.2.3", site=site)
        assert "7b of" not in answer.text and tmp_path.name not in answer.text
        if answer.status == 404:
            what = "no game 99999" if state == "empty" else "games.db"
            assert what in answer.text.lower()


PASSED = 400
"""The status for our own page's empty game: every guard lets it pass."""


def post(headers, path="/api/games", body=(b"{}",), **named):
    return ask(headers, "POST", path, body, **named).status


@pytest.mark.parametrize(
    "hosts",
    [
        *([], ["evil.example:8017"], ["127.0.0.1"], ["LOCALHOST:8017"]),
        *([f"{HERE}, evil.example"], [HERE, "evil.example"]),
    ],
)
def test_foreign_host_names_are_refused(hosts):
    refused = ask([("host", host) for host in hosts])
    why = f"noughts does not answer to this address; open http://{HERE}/ instead"
    assert (refused.status, refused.json) == (421, {"error": why})


def test_own_host_names_are_accepted(monkeypatch):
    for host in (HERE, "localhost:8017"):
        assert ask({"host": host}).status == 200
        assert post(change(host=host, origin=f"http://{host}")) == PASSED
    for header, page in (("text/html", True), ("*/*", False)):
        refused = ask([("host", "evil.example:8017"), ("accept", header)])
        assert (
            "<h1>This page cannot be shown</h1>" in refused.text
        ) == page and refused.status == 421
    monkeypatch.setattr(socket, "gethostname", lambda: "Class-PC.school")
    assert server.own_names() == ["class-pc.school", "class-pc.local"]
    # Browsers omit port 80, both in Host and in Origin.
    assert Site(Path("games.db"), 80).addresses == ("127.0.0.1", "localhost")


@pytest.mark.parametrize(
    "origin",
    [None, "null", "", "http://evil.example", "http://localhost:8017", f"https://{HERE}"],
)
def test_foreign_origins_are_refused(origin):
    assert post(change(origin=origin)) == 403
    by_hand = {name: text for name, text in {**OURS, "origin": origin}.items() if text is not None}
    if origin is not None:
        assert [ask(by_hand, path=path).status for path in ("/", "/api/live")] == [403, 403]


def test_own_page_is_accepted_but_not_with_two_origins():
    assert post([*change().items(), ("origin", OURS["origin"])]) == 403
    fetched = {"sec_fetch_site": "same-origin", "sec_fetch_mode": "cors", "sec_fetch_dest": "empty"}
    assert post(change(**fetched)) == PASSED
    assert ask(OURS, path="/api/live").status == 200


@pytest.mark.parametrize(
    ("site", "mode", "dest", "page", "api"),
    [
        ("none", "navigate", "document", 200, 200),  # typed, or a bookmark
        ("same-origin", "navigate", "document", 200, 200),
        ("same-origin", "cors", "empty", 200, 200),
        ("cross-site", "navigate", "document", 200, 403),  # a link on another site
        ("same-site", "navigate", "document", 200, 403),
        ("cross-site", "navigate", "iframe", 403, 403),
        ("cross-site", "no-cors", "document", 403, 403),
        ("same-site", "cors", "empty", 403, 403),
    ],
)
def test_fetch_metadata_decides_which_requests_are_allowed(site, mode, dest, page, api):
    named = {"sec-fetch-site": site, "sec-fetch-mode": mode, "sec-fetch-dest": dest}
    assert ask({"host": HERE} | named).status == page
    assert ask({"host": HERE} | named, path="/api/play").status == api
    assert post(change() | named) == (PASSED if site == "same-origin" else 403)


def test_only_this_computer_may_change_anything():
    addresses = "127.0.0.1", "::1", "192.0.2.2", "0.0.0.0", "fe80::1%eth0"
    assert [OPEN.may_change(address) for address in addresses] == [True, True, False, False, False]


def test_guest_can_watch_but_not_change_anything():
    """It does not get the token, and its headers are not trusted."""
    guest = {"site": OPEN, "client": "192.0.2.7"}
    elsewhere = ask({"host": "192.0.2.3:8017"}, **guest).text
    assert elsewhere.endswith('open http://192.0.2.2:8017/ instead"}')
    there = {"host": "192.0.2.2:8017"}
    shown = ask(there, **guest).text
    assert '<meta name="token" content="">' in shown and OPEN.token not in shown
    assert f'content="{OPEN.token}"' in ask({"host": HERE}, site=OPEN).text
    assert ask(there, path="/api/play", **guest).status == 200
    lies = change(OPEN, x_forwarded_for="127.0.0.1", forwarded="for=127.0.0.1")
    refused = ask(lies, "POST", "/api/games", **guest)
    why = "from another computer you can watch, but not change anything"
    assert (refused.status, refused.json["error"]) == (403, why)
    assert post(change(OPEN), site=OPEN) == PASSED


@pytest.mark.parametrize("token", ["", None, "x", "ÿ" * 32])
def test_change_needs_the_token(token):
    assert post(change(x_noughts_token=token)) == 401


def test_too_long_body_is_refused():
    half = b"x" * (MAX_BODY // 2)
    assert post(change(), "/api/logs", (half, half)) == PASSED
    refused = ask(change(), "POST", "/api/logs", (half, half, b"xx"))
    assert refused.status == 413
    assert refused.headers["connection"] == "close"  # because the body is never read
    assert post(change(transfer_encoding="chunked")) == 413
    assert ask(change(), "PUT").status == 413


@pytest.mark.parametrize("body", [b"", b"\xff", b"{", b"null", b"[1]", b'"x"', b"[" * 100_000])
def test_invalid_action_is_refused(body):
    refused = ask(change(), "POST", "/api/boards", (body,))
    why = "that is not an action; reload the page"
    assert (refused.status, refused.json) == (400, {"error": why})


@pytest.mark.anyio
async def test_request_rate_is_limited_for_each_client(monkeypatch):
    """Refused requests do not count, so a foreign page in the browser cannot lock ours out."""
    now_s = 1000.0
    monkeypatch.setattr(safety, "RATE", 2)
    monkeypatch.setattr(safety.time, "monotonic", lambda: now_s)
    guarded, sent = Safety(JSONResponse({}), SITE), []

    async def send(message):
        sent.append(message.get("status"))

    async def ask_as(client, **more):
        named = {"host": HERE, **more}.items()
        headers = [(name.encode(), value.encode()) for name, value in named]
        scope = {"type": "http", "method": "GET", "path": "/", "client": (client, 1)}
        await guarded(scope | {"headers": headers}, None, send)
        return sent[-2]

    for _ in range(2):  # a browser that asks too often is not locked out
        foreign = {"sec-fetch-site": "cross-site"}
        assert [await ask_as("here", **foreign) for _ in range(3)] == [403] * 3
        assert [await ask_as("here") for _ in range(4)] == [200, 200, 429, 429]
        assert await ask_as("there") == 200
        now_s += 1


def test_taken_port_is_replaced_by_a_later_one():
    with server.listening(0, lan=False) as taken:
        port = taken.getsockname()[1]
        with server.listening(port, lan=False) as next_one:
            assert next_one.getsockname()[1] > port


def test_web_command_prints_the_address_and_warns_of_other_computers(tmp_path, capsys):
    site = Site(tmp_path / "games.db", 8017, (*Site.hosts, "192.0.2.2"), lan=True)
    web.announce(site, browse=False)
    here, warning = capsys.readouterr().err.splitlines()
    assert here == "noughts is at http://127.0.0.1:8017/ (Ctrl-C ends)"
    assert warning == (
        "other computers can watch at http://192.0.2.2:8017/: anyone on your network "
        "can see the boards' names and all games, but cannot change anything"
    )


def test_web_command_refuses_a_damaged_store(tmp_path, refused):
    damaged = tmp_path / "games.db"
    damaged.write_bytes(b"marks " * 1000)
    assert "is damaged or not a store of noughts" in refused("web", "--no-browser", db=damaged)
