"""A watch: its order at the end, its failures, its sinks and subscribers; games of `play`."""

import sqlite3
import tempfile
import threading
from contextlib import closing

import pytest

from needed import POSIX
from noughts.errors import StoreError
from noughts.recording.data_logs import DataLogs
from noughts.recording.events import BoardNamed, BrokerUnavailable, PortOpened, SentenceStored
from noughts.recording.port_monitor import PortMonitor
from noughts.recording.sources import DataReceived, QueuedSource
from noughts.recording.watch import Watch
from noughts.store.store import Store
from noughts.terminal.play import PlayedGames
from noughts.virtual.virtual_boards import VirtualBoards
from sample_games import A_WINS, AT, BOOT, DRAW, stages, wire
from waiting import until
from watcher import rows

BOARD = "virtual-V2"


class Order(QueuedSource):
    """A source and a sink that note what was stored, and whether the store was open, at the end."""

    def __init__(self, path):
        super().__init__()
        self.path, self.stores, self.ended = path, [], []

    def poll(self):
        return super().poll()

    def pass_on(self, store):
        self.stores.append(store)
        return []

    def close(self):
        # SQLite removes the log when the last program closes the store.
        is_open = self.path.with_name("games.db-wal").exists()
        self.ended.append((rows(self.path), is_open))


def fail(*_):
    raise KeyError("a fault in a thread")


def looked_for_ports(monkeypatch):
    return PortMonitor(find=fail)


def opened_port(monkeypatch):
    monkeypatch.setattr("noughts.recording.port_monitor.open_port", fail)
    return PortMonitor(["/dev/ttyNONE"], find=list)


def looked_for_drives(monkeypatch):
    return DataLogs(find=fail)


def started_board(monkeypatch):
    boards = VirtualBoards(1, PortMonitor(find=list), start_board=fail)
    boards.start()
    return boards


@pytest.mark.parametrize(
    "source", [looked_for_ports, opened_port, looked_for_drives, started_board]
)
def test_fault_in_a_thread_of_a_source_ends_the_watch(tmp_path, monkeypatch, source):
    watch = Watch(tmp_path / "games.db", [source(monkeypatch)])
    with closing(watch):
        watch.start()
        until(watch.stop.is_set, "the end")
    assert "a fault in a thread" in watch.error
    with pytest.raises(KeyError):
        watch.raise_fault()


class Faulty(QueuedSource):
    """Its thread fails, once and again."""

    def fails(self):
        for _ in range(2):
            self.faults.keep(fail)


@pytest.mark.parametrize("has_fallback", [True, False])
def test_fault_in_a_thread_loses_nothing_that_was_received(tmp_path, has_fallback):
    """With a fallback, such as on the page, recording goes on in the same store."""
    path = tmp_path / "games.db"
    whole, faulty, waiting = QueuedSource(), Faulty(), QueuedSource()
    watch = Watch(path, [whole, faulty, waiting], has_fallback=has_fallback)
    faulty.fails()
    for number, source in enumerate((whole, waiting), 1):
        sentences = stages(DRAW, number=number)
        source.put(DataReceived(BOARD, wire(*([BOOT] * (number == 1)), *sentences), AT))
    watch.start()
    until(lambda: watch.error, "the fault")
    if has_fallback:
        assert watch.storage == "stored" and not watch.stop.is_set()
        sends(watch, *stages(DRAW, number=3))
    watch.close()
    assert "a fault in a thread" in watch.error
    assert rows(path) == [(2 + has_fallback,)]


def test_games_are_stored_only_for_a_while_as_soon_as_the_store_has_failed(tmp_path, monkeypatch):
    """Not only once the temporary store is there."""
    monkeypatch.setattr(Store, "add_many", fail_with(StoreError("no room; free some")))
    storages, temporary_directory = [], tempfile.TemporaryDirectory

    def folder(**options):
        storages.append(watch.storage)
        return temporary_directory(**options)

    monkeypatch.setattr(tempfile, "TemporaryDirectory", folder)
    watch = Watch(tmp_path / "games.db", has_fallback=True)
    sends(watch, BOOT)
    watch.start()
    until(watch.stop.is_set, "the temporary store fails, too")
    watch.close()
    assert storages == ["stored only until noughts ends"]


