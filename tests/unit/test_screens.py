"""Pictures of `play`, `watch` and `replay`, and what the keys of `watch` do.

Each picture is drawn in the smallest usual terminal, and in one with room for everything.
`--snapshot-update` draws them again.
"""

import re
import threading
from contextlib import asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from rich.style import Style

from live_page import Board, settled
from needed import long
from noughts.protocol.sentences import Boot, Menu
from noughts.recording.events import (
    BoardNamed,
    BrokerAnswered,
    BrokerUnavailable,
    PortClosed,
    PortOpened,
    PortUnavailable,
    RoomOffline,
    RoomOnline,
    SentenceStored,
    StoreBusy,
)
from noughts.recording.sources import Delivered
from noughts.recording.watch import Watch
from noughts.store.queries import game
from noughts.store.store import Store
from noughts.terminal.board_view import draw
from noughts.terminal.replay import ReplayApp
from noughts.terminal.watch import WatchApp
from sample_games import A_WINS, AT, BOOT, filled, insert, stages
from screens import playing, screen_text
from waiting import LIMIT_S

SIZES = pytest.mark.parametrize("size", [(80, 24), (120, 40)], ids="{0[0]}x{0[1]}".format)
SMALL, USUAL, LARGE = (60, 20), (80, 24), (140, 40)
pytestmark = [
    pytest.mark.anyio,
    pytest.mark.usefixtures("in_zone", "folder", "plain_environment"),
]


@pytest.fixture
def plain_environment(monkeypatch):
    """A terminal with colours."""
    monkeypatch.delenv("NO_COLOR", raising=False)


def test_each_level_of_an_led_looks_different():
    """From level 7 on, it is bold, too."""
    styles = [span.style for span in draw(bytes(range(10)) + bytes(15)).spans]
    lit = [style for style in styles if isinstance(style, Style) and style.color][:10]
    assert len({style.color for style in lit}) == 10
    assert [bool(style.bold) for style in lit] == [False] * 7 + [True] * 3


@SIZES
def test_play_at_the_end_of_a_game(snap_compare, size):
    board = Board()
    board.led_levels = bytes(
        [9, 0, 7, 0, 0] + [0] * 5 + [9, 0, 9, 0, 7] + [0] * 5 + [9, 0, 0, 0, 7]
    )
    board.says(Boot("00000A83", "V2", "1.0.0", "2798"), Menu("00000A83", "Hb"), *stages(A_WINS))
    with playing(board, Path("games.db")) as app:

        async def shown(pilot):
            for text in ("You have won!", "[██]", "A 1, B 0"):
                await settled(lambda text=text: text in screen_text(app))
            await pilot.pause(0.3)

        assert snap_compare(app, terminal_size=size, run_before=shown)


async def test_second_line_of_a_buttons_function_begins_below_the_first():
    board = Board()
    board.says(Boot("00000A83", "V2", "1.0.0", "2798"), Menu("00000A83", "Pb"))
    with playing(board, Path("games.db")) as app:
        async with app.run_test(size=(60, 24)):
            await settled(lambda: "switch to tilt" in screen_text(app))
            first, second = re.search(".*A\\+B.*\n.*", screen_text(app))[0].splitlines()
    assert second.index("buttons)") == first.index("switch to tilt")


@pytest.mark.parametrize("width", [40, 50, 60])
async def test_narrow_terminal_has_the_instructions_below_the_board(width):
    board = Board()
    board.says(Boot("00000A83", "V2", "1.0.0", "2798"), Menu("00000A83", "Hb"), *stages(A_WINS))
    with playing(board, Path("games.db")) as app:
        async with app.run_test(size=(width, 40)):
            await settled(lambda: "a button  next game: player B begins\n" in screen_text(app))
            lines = [line.strip() for line in screen_text(app).splitlines()]
    assert "A+B       to the menu" in lines
    first = lines.index("A B ·  A  you")
    assert lines[first + 1 : first + 3] == ["A A B  B  the chip, hard", "A · B  game 1"]
    assert lines[-2].startswith("q quit · ? help") and lines[-1].startswith("clock ")


@pytest.mark.parametrize("size", [(40, 24), (60, 24), (60, 20)], ids="{0[0]}x{0[1]}".format)
async def test_small_terminal_has_the_board_in_letters_events_and_all_keys(size):
    board = Board()
    board.says(Boot("00000A83", "V2", "1.0.0", "2798"), Menu("00000A83", "Hb"), *stages(A_WINS))
    with playing(board, Path("games.db")) as app:
        async with app.run_test(size=size):
            await settled(lambda: "move 7: A" in screen_text(app))
            text = screen_text(app)
    for row in ("A B ·  A  you", "A A B  B  the chip, hard", "A · B  game 1"):
        assert row in text
    assert "A 1, B 0, draws 0" in text
    assert "q quit · ? help · a b l r v space ←↑↓→\n" in text


