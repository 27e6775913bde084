"""`noughts solve`: a position, its tree, wrong ones; and the steps through a search."""

import json
import xml.etree.ElementTree as ET

import pytest

from needed import long
from noughts.engines.registry import engine_named, engines
from noughts.engines.search import (
    INFINITE,
    AlphaBeta,
    Minimax,
    format_score,
    score_of_move,
    variation,
)
from noughts.engines.search_tree import MAX_DRAWN, Steps, build_tree, size, smaller
from noughts.game import solver
from noughts.game.positions import EMPTY, WON, parse, unfinished


def test_the_board_shows_what_each_cell_is_worth(printed):
    told = printed("solve", "XX.OO....")
    assert told.startswith(
        """\
     X     |     X     |  win in 1
-----------+-----------+-----------
     O     |     O     |    draw
-----------+-----------+-----------
 loss in 2 | loss in 2 | loss in 2

X to move: win in 1
best line 3
"""
    )
    assert "minimax        plays 3  157 nodes, 0 moves cut" in told
    assert "rules          plays 3\n" in told


def test_scores_agree_with_the_solver_and_the_variation_ends_as_the_best_says():
    for position in unfinished():
        scores = {cell: score_of_move(position, cell) for cell in position.free}
        for cell, score in scores.items():
            assert (score > 0) - (score < 0) == -solver.value(position.play(cell))
        best = max(scores.values())
        cells = variation(position)
        if best:
            assert format_score(best).endswith(f" in {len(cells)}")
        for cell in cells:
            assert not position.over
            position = position.play(cell)
        assert position.over and (WON[position.other] == bool(best))


def test_as_json(printed, tmp_path):
    path = tmp_path / "tree.svg"
    told = printed("solve", "X...O....", "--json", "--tree", "2", "--svg", str(path))
    facts = json.loads(told)  # whole JSON also beside a picture
    assert path.exists()
    assert facts["mover"] == "X" and facts["value"] == "draw"
    assert set(facts["plays"]) == set(engines())
    assert facts["nodes"]["minimax"] > facts["nodes"]["alphabeta"] > facts["nodes"]["transposition"]
    assert len(facts["cells"]) == 7


def count(node):
    """Nodes that were visited and moves that were cut, in a tree grown to its leaves."""
    visited, cut = (0, 1) if node.score is None else (1, 0)
    for child in node.children:
        more, less = count(child)
        visited, cut = visited + more, cut + less
    return visited, cut


@pytest.mark.parametrize("engine", [AlphaBeta(), Minimax()])
@pytest.mark.parametrize("text", ["X...O....", "XX.OO....", "XOXXO.O.."])
def test_the_tree_is_the_one_that_is_searched(text, engine):
    position = parse(text)
    reply, tree = engine.reply(position), build_tree(position, 9, engine.name)
    assert count(tree) == (reply.nodes, reply.cut)
    assert -tree.score == reply.score
    # A bound is one: the exact score is on its side. Minimax has none.
    for child in tree.children:
        exact = score_of_move(position, child.cell)
        holds = {"": child.score == exact, "≤": exact <= child.score, "≥": exact >= child.score}
        assert holds[child.bound] and (engine.name == "alphabeta" or not child.bound)
    assert engine.name == "alphabeta" or reply.cells == tuple(
        child.cell for child in tree.children if child.best
    )
    for depth in (1, 2):
        assert -build_tree(position, depth, engine.name).score == reply.score


def test_the_tree_is_drawn_with_its_cuts(printed):
    told = printed("solve", "XX.OO....", "--tree", "2")
    assert "├── 3  XXXOO....  win in 1\n" in told
    assert "│   ├── 7  XX.OOXO..  ✂ cut\n" in told


@pytest.mark.parametrize("search", ["alphabeta", "minimax"])
def test_a_picture_shows_boards_values_windows_and_cuts(printed, tmp_path, search):
    path, text = tmp_path / "tree.svg", "XX.OO...."
    words = ["--tree", "3", "--search", search, "--svg", str(path)]
    assert "tree.svg written" in printed("solve", text, *words)
    nodes = list(build_tree(parse(text), 3, search))
    root, svg = ET.parse(path).getroot(), "{http://www.w3.org/2000/svg}"
    texts = [each.text for each in root.findall(f"{svg}text")]
    lines = root.findall(f"{svg}path")
    assert len(root.findall(f"{svg}svg")) == len(nodes)
    cut = sum(node.score is None for node in nodes)
    assert cut == sum(line.get("stroke-dasharray") is not None for line in lines)
    assert cut == sum(text.endswith("✂ cut") for text in texts) and bool(cut) == (search[0] == "a")
    assert sum(line.get("stroke-width") == "3" for line in lines) == sum(n.best for n in nodes)
    shown = {"alphabeta": "alpha-beta", "minimax": "minimax"}[search]
    assert texts[0] == f"{text}: what {shown} searches" and "X: win in 1" in texts
    windows = [text for text in texts if text.startswith("window ")]
    assert bool(windows) is (search == "alphabeta") and all(" to " in each for each in windows)


