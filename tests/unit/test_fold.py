"""One game, several ways: by cable, by radio, from other rooms, sent at once or late."""

import tempfile
from dataclasses import replace
from operator import attrgetter
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from needed import long
from noughts.protocol.radio_boards import is_by_radio
from noughts.store.fold import FoldedGame, Line, fold
from noughts.store.lines import Received
from noughts.store.queries import GameFilter, games
from noughts.store.store import Store
from sample_games import AT, DRAW, stages

CABLES = ("usb-1", "3b/usb-1", "COM3", "file-capture.log")
RADIOS = ("radio-9A1B2C3D", "3b/radio-9A1B2C3D", "4a/radio-9A1B2C3D")
ROWS = (
    "SELECT name, seats, first, moves, times, ms, end, started, heard, played_before, by_radio "
    "FROM games JOIN boards ON boards.id = board"
)
"""The columns of a FoldedGame."""
TOLD = stages(DRAW)


def folded(received):
    """The games; of each line the first moment counts at which it was received, as in a store."""
    last_first = sorted(received, key=lambda each: each.at or 0, reverse=True)
    lines = {(each.board, each.late, each.text): each for each in last_first}
    found = fold(
        Line.of(0, each.board, is_by_radio(each.board), each.late, each.at, each.text)
        for each in lines.values()
    )
    return sorted([game for game, _ in found], key=str)


@pytest.mark.parametrize(
    "games",
    [
        ["PH,A,,0,-", "PP,A,,0,-", "PH,B,,0,-"],
        ["PH,A,,0,- PH,A,,5,-"],
        ["PH,A,40,2010,x PH,A,40,2000,-", "PH,A,402,3500,-"],  # an abandoned game goes on
        ["PH,A,40,2000,- PH,A,4,1000,-", "PH,A,48012,5000,-"],  # the next line has fewer moves
        ["PH,A,41,3000,- PH,A,4,1000,-", "PH,A,40,2000,-"],  # the slower game
        ["PH,A,40,3000,- PH,A,4,2500,-", "PH,A,41,2000,- PH,A,4,1000,-"],
        ["PH,A,40,2000,- ~PH,A,4,1000,-", "~PH,A,41,3000,-"],  # the cable before the radio
    ],
)
def test_which_lines_are_of_one_game(games):
    """`~` stands before what came by radio; lines that have come furthest are first."""
    lines = [
        Line.of(0, "", text.startswith("~"), False, None, text.removeprefix("~"))
        for text in " ".join(games).split()
    ]
    found = [" ".join("~" * line.radio + line.text for line in game) for _, game in fold(lines)]
    assert sorted(found) == sorted(games)


def summary(received):
    """A game, found out by looking at all its lines at once."""
    final = max((each.sentence for each in received), key=attrgetter("ms"))
    timed = [each for each in received if each.at is not None]
    live = [each for each in timed if not each.late]
    live = [each for each in live if not is_by_radio(each.board)] or live
    before = None if live else min((each.at for each in timed), default=None)
    plies = {len(each.sentence.moves) for each in received if each.sentence.end != "x"}
    times = [str(ply * 1000) if ply in plies else "" for ply in range(1, len(final.moves) + 1)]
    boards = {each.board for each in received}
    by_cable = any(each.sentence == final and not is_by_radio(each.board) for each in received)
    return FoldedGame(
        next(each for each in CABLES + RADIOS if each in boards),
        final.seats, final.first, "".join(map(str, final.moves)), ",".join(times),
        final.ms, final.end,
        min((each.at - each.sentence.ms for each in live), default=None),
        max((each.at for each in live), default=before), before, int(not by_cable),
    )  # fmt: skip


@pytest.mark.parametrize("examples", [100, long(1000)])
def test_what_is_known_of_a_game_by_whatever_ways_it_comes(examples):
    """Also where another one has its boot and number."""
    when = st.tuples(st.none() | st.integers(AT, AT + 10**6), st.booleans())

    def deliveries(told):
        ways = st.tuples(st.sampled_from(CABLES + RADIOS), st.sampled_from(told))
        return st.dictionaries(ways, when, min_size=1)

    @example({(each, TOLD[0]): (AT, False) for each in (CABLES[-1], RADIOS[0])})
    @settings(max_examples=examples)
    @given(
        st.sampled_from(
            [TOLD, TOLD[-1:], stages(DRAW[:4], "x"), TOLD + stages(DRAW[:4], "x", seats="PP")]
        ).flatmap(deliveries)
    )
    def check(made):
        received = [
            Received.of(board, told, at, late and told.end != "-")
            for (board, told), (at, late) in made.items()
        ]
        expected = [
            summary([each for each in received if each.sentence.seats == seats])
            for seats in sorted({told.seats for _, told in made})
        ]
        assert sorted(folded(received), key=attrgetter("seats")) == expected

    check()


@st.composite
def contradictions(draw, boards):
    """Sentences of games that got the same ids, some of them invented, some without a moment."""
    received = []
    timed = draw(st.booleans())
    for cells in ([4, 0, 2, 6], [4, 0, 8], [4]):
        for told in stages(cells, draw(st.sampled_from([None, "x"]))):
            for ms in draw(st.lists(st.integers(0, 6), max_size=2)):
                board = draw(st.sampled_from(boards))
                late = told.end != "-" and (is_by_radio(board) or draw(st.booleans()))
                at = AT + draw(st.integers(0, 9000)) if timed else None
                received.append(Received.of(board, replace(told, ms=ms * 500), at, late))
    return draw(st.permutations(received))


def stored_in(store):
    return sorted(map(FoldedGame._make, store.read(ROWS)), key=str)


@pytest.mark.parametrize("examples", [40, long(400)])
@pytest.mark.parametrize("boards", [["usb-1"], ["usb-1", *RADIOS]])
def test_contradictions_are_the_same_games_in_any_order_and_no_time_runs_backwards(
    boards, examples
):
    @settings(max_examples=examples)
    @given(contradictions(boards), st.randoms(use_true_random=False))
    def check(received, dice):
        found = folded(received)
        for game in found:
            known = [int(time) for time in game.times.split(",") if time]
            assert known == sorted(known)
            assert not known or game.ms >= known[-1]
        again = dice.sample(received, len(received)) + dice.sample(received, len(received) // 2)
        with tempfile.TemporaryDirectory() as name, Store(Path(name, "db"), create=True) as store:
            for each in again:
                store.add_many([each])
            assert stored_in(store) == found
            assert not any(stored.new for stored in store.add_many(received))
            store.renew()
            assert stored_in(store) == found
            assert len(list(games(store, GameFilter()))) == len(found)

    check()


@given(contradictions(RADIOS))
def test_cable_game_is_one_whole_row_despite_radio(invented):
    """Somebody near knows the boot, and sends a start, an end and moves that were not."""
    by_cable = [Received.of(CABLES[0], told, AT + told.ms) for told in TOLD]
    (cable,) = [game for game in folded(invented + by_cable) if not game.by_radio]
    assert [cable] == folded(by_cable)