def sends(watch, *sentences):
    watch.receive(DataReceived(BOARD, wire(*sentences), AT))


def test_everything_is_stored_then_sinks_and_sources_end_then_the_store_closes(tmp_path):
    """Closing a store releases all locks of the process; a sink needs its store at the end."""
    path = tmp_path / "games.db"
    source, sink = Order(path), Order(path)
    watch = Watch(path, [source], [sink])
    watch.start()
    source.put(DataReceived(BOARD, wire(BOOT, *stages(DRAW)), AT))
    watch.close()
    assert source.ended == sink.ended == [([(1,)], True)]
    assert not path.with_name("games.db-wal").exists()
    watch.close()
    assert len(source.ended) == len(sink.ended) == 1


def test_sources_end_before_the_store_even_if_it_fails(tmp_path, monkeypatch):
    path = tmp_path / "games.db"
    source, sink = Order(path), Order(path)
    watch = Watch(path, [source], [sink])
    monkeypatch.setattr(Store, "add_many", fail_with(StoreError("no room; free some")))
    watch.start()
    source.put(DataReceived(BOARD, wire(BOOT), AT))
    until(watch.stop.is_set, "the end of the watch")  # nobody has to ask for it
    watch.close()
    assert source.ended == sink.ended == [([(0,)], True)]
    assert watch.error == "no room; free some"


def test_store_stays_open_until_a_close_in_another_thread_has_closed_the_sinks(tmp_path):
    """A caller that does not wait longer for the watch closes them itself."""
    polled, goes_on = threading.Event(), threading.Event()

    class Slow(Order):
        def poll(self):
            polled.set()
            assert goes_on.wait(120)
            return super().poll()

        def close(self):
            goes_on.set()
            threading.Event().wait(0.2)  # the watch may go on
            super().close()

    path = tmp_path / "games.db"
    source = Slow(path)
    watch = Watch(path, [source])
    watch.start()
    assert polled.wait(120)
    watch.close(0)
    watch.close()
    assert source.ended == [([(0,)], True)]


def fail_with(error):
    def fail(*_):
        raise error

    return fail


def test_sink_is_told_after_storing_and_its_events_reach_everybody(tmp_path):
    path, waiting = tmp_path / "games.db", BrokerUnavailable("mqtt://broker", "no collector")

    class Sink(Order):
        def pass_on(self, store):
            self.stores.append([*store.read("SELECT count(*) FROM games")])
            return [waiting] if len(self.stores) == 1 else []

    sink, events = Sink(path), []
    watch = Watch(path, [], [sink])
    watch.subscribe(events.extend)
    sends(watch, *stages([4]))
    watch.start()
    watch.close()
    assert sink.stores[-1] == [(1,)]
    assert waiting in events and kinds(events).count(SentenceStored) == 2
    assert watch.session.waiting == {"mqtt://broker": "no collector"}


def test_what_was_stored_is_shown_even_if_a_sink_fails(tmp_path):
    class FailingSink(Order):
        def pass_on(self, store):
            raise KeyError("a fault in a sink")

    path, shown = tmp_path / "games.db", []
    watch = Watch(path, [], [FailingSink(path)])
    watch.subscribe(shown.extend)
    sends(watch, BOOT)
    watch.start()
    until(watch.stop.is_set, "the end of the watch")
    watch.close()
    assert BOOT in [event.sentence for event in shown if isinstance(event, SentenceStored)]
    assert BOARD in watch.session.boards
    assert "a fault in a sink" in watch.error


