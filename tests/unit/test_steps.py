"""The steps through a search are those of the engine itself."""

import pytest

from needed import long
from noughts.engines.registry import engine_named
from noughts.engines.search import INFINITE, in_words
from noughts.engines.steps import size, smaller, walk
from noughts.engines.tree import MAX_DRAWN
from noughts.game.positions import EMPTY, parse, unfinished

SEARCHES = ("minimax", "alphabeta")
LESSON = "..XXOO.XO"


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("least_ply", [7, long(6)])
def test_the_engines_counts_and_answer(search, least_ply):
    late = [position for position in unfinished() if position.ply >= least_ply]
    for position in [*late, *map(parse, ("OX.OOXX..", "XO..X...O", "X.O.X..O."))]:
        reply = engine_named(search).reply(position)
        steps = walk(position, search).steps
        assert (steps[-1].nodes, steps[-1].cut) == (reply.nodes, reply.cut)
        assert sum(step.kind == "enter" for step in steps) == reply.nodes
        mover = "XO"[position.ply % 2]
        played = f"{mover} plays {reply.cells[0] + 1}: {in_words(reply.score)}. "
        assert steps[-1].text.startswith(played)
        assert size(position, search) == (reply.nodes, reply.cut)


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("text", ["XO..X...O", "XOXOX...."])
def test_the_best_so_far_and_the_window_follow_the_moves(text, search):
    found = walk(parse(text), search)
    moves = {}
    for number, entry in enumerate(found.entries[1:], 1):
        moves.setdefault(entry.parent, []).append((number, entry))
    for parent, tried in moves.items():
        children = found.entries[parent].node.children
        assert [id(entry.node) for _, entry in tried] == list(map(id, children))
        best, alpha, beta = -INFINITE, -INFINITE, INFINITE
        leader = first_cut = None
        for number, entry in tried:
            assert found.entries[parent].entered <= entry.entered
            if entry.node.score is None:
                first_cut = first_cut or number
                step = found.steps[entry.entered]
                assert entry.valued is None and step.kind == "cut" and alpha >= beta
                assert (step.entry, step.alpha, step.beta) == (first_cut, alpha, beta)
                continue
            assert first_cut is None and entry.entered <= entry.valued
            if entry.node.score > best:
                if leader:
                    assert leader.best[1] == entry.valued
                leader, best = entry, entry.node.score
            assert (entry.best and entry.best[0]) == (entry.valued if entry is leader else None)
            if search == "alphabeta":
                alpha = max(entry.node.alpha, best)
            beta = entry.node.beta
            step = found.steps[entry.valued]
            assert (step.entry, step.alpha, step.beta) == (number, alpha, beta)
        assert leader.best[1] is None
        assert parent or leader.node.best


@pytest.mark.parametrize(
    ("text", "search", "told"),
    [
        (LESSON, "alphabeta", "X is to move: which move is best?"),
        (LESSON, "alphabeta", "X tries 2. The window is from win in 3 to ∞ for X."),
        (LESSON, "alphabeta", "O plays 1 and has a line: a win in 2 for O. O's best so far: alpha"),
        (LESSON, "alphabeta", "1 move cut (7): X already has a win in 3 with an earlier move, and"),
        (LESSON, "alphabeta", "here O has a win in 2 for certain. So X never lets it come to this"),
        (LESSON, "alphabeta", "X plays 1: win in 3. 10 boards were looked at, 2 moves cut."),
        (LESSON, "minimax", " boards were looked at, 0 moves cut."),
        ("XOXOX....", "alphabeta", "O tries 6. The window is open: nothing is known yet."),
        ("XOXOX....", "alphabeta", "O tries 7. The window is from −∞ to loss in 2 for O."),
        ("XOXOX....", "alphabeta", "O's 7 is at least a loss in 4 for O. O's best so far: alpha"),
        ("XOXOX....", "alphabeta", "X's 8 is at most a win in 4 for X. No better than what X has."),
        ("XOXOX....", "alphabeta", "in 4 for X. The best here, but X already has a win in 2 with "),
        ("XOXOX....", "minimax", "X plays 8 and the board is full: a draw. X's best so far."),
        ("XOXOX....", "minimax", "O's 9 is a loss in 4 for O. No better than what O has."),
    ],
)
def test_in_words(text, search, told):
    texts = [step.text for step in walk(parse(text), search).steps]
    assert [text for text in texts if told in text]
    assert search == "alphabeta" or not [text for text in texts if "window" in text]


def test_searches_that_are_too_large():
    assert size(EMPTY, "minimax") == (549_946, 0)
    assert size(EMPTY, "alphabeta") == (20_866, 7_788)
    assert smaller(parse("X...O...X"), "minimax") == (parse("X...O...X"), "alphabeta")
    assert smaller(parse(LESSON), "minimax") == (parse(LESSON), "minimax")
    for search in SEARCHES:
        position, by = smaller(EMPTY, search)
        assert sum(size(position, by)) <= MAX_DRAWN < sum(size(EMPTY, search))
