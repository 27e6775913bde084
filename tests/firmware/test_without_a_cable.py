"""Games of boards that had no cable in while they were played: a reset is enough."""

import pytest

from noughts.store.store import Store
from noughts.watch.recorder import Recorder
from soak.machine import Machine
from soak.player import B, Player

BOARDS = 2
COLUMNS = "SELECT boot, number, seats, first, moves, ms, end FROM games"
FIRST_MS, SECOND_MS = 1_000_000_000_000, 1_000_000_900_000


def as_row(game):
    moves = "".join(map(str, game.moves))
    return game.boot, game.number, game.seats, game.first, moves, game.ms, game.end


def lesson(kind, seed):
    """A board that was switched off in the middle of games, and the games that ended on it."""
    machine = Machine(kind, seed)
    player = Player(machine)
    ended = []
    for switched_on in range(3):
        player.boots()
        for number in range(2 + seed % 3):
            player.start()
            for _ in range(number):
                player.tap(B)
            player.leave()
        ended += [game for game in player.games if game.end != "-"]
        player.start()
        machine.rest(10 * switched_on)
        machine.cut_power()
    return machine, ended


@pytest.mark.parametrize("kind", ["V1", "V2"])
def test_every_game_is_in_the_store_after_a_reset(kind, tmp_path):
    store = Store(tmp_path / "games.db", create=True)
    recorder = Recorder(store, None)
    wanted = []
    for seed in range(BOARDS):
        machine, ended = lesson(kind, seed)
        wanted += map(as_row, ended)
        for at in (FIRST_MS, SECOND_MS):  # plugged in, and reset once more
            machine.rest(4000)
            recorder.hear(f"usb-{seed}", machine.heard(), at)
            machine.cut_power()
    assert len(wanted) == 15
    assert sorted(store.read(COLUMNS)) == sorted(wanted)
    assert set(store.read("SELECT started, played_before FROM games")) == {(None, FIRST_MS)}
    store.close()
