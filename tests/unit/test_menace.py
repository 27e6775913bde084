"""MENACE, held against what Michie published, and against calculations of another kind.

D. Michie, "Experiments on the mechanization of game-learning. Part I", The Computer Journal 6(3),
1963, 232-236.
"""

from collections import Counter
from fractions import Fraction
from functools import cache
from random import Random

from noughts import Board
from noughts.engines.menace import Menace, train
from noughts.engines.registry import engines
from noughts.game.engine import odds
from noughts.game.positions import EMPTY, WON, canonical, parse, unfinished
from noughts.game.proof import prove


def test_there_is_a_box_for_each_position_with_a_choice():
    """Michie's 287 are those in which something can still be done."""
    boxes = Menace().boxes
    assert set(boxes) == {canonical(each) for each in unfinished() if len(each.free) > 1}
    by_ply = Counter(position.ply for position in boxes)
    assert [by_ply[ply] for ply in (0, 2, 4, 6)] == [1, 12, 108, 183]
    assert sum(by_ply[ply] for ply in (1, 3, 5, 7)) == 289
    openers = [Board.of(position) for position in boxes if position.ply % 2 == 0]
    lost_next = [b for b in openers if not b.completing("X") and len(b.completing("O")) >= 2]
    assert len(openers) - len(lost_next) == 287


def test_it_learns_from_a_game():
    """Opening in the corner 9, in a game that is turned: the boxes are those of the corner 1."""
    menace, game = Menace(), [8, 4, 0, 2, 6, 3, 7]
    menace.learn(game, True, 1)  # X has the bottom row
    assert menace.boxes[EMPTY] == {0: 4 + 3, 1: 4, 4: 4}
    assert menace.beads(parse("X...O...."))[8] == 3 + 3
    assert menace.beads(parse("X.OOO.X.X"))[7] == 1 + 3
    menace.learn(game, False, -1)
    assert menace.beads(parse("X........"))[4] == 4 - 1
    assert menace.beads(parse("X...O...X"))[2] == 3 - 1
    menace.learn([0, 1, 2, 4, 3, 5, 7, 6, 8], True, 0)
    assert menace.boxes[EMPTY] == {0: 4 + 3 + 1, 1: 4, 4: 4}


def test_it_resigns_where_a_box_is_empty_but_not_its_first():
    menace = Menace()
    for cells in (1, 0, 2, 4, 3, 8), [0], [4], *((1, 0, cell) for cell in range(2, 9)):
        for _ in range(30):
            menace.learn(cells, True, -1)
    assert menace.boxes[EMPTY] == {0: 0, 1: 0, 4: 1}
    # Which of its moves lost a bead: not the first, whose last one stays.
    assert menace.learn([4, 0, 1, 3, 2, 6], True, -1) == [1, 2]
    assert menace.reply(parse("OX.......")).cells == ()


def spoiled(menace, first):
    """How likely it loses to an opponent that knows all beads, by the rules alone."""

    def chances(position):
        return menace.reply(position).chances()

    @cache
    def lost(position):
        if position.over:
            return Fraction(WON[position.other] and (position.ply % 2 == 0) == first)
        if (position.ply % 2 == 0) != first:
            return max(lost(position.play(cell)) for cell in position.free)
        resigns = not chances(position)
        return resigns + sum(share * lost(position.play(cell)) for cell, share in chances(position))

    return lost(EMPTY)


def test_the_greatest_loss_is_what_its_best_opponent_gets():
    menace = Menace()
    list(train(menace, engines()["medium"], 100, (True,), Random(1)))
    for seat in prove(menace).seats:
        assert seat.greatest_loss_chance == spoiled(menace, seat.first)


def test_in_self_play_both_sides_learn():
    learned, random = Menace(), engines()["random"]
    list(train(learned, learned, 1000, (True,), Random(1)))
    assert odds(learned, random).lost < odds(Menace(), random).lost / 2
    assert odds(random, learned).won < odds(random, Menace()).won / 2
