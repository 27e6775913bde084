"""Engines and hard's brain, held against the solved game, and engines against each other.

How many nodes the searches visit is in docs/python-api.md and the lessons, which are run.
"""

import json
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import pytest

from brute_force import against_random, following, minimax
from noughts import Board, brain
from noughts.device_files import device_dir, load_device
from noughts.engines.registry import engines
from noughts.errors import NoughtsError
from noughts.game import solver
from noughts.game.engine import interval, match
from noughts.game.positions import unfinished
from noughts.game.proof import prove

ENGINES = engines()


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
        assert plain.score == solver.score(position)
        best = solver.variation(position)
        assert plain.cells == (best[0],)
        assert not plain.score or len(best) == 10 - abs(plain.score)


def like_kind(_, chances):
    """To lose as often as can be; and of such ways, to win as rarely."""
    won, lost = chances
    return lost, -won


def test_no_way_to_play_loses_more_often_against_random_play_than_kind():
    for position in unfinished():
        board, me, other = str(position), *("XO" if position.turn == "X" else "OX")
        reply = ENGINES["kind"].reply(position)
        after = dict(following(board))[reply.cells[0]]
        chances = against_random(after, me, like_kind)
        assert chances == against_random(board, me, like_kind)
        helpless = f"Nothing lets {other} win now."
        assert reply.remark == ("" if chances[1] else helpless)
    for seat, me in zip(prove(ENGINES["kind"]).seats, "XO", strict=True):
        assert (seat.win_chance, seat.loss_chance) == against_random("." * 9, me, like_kind)
        assert seat.loss_chance > Fraction(9, 10) and seat.greatest_loss_chance == 1


def test_the_interval_is_wilsons():
    """Against a worked example: 15 of 20 gives 53.1 % to 88.8 %."""
    low, high = interval(15, 20)
    assert (round(low, 3), round(high, 3)) == (0.531, 0.888)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == 1


def test_played_games_agree_with_the_exact_chance_from_either_seat():
    tallies = match(ENGINES["medium"], ENGINES["random"], 4001, Random(5))
    assert [tally.games for tally in tallies] == [2001, 2000]
    for tally, exact in zip(tallies, prove(ENGINES["medium"]).seats, strict=True):
        low, high = interval(tally.won, tally.games)
        assert low < exact.win_chance < high


def test_a_duel(printed):
    words = ("duel", "hard", "random", "-n", 200, "--seed")
    told = printed(*words, 3)
    assert told.startswith("hard against random, 200 games, seed 3\n")
    assert "0 = 0.0%" in told and "(0.0% to " in told and "together" in told
    assert printed(*words, 3) == told != printed(*words, 4)
    (facts,) = json.loads(printed("duel", "rules", "alphabeta", "-n", 20, "--json"))
    for seat in ("first", "second"):
        assert facts[seat]["drawn"]["games"] == 10
        assert facts[seat]["lost"]["interval"][0] == 0


def test_all_against_all(printed, monkeypatch):
    """Each pair once, as a match of the two."""
    chosen = {name: ENGINES[name] for name in ("random", "easy", "medium", "menace")}
    monkeypatch.setattr("noughts.cli.vs.engines", lambda: chosen)
    told = printed("duel", "--all", "-n", 20)
    assert max(map(len, told.splitlines())) <= 80 and " menace (untrained) " in told
    _, _, *rows, _ = told.replace(" (untrained)", "").splitlines()
    assert [tuple(row.split()[:2]) for row in rows] == list(combinations(chosen, 2))
    (facts,) = json.loads(printed("duel", "easy", "medium", "-n", 20, "--json"))
    seats = facts["first"], facts["second"]
    ended = [sum(seat[end]["games"] for seat in seats) for end in ("won", "drawn", "lost")]
    assert [f"{count / 20:.1%}" for count in ended] == rows[3].split()[2:]


MADE = brain.make()

ai = load_device("ai")


def like_hard(after, chances):
    """First the value of the move; then how likely it wins."""
    return -minimax(after), chances[0]


