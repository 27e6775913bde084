"""What is learned from games: habits, the table that fits them, and what it is said to gain."""

from collections import Counter
from functools import cache
from math import isclose
from random import Random

import pytest

from classes import at_random, blind_to_diagonals, blocks_only, centre_first, played, win_chance
from needed import long
from noughts import brain
from noughts.brain import learn
from noughts.brain.learn import (
    Chances,
    Habits,
    PeopleGame,
    best,
    by_table,
    changes,
    estimate,
    fit,
    left_out,
)
from noughts.engines.levels import Chip
from noughts.errors import NoughtsError
from noughts.game.positions import EMPTY, canonical, parse, unfinished
from noughts.game.proof import prove
from noughts.game.solver import value, value_preserving_moves, win_chance_from

HARD = brain.make()
SOMEBODY = [centre_first, long(blind_to_diagonals), long(blocks_only)]


@cache
def learned(person, games, seed=1):
    """The habits of somebody who has played so many games against hard, and their table."""
    habits = Habits(played(person, HARD, games, seed))
    return habits, fit(habits)


def test_nobody_seen_is_random_play():
    """Which the solver knows exactly, from both seats."""
    nobody = Habits([])
    for position in unfinished():
        chances = nobody.anywhere(position)
        assert all(isclose(chance, 1 / len(position.free)) for chance in chances.values())
    known = float(win_chance_from(EMPTY)) / 2 + sum(
        float(win_chance_from(EMPTY.play(cell))) / 18 for cell in range(9)
    )
    chances = Chances(by_table(HARD), nobody)
    assert isclose(chances.win, known)
    for ply in (0, 1):  # half of the games are begun by either side
        assert isclose(sum(c for each, c in chances.reach().items() if each.ply == ply), 0.5)
    assert isclose(best(nobody), known)
    assert fit(nobody) == HARD


def test_habits_are_shares_of_what_was_seen_and_of_what_is_done_anywhere():
    game = PeopleGame((4, 0), (True, False))
    habits = Habits([game] * 996)
    assert (habits.games, habits.moves) == (996, 996)
    first = habits.anywhere(EMPTY)
    assert isclose(sum(first.values()), 1)
    assert first[4] > 0.996
    assert isclose(first[0], first[8]) and isclose(first[1], first[7])
    took = {each.kind: each for each in habits.readiness()}
    assert set(took) == {"take the centre", "take a corner", "take an edge"}
    centre = took["take the centre"]
    assert (centre.could, centre.did) == (996, 1.0)
    assert isclose(centre.by_chance, 1 / 9)
    # Elsewhere, too, the centre is what they like.
    assert habits.anywhere(parse("X........"))[4] > 0.9
    # A game that is turned or mirrored counts as the same.
    one, turned = (Habits([PeopleGame(moves, game.people)]) for moves in ((0, 1, 8), (2, 5, 6)))
    for position in brain.classes():
        assert one.chances(position) == pytest.approx(turned.chances(position))
    # One game changes little.
    took_the_edge = Habits([PeopleGame((1,), (True, False))]).anywhere(EMPTY)
    assert all(0.07 < chance < 0.2 for chance in took_the_edge.values())


@pytest.mark.parametrize("person", SOMEBODY)
def test_chances_are_those_of_every_game_one_by_one(person):
    habits, table = learned(person, 50, seed=2)
    reached = Counter()

    def won(position, chip, chance=0.5):
        if position.over:
            return chance * (value(position) < 0 and not chip)
        if chip:
            reached[canonical(position)] += chance
            cells = brain.choose(position, table).cells
            shares = dict.fromkeys(cells, 1 / len(cells))
        else:
            shares = habits.anywhere(position)
        return sum(won(position.play(c), not chip, chance * shares[c]) for c in shares)

    chances = Chances(by_table(table), habits)
    assert isclose(chances.win, won(EMPTY, True) + won(EMPTY, False))
    assert chances.reach() == pytest.approx(reached)