async def test_replay_fits_60_columns():
    with Store(filled(Path("games.db"), stages(A_WINS))) as store:
        app = ReplayApp(game(store, 1), None)
    async with app.run_test(size=(60, 20)) as pilot:
        await pilot.press("end")
        text = screen_text(app)
    assert re.search("diagonal 1 5 9 [ +-][0-3] *\n.*diagonal 3 5 7 [ +-][0-3] *\n", text)
    assert text.endswith("? help")


async def test_key_stops_a_replay_that_plays(monkeypatch):
    waits = []  # after which move
    monkeypatch.setattr(
        "noughts.terminal.replay.wait_s", lambda game, plies, speed: waits.append(plies) or 3600
    )
    with Store(filled(Path("games.db"), stages(A_WINS))) as store:
        app = ReplayApp(game(store, 1), 1.0)
    async with app.run_test() as pilot:
        await pilot.press("right")
        assert "Move 1 of 7" in screen_text(app)
        assert waits == [0]
        await pilot.press("space")
        assert waits == [0, 1]


async def test_replay_plays_by_itself_and_can_be_stopped(monkeypatch, printed):
    apps = []
    monkeypatch.setattr("noughts.cli.games.has_screen", lambda: True)
    monkeypatch.setattr(ReplayApp, "run", lambda app: apps.append(app))
    db = filled(Path("games.db"), stages(A_WINS, step_ms=500))
    assert printed("replay", "last", "--speed", "0.5", db=db) == ""
    (app,) = apps
    async with app.run_test() as pilot:
        await settled(lambda: "Move 1 of 7" in screen_text(app))
        await pilot.press("space")
        assert "7 of 7" not in screen_text(app)
        await pilot.press("ctrl+c")
        await settled(lambda: not app.is_running)


async def test_help_over_a_screen_leaves_nothing_of_it():
    board = Board()
    board.says(Boot("00000A83", "V2", "1.0.0", "2798"), Menu("00000A83", "Hb"), *stages(A_WINS))
    with playing(board, Path("games.db")) as app:
        async with app.run_test(size=(80, 24)) as pilot:
            await settled(lambda: "move 7: A" in screen_text(app))
            await pilot.press("question_mark")
            await settled(lambda: "Any key goes back." in screen_text(app))
            assert not [line for line in screen_text(app).splitlines() if line[:2].strip()]


async def test_narrow_terminal_does_not_split_the_board_of_a_replay():
    with Store(filled(Path("games.db"), stages(A_WINS))) as store:
        app = ReplayApp(game(store, 1), None)
    async with app.run_test(size=(40, 24)) as pilot:
        await pilot.press("end")
        lines = [line.strip() for line in screen_text(app).splitlines()]
    first = next(number for number, line in enumerate(lines) if line.startswith("A B 3"))
    assert lines[first + 1].startswith("A A B") and lines[first + 2].startswith("A 8 B")


def events(store):
    """Boards in a game, unplugged, in an offline room, and by radio at an unplugged gateway."""
    store.name_board("usb-1", "table 1")
    yield BoardNamed("usb-1", "table 1")
    for number in (1, 2, 9, 10):
        yield PortOpened(f"usb-{number}", f"/dev/ttyACM{number}")
    for board, sentences in (
        ("usb-1", stages(A_WINS)[:4]),
        ("usb-2", stages(A_WINS, seats="PP")),
        ("usb-10", stages([4, 0], "x", seats="PE")),
        ("3b/usb-7", stages([0, 4, 8, 2, 3, 6])),
    ):
        for sentence in (BOOT, *sentences):
            added = insert(store, board, sentence, AT)
            yield SentenceStored(board, sentence, added.game, added.new)
    board, old = "radio-9A1B2C30", replace(stages(A_WINS)[-1], boot="BBBB")
    added = insert(store, board, old, AT, late=True)
    yield SentenceStored(board, old, added.game, added.new, True, added.played_before, "usb-9")
    for number in (2, 9):
        yield PortClosed(f"usb-{number}", f"/dev/ttyACM{number}", "pulled")
    yield StoreBusy("games.db")
    for number in range(3, 9):
        yield PortUnavailable(f"/dev/ttyACM{number}", "no permission \x1b[2J")
    yield BrokerUnavailable("mqtt://broker", "it hung up")
    yield BrokerAnswered("mqtt://broker", "connected")
    for room in ("3b", "10", "3c", "3"):
        yield RoomOffline(room)
    yield RoomOnline("3c")


@SIZES
def test_watch(snap_compare, size):
    with watching(Path("games.db")) as watch, Store(Path("games.db"), create=True) as store:
        app = WatchApp(watch)
        happens(watch, *events(store))

        async def shown(pilot):
            await settled(lambda: "sentences" in screen_text(app))
            await pilot.pause()

        assert snap_compare(app, terminal_size=size, run_before=shown)


@SIZES
def test_replay_of_a_mistake(snap_compare, size):
    with Store(filled(Path("games.db"), stages(A_WINS))) as store:
        stored_game = game(store, 1)
    assert snap_compare(ReplayApp(stored_game, None), terminal_size=size, press=["right", "right"])


