"""`import noughts`: the board, its rules, and what is found by name."""

import doctest
import xml.etree.ElementTree as ET

import pytest

import noughts
from noughts import Board
from noughts.game.positions import reachable
from noughts.game.solver import hard_moves, value
from sample_games import BOOT, DRAW, stages, wire


def test_all_that_is_promised_is_there():
    assert set(noughts.__all__) <= set(dir(noughts))
    for name in noughts.__all__:
        assert getattr(noughts, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'chess'"):
        _ = noughts.chess


def test_every_reachable_board_agrees_with_the_solver():
    for position in reachable():
        board = Board(str(position))
        assert board == Board.of(position) and board.value() == value(position)
        assert board.is_over == (board.turn is None) == (not board.legal_moves)
        assert (board.winner is None) == (board.winning_line is None)
        assert board.best_moves() == (() if board.is_over else tuple(hard_moves(position)))
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
