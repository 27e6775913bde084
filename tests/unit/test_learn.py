"""Learning from games: habits, the table that fits them, its gain; and `noughts learn`."""

import json
from collections import Counter
from functools import cache
from math import isclose
from random import Random

import pytest

from ask_hard import ask_hard
from classes import blind_to_diagonals, blocks_only, centre_first, played, win_chance
from needed import long
from noughts import brain
from noughts.brain import learn
from noughts.brain.device import device_files, load_device
from noughts.engines.levels import Chip
from noughts.game import solver
from noughts.game.positions import EMPTY, canonical, parse, unfinished
from noughts.game.proof import prove
from noughts.game.solver import value, value_preserving_moves
from official import NEWEST
from sample_games import filled, stages

HARD = brain.make_table()
PEOPLE = [centre_first, long(blind_to_diagonals), long(blocks_only)]


@cache
def learned(person, games, seed=1):
    """The habits of a person after this many games against hard, and the table that fits them."""
    habits = learn.Habits(played(person, HARD, games, seed))
    return habits, learn.fit(habits)


def test_habits_without_games_are_random_play():
    """The solver knows its exact chances, in both seats."""
    unknown = learn.Habits([])
    for position in unfinished():
        assert all(isclose(p, 1 / len(position.free)) for p in unknown.anywhere(position).values())
    known_chance = float(solver.win_chance() + solver.win_chance(hard_to_move=False)) / 2
    assert isclose(learn.Chances(learn.by_table(HARD), unknown).win, known_chance)
    assert isclose(learn.best(unknown), known_chance)
    assert learn.fit(unknown) == HARD


def test_habits_combine_seen_moves_with_general_preferences():
    game = learn.PeopleGame((4, 0), (True, False))
    habits = learn.Habits([game] * 996)
    assert (habits.games, habits.moves) == (996, 996)
    assert habits.anywhere(EMPTY)[4] > 0.996
    took = {readiness.kind: readiness for readiness in habits.readiness()}
    assert set(took) == {"take the centre", "take a corner", "take an edge"}
    centre = took["take the centre"]
    assert (centre.opportunities, centre.played_share, centre.by_chance) == (
        996,
        1.0,
        pytest.approx(1 / 9),
    )
    # They prefer the centre elsewhere, too.
    assert habits.anywhere(parse("X........"))[4] > 0.9
    # A rotated or mirrored game counts as the same.
    one, turned = (
        learn.Habits([learn.PeopleGame(moves, game.people)]) for moves in ((0, 1, 8), (2, 5, 6))
    )
    for position in brain.classes():
        assert one.chances(position) == pytest.approx(turned.chances(position))
    # One game changes little.
    took_the_edge = learn.Habits([learn.PeopleGame((1,), (True, False))]).anywhere(EMPTY)
    assert all(0.07 < chance < 0.2 for chance in took_the_edge.values())


@pytest.mark.parametrize("person", PEOPLE)
def test_chances_equal_those_of_playing_every_game(person):
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

    chances = learn.Chances(learn.by_table(table), habits)
    assert isclose(chances.win, won(EMPTY, True) + won(EMPTY, False))
    assert chances.reach() == pytest.approx(reached)


@pytest.mark.parametrize("person", PEOPLE)
def test_200_games_suffice_to_find_the_best_play_against_a_habit(person):
    """Against that person, it is as good as the best play that preserves value."""
    chance = win_chance(person, learn.by_table(learned(person, 200)[1]))
    assert chance > win_chance(person, learn.by_table(HARD)) + 0.04
    assert isclose(chance, win_chance(person, value_preserving_moves, max))


@pytest.mark.parametrize("person", PEOPLE)
@pytest.mark.parametrize("count", [100, long(400)])
def test_predicted_gain_interval_contains_the_true_gain(person, count):
    games = played(person, HARD, count, seed=1)
    predicted = learn.estimate(games, HARD)
    policy_before, policy_after = (
        learn.by_table(some_table) for some_table in (HARD, learned(person, count)[1])
    )
    gain = win_chance(person, policy_after) - win_chance(person, policy_before)
    assert predicted.gain[0] > 0
    assert predicted.gain[0] < gain < predicted.gain[1]
    assert predicted.gain[0] < predicted.chance_after - predicted.chance_before < predicted.gain[1]


@pytest.mark.parametrize("seed", [0, long(1)])
def test_learned_table_never_loses(seed):
    """Even if people prefer random cells, and their games make little sense."""
    random = Random(seed)
    liking = [random.random() ** 3 for _ in range(9)]

    def person(position):
        most = max(liking[cell] for cell in position.free)
        return tuple(cell for cell in position.free if liking[cell] == most)

    table = learn.fit(learn.Habits(played(person, HARD, 80, seed)))
    proof = prove(
        Chip("H", load_device("ai", {**device_files(), "table.py": brain.source(table).encode()}))
    )
    assert proof.never_loses and proof.value_losing_positions == 0
    assert len(table.payload) <= learn.MAX_BYTES