@contextmanager
def watching(path):
    """A watch of nothing; the test says what happens."""
    Store(path, create=True).close()
    watch = Watch(path)
    watch.start()
    yield watch
    watch.close()


def happens(watch, *events):
    """Let a watch report these events, and wait until it has."""
    for event in events:
        watch.receive(event)
    for _ in range(2):  # the session takes them between these
        done = threading.Event()
        watch.receive(Delivered(done.set))
        assert done.wait(LIMIT_S)


@pytest.fixture
def screen(tmp_path):
    """Opens the screen of `watch` after these events; gives a pilot and the app."""

    @asynccontextmanager
    async def shown(events, size=USUAL, folder=tmp_path):
        with watching(folder / "games.db") as watch:
            app = WatchApp(watch)
            app.animation_level = "none"
            happens(watch, *events(folder / "games.db"))
            async with app.run_test(size=size) as pilot:
                await redraw(pilot)
                yield pilot, app, partial(happens, watch)

    return shown


async def redraw(pilot):
    """Wait until the app has drawn what has changed."""
    await pilot.pause(0.3)


def named_boards(count, path):
    """Named boards; on each, a person has won one game as A against hard."""
    with Store(path) as store:
        for number in range(count, 0, -1):
            board = f"usb-{number:048x}"
            store.name_board(board, f"table {number}")
            yield BoardNamed(board, f"table {number}")
            yield PortOpened(board, f"/dev/ttyACM{number}")
            boot = f"{number:08X}"
            for sentence in (replace(BOOT, boot=boot), stages(A_WINS, boot=boot)[-1]):
                added = insert(store, board, sentence, AT)
                yield SentenceStored(board, sentence, added.game, added.new)


@pytest.mark.parametrize("size", [SMALL, long(LARGE)])
async def test_thirty_boards_are_sorted_by_name_and_scroll(screen, size, tmp_path):
    folder = tmp_path / ("a-long-folder-" * 8)
    folder.mkdir()
    async with screen(partial(named_boards, 30), size, folder) as (pilot, app, _):
        *_, keys, status = shown = screen_text(app).splitlines()
        assert keys.strip().startswith("q quit  ? help") and keys.endswith("enter replay")
        assert status.endswith("games.db") and "stored in " in status
        titles = re.findall(r"table (\d+) V1", "\n".join(shown))
        assert titles[:3] == ["1", "2", "3"] or size[0] < 78
        assert titles == [str(number) for number in range(1, len(titles) + 1)]
        border = next(line for line in shown if "table 1 V1" in line)
        assert border.count("╭") == (size[0] - 1) // 26
        text = "\n".join(shown)
        assert "table 30" not in text.split("game ")[0]
        await pilot.press("tab", "end")
        await settled(lambda: "table 30 V1" in screen_text(app))


async def test_watch_continues_after_a_chosen_game_is_replayed(screen):
    async with screen(partial(named_boards, 5)) as (pilot, app, happens):
        await pilot.press("down", "down", "tab", "enter")  # also while the tiles have the focus
        await redraw(pilot)
        shown = screen_text(app)
        assert "game 3: A is a person, B is the chip (hard)" in shown
        assert "table 3" in shown and "q leave" in shown
        await pilot.press("right", "right")
        shown = screen_text(app)
        assert "Move 2 of 7" in shown and "A mistake: it turns a draw into a loss." in shown
        await pilot.press("q")
        await redraw(pilot)
        assert "q quit" in screen_text(app)
        await pilot.press("question_mark", "enter")  # which closes the help, and replays nothing
        await redraw(pilot)
        assert "q quit" in screen_text(app)
        happens(PortClosed("usb-" + "0" * 47 + "5", "/dev/ttyACM5", "pulled"))
        await redraw(pilot)
        assert "5 boards, 1 unplugged" in screen_text(app).splitlines()[0]
        assert app.is_running
        await pilot.press("q")
        await redraw(pilot)
        assert not app.is_running


async def test_screen_ends_with_its_watch(tmp_path):
    """The command then says what went wrong."""

    def fail():
        raise KeyError("seats")

    watch = Watch(tmp_path / "games.db")
    app = WatchApp(watch)
    async with app.run_test():
        watch.receive(Delivered(fail))
        watch.start()
        await settled(lambda: not app.is_running)
    watch.close()
    assert "KeyError('seats')" in watch.error


async def test_chosen_game_stays_chosen_when_others_end(screen, tmp_path):
    async with screen(lambda path: [], SMALL) as (pilot, app, happens):
        shown = screen_text(app)
        assert "No board yet: plug one in." in shown and "no game has ended yet" in shown
        await pilot.press("enter")  # there is nothing to replay
        with Store(tmp_path / "games.db") as store:
            for number in range(1, 5):
                sentence = stages(A_WINS, number=number)[-1]
                added = insert(store, "usb-1", sentence, AT)
                happens(SentenceStored("usb-1", sentence, added.game, added.new))
                await redraw(pilot)
                if number == 2:
                    await pilot.press("down")  # to game 1
        await pilot.press("enter")
        await redraw(pilot)
        assert "game 1: A is a person" in screen_text(app)
