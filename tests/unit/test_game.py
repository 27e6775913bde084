"""The solved game, held against published counts, and its boards as a library."""

import doctest
import re
import xml.etree.ElementTree as ET
from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

import noughts
from noughts import Board
from noughts.game import solver
from noughts.game.positions import (
    EMPTY,
    SYMMETRIES,
    IllegalPositionError,
    canonical,
    is_quiet,
    parse,
    reachable,
    unfinished,
)
from noughts.game.review import Verdict, mistakes, review, verdict
from noughts.game.solver import draw, level, puzzle_of, puzzles
from sample_games import BOOT, DRAW, stages, wire


def test_published_counts():
    assert len(reachable()) == 5478
    assert sum(1 for _ in unfinished()) == 4520
    assert len({canonical(position) for position in reachable()}) == 765
    classes = {canonical(position) for position in unfinished()}
    assert len(classes) == 627
    assert sum(map(is_quiet, classes)) == 101
    assert len(set(SYMMETRIES)) == 8
    turned = (parse("".join("XO..X...O"[cell] for cell in to)) for to in SYMMETRIES)
    assert len(set(map(canonical, turned))) == 1


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("0........", "nine characters"),
        ("XX.......", "as many X as O"),
        ("XXXOOO...", "after the other had won"),
        ("XXXOO.O..", "after the other had won"),
        ("OOOXX.XX.", "after the other had won"),
    ],
)
def test_illegal_positions_are_explained(text, why):
    with pytest.raises(IllegalPositionError, match=why):
        parse(text)


@given(st.permutations(list(range(9))), st.integers(0, 9))
def test_a_review_is_that_of_the_solver_and_its_mistakes_are_counted_alike(order, plies):
    position, moves, wrong = EMPTY, [], []
    for ply, cell in enumerate(order[:plies]):
        if not position.over:
            moves.append(cell)
            after = position.play(cell)
            if -solver.value(after) != solver.value(position):
                wrong.append(ply)
            position = after
    assert [ply for ply, move in enumerate(review(moves)) if move.mistake] == wrong
    assert mistakes("".join(map(str, moves))) == wrong


@pytest.mark.parametrize(
    ("start", "cell", "called"),
    [
        (".........", 0, Verdict.BEST),
        (".........", 4, Verdict.GOOD),  # wins 95 of 96 games, the corners 191 of 192
        (".X.......", 7, Verdict.INACCURACY),  # 63 %, where the centre wins 83 %
        ("X........", 1, Verdict.MISTAKE),  # a draw lost
        ("XX.OO....", 2, Verdict.BEST),
        ("XX.OO....", 8, Verdict.BLUNDER),
        ("XX.OX...O", 5, Verdict.BEST),  # lost, whatever O plays: no mistake
    ],
)
def test_what_known_moves_are_called(start, cell, called):
    (move,) = review([cell], parse(start))
    assert verdict(move) == called


def test_a_puzzle_has_one_right_move_and_it_matters():
    wanted = {
        canonical(each)
        for each in unfinished()
        if sum(-solver.value(each.play(cell)) == solver.value(each) for cell in each.free) == 1
        and len(each.free) > 1
    }
    assert {each.position for each in puzzles()} == wanted
    assert len(puzzles()) == len(wanted) == 294
    for each in puzzles():
        assert solver.value_preserving_moves(each.position) == [each.right]
        assert each.wins == (solver.value(each.position) == 1)


