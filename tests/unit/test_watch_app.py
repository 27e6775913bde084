"""The live screen of `noughts watch`: its tiles, its list of games, and a replay from there."""

import contextlib
import re
import threading
import time
from dataclasses import replace

import pytest

from noughts.recording.events import (
    BoardNamed,
    PortClosed,
    PortOpened,
    SentenceStored,
)
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.recorder import Recorder
from noughts.recording.session import Session
from noughts.store.store import Store
from noughts.terminal.watch import WatchApp
from sample_games import A_WINS, AT, BOOT, stages
from screens import screen_lines

SMALL, USUAL, LARGE = (60, 20), (80, 24), (140, 40)
pytestmark = pytest.mark.anyio


@pytest.fixture
def screen(tmp_path):
    """Opens the screen of a session after these events, for a pilot and its app."""

    @contextlib.asynccontextmanager
    async def shown(events, size=USUAL, folder=tmp_path):
        monitor = PortMonitor(find=list)
        watch = Recorder(Store(folder / "games.db", create=True), [monitor])
        session = Session()
        for event in events(folder / "games.db"):
            session.take(event)
        app = WatchApp(watch, session, threading.Event())
        try:
            async with app.run_test(size=size) as pilot:
                await redrawn(pilot, app)
                yield pilot, app
        finally:
            monitor.close()
            watch.close()

    return shown


async def redrawn(pilot, app):
    """Do not wait for its timer."""
    await pilot.pause()
    app._redraw()
    await pilot.pause()


def thirty(path):
    """Thirty boards with names, each of which has won a game as A against hard."""
    with Store(path) as store:
        for number in range(30, 0, -1):
            board = f"usb-{number:048x}"
            store.name_board(board, f"table {number}")
            yield BoardNamed(board, f"table {number}")
            yield PortOpened(board, f"/dev/ttyACM{number}")
            boot = f"{number:08X}"
            for sentence in (replace(BOOT, boot=boot), *stages(A_WINS, boot=boot)):
                kept = store.add(board, sentence, AT)
                yield SentenceStored(board, sentence, kept.game, kept.new)


@pytest.mark.parametrize("size", [SMALL, LARGE])
async def test_thirty_boards_are_sorted_by_name_fill_the_width_and_scroll(screen, size):
    async with screen(thirty, size) as (pilot, app):
        shown = screen_lines(app)
        titles = re.findall(r"table (\d+) V1", "\n".join(shown))
        assert titles[:3] == ["1", "2", "3"] or size[0] < 78
        assert titles == [str(number) for number in range(1, len(titles) + 1)]
        border = next(line for line in shown if "table 1 V1" in line)
        assert len(border) >= size[0] - 2 and border.count("╭") == (size[0] - 1) // 26
        text = "\n".join(shown)
        assert "table 30" not in text.split("game ")[0]
        await pilot.press("tab", "end")
        # On a busy computer Textual's pauses end before it has scrolled.
        end = time.monotonic() + 120
        while "table 30 V1" not in "\n".join(screen_lines(app)):
            assert time.monotonic() < end
            await redrawn(pilot, app)


async def test_keys_and_the_file_stay_where_the_path_is_long(screen, tmp_path):
    folder = tmp_path / ("a-long-folder-" * 8)
    folder.mkdir()
    async with screen(thirty, SMALL, folder) as (_, app):
        *_, keys, kept = screen_lines(app)
        assert keys.strip().startswith("q quit  ? help")
        assert keys.endswith("enter replay")
        assert kept.endswith("games.db") and "stored in " in kept


async def test_a_game_is_chosen_and_replayed_and_the_watch_goes_on(screen):
    async with screen(thirty) as (pilot, app):
        await pilot.press("down", "down", "enter")
        await redrawn(pilot, app)
        shown = "\n".join(screen_lines(app))
        assert "game 28: A is a person, B is the chip (hard)" in shown
        assert "table 3" in shown and "q back" in shown
        await pilot.press("right", "right")
        shown = "\n".join(screen_lines(app))
        assert "Move 2 of 7" in shown and "A mistake: it turns a draw into a loss." in shown
        await pilot.press("q")
        await redrawn(pilot, app)
        assert "q quit" in "\n".join(screen_lines(app))
        app.take([PortClosed("usb-" + "0" * 46 + "1e", "/dev/ttyACM30", "pulled")])
        await redrawn(pilot, app)
        assert "30 boards, 1 unplugged" in screen_lines(app)[0]
        assert app.is_running
        await pilot.press("q")
        await redrawn(pilot, app)
        assert not app.is_running


async def test_the_choice_stays_when_other_games_end(screen):
    async with screen(lambda path: [], SMALL) as (pilot, app):
        shown = "\n".join(screen_lines(app))
        assert "No board yet: plug one in." in shown and "no game has ended yet" in shown
        await pilot.press("enter")  # there is nothing to replay
        with Store(app._recorder.store.path) as store:
            for number in range(1, 5):
                sentence = stages(A_WINS, number=number)[-1]
                kept = store.add("usb-1", sentence, AT)
                app.take([SentenceStored("usb-1", sentence, kept.game, kept.new)])
                await redrawn(pilot, app)
                if number == 2:
                    await pilot.press("down")  # to game 1
        await pilot.press("enter")
        await redrawn(pilot, app)
        assert "game 1: A is a person" in "\n".join(screen_lines(app))
