"""Games that a board stores and resends later: when they were played, and how they are shown."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from noughts.protocol.sentences import Boot
from noughts.recording.events import PortClosed, PortOpened, ResentGames
from noughts.recording.session import Session
from noughts.recording.sources import DataReceived
from noughts.store import timestamps
from noughts.store.game_filter import GameFilter
from noughts.store.queries import games
from noughts.views.situation import Observer
from noughts.web.live import LiveBoard
from sample_games import AT, receive, stages, wire, write

BOARD = "usb-1"
BOOT = Boot("BBBBBBBB", "V1", "1.1.0", "2798")
WHEN, BEFORE = timestamps.local(AT), timestamps.local(AT + 60_000)
WON, DRAWN = [0, 4, 1, 8, 2], [4, 0, 2, 6, 3, 5, 1, 7, 8]
STORED = [
    stages(WON, boot="AAAAAAAA")[-1],
    stages([4], "x", number=2, boot="AAAAAAAA")[-1],
    stages(DRAWN, boot="CCCCCCCC")[-1],
]
"""As a board resends them when it starts, after its `$NB`."""
NOW = stages(WON, boot="BBBBBBBB")


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """Time that passes only when a test says so."""
    clock = SimpleNamespace(s=100.0)
    stopped = SimpleNamespace(monotonic=lambda: clock.s)
    monkeypatch.setattr("noughts.recording.recorder.time", stopped)
    return clock


def send(recorder, *sentences, at=AT):
    return receive(recorder, BOARD, wire(*sentences), at)


def follow(events, *followers):
    for event in events:
        for follower in followers:
            follower.take(event)


def texts(events):
    return [event.text() for event in events if not event.resent]


def test_live_game_identifies_the_boot_until_the_port_is_reopened(recorder, store):
    recorder.take(DataReceived(BOARD, b"", AT))
    (stored,) = send(recorder, STORED[0])
    (begun,) = send(recorder, NOW[0], at=AT + 1000)
    (ended,) = send(recorder, NOW[-1], at=AT + 9000)
    (again,) = send(recorder, STORED[1], at=AT + 9000)
    assert [event.late for event in (stored, begun, ended, again)] == [True, False, False, True]
    recorder.take(DataReceived(BOARD, b"", AT + 10_000))
    (last,) = send(recorder, NOW[-1], at=AT + 11_000)
    assert last.late
    assert sorted(game.heard for game in games(store, GameFilter())) == [AT, AT + 9000, AT + 9000]


def test_recovered_games_have_played_before_and_no_start(recorder, store):
    events = send(recorder, BOOT, *STORED) + send(recorder, *NOW, at=AT + 5000)
    assert texts(events)[1:5] == [
        f"usb-1: game 1: person against hard, A won after 5 moves, played before {BEFORE}",
        f"usb-1: game 2: person against hard, abandoned after 1 move, played before {BEFORE}",
        f"usb-1: game 3: person against hard, draw after 9 moves, played before {BEFORE}",
        "usb-1: game 4: A is a person, B is the chip (hard); A begins",
    ]
    stored_games = list(games(store, GameFilter()))
    assert [(game.started, game.played_before) for game in stored_games] == [(None, AT)] * 3 + [
        (AT, None)
    ]
    record = events[1].record()
    assert (record["late"], record["played_before"]) == (True, "2026-09-21T14:13:20.000Z")
    # Receiving them again at a later start does not change the store.
    rows_before = store.read("SELECT * FROM games")
    assert not any(event.new for event in send(recorder, *STORED, at=AT + 10**9))
    assert store.read("SELECT * FROM games") == rows_before


@pytest.mark.parametrize("end", ["playing", "silent", "gone"])
def test_resent_games_are_summed_up_when_resending_ends(recorder, clock, end):
    send(recorder, BOOT, *STORED[:2])
    assert len(texts(send(recorder, replace(BOOT, boot="DDDDDDDD"), *STORED))) == 2
    if end == "playing":
        events = send(recorder, stages(WON, boot="DDDDDDDD")[0])
        assert texts(events)[1:] == ["usb-1: game 4: A is a person, B is the chip (hard); A begins"]
    elif end == "gone":
        recorder.pending.append(PortClosed(BOARD, "/dev/x", "why"))
        events = recorder.settle()
    else:
        clock.s += 0.9
        assert recorder.settle() == []
        clock.s += 0.2
        events = recorder.settle()
    assert events[0] == ResentGames(BOARD, 2, 1)
    assert events[0].text() == "usb-1: 3 games resent, 1 of them new"


def test_reopened_port_in_raw_lines_makes_the_boot_unknown(folder, noughts):
    """A later `$NB` may have been missed, and then games would get a wrong start."""
    texts = [write(BOOT), "", write(NOW[-1])]  # an empty line means that the port was opened
    Path("raw.log").write_text("".join(f"{timestamps.iso(AT)} usb-1 {text}\n" for text in texts))
    _, _, summary = noughts("watch", "--from", "raw.log", db=folder / "games.db")
    assert "1 game ended (1 recovered)" in summary and "0 bytes of noise" in summary


def test_repeated_earlier_boot_does_not_become_the_last(recorder):
    """A broker may deliver a sentence twice, or after one that was sent later."""
    earlier_boot = replace(BOOT, boot="AAAAAAAA")
    send(recorder, earlier_boot, at=AT)
    send(recorder, BOOT, at=AT + 1000)
    send(recorder, earlier_boot, at=AT)
    (event,) = send(recorder, STORED[0], at=AT + 10**8)
    assert event.played_before == AT + 10**8


def test_resent_games_do_not_replace_the_current_game(recorder):
    session, observer = Session(), Observer()
    live = LiveBoard(session.board(BOARD))
    follow([PortOpened(BOARD, "/dev/ttyACM0")], session, live)
    for sentences in ((BOOT, *NOW[:3]), STORED, STORED):
        follow(send(recorder, *sentences), session, live)
        for sentence in sentences:
            observer.receive(sentence)
    state = session.boards[BOARD]
    assert observer.situation.game == state.game == NOW[2] and state.score == {}
    assert (session.games, session.recovered) == (3, 3)
    assert [ended.played_before for ended in session.ended] == [AT] * 3
    record = live.record("red")
    assert (record["headline"], record["game"]["marks"]) == ("Your turn, player A", "X...O....")
    assert [text for _, text in record["lines"]][-1].endswith(f"played before {BEFORE}")
    follow(send(recorder, NOW[-1]), session, live)
    assert (state.game, state.score) == (NOW[-1], {"A": 1})
    assert live.record("red")["headline"] == "You have won!"


def test_repeated_end_by_radio_does_not_replace_next_game(recorder):
    session = Session()
    live = LiveBoard(session.board("radio-9A1B2C3D"))
    following = stages(DRAWN, number=2, boot="BBBBBBBB")[:2]
    for sentence in (BOOT, *NOW, NOW[-1], *following, NOW[-1]):
        events = receive(recorder, BOARD, wire(sentence, radio_id="9A1B2C3D"), AT)
        assert not any(isinstance(event, ResentGames) for event in events)
        follow(events, session, live)
    state = session.boards["radio-9A1B2C3D"]
    assert (state.game, state.score, session.games) == (following[-1], {"A": 1}, 1)
    record = live.record("red")
    assert record["headline"] == "The chip's turn"
    assert record["facts"].endswith("by radio, via usb-1")


def test_commands_mark_recovered_and_radio_games(folder, noughts, printed):
    lines = [(None, sentence) for sentence in (BOOT, *STORED, *NOW)] + [("9A1B2C3D", STORED[2])]
    lines += [("00000001", replace(STORED[0], boot="EEEEEEEE"))]
    lines += [("9A1B2C3D", replace(STORED[1], ms=1))]
    Path("raw.log").write_text(
        "".join(f"{timestamps.iso(AT)} usb-1 {write(sentence, by)}\n" for by, sentence in lines)
    )
    Path("known.txt").write_text("9A1B2C3D # Anna\n")
    db = folder / "games.db"
    _, _, summary = noughts("watch", "--from", "raw.log", "--known", "known.txt", db=db)
    assert "5 games ended (4 recovered)" in summary
    assert "from 2 boards" in summary and "1 sentence by radio refused" in summary
    assert printed("stats", db=db).startswith("5 games, 4 recovered, 1 with last moves by radio")
    (listed_game,) = json.loads(printed("games", "--json", "--board", "radio", db=db))
    assert (listed_game["by_radio"], listed_game["started"]) == (1, None)
    assert listed_game["played_before"] == timestamps.iso(AT)
    listed = printed("games", db=db)
    assert listed.count(f" before {BEFORE} ") == 4 and listed.count(f"  {WHEN} ") == 1
    assert f"before {BEFORE}" in printed("replay", "1", "--text", db=db)
    day = WHEN.split()[0]
    assert printed("games", "--since", day, "--until", day, db=db) == listed
    boards = json.loads(printed("boards", "--json", db=db))
    assert [board["by_radio"] for board in boards] == [False, True]
