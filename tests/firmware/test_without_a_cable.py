"""Games of boards that had no cable in: a V1 sends them after a reset, a V2 has its data log."""

from contextlib import closing

import pytest

from data_logs import log_on_drive
from needed import long
from noughts.protocol.data_log import games
from noughts.store.store import Store
from noughts.watch.recorder import Recorder
from unplugged import COLUMNS, as_row, lesson

FIRST_MS, SECOND_MS = 1_000_000_000_000, 1_000_000_900_000


@pytest.mark.parametrize(("each", "games_played"), [(1, 12), long(2, 30)])
def test_every_game_of_a_class_is_in_the_store(tmp_path, each, games_played):
    boards = [(kind, seed, *lesson(kind, seed)) for kind in ("V1", "V2") for seed in range(each)]
    wanted = [as_row(game) for *_, ended in boards for game in ended]
    with closing(Store(tmp_path / "games.db", create=True)) as store:
        recorder = Recorder(store, None)
        for at in (FIRST_MS, SECOND_MS):  # plugged in, and once more
            for kind, seed, machine, _ in boards:
                machine.rest(4000)
                name = f"usb-{kind}-{seed}"
                recorder.hear(name, machine.heard(), at)
                if kind == "V2":
                    recorder.take_log(name, games(log_on_drive(machine.microbit)), at)
                    recorder.settle()
                machine.cut_power()
        assert len(wanted) == games_played
        assert sorted(store.read(f"SELECT {COLUMNS} FROM games")) == sorted(wanted)
        assert set(store.read("SELECT started, played_before FROM games")) == {(None, FIRST_MS)}