def test_session_knows_names_and_is_newer_than_what_subscribers_get(tmp_path):
    with Store(tmp_path / "games.db", create=True) as store:
        store.name_board(BOARD, "red")
    watch, texts = Watch(tmp_path / "games.db"), []
    watch.subscribe(lambda events: texts.extend(e.text(watch.session.display_name) for e in events))
    watch.receive(PortOpened("usb-1", "/dev/ttyACM0"))
    watch.receive(BoardNamed("usb-1", "blue"))
    sends(watch, BOOT)
    watch.start()
    watch.close()
    assert texts[0] == "blue: connected (/dev/ttyACM0)"
    assert texts[2].startswith("red: board started")


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (StoreError("no room to write; free some"), "no room to write; free some"),
        (OSError(5, "Input/output error", "disk"), "cannot use disk (Input/output error); check"),
        (KeyError("seats"), "a fault of noughts (KeyError('seats')); please report it"),
        (sqlite3.InternalError("odd"), "a fault of noughts (InternalError('odd')); please report"),
    ],
    ids=["store", "system", "fault", "foreign"],
)
@pytest.mark.parametrize("has_fallback", [True, False])
def test_whatever_fails_becomes_the_error(tmp_path, monkeypatch, error, why, has_fallback):
    """And with a fallback, the boards stay on the screen."""
    add_many = Store.add_many

    def fail(store, received):
        if store.path.parent == tmp_path:
            raise error
        return add_many(store, received)

    monkeypatch.setattr(Store, "add_many", fail)
    watch = Watch(tmp_path / "games.db", has_fallback=has_fallback)
    sends(watch, *stages(DRAW))
    watch.start()
    if has_fallback:
        until(lambda: watch.store_path.parent != tmp_path, "the temporary store")
        sends(watch, *stages(A_WINS, number=2))
    else:
        until(watch.stop.is_set, "its end")
    watch.close()
    assert watch.error.startswith(why)
    # What a fault may have come from is not tried again.
    kept = isinstance(error, StoreError)
    assert watch.session.games == (1 + kept if has_fallback else 0)
    assert rows(tmp_path / "games.db") == [(0,)]
    assert not watch.store_path.exists() or not has_fallback
    if why.startswith("a fault"):
        with pytest.raises(type(error)):
            watch.raise_fault()
    else:
        watch.raise_fault()


def test_source_that_fails_becomes_the_error(tmp_path):
    class Broken(QueuedSource):
        def poll(self):
            raise RuntimeError("set changed size during iteration")

    watch = Watch(tmp_path / "games.db", [Broken()])
    watch.start()
    until(watch.stop.is_set, "its end")
    assert "RuntimeError('set changed size during iteration')" in watch.error
    watch.close()


@POSIX
def test_replacement_of_a_deleted_store_is_reported(tmp_path):
    watch = Watch(tmp_path / "games.db")
    games = PlayedGames(watch)
    watch.start()
    sends(watch, BOOT, *stages(A_WINS))
    until(lambda: games.stored, "the game")
    for file in tmp_path.glob("games.db?*"):
        file.unlink()
    sends(watch, *stages(DRAW, number=2))
    watch.close()
    assert watch.error == ""
    assert "games are stored in" in watch.moved and "games-2.db" in watch.moved
    assert watch.store_path.name == "games-2.db"


def kinds(events):
    return [type(event) for event in events]


@pytest.fixture
def played(tmp_path):
    """The games of a board that has sent these sentences, to a store of this name."""

    def play(*sentences, store="games.db"):
        watch = Watch(tmp_path / store, has_fallback=True)
        games = PlayedGames(watch)
        events = []  # which `games` has taken, since it was there first
        watch.subscribe(events.extend)
        sends(watch, *sentences)
        watch.start()
        with closing(watch):
            until(lambda: kinds(events).count(SentenceStored) == len(sentences), "the sentences")
            last = watch.game(games.last) if games.last else None
        return watch, games, last

    return play


def test_played_games_have_a_score_and_the_last_one(played):
    watch, games, last = played(
        BOOT,
        stages(A_WINS, boot="AAAAAAAA")[-1],  # resent, from an earlier session
        *stages(A_WINS, step_ms=500),
        *stages(DRAW, number=2)[4:],
        *stages(DRAW[:2], end="x", number=3),
        *stages([], end="x", number=4),  # without a move
        *stages(A_WINS, seats="PP", number=5)[:5],
    )
    assert games.stored == {1, 2, 3, 4} and watch.error == ""
    assert games.scores == {"PH": {"A": 1, "=": 1}}
    assert (last.id, last.board, last.hardware, last.result) == (3, BOARD, "V1", "draw")
    assert last.thought_ms == [None] * 4 + [1000] * 5


def test_games_are_played_on_if_the_store_cannot_be_made(played, tmp_path):
    (tmp_path / "file").write_text("not a folder")
    watch, games, last = played(BOOT, *stages(A_WINS), store="file/games.db")
    assert "cannot make the folder" in watch.error
    assert not games.stored and last.result == "A"
