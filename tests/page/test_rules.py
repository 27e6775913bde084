"""The page's rules, chip and solver are those of Python, in every position."""

from fractions import Fraction

import pytest

from noughts.brain.device import load_device
from noughts.game import positions, puzzles, solver
from noughts.game.positions import canonical, reachable, unfinished


@pytest.fixture(scope="module")
def unfinished_positions():
    return list(unfinished())


def test_rules(modules):
    everywhere = list(reachable())
    result = modules.evaluate(
        """async (positions) => {
          const { freeCells, isOver, scores, turn, wonCells } = await import('page/rules.js');
          return positions.map((marks) => {
            const mover = turn(marks);
            return [freeCells(marks), mover, isOver(marks), wonCells(marks), scores(marks, mover)];
          });
        }""",
        list(map(str, everywhere)),
    )
    assert result == [
        [
            list(position.free),
            position.turn,
            position.over,
            position.won_cells,
            position.scores(),
        ]
        for position in everywhere
    ]


def test_chip_plays_as_the_board_does(modules, unfinished_positions):
    result = modules.evaluate(
        """async (positions) => {
          const { best, LEVELS } = await import('page/chip.js');
          const { turn } = await import('page/rules.js');
          return positions.map((marks) => LEVELS.map((level) => best(marks, turn(marks), level)));
        }""",
        list(map(str, unfinished_positions)),
    )
    ai = load_device("ai")

    def device_moves(position, level):
        marks = [0] * 9
        for cell in range(9):
            marks[cell] = (position.mover >> cell & 1) - (position.other >> cell & 1)
        return ai.best(marks, position.scores(), 1, level)

    assert len(result) == 4520
    assert result == [
        [device_moves(position, level) for level in "EMH"] for position in unfinished_positions
    ]


def test_chip_plays_the_same_as_either_mark(modules, unfinished_positions):
    """Where A and B play, X may move second: the chip sees its own marks and the other's."""
    assert modules.evaluate(
        """async (positions) => {
          const { best, LEVELS } = await import('page/chip.js');
          const { other, turn } = await import('page/rules.js');
          const exchanged = { X: 'O', O: 'X', '.': '.' };
          return positions.every((marks) => {
            const marksExchanged = [...marks].map((mark) => exchanged[mark]).join('');
            const mover = turn(marks);
            return LEVELS.every((level) => {
              const cells = best(marksExchanged, other(mover), level);
              return String(best(marks, mover, level)) === String(cells);
            });
          });
        }""",
        list(map(str, unfinished_positions)),
    )


def test_every_value_and_best_move(modules, unfinished_positions):
    result = modules.evaluate(
        """async (positions) => {
          const solver = await import('page/solver.js');
          const { bestMoves, hardMoves, score, scoreOfMove, variation, winsAfter } = solver;
          const { freeCells, turn } = await import('page/rules.js');
          return positions.map((marks) => {
            const mover = turn(marks);
            const best = bestMoves(marks, mover);
            const moves = freeCells(marks).map((cell) =>
              [scoreOfMove(marks, mover, cell), ...winsAfter(marks, mover, cell)]);
            const line = variation(marks, mover);
            return [score(marks, mover), hardMoves(marks, mover), line, best, moves];
          });
        }""",
        list(map(str, unfinished_positions)),
    )
    for position, (score, hard_moves, variation, best, moves) in zip(
        unfinished_positions, result, strict=True
    ):
        assert score == solver.score(position)
        assert hard_moves == solver.hard_moves(position)
        assert variation == solver.variation(position)
        worth = {
            cell: (solver.score_of_move(position, cell), solver.win_chance_after(position, cell))
            for cell in position.free
        }
        assert best == [cell for cell in worth if worth[cell] == max(worth.values())]
        for cell, (score_of_move, won, sequences) in zip(position.free, moves, strict=True):
            value, chance = worth[cell]
            assert score_of_move == value
            assert Fraction(won, sequences) == chance


def test_puzzles(modules):
    result = modules.evaluate(
        """async () => {
          const { level, puzzles } = await import('page/solver.js');
          return puzzles().map((puzzle) =>
            [puzzle.marks, puzzle.right, puzzle.wins, puzzle.depth, level(puzzle)]);
        }"""
    )
    originals = [puzzle for position in reachable() if (puzzle := puzzles.puzzle_of(position))]
    assert result == [
        [
            str(puzzle.position),
            puzzle.right,
            puzzle.wins,
            puzzle.depth,
            puzzles.puzzle_level(puzzle, {}),
        ]
        for puzzle in originals
    ]
    shown = {canonical(positions.parse(marks)) for marks, *_ in result}
    assert shown == {puzzle.position for puzzle in puzzles.puzzles()}
