"""Games that a board has kept and tells later: when they were played, and what is said of them."""

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest

from noughts.protocol.sentences import Boot, write
from noughts.protocol.situation import Observer
from noughts.recording.events import PortClosed, PortOpened, ResentGames
from noughts.recording.play_recording import PlayedGames
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.recording.sources import LineOpened
from noughts.store import timestamps
from noughts.store.queries import GameFilter, games
from noughts.store.store import Store
from noughts.web.live import LiveBoard
from sample_games import AT, stages
from sent_lines import sent_lines

BOARD = "usb-1"
BOOT = Boot("BBBBBBBB", "V1", "1.1.0", "2798")
WHEN, BEFORE = timestamps.local(AT), timestamps.local(AT + 60_000)
WON, DRAWN = [0, 4, 1, 8, 2], [4, 0, 2, 6, 3, 5, 1, 7, 8]


def played(boot, cells, number=1, end=None):
    return [replace(each, boot=boot) for each in stages(cells, end, number=number)]


KEPT = [
    played("AAAAAAAA", WON)[-1],
    played("AAAAAAAA", [4], 2, "x")[-1],
    played("CCCCCCCC", DRAWN)[-1],
]
"""As a board tells them at a start, after its `$NB`."""
NOW = played("BBBBBBBB", WON)


@pytest.fixture(autouse=True)
def clock(monkeypatch):
    """However slow the computer is, no time passes but this."""
    clock = SimpleNamespace(s=100.0)
    stopped = SimpleNamespace(monotonic=lambda: clock.s)
    monkeypatch.setattr("noughts.recording.recorder.time", stopped)
    return clock


@pytest.fixture
def recorder(store):
    return Recorder(store)


def heard(recorder, *sentences, at=AT):
    data = "".join(f"{write(each)}\r\n" for each in sentences).encode()
    return recorder.hear(BOARD, data, at)


def follow(events, *followers):
    for event in events:
        for follower in followers:
            follower.take(event)


def said(events):
    return [event.text() for event in events if not event.resent]


@pytest.mark.parametrize(("at", "minutes"), [(0, 0), (1, 1), (60_000, 1)])
def test_a_moment_before_which_it_was_played_is_not_shown_too_early(at, minutes):
    minute = AT // 60_000 * 60_000
    shown = timestamps.local(minute + minutes * 60_000)
    assert str(timestamps.When(None, minute + at)) == f"before {shown}"


def test_a_game_that_goes_on_tells_which_run_it_is(recorder, store):
    """Where the port was opened after the board had started, its `$NB` is not heard."""
    recorder.take(LineOpened(BOARD, AT))
    (kept,) = heard(recorder, KEPT[0])
    (begun,) = heard(recorder, NOW[0], at=AT + 1000)
    (ended,) = heard(recorder, NOW[-1], at=AT + 9000)
    (again,) = heard(recorder, KEPT[1], at=AT + 9000)
    assert [each.late for each in (kept, begun, ended, again)] == [True, False, False, True]
    recorder.take(LineOpened(BOARD, AT + 10_000))
    (last,) = heard(recorder, NOW[-1], at=AT + 11_000)
    assert last.late
    assert sorted(game.heard for game in games(store, GameFilter())) == [AT, AT + 9000, AT + 9000]


def test_a_kept_game_was_played_before_it_was_told(recorder, store):
    events = heard(recorder, BOOT, *KEPT) + heard(recorder, *NOW, at=AT + 5000)
    assert said(events)[1:5] == [
        f"usb-1: game 1: person against hard, A won after 5 moves, played before {BEFORE}",
        f"usb-1: game 2: person against hard, abandoned after 1 move, played before {BEFORE}",
        f"usb-1: game 3: person against hard, draw after 9 moves, played before {BEFORE}",
        "usb-1: game 4: A is a person, B is the chip (hard); A begins",
    ]
    found = list(games(store, GameFilter()))
    assert [(game.started, game.played_before) for game in found] == [(None, AT)] * 3 + [(AT, None)]
    assert [game.result for game in found] == ["A", "abandoned", "draw", "A"]
    assert events[1].record() | {"moves": 0} == {
        "event": "game", "board": "usb-1", "gateway": None, "new": True, "late": True,
        "played_before": "2026-09-21T14:13:20.000Z", "game": 1, "boot": "AAAAAAAA", "number": 1,
        "seats": "PH", "first": "A", "moves": 0, "ms": 5000, "end": "A",
    }  # fmt: skip
    # The store is the same at whichever later start it hears them again.
    before = store.read("SELECT * FROM games")
    assert not any(event.new for event in heard(recorder, *KEPT, at=AT + 10**9))
    assert store.read("SELECT * FROM games") == before