def test_levels_of_puzzles():
    """By depth, until enough people have answered."""
    found = {(each.depth, level(each, {})) for each in puzzles()}
    assert found == {(1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (6, 3)}
    hard = puzzle_of(parse("X........"))
    answers = [(4, 0), (5, 0), (100, 9), (100, 10), (100, 29), (100, 30)]
    assert [level(hard, {hard.position: each}) for each in answers] == [3, 1, 1, 2, 2, 3]


def test_puzzles_differ_from_the_one_before_and_are_turned_at_random():
    random, least = Random(1), canonical(parse("XX..O...."))

    def drawn(before=EMPTY):
        found = draw(random, lambda each: each.position == least, before)
        assert solver.value_preserving_moves(found.position) == [found.right]
        return found.position

    turned = Counter(drawn() for _ in range(400))
    assert len(turned) == 8 and min(turned.values()) > 25
    others = {canonical(drawn(least)) for _ in range(400)}  # where no other fits, it is any other
    assert len(others) > 150 and least not in others


def test_all_that_is_promised_is_there():
    assert set(noughts.__all__) <= set(dir(noughts))
    for name in noughts.__all__:
        assert getattr(noughts, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        _ = noughts.chess


def test_every_reachable_board_agrees_with_the_solver():
    for position in reachable():
        board = Board(str(position))
        assert board == Board.of(position) and board.value() == solver.value(position)
        assert board.is_over == (board.turn is None) == (not board.legal_moves)
        assert (board.winner is None) == (board.winning_line is None)
        assert board.best_moves() == (() if board.is_over else tuple(solver.hard_moves(position)))
        assert (0 < board.win_chance() <= 1) or board.win_chance() == 0


@pytest.mark.parametrize(
    ("moves", "why"),
    [
        ("44", "move 2: cell 4 is taken by X; choose one of 0, 1, 2, 3, 5, 6, 7, 8"),
        ("9", "move 1: '9' is not a cell; choose one of 0 to 8"),
        ([4, 11], "move 2: 11 is not a cell"),
        ("031425", "move 6: the game is over"),
        (["²"], "is not a cell"),
    ],
)
def test_illegal_games_are_told_by_their_move(moves, why):
    for function in (Board.after, noughts.review):
        with pytest.raises(noughts.IllegalMoveError, match=why):
            function(moves)


def test_pictures_are_documents_with_the_marks_labels_and_the_line():
    picture = ET.fromstring(Board("XXXOO....").svg({5: "<&>", 0: "taken"}))
    kinds = [element.tag.rpartition("}")[2] for element in picture]
    assert kinds.count("circle") == 2
    assert kinds.count("path") == 1 + 3
    assert kinds.count("rect") == 1 + 3  # the ground, and the line that has won
    assert [element.text for element in picture if element.tag.endswith("text")] == ["<&>"]
    assert Board()._repr_svg_() == Board().svg()


@pytest.mark.parametrize(
    ("chosen", "why"),
    [
        ({"results": ("=",)}, "'=' is not a result; choose from A, B, draw, abandoned, unfinished"),
        ({"results": "draw"}, "'d' is not a result"),
        ({"since": "2026-11-21"}, "'2026-11-21' is not a time; give milliseconds since 1970"),
    ],
)
def test_a_filter_that_fits_no_game_is_not_blamed_on_the_store(chosen, why):
    with pytest.raises(noughts.NoughtsError, match=why):
        noughts.GameFilter(**chosen)


@pytest.mark.parametrize("name", noughts.engine_names())
def test_engines_are_found_by_name_and_answer_boards(name):
    engine = noughts.engine(name)
    assert engine.name == name and name in repr(engine)
    board = Board("XX.OO....")
    assert engine.choose(board) in engine.reply(board).cells
    assert set(engine.reply(board).cells) <= set(board.legal_moves)
    with pytest.raises(noughts.NoughtsError, match="the game is over"):
        engine.reply(Board("XXXOO...."))
    with pytest.raises(noughts.UnknownEngineError, match=f"did you mean {name}"):
        noughts.engine(name[:-2] + name[-1])


def test_games_of_a_store_and_of_a_capture_are_the_same_and_have_tables(tmp_path, printed):
    captured, db = tmp_path / "capture", tmp_path / "games.db"
    games = [*stages(DRAW), *stages([0, 4], end="x", number=2)]
    captured.write_bytes(b"noise\n" + wire(BOOT, *games))
    printed("watch", "--from", captured, db=db)
    stored = [(game.number, game.end, [*map(int, game.moves)]) for game in noughts.games(db)]
    received = noughts.games_in_capture(captured)
    assert stored == [(game.number, game.end, [*game.moves]) for game in received]
    wanted = noughts.GameFilter(results=("abandoned",))
    assert [game.number for game in noughts.games(db, wanted)] == [2]
    assert noughts.games(db)._repr_html_().count("<tr>") == 3
    assert repr(noughts.games(db, wanted)) == f"<games: 1 game in {db}>"
    assert "no games are stored in lost.db yet" in repr(noughts.games("lost.db"))
    assert "<td>moving first</td><td>22</td>" in noughts.prove("kind")._repr_html_()
    result = noughts.match("medium", "random", games=41, seed=3)
    assert [tally.games for tally in (*result, result.total)] == [21, 20, 41]
    assert "<td>total</td>" in result._repr_html_()


def test_the_document_is_true(repository, folder):
    path = repository / "docs" / "python-api.md"
    failed, tried = doctest.testfile(str(path), module_relative=False)
    assert failed == 0 and tried > 20
    errors = set(re.findall(r"`(\w+Error)`", path.read_text("utf-8")))
    assert errors - {"OSError"} <= set(noughts.__all__)
