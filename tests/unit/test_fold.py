"""One game, several ways: by cable, by radio, from other rooms, told at once or late."""

import tempfile
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from needed import long
from noughts.protocol.radio_boards import is_by_radio
from noughts.protocol.sentences import Game, outcome
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


class Delivery(NamedTuple):
    """A sentence, as it comes to the store."""

    board: str
    sentence: Game
    at: int | None
    late: bool


@st.composite
def whole_games(draw):
    """The sentences of a game, and when it began."""
    first = draw(st.sampled_from("AB"))
    cells = []
    for cell in draw(st.permutations(range(9))):
        if outcome(tuple(cells), first) == "-":
            cells.append(cell)
    end = None
    if draw(st.booleans()):
        cells, end = cells[: draw(st.integers(0, 4))], "x"
    boot, number = draw(st.sampled_from(["3E5A5FD2", "00000001"])), draw(st.integers(1, 2))
    step_ms = draw(st.sampled_from([0, 1, 900]))
    told = stages(cells, end, number=number, first=first, step_ms=step_ms, boot=boot)
    if draw(st.booleans()):
        told = told[: draw(st.integers(1, len(told)))]  # nobody has received how it ended
    return told, AT + draw(st.integers(0, 10**6))


@st.composite
def deliveries(draw, told, began):
    """What comes of a game, in any order and repeated; its last sentence is among it."""
    final = told[-1]
    found = []
    nobody_there = draw(st.booleans())  # while it was played
    heard = [final] if nobody_there else told
    boards = draw(st.sampled_from([CABLES + RADIOS, CABLES, RADIOS]))
    for sentence in [final, *draw(st.lists(st.sampled_from(heard), max_size=12))]:
        board = draw(st.sampled_from(boards))
        over = sentence.end != "-"
        late = over and (nobody_there or is_by_radio(board) or draw(st.booleans()))
        delay = draw(st.integers(0, 10**7 if late else 50))
        at = draw(st.sampled_from([None, *[began + sentence.ms + delay] * 3]))
        found += [Delivery(board, sentence, at, late)] * draw(st.integers(1, 2))
    return found


@st.composite
def classes(draw):
    """Games with different ids, and what comes of all of them in two orders."""
    named = {(told[0].boot, told[0].number): (told, began) for told, began in
             draw(st.lists(whole_games(), min_size=1, max_size=4))}  # fmt: skip
    heard = [draw(deliveries(*game)) for game in named.values()]
    flat = [each for some in heard for each in some]
    again = draw(st.permutations([*flat, *draw(st.lists(st.sampled_from(flat), max_size=8))]))
    return named, heard, draw(st.permutations(flat)), again


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
def test_order_ways_and_repetition_make_no_difference_and_a_game_is_one_row(examples):
    @settings(max_examples=examples)
    @given(classes())
    def check(given_class):
        named, heard, one_order, other_order = given_class
        rows = kept(one_order)
        assert kept(other_order) == rows
        assert rows == sorted(
            expected_row(told, some) for (told, _), some in zip(named.values(), heard, strict=True)
        )

    check()


def expected_row(told, heard):
    """What the store must hold of a game, found out by looking at all deliveries at once."""
    final = told[-1]
    first = {}  # of the same line, the first moment counts
    for each in heard:
        line = each._replace(at=None)
        moments = [at for at in (first.get(line), each.at) if at is not None]
        first[line] = min(moments, default=None)
    heard = [line._replace(at=at) for line, at in first.items()]
    cables = [each for each in heard if not is_by_radio(each.board)]
    live = [each for each in heard if not each.late and each.at is not None]
    by_cable = [each for each in live if each in cables]
    started = heard_at = None
    if live:
        of = by_cable or live
        started = min(each.at - each.sentence.ms for each in of)
        heard_at = max(each.at for each in of)
    late = [each.at for each in heard if each.late and each.at is not None]
    before = min(late) if late and not live else None
    plies = {len(each.sentence.moves) for each in heard if each.sentence.end != "x"}
    ms = {len(each.moves): each.ms for each in told if each.end != "x"}
    times = (str(ms[ply]) if ply in plies else "" for ply in range(1, len(final.moves) + 1))
    boards = {each.board for each in heard}
    board = next(each for each in CABLES + RADIOS if each in boards)
    return (
        final.boot, final.number, final.seats, final.first, board,
        "".join(map(str, final.moves)), ",".join(times), final.ms, final.end,
        started, heard_at or before, before,
        int(all(each.sentence != final for each in cables)),
    )  # fmt: skip


TOLD = stages(DRAW, boot="3E5A5FD2")
RADIO, CABLE = RADIOS[0], "usb-1"


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


INVENTED = [
    replace(TOLD[3], ms=10**7),
    replace(TOLD[2], end="x", ms=2500),
    replace(TOLD[3], moves=(4, 0, 8), ms=2600),
    replace(TOLD[9], ms=8001),
]
"""Somebody near knows the boot, and sends a start, an end and moves that were not."""


@example([Delivery(RADIO, told, AT + 2600, told.end != "-") for told in INVENTED], Random(1))
@settings(max_examples=50)
@given(contradictions(RADIOS), st.randoms(use_true_random=False))
def test_cable_game_is_one_whole_row_despite_radio(invented, dice):
    """Before, between and after it; and no line of the cable is of two games."""
    by_cable = [Delivery(CABLE, told, AT + told.ms, False) for told in TOLD]
    heard = sorted(by_cable + invented, key=lambda _: dice.random())
    (cable,) = [row for row in kept(heard) if row[-1] == 0]
    assert cable == kept(by_cable)[0]


def test_a_game_told_late_that_contradicts_a_live_one_gets_no_start(store):
    """However often the two are read: what is live belongs to the live one."""
    live = [Delivery(CABLE, told, AT + told.ms, False) for told in TOLD[:3]]
    late = Delivery(CABLE, stages([4, 8, 0, 1, 2], boot="3E5A5FD2")[-1], AT + 10**6, True)
    rows = kept([*live, late])
    assert kept([late, *live]) == kept([*live, late, *live, late]) == rows
    assert [(row[5], row[9]) for row in rows] == [("40", AT), ("48012", None)]


def test_of_games_that_do_not_agree_the_first_stays_as_it_is(store):
    store.add(RADIO, TOLD[2], AT)
    for board, cell in ((RADIO, 8), (RADIOS[1], 7), (CABLE, 6)):
        store.add(board, replace(TOLD[2], moves=(4, cell)), AT + 10)
    query = "SELECT name, moves, started FROM games JOIN boards ON boards.id = board"
    assert store.read(query) == [
        (RADIO, "40", AT - 2000),
        (RADIO, "48", AT - 1990),
        (RADIOS[1], "47", AT - 1990),
        (CABLE, "46", AT - 1990),
    ]