def texts_in(picture):
    return [each.text for each in ET.parse(picture).getroot() if each.tag.endswith("text")]


def test_how_the_chip_chooses(printed, tmp_path):
    path = tmp_path / "chip.svg"
    told = printed("solve", "X........", "--chip", "--svg", str(path))
    assert told.startswith(" X | 2 | 5\n---+---+---\n 2 | 6 | 0\n---+---+---\n 5 | 0 | 3\n")
    assert "The chip plays 5;" in told and "book" not in told
    assert texts_in(path) == ["2", "5", "2", "6", "0", "5", "0", "3"]
    told = printed("solve", ".........", "--chip")
    assert "The book has 2307 = 32 * 72 + 3: the squares add up to 72; play a cell worth 3." in told
    assert "The chip plays 1 or 3 or 7 or 9;" in told
    facts = json.loads(printed("solve", "X...O....", "--chip", "--json"))
    printed("solve", "XX.OO....", "--svg", str(path))
    assert texts_in(path) == ["win in 1", "draw", *["loss in 2"] * 3]
    assert facts["plays"] == [2, 4] and facts["book"] == 23917 and facts["values"]["9"] == 3


def test_a_picture_that_would_be_too_large_is_refused(printed, refused, tmp_path):
    path = tmp_path / "tree.svg"
    for more in ([], ["--json"]):
        told = refused("solve", ".........", "--tree", 4, "--svg", path, *more)
        assert "1,084 positions; give --tree 3, of 292 positions, or less\n" in told
        assert not path.exists()
    strange = tmp_path / "\x1b[2J\u202e.svg"
    *_, told = printed("solve", ".........", "--tree", 3, "--svg", strange).splitlines()
    assert told.endswith(" written") and told.isprintable()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\x1b[2J.....", "is not a position; write nine characters"),
        ("XXX......", "has 3 X and 0 O; X moves first"),
        ("XXXOO....", "X has won; give one that is not finished"),
        ("XOXXOOOXX", "the game is drawn; give one that is not finished"),
    ],
)
def test_positions_that_cannot_be_solved(refused, text, why):
    told = refused("solve", text)
    assert why in told and "\x1b" not in told


SEARCHES = ("minimax", "alphabeta")
LESSON = "..XXOO.XO"


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("least_ply", [7, long(6)])
def test_the_engines_counts_and_answer(search, least_ply):
    late = [position for position in unfinished() if position.ply >= least_ply]
    for position in [*late, *map(parse, ("OX.OOXX..", "XO..X...O", "X.O.X..O."))]:
        reply = engine_named(search).reply(position)
        steps = Steps(position, search).steps
        assert (steps[-1].nodes, steps[-1].cut) == (reply.nodes, reply.cut)
        assert sum(step.kind == "enter" for step in steps) == reply.nodes
        mover = "XO"[position.ply % 2]
        played = f"{mover} plays {reply.cells[0] + 1}: {format_score(reply.score)}. "
        assert steps[-1].text.startswith(played)
        assert size(position, search) == (reply.nodes, reply.cut)


@pytest.mark.parametrize("text", ["XO..X...O", "XOXOX...."])
def test_the_best_so_far_and_the_window_follow_the_moves(text):
    found = Steps(parse(text), "alphabeta")
    moves = {}
    for number, entry in enumerate(found.boards[1:], 1):
        moves.setdefault(entry.parent, []).append((number, entry))
    for parent, tried in moves.items():
        best, alpha, beta, leader, cut = -INFINITE, -INFINITE, INFINITE, None, None
        for number, entry in tried:
            if entry.score is None:
                cut = cut or number
                step = found.steps[entry.entered]
                assert entry.valued is None and step.kind == "cut" and alpha >= beta
                assert (step.board, step.alpha, step.beta) == (cut, alpha, beta)
                continue
            assert cut is None
            if entry.score > best:
                assert leader is None or leader.leads[1] == entry.valued
                leader, best = entry, entry.score
            assert (entry.leads and entry.leads[0]) == (entry.valued if entry is leader else None)
            alpha, beta = max(entry.alpha, best), entry.beta
            step = found.steps[entry.valued]
            assert (step.board, step.alpha, step.beta) == (number, alpha, beta)
        assert leader.leads[1] is None and (parent or leader.best)


@pytest.mark.parametrize(
    ("text", "search", "told"),
    [
        (LESSON, "alphabeta", "X is to move: which move is best?"),
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
    ],
)
def test_tree_texts(text, search, told):
    texts = [step.text for step in Steps(parse(text), search).steps]
    assert [text for text in texts if told in text]
    assert search == "alphabeta" or not [text for text in texts if "window" in text]


def test_searches_that_are_too_large():
    assert size(EMPTY, "alphabeta") == (20_866, 7_788)
    assert smaller(parse("X...O...X"), "minimax") == (parse("X...O...X"), "alphabeta")
    assert smaller(parse(LESSON), "minimax") == (parse(LESSON), "minimax")
    for search in SEARCHES:
        position, by = smaller(EMPTY, search)
        assert sum(size(position, by)) <= MAX_DRAWN < sum(size(EMPTY, search))
