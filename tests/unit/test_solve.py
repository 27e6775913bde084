"""`noughts solve`: a position, its tree, and invalid positions; the steps of a search."""

import json
import xml.etree.ElementTree as ET

import pytest

from needed import long
from noughts.engines.built_in import engines
from noughts.engines.search import build_tree, format_score
from noughts.game.positions import parse, unfinished
from noughts.game.solver import score_of_move
from noughts.views.search import Steps

LESSON = "..XXOO.XO"


def test_solve_prints_json_and_writes_picture(printed, tmp_path):
    path = tmp_path / "tree.svg"
    out = printed("solve", "X...O....", "--json", "--tree", "2", "--svg", str(path))
    facts = json.loads(out)  # complete JSON, even with a picture
    assert path.exists()
    assert facts["mover"] == "X" and facts["value"] == "draw"
    assert set(facts["plays"]) == set(engines())
    assert facts["nodes"]["minimax"] > facts["nodes"]["alphabeta"] > facts["nodes"]["transposition"]
    assert len(facts["cells"]) == 7


def test_picture_shows_the_value_of_each_move(printed, tmp_path):
    """Pictures of trees and of the chip's choice are compared with those in the lessons."""
    path = tmp_path / "position.svg"
    assert "position.svg written" in printed("solve", "XX.OO....", "--svg", str(path))
    texts = [element.text for element in ET.parse(path).getroot() if element.tag.endswith("text")]
    assert texts == ["win in 1", "draw", *["loss in 2"] * 3]


def test_chip_json_has_plays_book_and_values(printed):
    facts = json.loads(printed("solve", "X...O....", "--chip", "--json"))
    assert facts["plays"] == [2, 4] and facts["book"] == 23917 and facts["values"]["9"] == 3


def test_too_large_picture_is_refused(printed, refused, tmp_path):
    path = tmp_path / "tree.svg"
    error = refused("solve", ".........", "--tree", 4, "--svg", path, "--json")
    assert "1,084 positions; give a smaller --tree\n" in error
    assert not path.exists()
    strange = tmp_path / "\x1b[2J\u202e.svg"
    *_, message = printed("solve", ".........", "--tree", 3, "--svg", strange).splitlines()
    assert message.endswith(" written") and message.isprintable()


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("\x1b[2J.....", "is not a position; write nine characters"),
        ("XXXOO....", "the game is over in XXXOO....; give an unfinished position"),
    ],
)
def test_unsolvable_positions_are_refused(refused, text, why):
    error = refused("solve", text)
    assert why in error and "\x1b" not in error


@pytest.mark.parametrize("search", ["minimax", "alphabeta"])
@pytest.mark.parametrize("least_ply", [7, long(6)])
def test_steps_match_the_engines_counts_and_answer(search, least_ply):
    late = [position for position in unfinished() if position.ply >= least_ply]
    for position in [*late, *map(parse, ("OX.OOXX..", "XO..X...O", "X.O.X..O.", "X...O...."))]:
        reply = engines()[search].reply(position)
        steps = Steps(position, search)
        last, tree = steps.steps[-1], steps.tree
        assert (last["nodes"], last["cut"], tree.score) == (reply.nodes, reply.cut, reply.score)
        played = f"{position.turn} plays {reply.cells[0] + 1}: {format_score(reply.score)}. "
        assert last["text"].startswith(played)
        assert build_tree(position, 1, search).score == tree.score
        for child in tree.children:  # each bound holds for the exact score
            exact = score_of_move(position, child.cell)
            holds = {"": child.score == exact, "≤": exact <= child.score, "≥": exact >= child.score}
            assert holds[child.bound] and (search == "alphabeta" or not child.bound)


def test_best_so_far_stays_until_a_better_move():
    steps = Steps(parse("XO..X...O"), "alphabeta")
    best = {}
    for node, board in zip(steps.tree, steps.boards, strict=True):
        if board["best"]:
            best.setdefault(board["parent"], []).append(
                (board["best"], board["valued"], node.score)
            )
    for led in best.values():
        leads, values, scores = map(list, zip(*led, strict=True))
        assert leads == list(map(list, zip(values, [*values[1:], None], strict=True)))
        assert scores == sorted(set(scores))
    assert max(map(len, best.values())) > 1


@pytest.mark.parametrize(
    ("text", "search", "expected"),
    [
        (LESSON, "alphabeta", "O plays 1 and has a line: a win in 2 for O. O's best so far: alpha"),
        (LESSON, "alphabeta", "1 move cut (7): X already has a win in 3 with an earlier move, and"),
        (LESSON, "minimax", " boards looked at, 0 moves cut."),
        (
            "XOXOX....",
            "alphabeta",
            "O tries 6. Nothing is known yet for O: anything from a loss to a win.",
        ),
        (
            "XOXOX....",
            "alphabeta",
            "O tries 7. For O, only results between a loss and a loss in 2 still matter",
        ),
        ("XOXOX....", "alphabeta", "O's 7 is at least a loss in 4 for O. O's best so far: alpha"),
        ("XOXOX....", "alphabeta", "X's 8 is at most a win in 4 for X. No better than X's best"),
        ("XOXOX....", "alphabeta", "in 4 for X. X's best so far on this board."),
        ("XOXOX....", "minimax", "X plays 8 and the board is full: a draw. X's best so far"),
    ],
)
def test_step_texts_describe_each_move_and_window(text, search, expected):
    texts = [step["text"] for step in Steps(parse(text), search).steps]
    assert [text for text in texts if expected in text]
    assert search == "alphabeta" or not [text for text in texts if "window" in text]
