"""One game, several ways: by cable, by radio, from other rooms, told at once or late."""

import tempfile
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from needed import long
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game
from noughts.store.queries import GameFilter, games
from noughts.store.store import Store
from sample_games import AT, DRAW, stages

CABLES = ("usb-1", "3b/usb-1", "COM3", "file-capture.log")
RADIOS = ("radio-9A1B2C3D", "3b/radio-9A1B2C3D", "4a/radio-9A1B2C3D")
ROWS = (
    "SELECT boot, number, seats, first, name, moves, times, ms, end, started, heard, "
    "played_before, by_radio FROM games JOIN boards ON boards.id = board "
    "ORDER BY boot, number, seats, first, moves, times, ms, end, name"
)
"""All but the rows' own numbers."""
TOLD = stages(DRAW, boot="3E5A5FD2")
RADIO, CABLE = RADIOS[0], CABLES[0]


class Delivery(NamedTuple):
    """A sentence, as it comes to the store."""

    board: str
    sentence: Game
    at: int | None
    late: bool


def kept(heard):
    """All that a store holds after this."""
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder, "db"), create=True) as store:
        for each in heard:
            store.add(*each)
        rows = store.read(ROWS)
        for each in heard:
            assert not store.add(*each).new
        assert store.read(ROWS) == rows
        assert len(list(games(store, GameFilter()))) == len(rows)
        return rows


@pytest.mark.parametrize("examples", [40, long(400)])
def test_a_game_is_one_row_by_whatever_ways_it_comes(examples):
    """What the store must hold is found out by looking at all lines at once."""
    abandoned = stages(DRAW[:4], "x", boot="3E5A5FD2")
    when = st.tuples(st.none() | st.integers(AT, AT + 10**6), st.booleans())

    def deliveries(game):
        ways = st.tuples(st.sampled_from(CABLES + RADIOS), st.sampled_from(game))
        return st.dictionaries(ways, when, min_size=1)

    @example({(each, TOLD[0]): (AT, False) for each in (CABLES[-1], RADIO)}, Random(1))
    @settings(max_examples=examples)
    @given(st.sampled_from([TOLD, TOLD[-1:], abandoned]).flatmap(deliveries), st.randoms())
    def check(received, dice):
        heard = [
            Delivery(board, told, at, late and told.end != "-")
            for (board, told), (at, late) in received.items()
        ]
        dice.shuffle(heard)
        final = max((each.sentence for each in heard), key=attrgetter("ms"))
        timed = [each for each in heard if each.at is not None]
        live = [each for each in timed if not each.late]
        live = [each for each in live if not is_by_radio(each.board)] or live
        before = None if live else min((each.at for each in timed), default=None)
        plies = {len(each.sentence.moves) for each in heard if each.sentence.end != "x"}
        ms = [str(ply * 1000) if ply in plies else "" for ply in range(1, len(final.moves) + 1)]
        boards = {each.board for each in heard}
        by_cable = any(each.sentence == final and not is_by_radio(each.board) for each in heard)
        assert kept(heard) == [(
            final.boot, final.number, final.seats, final.first,
            next(each for each in CABLES + RADIOS if each in boards),
            "".join(map(str, final.moves)), ",".join(ms), final.ms, final.end,
            min((each.at - each.sentence.ms for each in live), default=None),
            max((each.at for each in live), default=before), before, int(not by_cable),
        )]  # fmt: skip

    check()


@st.composite
def contradictions(draw, boards):
    """Sentences of games that got the same ids, some of them invented, some without a moment."""
    heard = []
    timed = draw(st.booleans())
    for cells in ([4, 0, 2, 6], [4, 0, 8], [4]):
        for sentence in stages(cells, draw(st.sampled_from([None, "x"])), boot="3E5A5FD2"):
            for ms in draw(st.lists(st.integers(0, 6), max_size=2)):
                board = draw(st.sampled_from(boards))
                told = replace(sentence, ms=ms * 500)
                late = told.end != "-" and (is_by_radio(board) or draw(st.booleans()))
                at = AT + draw(st.integers(0, 9000)) if timed else None
                heard.append(Delivery(board, told, at, late))
    return draw(st.permutations(heard))


@pytest.mark.parametrize("examples", [40, long(400)])
@pytest.mark.parametrize("boards", [["usb-1"], ["usb-1", *RADIOS]])
def test_contradictions_are_the_same_games_in_any_order_and_no_time_runs_backwards(
    boards, examples
):
    @settings(max_examples=examples)
    @given(contradictions(boards), st.randoms(use_true_random=False))
    def check(heard, dice):
        rows = kept(heard)
        assert kept(dice.sample(heard, len(heard)) + dice.sample(heard, len(heard) // 2)) == rows
        for *_, times, ms, _end, _started, _heard, _before, _by_radio in rows:
            known = [int(time) for time in times.split(",") if time]
            assert known == sorted(known)
            assert not known or ms >= known[-1]

    check()


@settings(max_examples=50)
@given(contradictions(RADIOS), st.randoms(use_true_random=False))
def test_cable_game_is_one_whole_row_despite_radio(invented, dice):
    """Somebody near knows the boot, and sends a start, an end and moves that were not."""
    by_cable = [Delivery(CABLE, told, AT + told.ms, False) for told in TOLD]
    heard = sorted(by_cable + invented, key=lambda _: dice.random())
    (cable,) = [row for row in kept(heard) if row[-1] == 0]
    assert cable == kept(by_cable)[0]


def test_a_game_told_late_that_contradicts_a_live_one_gets_no_start():
    """However often the two are read: what is live belongs to the live one."""
    live = [Delivery(CABLE, told, AT + told.ms, False) for told in TOLD[:3]]
    late = Delivery(CABLE, stages([4, 8, 0, 1, 2], boot="3E5A5FD2")[-1], AT + 10**6, True)
    rows = kept([*live, late])
    assert kept([late, *live]) == kept([*live, late, *live, late]) == rows
    assert [(row[5], row[9]) for row in rows] == [("40", AT), ("48012", None)]