def test_games_told_again_are_one_line(recorder):
    heard(recorder, BOOT, *KEPT[:2])
    again = replace(BOOT, boot="DDDDDDDD")
    events = heard(recorder, again, *KEPT, played("DDDDDDDD", WON)[0])
    assert said(events)[1:-1] == [
        f"usb-1: game 3: person against hard, draw after 9 moves, played before {BEFORE}",
        "usb-1: 2 games resent, 1 new",
    ]
    assert events[-2].record() == {
        "event": "kept", "board": "usb-1", "again": 2, "new": 1,
    }  # fmt: skip
    assert said(events)[-1] == "usb-1: game 4: A is a person, B is the chip (hard); A begins"


def test_they_are_summed_up_when_the_board_falls_silent_or_is_gone(recorder, clock):
    heard(recorder, BOOT, *KEPT)
    for end in ("silent", "gone"):
        assert len(said(heard(recorder, BOOT, *KEPT))) == 1
        if end == "gone":
            recorder.pending.append(PortClosed(BOARD, "/dev/x", "why"))
        else:
            clock.s += 0.9
            assert recorder.settle() == []
            clock.s += 0.2
        told = recorder.settle()
        assert told[0] == ResentGames(BOARD, 3, 0)
        assert told[0].text() == "usb-1: 3 games resent"


def test_what_was_heard_as_it_was_played_keeps_its_start(recorder, store):
    live = played("AAAAAAAA", WON)
    heard(recorder, replace(BOOT, boot="AAAAAAAA"))
    for sentence in live[:3]:
        heard(recorder, sentence, at=AT + sentence.ms)
    # The cable was pulled, and the board reset; it tells the end of the game that it played on.
    recorder.hear(BOARD, b"\n", AT + 3000)
    (_, event) = heard(recorder, BOOT, live[-1], at=AT + 10**8)
    assert (event.new, event.late, event.played_before) == (True, True, None)
    assert event.text() == "usb-1: game 1: person against hard, A won after 5 moves"
    (game,) = games(store, GameFilter())
    assert (game.started, game.played_before, game.heard) == (AT, None, AT + 2000)


def test_after_the_cable_was_out_a_boot_is_no_longer_announced(store, tmp_path, noughts):
    """Its next `$NB` may have been missed: then what it tells would get a wrong start."""
    recorder = Recorder(store)
    heard(recorder, replace(BOOT, boot="AAAAAAAA"))
    recorder.hear(BOARD, b"\n", AT)
    recorder.take(LineOpened(BOARD, AT + 10**8))
    (event,) = heard(recorder, KEPT[0], at=AT + 10**8)
    assert event.played_before == AT + 10**8
    # Whoever reads the raw lines knows it, too.
    path, other = tmp_path / "sent.log", tmp_path / "other.db"
    path.write_bytes(sent_lines(store.path))
    for db, ended in ((store.path, 0), (other, 1)):
        _, _, told = noughts("watch", "--from", path, db=db)
        assert f"2 sentences from 1 board, {ended} game" in told and "0 bytes of noise" in told
    with Store(other) as read_again:
        assert list(games(read_again, GameFilter())) == list(games(store, GameFilter()))


@pytest.mark.parametrize("opened_since", [False, True])
def test_repeated_earlier_boot_is_not_the_last_boot(recorder, opened_since):
    """A broker may deliver a sentence twice, and one after another that was said later."""
    before = replace(BOOT, boot="AAAAAAAA")
    if opened_since:
        recorder.take(LineOpened(BOARD, AT + 1000))
    else:
        heard(recorder, before, at=AT)
        heard(recorder, BOOT, at=AT + 1000)
    heard(recorder, before, at=AT)
    (event,) = heard(recorder, KEPT[0], at=AT + 10**8)
    assert event.played_before == AT + 10**8


