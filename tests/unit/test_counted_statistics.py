"""Statistics for the page in the browser: counted again only when there is something new."""

import asyncio
import json
from concurrent.futures import ThreadPoolExecutor

from noughts.store.filter_words import ChosenGames
from noughts.store.store import Store
from noughts.web.statistics import CountedStatistics
from sample_games import AT, filled, keep, stages

DRAW = [4, 0, 2, 6, 3, 5, 1, 7, 8]


def test_what_was_counted_is_kept_until_somebody_writes(tmp_path):
    db = filled(tmp_path / "games.db", *(stages(DRAW, number=number) for number in range(1, 4)))
    filled(db, stages(DRAW), board="usb-2")

    async def look() -> None:
        counted = CountedStatistics(db)
        everything, board = ChosenGames(), ChosenGames(boards=("usb-2",))
        first = await counted.of(everything)
        assert json.loads(first)["games"] == 4
        assert await counted.of(everything) is first
        assert json.loads(await counted.of(board))["games"] == 1
        with Store(db) as watch:
            for sentence in stages(DRAW, number=2):
                keep(watch, "usb-2", sentence, AT)
            assert json.loads(await counted.of(everything))["games"] == 5
            assert await counted.of(everything) is await counted.of(everything)
        assert json.loads(await counted.of(board))["games"] == 2

    with ThreadPoolExecutor(1) as thread:  # a browser of other tests may have a loop in this one
        thread.submit(asyncio.run, look()).result()