def test_full_book_has_the_largest_gains_and_the_rest_is_listed(monkeypatch):
    habits, roomy = learned(blocks_only, 200)
    assert not learn.left_out(roomy, habits)
    monkeypatch.setattr(learn, "MAX_BOOK", len(HARD.book))
    table = learn.fit(habits)
    assert len(table.book) == learn.MAX_BOOK
    own = learn.by_table(table)
    win = learn.Chances(own, habits).win
    assert win < learn.Chances(learn.by_table(roomy), habits).win - 0.01
    missed = learn.left_out(table, habits)
    assert missed
    for entry in missed:  # its gain is that of playing it
        assert entry.old_cells == own(entry.position)
        policy = {position: own(position) for position in brain.classes()}
        chances = learn.Chances((policy | {entry.position: entry.new_cells}).__getitem__, habits)
        assert isclose(chances.win - win, entry.gain) and entry.gain > learn.LEAST_GAIN
        assert entry.new_cells[0] in value_preserving_moves(entry.position)


def test_changes_give_their_gain_reach_and_expected_mistakes():
    habits, table = learned(centre_first, 100)
    table_changes = learn.changes(HARD, table, habits)
    reach = learn.Chances(learn.by_table(table), habits).reach()
    assert [change.gain for change in table_changes] == sorted(
        (change.gain for change in table_changes), reverse=True
    )
    assert table_changes[0].gain > 0.1
    for change in table_changes:
        assert change.reach == reach[change.position]
        assert change.old_cells == brain.choose(change.position, HARD).cells
        assert change.new_cells == brain.choose(change.position, table).cells
        replied = change.position.play(change.new_cells[0])
        for cell, chance in change.mistakes:
            assert value(replied) == 0 and value(replied.play(cell)) == 1
            assert isclose(chance, habits.anywhere(replied)[cell])


def stored(folder, games):
    """A store with these games against the chip on hard."""
    sentences = (
        stages(game.moves, number=number, first="A" if game.people[0] else "B")
        for number, game in enumerate(games, 1)
    )
    return filled(folder / "games.db", *sentences)


def test_learn_prints_its_gain_and_writes_a_valid_table(tmp_path, printed, refused, monkeypatch):
    # Estimating takes seconds, and both commands use the same games.
    estimate = cache(learn.estimate)
    monkeypatch.setattr(learn, "estimate", lambda games, hard: estimate(tuple(games), hard))
    games = played(centre_first, HARD, 120, seed=1)
    table, habits = tmp_path / "table.py", learn.Habits(games)
    db = stored(tmp_path, games)
    out = printed("learn", "-o", table, db=db)
    made = brain.parse_table(table.read_text(), "it")
    for part in (
        f"learned from 120 games, {habits.moves} moves of people", "take the centre", "put --table",
        "points (95% interval)", "of people then play", "loses no game from either seat",
        f"table {made.id}",
    ):  # fmt: skip
        assert part in out
    assert "no gain can be shown yet" not in out and "did not fit" not in out
    assert made == learn.fit(habits)
    head = " ".join(table.read_text().replace("#", "").split())
    assert f"wins most often against the people of 120 games ({habits.moves} moves of" in head

    record = json.loads(printed("learn", "--json", db=db))
    assert (record["games"], record["moves"]) == (120, habits.moves)
    assert record["table"] == {"id": made.id, "bytes": len(made.payload)}
    assert record["gain"][0] > 0
    changed = [(change["position"], change["gain"]) for change in record["changes"]]
    table_changes = learn.changes(HARD, made, habits)
    assert changed == [(str(change.position), change.gain) for change in table_changes]
    assert record["before"] < record["after"] <= record["most"] + 0.1

    check = "table", "--check", "-o", table
    checked = "never loses, and keeps the value of all 4,520 positions"
    assert checked in printed(*check)
    assert json.loads(printed(*check, "--json"))["never_loses"] is True
    table.write_text(brain.source(brain.Table(made.weights, ()), "noughts learn", "people"))
    assert "; make another with" in refused(*check)


def test_learn_prints_what_does_not_fit_into_the_table(tmp_path, printed, monkeypatch):
    monkeypatch.setattr(learn, "MAX_BOOK", len(HARD.book))
    monkeypatch.setattr(learn, "estimate", lambda *_: None)  # it takes a second
    db = stored(tmp_path, played(blocks_only, HARD, 20, seed=1))
    missed = json.loads(printed("learn", "--json", db=db))["left_out"]
    assert missed and missed[0]["better"] not in missed[0]["played"]
    out = printed("learn", db=db)
    assert "What did not fit into the table" in out and "no gain can be shown yet" in out
    assert f"would gain {100 * missed[0]['gain']:.2f} points" in out


@pytest.mark.long
def test_chip_plays_a_learned_table():
    _, table = learned(centre_first, 100)
    for position, answer in ask_hard(NEWEST[0], table, up_to_symmetry=True).items():
        assert answer.cells == list(brain.choose(position, table).cells)
