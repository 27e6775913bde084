"""Games of boards that had no cable in while they were played: a reset is enough."""

import pytest

from needed import long
from noughts.store.store import Store
from noughts.watch.recorder import Recorder
from unplugged import COLUMNS, as_row, lesson

BOARDS = 2
FIRST_MS, SECOND_MS = 1_000_000_000_000, 1_000_000_900_000


@pytest.mark.parametrize("kind", ["V1", long("V2")])
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
    assert sorted(store.read(f"SELECT {COLUMNS} FROM games")) == sorted(wanted)
    assert set(store.read("SELECT started, played_before FROM games")) == {(None, FIRST_MS)}
    store.close()
