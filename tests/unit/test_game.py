"""The solved game, checked against published counts, and the public library."""

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
from noughts.game.puzzles import puzzle_level, puzzle_of, puzzles, random_puzzle
from noughts.game.review import Verdict, mistakes, review, verdict
from sample_games import BOOT, DRAW, stages, wire


def test_position_counts_match_the_published_ones():
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
def test_illegal_position_error_gives_the_reason(text, why):
    with pytest.raises(IllegalPositionError, match=why):
        parse(text)


@given(st.permutations(list(range(9))), st.integers(0, 9))
def test_review_and_mistakes_agree_with_the_solver(order, plies):
    position, moves, wrong_plies = EMPTY, [], []
    for ply, cell in enumerate(order[:plies]):
        if not position.over:
            moves.append(cell)
            position_after = position.play(cell)
            if -solver.value(position_after) != solver.value(position):
                wrong_plies.append(ply)
            position = position_after
    assert [ply for ply, move in enumerate(review(moves)) if move.mistake] == wrong_plies
    of_second = sum(ply % 2 for ply in wrong_plies)
    counts = len(wrong_plies) - of_second, of_second
    assert mistakes("".join(map(str, moves))) == counts


@pytest.mark.parametrize(
    ("start", "cell", "expected"),
    [
        (".........", 0, Verdict.BEST),
        (".........", 4, Verdict.GOOD),  # wins 95 of 96 games, the corners 191 of 192
        (".X.......", 7, Verdict.INACCURACY),  # 63 %, where the centre wins 83 %
        ("X........", 1, Verdict.MISTAKE),  # a draw lost
        ("XX.OO....", 2, Verdict.BEST),
        ("XX.OO....", 8, Verdict.BLUNDER),
        ("XX.OX...O", 5, Verdict.BEST),  # lost already: not a mistake
    ],
)
def test_known_moves_get_their_verdicts(start, cell, expected):
    (move,) = review([cell], parse(start))
    assert verdict(move) == expected


def test_puzzles_are_positions_with_one_right_move_among_several():
    expected_positions = {
        canonical(position)
        for position in unfinished()
        if sum(
            -solver.value(position.play(cell)) == solver.value(position) for cell in position.free
        )
        == 1
        and len(position.free) > 1
    }
    assert {puzzle.position for puzzle in puzzles()} == expected_positions
    assert len(puzzles()) == len(expected_positions) == 294
    for puzzle in puzzles():
        assert solver.value_preserving_moves(puzzle.position) == [puzzle.right]
        assert puzzle.wins == (solver.value(puzzle.position) == 1)


def test_puzzle_level_depends_on_depth_or_on_answers():
    """Depth decides, until enough people have answered."""
    depths_and_levels = {(puzzle.depth, puzzle_level(puzzle, {})) for puzzle in puzzles()}
    assert depths_and_levels == {(1, 1), (2, 1), (3, 2), (4, 3), (5, 3), (6, 3)}
    hard = puzzle_of(parse("X........"))
    answers = [(4, 0), (5, 0), (100, 9), (100, 10), (100, 29), (100, 30)]
    assert [puzzle_level(hard, {hard.position: answer}) for answer in answers] == [3, 1, 1, 2, 2, 3]


def test_draw_picks_a_random_symmetry_and_not_the_last_puzzle():
    random, least = Random(1), canonical(parse("XX..O...."))

    def drawn(last_puzzle=EMPTY):
        puzzle = random_puzzle(random, lambda candidate: candidate.position == least, last_puzzle)
        assert solver.value_preserving_moves(puzzle.position) == [puzzle.right]
        return puzzle.position

    turned = Counter(drawn() for _ in range(400))
    assert len(turned) == 8 and min(turned.values()) > 25
    others = {canonical(drawn(least)) for _ in range(400)}  # if no other fits, any other is drawn
    assert len(others) > 150 and least not in others


def test_public_names_exist_and_have_docstrings():
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
def test_illegal_move_error_names_the_move(moves, why):
    for function in (Board.after, noughts.review):
        with pytest.raises(noughts.IllegalMoveError, match=why):
            function(moves)


def test_svg_has_marks_labels_and_the_winning_line():
    picture = ET.fromstring(Board("XXXOO....").svg({5: "<&>", 0: "taken"}))
    tags = [element.tag.rpartition("}")[2] for element in picture]
    assert tags.count("circle") == 2
    assert tags.count("path") == 1 + 3
    assert tags.count("rect") == 1 + 3  # the background, and the winning cells
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
def test_invalid_game_filter_raises_with_the_reason(chosen, why):
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


def test_store_and_capture_give_equal_games_and_html_tables(tmp_path, printed):
    captured, db = tmp_path / "capture", tmp_path / "games.db"
    games = [*stages(DRAW), *stages([0, 4], end="x", number=2)]
    captured.write_bytes(b"noise\n" + wire(BOOT, *games))
    printed("watch", "--from", captured, db=db)
    stored = [(game.number, game.end, [*map(int, game.moves)]) for game in noughts.games(db)]
    received = noughts.games_in_capture(captured)
    assert stored == [(game.number, game.end, [*game.moves]) for game in received]
    game_filter = noughts.GameFilter(results=("abandoned",))
    assert [game.number for game in noughts.games(db, game_filter)] == [2]
    assert noughts.games(db)._repr_html_().count("<tr>") == 3
    assert repr(noughts.games(db, game_filter)) == f"<games: 1 game in {db}>"
    assert "no games are stored in lost.db yet" in repr(noughts.games("lost.db"))
    assert "<td>moving first</td><td>22</td>" in noughts.prove("kind")._repr_html_()
    result = noughts.match("medium", "random", games=41, seed=3)
    assert [tally.games for tally in (*result, result.total)] == [21, 20, 41]
    assert "<td>total</td>" in result._repr_html_()


def test_python_api_document_runs_and_names_public_errors(repository, folder):
    path = repository / "docs" / "python-api.md"
    failed, tried = doctest.testfile(str(path), module_relative=False)
    assert failed == 0 and tried > 20
    errors = set(re.findall(r"`(\w+Error)`", path.read_text("utf-8")))
    assert errors - {"OSError"} <= set(noughts.__all__)
