"""The steps through a search are those of the engine itself."""

from itertools import pairwise

import pytest

from noughts.engines.registry import engine_named
from noughts.engines.search import INFINITE, in_words
from noughts.engines.steps import size, smaller, walk
from noughts.engines.tree import MAX_DRAWN
from noughts.game.positions import EMPTY, parse, unfinished

SEARCHES = ("minimax", "alphabeta")
SMALL = [position for position in unfinished() if position.ply >= 6]
LESSON = parse("..XXOO.XO")


@pytest.mark.parametrize("search", SEARCHES)
def test_the_engines_counts_and_answer(search):
    for position in [*SMALL, *map(parse, ("OX.OOXX..", "XO..X...O", "X.O.X..O."))]:
        reply = engine_named(search).reply(position)
        steps = walk(position, search).steps
        assert (steps[-1].nodes, steps[-1].cut) == (reply.nodes, reply.cut)
        assert sum(step.kind == "enter" for step in steps) == reply.nodes
        mover = "XO"[position.ply % 2]
        played = f"{mover} plays {reply.cells[0] + 1}: {in_words(reply.score)}. "
        assert steps[-1].text.startswith(played)
        assert size(position, search) == (reply.nodes, reply.cut)


@pytest.mark.parametrize("search", SEARCHES)
def test_each_board_is_entered_before_it_has_a_value(search):
    found = walk(parse("XO..X...O"), search)
    for entry in found.entries:
        assert entry.parent is None or found.entries[entry.parent].entered <= entry.entered
        if entry.node.score is None:
            assert entry.valued is None and found.steps[entry.entered].kind == "cut"
        else:
            assert entry.entered <= entry.valued < len(found.steps)
    for before, after in pairwise(found.steps):
        assert before.nodes <= after.nodes and before.cut <= after.cut
        if search == "minimax":
            assert (after.alpha, after.beta) == (-INFINITE, INFINITE)
        elif after.kind == "cut":
            assert after.alpha >= after.beta
    last = [entry for entry in found.entries if entry.parent == 0 and entry.best]
    assert [entry.node.best for entry in last if entry.best[1] is None] == [True]


def test_in_words():
    texts = [step.text for step in walk(LESSON, "alphabeta").steps]
    assert texts[0] == "X is to move: which move is best?"
    assert "X tries 2. The window is from win in 3 to ∞ for X." in texts
    assert (
        "O plays 1 and has a line: a win in 2 for O. O's best so far: alpha is now win in 2."
        in texts
    )
    assert (
        "1 move cut (7): X already has a win in 3 with an earlier move, and here O has a win in 2 "
        "for certain. So X never lets it come to this board."
    ) in texts
    assert texts[-1] == "X plays 1: win in 3. 10 boards were looked at, 2 moves cut."
    assert not [step for step in walk(LESSON, "minimax").steps if "window" in step.text]


def test_searches_that_are_too_large():
    assert size(EMPTY, "minimax") == (549_946, 0)
    assert size(EMPTY, "alphabeta") == (20_866, 7_788)
    assert smaller(parse("X...O...X"), "minimax") == (parse("X...O...X"), "alphabeta")
    assert smaller(LESSON, "minimax") == (LESSON, "minimax")
    for search in SEARCHES:
        position, by = smaller(EMPTY, search)
        assert sum(size(position, by)) <= MAX_DRAWN < sum(size(EMPTY, search))