@pytest.mark.parametrize("person", SOMEBODY)
def test_two_hundred_games_find_the_best_play_against_a_habit(person):
    """As good as any play that gives nothing away, against the people themselves."""
    _, table = learned(person, 200)

    def most(position, chip):
        if position.over:
            return float(value(position) < 0 and not chip)
        cells = value_preserving_moves(position) if chip else person(position)
        chances = [most(position.play(cell), not chip) for cell in cells]
        return max(chances) if chip else sum(chances) / len(chances)

    assert win_chance(person, table) > win_chance(person, HARD) + 0.04
    assert isclose(win_chance(person, table), (most(EMPTY, True) + most(EMPTY, False)) / 2)


@pytest.mark.parametrize("person", SOMEBODY)
@pytest.mark.parametrize("count", [100, long(400)])
def test_the_predicted_gain_is_the_gain(person, count):
    games = played(person, HARD, count, seed=1)
    found = estimate(games, HARD)
    gain = win_chance(person, learned(person, count)[1]) - win_chance(person, HARD)
    assert found.shows_gain
    assert found.gain[0] < gain < found.gain[1]
    assert found.gain[0] < found.after - found.before < found.gain[1]


@pytest.mark.long
def test_people_who_play_at_random_change_nothing_that_matters():
    _, table = learned(at_random, 400)
    assert abs(win_chance(at_random, table) - win_chance(at_random, HARD)) < 0.001
    assert not estimate(played(at_random, HARD, 400, seed=1), HARD).shows_gain


@pytest.mark.parametrize("seed", [0, long(1)])
def test_it_never_loses_whatever_was_learned(seed):
    """People who like each kind of cell by chance, and games that make no sense."""
    random = Random(seed)
    liking = [random.random() ** 3 for _ in range(9)]

    def person(position):
        most = max(liking[cell] for cell in position.free)
        return tuple(cell for cell in position.free if liking[cell] == most)

    table = fit(Habits(played(person, HARD, 80, seed)))
    brain.prove(table)
    with pytest.raises(NoughtsError, match="which gives away a win; make another"):
        brain.prove(brain.Table(HARD.weights, ()))
    found = prove(Chip("H", brain.device_code(table)))
    assert found.never_loses and found.value_losing_positions == 0
    assert len(table.payload) <= learn.MAX_BYTES
    assert brain.read(brain.source(table, "noughts learn", "people"), "it") == table


def test_where_there_is_no_room_what_gains_most_is_taken(monkeypatch):
    habits, _ = learned(blocks_only, 200)
    wins = []
    for room in (len(HARD.book), 10, 14):
        monkeypatch.setattr(learn, "MAX_BOOK", room)
        table = fit(habits)
        assert len(table.book) <= room
        wins.append(Chances(by_table(table), habits).win)
    assert wins == sorted(wins)
    assert wins[0] < wins[-1] - 0.01
    assert left_out(table, habits) == []


def test_each_position_that_did_not_fit_is_worth_what_playing_it_would_gain(monkeypatch):
    monkeypatch.setattr(learn, "MAX_BOOK", 9)
    habits, _ = learned(blocks_only, 200)
    table = fit(habits)
    found = left_out(table, habits)
    assert found
    win = Chances(by_table(table), habits).win
    for each in found:
        assert each.before == brain.choose(each.position, table).cells
        assert each.after[0] in value_preserving_moves(each.position)
        assert each.gain > learn.LEAST_GAIN

        def policy(position, each=each):
            own = brain.choose(position, table).cells
            return each.after if position == each.position else own

        assert isclose(Chances(policy, habits).win - win, each.gain)


def test_changes_add_up_and_wait_for_mistakes():
    habits, table = learned(centre_first, 100)
    found = changes(HARD, table, habits)
    reach = Chances(by_table(table), habits).reach()
    assert [change.gain for change in found] == sorted((each.gain for each in found), reverse=True)
    assert found[0].gain > 0.1
    for change in found:
        assert change.reach == reach[change.position]
        assert change.before == brain.choose(change.position, HARD).cells
        assert change.after == brain.choose(change.position, table).cells
        replied = change.position.play(change.after[0])
        for cell, chance in change.mistakes:
            assert value(replied) == 0 and value(replied.play(cell)) == 1
            assert isclose(chance, habits.anywhere(replied)[cell])
