"""Engines, held against published numbers and against the solved game."""

from fractions import Fraction
from functools import cache

import pytest

from brute_force import against_random, following
from noughts.engines.registry import engines
from noughts.engines.rule_based import block, complete, influence, stop_fork
from noughts.game import solver
from noughts.game.positions import EMPTY, WON, parse, unfinished
from noughts.game.proof import prove

ENGINES = engines()


@pytest.mark.parametrize(
    ("name", "position", "nodes", "cut"),
    [
        ("minimax", EMPTY, 549_946, 0),
        ("minimax", EMPTY.play(0), 59_705, 0),
        ("alphabeta", EMPTY, 20_866, 7_788),
        ("transposition", EMPTY, 1_294, None),
    ],
)
def test_searches_visit_the_published_number_of_nodes(name, position, nodes, cut):
    reply = ENGINES[name].reply(position)
    assert (reply.nodes, reply.score) == (nodes, 0) and cut in (None, reply.cut)


def test_all_searches_agree_with_each_other_and_with_the_solver():
    for position in unfinished():
        if position.ply < 2:
            continue  # minimax takes a while there
        plain, pruned, remembered = (
            ENGINES[name].reply(position) for name in ("minimax", "alphabeta", "transposition")
        )
        assert plain.cells == pruned.cells == remembered.cells
        assert plain.score == pruned.score == remembered.score
        assert remembered.nodes <= pruned.nodes <= plain.nodes
        value = (plain.score > 0) - (plain.score < 0)
        assert value == solver.value(position)
        assert set(plain.cells) <= set(solver.value_preserving_moves(position))


@pytest.mark.parametrize(
    ("text", "score", "cell"),
    [
        ("XX.OO....", 9, 2),  # a win at once, before a block
        ("XX..O...O", 9, 2),
        ("X.O.X.O..", 9, 8),
        ("X.X.O.X.O", -8, 1),  # lost: O has two lines to stop
    ],
)
def test_the_quicker_win_and_the_slower_loss(text, score, cell):
    reply = ENGINES["alphabeta"].reply(parse(text))
    assert (reply.score, reply.cells) == (score, (cell,))


@pytest.mark.parametrize(
    ("rule", "text", "cell"),
    [
        (complete, "XX.OO....", 2),
        (complete, "XX.OO.X..", 5),
        (complete, "X...O....", None),
        (block, "X.O.X....", 8),
        (block, "X........", None),
        # X at the ends of a diagonal: the row and the column that meet in a free corner.
        (stop_fork, "X...O...X", 1),
        # X beside two edges: their corner is 0, and the first line's middle cell is X's own.
        (stop_fork, ".X.XO....", 0),
        (stop_fork, "X...O....", None),
        (influence, ".........", 4),
        (influence, "....X....", 0),
    ],
)
def test_each_rule(rule, text, cell):
    assert rule(parse(text)) == cell


def test_the_chip_s_levels_are_the_device_s_own():
    position = parse("X...O....")
    assert ENGINES["easy"].reply(position).cells == ENGINES["random"].reply(position).cells
    assert set(ENGINES["hard"].reply(position).cells) <= set(solver.hard_moves(position))
    for text in ("XX.OO....", "XX.O....."):
        assert ENGINES["medium"].reply(parse(text)).cells == (2,)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("XX.OO....", 7),  # neither completes its own row nor blocks
        ("XOX.OXX.O", 3),  # the other cell would win
        ("XOXXOXO.O", 7),  # the only one
    ],
)
def test_kind_plays_to_lose(text, cell):
    assert ENGINES["kind"].reply(parse(text)).cells == (cell,)


def like_kind(_, chances):
    """To lose as often as can be; and of such ways, to win as rarely."""
    won, lost = chances
    return lost, -won


def test_no_way_to_play_loses_more_often_against_random_play_than_kind():
    for position in unfinished():
        board, me = str(position), "XO"[position.ply % 2]
        (cell,) = ENGINES["kind"].reply(position).cells
        after = dict(following(board))[cell]
        assert against_random(after, me, like_kind) == against_random(board, me, like_kind)
    for seat, me in zip(prove(ENGINES["kind"]).seats, "XO", strict=True):
        assert (seat.win_chance, seat.loss_chance) == against_random("." * 9, me, like_kind)
        assert seat.loss_chance > Fraction(9, 10) and seat.greatest_loss_chance == 1


def test_kind_says_that_it_cannot_be_helped_where_no_game_can_be_won_against_it_any_more():
    @cache
    def can_be_won(position, by_mover):
        if position.over:
            return WON[position.other] and not by_mover
        return any(can_be_won(position.play(cell), not by_mover) for cell in position.free)

    hopeless = 0
    for position in unfinished():
        reply = ENGINES["kind"].reply(position)
        lost = can_be_won(position, by_mover=False)
        hopeless += not lost
        mark = "XO"[1 - position.ply % 2]
        told = "" if lost else f"It cannot be helped: nothing lets {mark} win now."
        assert reply.remark == told
    assert hopeless > 100
