"""Games of release 1.0.0 that the page reads from a board are stored like those it sends."""

import contextlib
from types import SimpleNamespace

import pytest

from left_by_1_0_0 import games
from noughts.web import works as web_works
from noughts.web.works import Works

PLAYED = games(3)


@pytest.mark.parametrize("what", ["update", "flash"])
def test_the_page_stores_recovered_games(monkeypatch, what):
    for name in ("bring_up_to_date", "flash"):
        monkeypatch.setattr(web_works, name, lambda *_, keep, **named: keep(PLAYED) or "done")
    monkeypatch.setattr(Works, "_drive", lambda *_: None)
    heard, noted = [], []
    hub = SimpleNamespace(
        known=lambda: ["usb-1"], beside=lambda work: work(), virtual=SimpleNamespace(kinds={}),
        stopping=False, note_work=lambda name, work: noted.append(work), port=str,
        monitor=SimpleNamespace(lent=contextlib.nullcontext),
        hear=lambda name, *said: heard.append((name, *said)),
    )  # fmt: skip
    getattr(Works(hub), what)("usb-1")
    assert noted[-1]["good"]
    assert heard == [("usb-1", *PLAYED)]
