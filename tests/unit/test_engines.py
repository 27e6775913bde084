"""Engines, held against published numbers and against the solved game."""

from fractions import Fraction
from functools import cache

import pytest

from noughts.engines.registry import engines
from noughts.engines.rule_based import block, complete, influence, stop_fork
from noughts.game import solver
from noughts.game.positions import EMPTY, LINES, WON, parse, unfinished
from noughts.game.proof import prove

ENGINES = engines()


def test_they_are_known_by_their_names():
    names = "random easy medium rules hard minimax alphabeta transposition kind menace"
    assert list(ENGINES) == names.split()
    assert all(ENGINES[name].name == name for name in ENGINES)


@pytest.mark.parametrize(("position", "nodes"), [(EMPTY, 549_946), (EMPTY.play(0), 59_705)])
def test_minimax_visits_the_published_number_of_nodes(position, nodes):
    reply = ENGINES["minimax"].reply(position)
    assert (reply.nodes, reply.cut, reply.score) == (nodes, 0, 0)


def test_pruning_saves_most_nodes_and_the_table_most_of_the_rest():
    counts = [ENGINES[name].reply(EMPTY).nodes for name in ("alphabeta", "transposition")]
    assert counts == [20_866, 1_294]
    assert ENGINES["alphabeta"].reply(EMPTY).cut == 7_788


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
    ],
)
def test_the_quicker_win_and_the_slower_loss(text, score, cell):
    reply = ENGINES["minimax"].reply(parse(text))
    assert (reply.score, reply.cells) == (score, (cell,))


def test_a_lost_position_is_held_as_long_as_can_be():
    # O is to move, and has two lines to stop.
    assert ENGINES["alphabeta"].reply(parse("X.X.O.X.O")).score == -8


def test_each_rule():
    assert complete(parse("XX.OO....")) == 2
    assert complete(parse("XX.OO.X..")) == 5
    assert complete(parse("X...O....")) is None
    assert block(parse("X.O.X....")) == 8
    assert block(parse("X........")) is None
    # X at the ends of a diagonal: the row and the column that meet in a free corner.
    assert stop_fork(parse("X...O...X")) == 1
    # X beside two edges: their corner is 0, and the first line's middle cell is X's own.
    assert stop_fork(parse(".X.XO....")) == 0
    assert stop_fork(parse("X...O....")) is None
    assert influence(EMPTY) == 4
    assert influence(parse("....X....")) == 0


def test_the_chip_s_levels_are_the_device_s_own():
    position = parse("X...O....")
    assert ENGINES["easy"].reply(position).cells == ENGINES["random"].reply(position).cells
    for each in unfinished():
        assert set(ENGINES["hard"].reply(each).cells) <= set(solver.hard_moves(each))
    assert ENGINES["medium"].reply(parse("XX.OO....")).cells == (2,)
    assert ENGINES["medium"].reply(parse("XX.O.....")).cells == (2,)


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


@cache
def most_often_lost(board, loser):
    """By brute force: how likely the loser loses and wins against random play.

    It plays so that it loses as often as can be, and of such ways so that it wins as rarely.
    """
    for mark in "XO":
        if any(all(board[cell] == mark for cell in line) for line in LINES):
            return Fraction(mark != loser), Fraction(mark == loser)
    free = [cell for cell in range(9) if board[cell] == "."]
    if not free:
        return Fraction(0), Fraction(0)
    mark = "XO"[len(free) % 2 == 0]
    after = [most_often_lost(board[:cell] + mark + board[cell + 1 :], loser) for cell in free]
    if mark == loser:
        return max(after, key=lambda found: (found[0], -found[1]))
    return tuple(sum(shares) / len(free) for shares in zip(*after, strict=True))


def test_no_way_to_play_loses_more_often_against_random_play_than_kind():
    for position in unfinished():
        board, mark = str(position), "XO"[position.ply % 2]
        (cell,) = ENGINES["kind"].reply(position).cells
        after = board[:cell] + mark + board[cell + 1 :]
        assert most_often_lost(after, mark) == most_often_lost(board, mark)
    for seat, mark in zip(prove(ENGINES["kind"]).seats, "XO", strict=True):
        assert (seat.loss_chance, seat.win_chance) == most_often_lost("." * 9, mark)
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
