"""Games that a board stores: in a V1's ring of files, and in a V2's data log."""

from ast import literal_eval
from contextlib import closing

import microfs
import pytest

from boards import A, B, Driver, Player
from data_logs import COLUMNS, as_row
from needed import long
from noughts import brain
from noughts.boards.packing import files_for_boards, pack
from noughts.boards.ports import open_port
from noughts.boards.put import bring_up_to_date
from noughts.boards.radio import OFF, files_with
from noughts.brain.device import device_files
from noughts.protocol.parser import Noise
from noughts.protocol.sentences import Game
from noughts.recording.recorder import Recorder
from noughts.store.lines import Received
from noughts.store.store import Store
from noughts.terminal.output import progress
from noughts.virtual.program import program
from official import stepped
from sample_games import receive, write
from stepped_ports import SteppedBoard

NEWEST = 24
FIRST_MS, SECOND_MS = 1_000_000_000_000, 1_000_000_900_000
FOREIGN = {
    **{name: name.encode() * 40 for name in "öäüßéñ日"},
    **{name: name.encode() * 9 for name in ("~", "~A", "~@x", "~.py", "-", ".", "..")},
    **{f"{number}": b"%d bottles" % number for number in (24, 25, 64, 65, 99, 100000)},
    **{f"00{number}": b"agent" for number in range(4)},
    **{f"{number}.txt": bytes(range(256)) for number in range(4)},
    **dict.fromkeys(("settings.txt", "Settings", "settings ", "kept"), b"Hb"),
    "log": b"boot,game",
    "x" * 100: b"long",
    "big": b"big" * 500,
}
"""Files that are not the game's."""
LISTING = [
    "import os",
    "def content(name):\n with open(name, 'rb') as file: return file.read()",
    "for name in os.listdir(): print((name, content(name)))",
]


def play(player, games):
    """Play some games, and leave each after a few moves; returns the last sentence of each."""
    played = []
    for number in range(games):
        player.begin()
        for _ in range(number % 3):
            player.tap(B)
        player.leave()
        played.append(player.games[-1])
    return played


def lesson(kind, seed):
    """A board that was switched off twice during a game, and the games that ended on it."""
    player = Player(program(kind).microbit(seed))
    ended = []
    for switched_on in range(2):
        player.start()
        ended += play(player, 2 + seed % 3)
        player.begin()
        player.rest(10 * switched_on)
        player.cut_power()
    return player, ended


def resent_after_restart(player):
    """The games that a board resends when it next starts."""
    player.cut_power()
    player.start()
    player.rest(500)
    return player.resent


def test_v1_resends_its_newest_games_at_each_start():
    older_games = [
        Game("0ABADB07", number, "PH", "A", (4,), 900, "x") for number in range(1, NEWEST)
    ]
    ring = {
        str(number % NEWEST): f"{number}{write(game)}".encode()
        for number, game in enumerate(older_games, 100_010)
    }
    player = Player(program("V1", {**device_files(), **ring}).microbit())
    player.start()
    played = older_games + play(player, 4)
    again = resent_after_restart(player)
    assert sorted(again, key=played.index) == played[-NEWEST:]
    assert resent_after_restart(player) == again


def test_v2_adds_a_row_for_each_game_to_its_data_log():
    player = Player(program("V2").microbit())
    player.start()
    played = play(player, 2)
    assert player.logged == played
    assert resent_after_restart(player) == []
    assert [*played, *play(player, 1)] == player.logged


@pytest.mark.parametrize(("kinds", "games_played"), [(["V1"], 4), long(["V1", "V2", "V2"], 18)])
def test_games_played_without_cables_reach_the_store(tmp_path, kinds, games_played):
    boards = [(kind, seed, *lesson(kind, seed)) for seed, kind in enumerate(kinds)]
    expected_rows = [as_row(game) for *_, ended in boards for game in ended]
    with closing(Store(tmp_path / "games.db", create=True)) as store:
        recorder = Recorder(store)
        for at in (FIRST_MS, SECOND_MS):  # plugged in twice
            for kind, seed, player, _ in boards:
                player.board.run_for(2e6)
                name = f"usb-{kind}-{seed}"
                receive(recorder, name, player.board.uart.receive(), at)
                if kind == "V2":
                    recorder.store.add_many(
                        [Received.of(name, game, at, late=True) for game in player.logged]
                    )
                player.cut_power()
        assert len(expected_rows) == games_played
        assert sorted(store.read(f"SELECT {COLUMNS} FROM games")) == sorted(expected_rows)
        assert set(store.read("SELECT started, played_before FROM games")) == {(None, FIRST_MS)}


@pytest.mark.parametrize(
    ("firmware", "fault", "why"),
    [
        ("V2 2.1.2", b"def add(i): raise OSError(28)\nlog.add = add\n", "[Errno 28] ENOSPC"),
        long("V2 2.0.0-beta.5", b"", "no module named 'log'"),
    ],
)
def test_v2_that_cannot_store_games_warns_once_and_plays(firmware, fault, why):
    files = device_files()
    if fault:
        files["games_v2.py"] += b"class log:\n add = None\n" + fault
    driver = Driver(stepped(firmware)(files))
    driver.start()
    for buttons in ((B,), (A, B)) * 2:
        driver.press(*buttons, up_ms=300)
    assert [game.end for game in driver.games] == ["-", "x"] * 2
    noise = [item for item in driver.items if isinstance(item, Noise)]
    assert noise == [Noise(f"games are not stored: {why}")]


@pytest.mark.parametrize("kind", ["V1", long("V2")])
def test_other_files_survive_starts_games_and_put(kind, clock):
    foreign = FOREIGN
    if kind == "V2":  # it has 36 chunks for others' files
        foreign = {name: content[:60] for name, content in FOREIGN.items() if name[:2] != "00"}
    player = Player(program(kind, {**device_files(), **foreign}).microbit())
    for buttons in (A,), (A, B), (A,):
        player.start()
        player.tap(*buttons)
        play(player, 2)
        player.cut_power()
    board = SteppedBoard(clock, player.board)
    table = brain.source(brain.Table(brain.WEIGHTS, (*brain.make_table().book, 65535)))
    game = {**files_with(OFF, kind, files_for_boards()), "table.py": pack(table.encode())}
    bring_up_to_date(board.port, game, False, str, progress)
    with closing(open_port(board.port)) as port:
        port.timeout = 10
        printed, error = microfs.execute(LISTING, port)
    files_found = dict(map(literal_eval, printed.decode().splitlines()))
    assert error == b"" and {name: files_found[name] for name in foreign} == foreign
