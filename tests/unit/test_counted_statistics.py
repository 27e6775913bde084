"""Statistics for the page in the browser: counted again only when there is something new."""

import asyncio
import json
import os
from pathlib import Path

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
        assert json.loads(first)["total"] == 4
        Path(f"{db}-wal").touch()  # an empty log: somebody reads
        assert await counted.of(everything) is first
        assert json.loads(await counted.of(board))["total"] == 1
        with Store(db) as watch:
            for sentence in stages(DRAW, number=2):
                keep(watch, "usb-2", sentence, AT)
            assert json.loads(await counted.of(everything))["total"] == 5
            assert await counted.of(everything) is await counted.of(everything)
        assert json.loads(await counted.of(board))["total"] == 2

    asyncio.run(look())


def test_the_choice_that_was_looked_at_longest_ago_is_forgotten(tmp_path):
    async def look() -> None:
        counted = CountedStatistics(filled(tmp_path / "games.db", stages(DRAW)))
        choices = [ChosenGames(boards=(str(number),)) for number in range(17)]
        for each in choices[:16]:
            await counted.of(each)
        first, second = [await counted.of(each) for each in choices[:2]]
        third = await counted.of(choices[2])
        assert await counted.of(choices[0]) is first
        await counted.of(choices[16])
        assert [await counted.of(each) for each in choices[:2]] == [first, second]
        assert await counted.of(choices[0]) is first and await counted.of(choices[1]) is second
        assert await counted.of(choices[2]) is third
        assert counted._kept.keys() == {*choices} - {choices[3]}

    asyncio.run(look())


def test_only_one_is_counted_at_a_time(tmp_path):
    async def look() -> None:
        counted = CountedStatistics(filled(tmp_path / "games.db", stages(DRAW)))
        one, other = await asyncio.gather(*(counted.of(ChosenGames()) for _ in range(2)))
        assert one is other

    asyncio.run(look())


def test_another_store_in_its_place_is_counted_anew(tmp_path):
    """Even where it was written at the same moment."""
    db, other = tmp_path / "games.db", tmp_path / "other.db"
    filled(db, stages(DRAW))
    filled(other, stages(DRAW), stages(DRAW, number=2))
    assert db.stat().st_size == other.stat().st_size

    async def look() -> None:
        counted = CountedStatistics(db)
        assert json.loads(await counted.of(ChosenGames()))["total"] == 1
        was = db.stat()
        os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
        other.replace(db)
        assert json.loads(await counted.of(ChosenGames()))["total"] == 2

    asyncio.run(look())
