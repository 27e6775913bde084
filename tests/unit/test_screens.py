"""What `play`, `watch` and `replay` show, as pictures; `--snapshot-update` makes them anew.

Each is drawn in the smallest usual terminal, and in one with room for all that there is to say.
"""

import threading
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from live_page import settled
from noughts.protocol.sentences import Boot
from noughts.recording.events import (
    BoardNamed,
    BrokerAnswered,
    PortClosed,
    PortOpened,
    PortUnavailable,
    RoomOffline,
    RoomOnline,
    SentenceStored,
    StoreBusy,
)
from noughts.recording.play_recording import PlayRecording
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.store.queries import game
from noughts.store.store import Store
from noughts.terminal.play import BoardApp
from noughts.terminal.replay import ReplayApp
from noughts.terminal.watch import WatchApp
from sample_games import A_WINS, AT, BOOT, filled, stages
from screens import StandIn, screen_lines

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids="{0[0]}x{0[1]}".format)
pytestmark = pytest.mark.usefixtures("in_zone", "folder", "plain_environment")


@pytest.fixture
def plain_environment(monkeypatch):
    """A terminal with colours."""
    monkeypatch.delenv("NO_COLOR", raising=False)


@SIZES
def test_play_at_the_end_of_a_game(snap_compare, size):
    board = StandIn()
    board.shown = bytes([9, 0, 7, 0, 0] + [0] * 5 + [9, 0, 9, 0, 7] + [0] * 5 + [9, 0, 0, 0, 7])
    board.says(Boot("00000A83", "V2", "1.0.0", "2798"), *stages(A_WINS))
    with closing(PlayRecording(Path("games.db"), "virtual-V2")) as recording:
        app = BoardApp(board, threading.Event(), recording)

        async def shown(pilot):
            await settled(lambda: any("You have won!" in line for line in screen_lines(app)))
            await settled(lambda: "[██]" in "\n".join(screen_lines(app)))
            await settled(lambda: any("A 1, B 0" in line for line in screen_lines(app)))
            await pilot.pause(0.3)

        assert snap_compare(app, terminal_size=size, run_before=shown)


def events(store):
    """Of boards in a game, unplugged, in a lost room, and by a gateway that is unplugged."""
    store.name_board("usb-1", "table 1")
    yield BoardNamed("usb-1", "table 1")
    for number in (1, 2, 9, 10):
        yield PortOpened(f"usb-{number}", f"/dev/ttyACM{number}")
    for board, told in (
        ("usb-1", stages(A_WINS)[:4]),
        ("usb-2", stages(A_WINS, seats="PP")),
        ("usb-10", stages([4, 0], "x", seats="PE")),
        ("3b/usb-7", stages([0, 4, 8, 2, 3, 6])),
    ):
        for sentence in (BOOT, *told):
            kept = store.add(board, sentence, AT)
            yield SentenceStored(board, sentence, kept.game, kept.new)
    board, old = "radio-9A1B2C30", replace(stages(A_WINS)[-1], boot="BBBB")
    kept = store.add(board, old, AT, late=True)
    yield SentenceStored(board, old, kept.game, kept.new, True, kept.played_before, "usb-9")
    for number in (2, 9):
        yield PortClosed(f"usb-{number}", f"/dev/ttyACM{number}", "pulled")
    yield StoreBusy("games.db")
    for number in range(3, 9):
        yield PortUnavailable(f"/dev/ttyACM{number}", "no permission \x1b[2J")
    yield PortUnavailable("mqtt://broker", "it hung up")
    yield BrokerAnswered("mqtt://broker", "connected")
    for room in ("3b", "10", "3c", "3"):
        yield RoomOffline(room)
    yield RoomOnline("3c")


@SIZES
def test_watch(snap_compare, size):
    with Store(Path("games.db"), create=True) as store, closing(Recorder(store)) as recorder:
        session = Session()
        for event in events(store):
            session.take(event)
        app = WatchApp(recorder, session, threading.Event())

        async def shown(pilot):
            await settled(lambda: any("sentences" in line for line in screen_lines(app)))
            await pilot.pause()

        assert snap_compare(app, terminal_size=size, run_before=shown)


@SIZES
def test_replay_of_a_mistake(snap_compare, size):
    with Store(filled(Path("games.db"), stages(A_WINS))) as store:
        found = game(store, 1)
    assert snap_compare(ReplayApp(found, None), terminal_size=size, press=["right", "right"])