def test_resent_games_are_not_shown_on_the_leds(recorder):
    session, live = Session(), LiveBoard(BOARD)
    follow([PortOpened(BOARD, "/dev/ttyACM0")], session, live)
    for sentences in ((BOOT, *NOW[:3]), KEPT, KEPT):
        follow(heard(recorder, *sentences), session, live)
    state = session.boards[BOARD]
    assert (state.game, state.score) == (NOW[2], {})
    assert (session.games, session.told_late) == (3, 3)
    assert [ended.played_before for ended in session.ended] == [AT] * 3
    record = live.record("red", state)
    assert (record["headline"], record["game"]["marks"]) == ("Your turn, player A", "X...O....")
    assert [text for _, text in record["lines"]][-1].endswith(f"played before {BEFORE}")
    follow(heard(recorder, NOW[-1]), session, live)
    assert (state.game, state.score) == (NOW[-1], {"A": 1})
    assert live.record("red", state)["headline"] == "You have won!"


def test_a_repeated_end_by_radio_does_not_replace_the_next_game(recorder):
    session, live = Session(), LiveBoard("radio-9A1B2C3D")
    following = played("BBBBBBBB", DRAWN, 2)[:2]
    for sentence in (BOOT, *NOW, NOW[-1], *following, NOW[-1]):
        events = recorder.hear(BOARD, f"{write(sentence, '9A1B2C3D')}\n".encode(), AT)
        assert not any(isinstance(event, ResentGames) for event in events)
        follow(events, session, live)
    state = session.boards["radio-9A1B2C3D"]
    assert (state.game, state.score, session.games) == (following[-1], {"A": 1}, 1)
    record = live.record("red", state)
    assert record["headline"] == "The chip's turn"
    assert record["facts"].endswith("by radio, at usb-1")


def test_a_player_s_own_board_tells_kept_games_at_its_start():
    """Neither its screen nor its score takes them for games of this session."""
    observer, session = Observer(), PlayedGames("virtual-V2")
    for sentence in (BOOT, *KEPT):
        observer.hear(sentence)
        session.hear(sentence)
    assert (observer.now.phase, session.score, session.last) == ("menu", {}, None)
    for sentence in NOW:
        observer.hear(sentence)
        session.hear(sentence)
    assert (observer.now.phase, session.score["PH"]["A"]) == ("over", 1)


def test_every_list_says_so(folder, noughts, printed):
    lines = [(None, told) for told in (BOOT, *KEPT, *NOW)] + [("9A1B2C3D", KEPT[2])]
    lines += [("00000001", replace(KEPT[0], boot="EEEEEEEE")), ("9A1B2C3D", replace(KEPT[1], ms=1))]
    Path("raw.log").write_text(
        "".join(f"{timestamps.iso(AT)} usb-1 {write(told, by)}\n" for by, told in lines)
    )
    Path("known.txt").write_text("9A1B2C3D # Anna\n")
    db = folder / "games.db"
    _, _, summary = noughts("watch", "--from", "raw.log", "--known", "known.txt", db=db)
    assert "5 games ended (4 recovered)" in summary
    assert "from 2 boards" in summary and "1 sentence by radio refused" in summary
    assert printed("stats", db=db).startswith("5 games, 4 recovered, 1 by radio alone\n")
    (found,) = json.loads(printed("games", "--json", "--board", "radio", db=db))
    assert (found["by_radio"], found["started"]) == (1, None)
    assert found["played_before"] == timestamps.iso(AT)
    listed = printed("games", db=db)
    assert listed.count(f" before {BEFORE} ") == 4 and listed.count(f"  {WHEN} ") == 1
    assert f"before {BEFORE}" in printed("replay", "1", "--text", db=db)
    day = WHEN.split()[0]
    assert printed("games", "--since", day, "--until", day, db=db) == listed
    boards = json.loads(printed("boards", "--json", db=db))
    assert [board["by_radio"] for board in boards] == [False, True]
