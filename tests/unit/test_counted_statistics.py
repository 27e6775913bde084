"""Statistics for the page in the browser: counted again only when there is something new."""

import asyncio
import json
import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from noughts.store.filter_words import ChosenGames
from noughts.store.store import Store
from noughts.web.statistics import CountedStatistics
from sample_games import AT, DRAW, filled, keep, stages

EVERYTHING = ChosenGames()


def of(counted, *choices):
    """What is counted for these, one after the other."""

    async def ask():
        return [await counted.of(each) for each in choices]

    with ThreadPoolExecutor(1) as thread:  # a browser of other tests may have a loop in this one
        return thread.submit(asyncio.run, ask()).result()


def total(counted, choice=EVERYTHING):
    (text,) = of(counted, choice)
    return json.loads(text)["total"]


def test_what_was_counted_is_kept_until_somebody_writes(tmp_path):
    db = filled(tmp_path / "games.db", *(stages(DRAW, number=number) for number in range(1, 4)))
    filled(db, stages(DRAW), board="usb-2")
    counted, board = CountedStatistics(db), ChosenGames(boards=("usb-2",))
    (first,) = of(counted, EVERYTHING)
    assert json.loads(first)["total"] == 4
    Path(f"{db}-wal").touch()  # an empty log: somebody reads
    assert of(counted, EVERYTHING)[0] is first
    assert total(counted, board) == 1
    with Store(db) as watch:
        for sentence in stages(DRAW, number=2):
            keep(watch, "usb-2", sentence, AT)
        assert total(counted) == 5
        one, other = of(counted, EVERYTHING, EVERYTHING)
        assert one is other
    assert total(counted, board) == 2


def test_the_choice_that_was_looked_at_longest_ago_is_forgotten(tmp_path):
    counted = CountedStatistics(filled(tmp_path / "games.db", stages(DRAW)))
    choices = [ChosenGames(boards=(str(number),)) for number in range(17)]
    of(counted, *choices[:16])
    known = of(counted, *choices[:3])
    assert of(counted, choices[0])[0] is known[0]
    of(counted, choices[16])
    for one, other in zip(of(counted, *choices[:3]), known, strict=True):
        assert one is other
    assert counted._kept.keys() == {*choices} - {choices[3]}


def test_only_one_is_counted_at_a_time(tmp_path):
    async def look() -> None:
        counted = CountedStatistics(filled(tmp_path / "games.db", stages(DRAW)))
        one, other = await asyncio.gather(*(counted.of(EVERYTHING) for _ in range(2)))
        assert one is other

    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, look()).result()


def test_another_store_in_its_place_is_counted_anew(tmp_path):
    """Even where it was written at the same moment."""
    db, other = tmp_path / "games.db", tmp_path / "other.db"
    filled(db, stages(DRAW))
    filled(other, stages(DRAW), stages(DRAW, number=2))
    assert db.stat().st_size == other.stat().st_size
    counted = CountedStatistics(db)
    assert total(counted) == 1
    was = db.stat()
    os.utime(other, ns=(was.st_atime_ns, was.st_mtime_ns))
    other.replace(db)
    assert total(counted) == 2