@cache
def best_moves(board):
    """Where hard moves, by brute force."""
    me = "XO"[board.count(".") % 2 == 0]
    liked = {
        cell: like_hard(after, against_random(after, me, like_hard))
        for cell, after in following(board)
    }
    return {cell for cell in liked if liked[cell] == max(liked.values())}


def test_the_solver_and_the_chip_agree_with_brute_force_everywhere():
    """The chip on its board, too, where it may be either player."""
    for position in unfinished():
        best = best_moves(str(position))
        assert solver.value(position) == minimax(str(position)), position
        assert set(solver.hard_moves(position)) == best, position
        cells = brain.best_cells(ai, position)
        assert cells and set(cells) <= best, position
        assert list(brain.choose(position, MADE).cells) == cells
        marks = [(position.other >> c & 1) - (position.mover >> c & 1) for c in range(9)]
        score = [-line for line in position.scores()]
        assert ai.best(marks, score, -1, "H") == cells


def test_medium_completes_else_blocks_else_plays_anywhere_as_easy_does():
    for position in unfinished():
        assert brain.best_cells(ai, position, "E") == list(position.free)
        board = Board.of(position)
        wanted = board.completing(board.turn) or board.completing(board.other)
        cells = brain.best_cells(ai, position, "M")
        assert set(cells) <= set(wanted) if wanted else cells == list(position.free)


def test_the_committed_table_is_what_would_be_generated():
    assert (device_dir() / "table.py").read_text() == brain.source(MADE)
    assert MADE.id == load_device("table").ID
    assert len(MADE.payload) == 26
    for table in (MADE, brain.Table((0,) * 10, ())):
        assert brain.read(brain.source(table), "it") == table


def test_weights_that_cannot_be_mended_by_a_book_and_a_wrong_book_are_refused():
    with pytest.raises(NoughtsError, match="find others"):
        brain.make((18, 2, 0, 11, 25, 25, 3, 4, 6, 25))
    with pytest.raises(NoughtsError, match="wrong in"):
        brain.check(brain.Table(MADE.weights, MADE.book[1:]))


@pytest.mark.parametrize(
    ("book", "why"),
    [
        (MADE.book[1:], None),
        ((*MADE.book, 65535), None),
        ((), "can play 5 in .X....O.., which gives away a win"),
        ((*MADE.book, 3298), "can play 2 in X........, which loses"),
        ((*MADE.book, 3295), "can play 1 in X........, which is taken"),
    ],
)
def test_a_table_that_gives_value_away_has_a_flaw(book, why):
    table = brain.Table(MADE.weights, book)
    assert brain.flaw(table) == (why and f"the table {table.id} {why}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('WEIGHTS = b"', 'WEIGHTS = b"\\x00'),
        ("BOOK = (", "BOOK = (70000, "),
        ("ID = ", "ID = len(str()) or "),
        ("WEIGHTS", 'ID = "\\\x1b[2J"\nWEIGHTS'),
        ("BOOK = (2307,", "BOOK = ("),
    ],
)
def test_a_file_that_is_not_a_table_is_neither_run_nor_quoted(old, new, recwarn):
    text = brain.source(MADE)
    with pytest.raises(NoughtsError) as caught:
        brain.read(text.replace(old, new), "other.py")
    wrong_id = "its ID is '2798', its contents have 'EDD5'"
    why = wrong_id if "2307" in old else "is not a table; make one"
    assert str(caught.value).startswith("other.py ") and why in str(caught.value)
    assert not recwarn.list


def test_the_command_writes_and_checks(folder, printed, refused):
    assert "cannot use" in refused("table", "--check", "-o", "table.py")
    printed("table", "-o", "table.py")
    assert "26 bytes" in printed("table", "--check", "-o", "table.py")
    table = folder / "table.py"
    table.write_text(table.read_text().replace("BOOK", "B00K"))
    message = refused("table", "--check", "-o", "table.py")
    assert "differs from the table that is generated" in message
    assert "cannot write" in refused("table", "-o", "missing/table.py")
