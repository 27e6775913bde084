"""Engines, hard's brain and the claims of `prove`, checked with all games and published counts.

The searches' node counts are in docs/python-api.md and the lessons, which tests also run.
"""

import json
import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import combinations
from random import Random

import pytest

import noughts
import noughts.cli.prove  # before a test replaces the engines that it imports
from brute_force import against_random, alike, answers, ends, following, minimax
from noughts import Board, brain
from noughts.brain.device import device_dir, load_device
from noughts.engines.built_in import engines
from noughts.errors import NoughtsError
from noughts.game import solver
from noughts.game.engine import Reply, interval, match
from noughts.game.positions import EMPTY, canonical, unfinished
from noughts.game.proof import RESULTS, prove
from own_engines import outcomes

ENGINES = engines()


def test_all_searches_agree_with_each_other_and_with_the_solver():
    for position in unfinished():
        if position.ply < 2 or (position.ply == 2 and position != canonical(position)):
            continue  # minimax is slow there
        plain, pruned, cached_replies = (
            ENGINES[name].reply(position) for name in ("minimax", "alphabeta", "transposition")
        )
        assert plain.cells == pruned.cells == cached_replies.cells
        assert plain.score == pruned.score == cached_replies.score
        assert cached_replies.nodes <= pruned.nodes <= plain.nodes
        assert plain.score == solver.score(position)
        best = solver.variation(position)
        assert plain.cells == (best[0],)
        assert not plain.score or len(best) == 10 - abs(plain.score)


def kind_key(_, chances):
    """Kind prefers to lose as often as possible, then to win as rarely as possible."""
    won, lost = chances
    return lost, -won


def test_kind_loses_to_random_play_as_often_as_possible():
    for position in unfinished():
        board, me = str(position), position.turn
        reply = ENGINES["kind"].reply(position)
        board_after = dict(following(board))[reply.cells[0]]
        chances = against_random(board_after, me, kind_key)
        assert chances == against_random(board, me, kind_key)
    for seat, me in zip(prove(ENGINES["kind"]).seats, "XO", strict=True):
        assert (seat.win_chance, seat.loss_chance) == against_random("." * 9, me, kind_key)
        assert seat.loss_chance > Fraction(9, 10) and seat.greatest_loss_chance == 1


def test_interval_matches_a_worked_wilson_example():
    """15 of 20 gives 53.1% to 88.8%."""
    low, high = interval(15, 20)
    assert (round(low, 3), round(high, 3)) == (0.531, 0.888)
    assert interval(0, 10)[0] == 0 and interval(10, 10)[1] == 1


def test_letters_of_seats_stay():
    """Stores have games with them."""
    letters = {name: engine.seat for name, engine in ENGINES.items()}
    assert letters == {
        "easy": "E", "medium": "M", "hard": "H", "minimax": "N", "alphabeta": "C",
        "transposition": "T", "rules": "U", "kind": "G", "random": "R", "menace": "D",
    }  # fmt: skip


def test_match_results_agree_with_exact_chances_in_both_seats():
    tallies = match(ENGINES["medium"], ENGINES["random"], 4001, Random(5))
    assert [tally.games for tally in tallies] == [2001, 2000]
    for tally, exact in zip(tallies, prove(ENGINES["medium"]).seats, strict=True):
        low, high = interval(tally.won, tally.games)
        assert low < exact.win_chance < high


def test_duel_prints_results_and_repeats_with_its_seed(printed):
    words = ("duel", "hard", "random", "-n", 200, "--seed")
    out = printed(*words, 3)
    assert out.startswith("hard against random, 200 games, seed 3\n")
    assert "0 = 0.0%" in out and "(0.0% to " in out and "together" in out
    assert printed(*words, 3) == out != printed(*words, 4)
    (facts,) = json.loads(printed("duel", "rules", "alphabeta", "-n", 20, "--json"))
    for seat in ("first", "second"):
        assert facts[seat]["drawn"]["games"] == 10
        assert facts[seat]["lost"]["interval"][0] == 0


def test_duel_all_plays_each_pair_once(printed, monkeypatch):
    """Its results are those of a duel between the two."""
    chosen = {name: ENGINES[name] for name in ("random", "easy", "medium", "menace")}
    monkeypatch.setattr("noughts.cli.vs.engines", lambda: chosen)
    out = printed("duel", "--all", "-n", 20)
    assert max(map(len, out.splitlines())) <= 80 and " menace (untrained) " in out
    _, _, *rows, _ = out.replace(" (untrained)", "").splitlines()
    assert [tuple(row.split()[:2]) for row in rows] == list(combinations(chosen, 2))
    (facts,) = json.loads(printed("duel", "easy", "medium", "-n", 20, "--json"))
    seats = facts["first"], facts["second"]
    ended = [sum(seat[end]["games"] for seat in seats) for end in ("won", "drawn", "lost")]
    assert [f"{count / 20:.1%}" for count in ended] == rows[3].split()[2:]


MADE = brain.make_table()

ai = load_device("ai")


def hard_key(after, chances):
    """Hard prefers the move's value, then its chance to win."""
    return -minimax(after), chances[0]


@cache
def best_moves(board):
    """The cells that hard may choose, by brute force."""
    me = "XO"[board.count(".") % 2 == 0]
    keys = {
        cell: hard_key(board_after, against_random(board_after, me, hard_key))
        for cell, board_after in following(board)
    }
    return {cell for cell in keys if keys[cell] == max(keys.values())}


def test_solver_and_chip_agree_with_brute_force_everywhere():
    """The chip's own board is checked, too; there, the chip may be either player."""
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


def test_medium_wins_or_blocks_if_it_can_and_else_plays_like_easy():
    for position in unfinished():
        assert brain.best_cells(ai, position, "E") == list(position.free)
        board = Board.of(position)
        completing = board.completing(board.turn) or board.completing(board.other)
        cells = brain.best_cells(ai, position, "M")
        assert set(cells) <= set(completing) if completing else cells == list(position.free)


def test_committed_table_equals_the_generated_one():
    assert (device_dir() / "table.py").read_text() == brain.source(MADE)
    assert MADE.id == load_device("table").ID
    assert len(MADE.payload) == 26
    for table in (MADE, brain.Table((0,) * 10, ())):
        assert brain.parse_table(brain.source(table), "it") == table


def test_wrong_book_and_uncorrectable_weights_are_refused():
    uncorrectable = brain.make_table((18, 2, 0, 11, 25, 25, 3, 4, 6, 25))
    for table in (uncorrectable, brain.Table(MADE.weights, MADE.book[1:])):
        with pytest.raises(NoughtsError, match="wrong in"):
            brain.check(table)


@pytest.mark.parametrize(
    ("book", "why"),
    [
        (MADE.book[1:], None),
        ((*MADE.book, 65535), None),
        ((), "5 in .X....O.."),
        ((*MADE.book, 3298), "2 in X........"),
        ((*MADE.book, 3295), "1 in X........"),
    ],
)
def test_flaw_names_a_move_that_gives_away_value(book, why):
    table = brain.Table(MADE.weights, book)
    assert brain.flaw(table) == (why and f"the table {table.id} gives away value by playing {why}")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('WEIGHTS = b"', 'WEIGHTS = b"\\x00'),
        ('WEIGHTS = b"\\x12', 'WEIGHTS = b"\\422'),  # more than a byte holds
        ("BOOK = (", "BOOK = (70000, "),
        ("ID = ", "ID = len(str()) or "),
        ("WEIGHTS", 'ID = "\\\x1b[2J"\nWEIGHTS'),
        ("BOOK = (2307,", "BOOK = ("),
    ],
)
def test_invalid_table_file_is_neither_run_nor_quoted(old, new):
    text = brain.source(MADE)
    with pytest.raises(NoughtsError) as caught:
        brain.parse_table(text.replace(old, new), "other.py")
    wrong_id = "its ID is '2798', its contents have 'EDD5'"
    why = wrong_id if "2307" in old else "is not a table; make one"
    assert str(caught.value).startswith("other.py ") and why in str(caught.value)


def test_table_command_writes_and_checks_a_table(folder, printed, refused):
    assert "cannot use" in refused("table", "--check", "-o", "table.py")
    printed("table", "-o", "table.py")
    assert "26 bytes" in printed("table", "--check", "-o", "table.py")
    table = folder / "table.py"
    table.write_text(table.read_text().replace("BOOK", "B00K"))
    message = refused("table", "--check", "-o", "table.py")
    assert "differs from the table that is generated; run `noughts table -o table.py`" in message
    assert "cannot write" in refused("table", "-o", "missing/table.py")


def test_proof_of_random_covers_every_game():
    proof = prove(engines()["random"])
    first, second = proof.seats
    assert first.total == second.total == 255_168
    counts = [seat.count(result) for seat in (first, second) for result in RESULTS]
    assert counts == [131_184, 46_080, 77_904, 77_904, 46_080, 131_184]
    # Random play might play any cell, so it is wrong wherever one of them is.
    wrong = sum(set(p.free) != set(solver.value_preserving_moves(p)) for p in unfinished())
    assert proof.value_losing_positions == wrong == 3_191


def test_prove_json_has_the_published_figures_of_rules(printed):
    """Published for `rules` moving second: 489 games, with 228 wins at ply 6 and 136 at ply 8.

    The printed text is in the lessons, which tests also run.
    """
    facts = json.loads(printed("prove", "rules", "--json"))["rules"]
    assert facts["second"]["by_plies"]["won"] == {"6": 228, "8": 136}
    assert (facts["never_loses"], facts["second"]["win_chance"]) == (True, "164/189")
    assert [facts["second"][result] for result in RESULTS] == [364, 125, 0]


def test_prove_shows_a_chance_also_as_a_fraction_if_that_fits(printed):
    assert " 391477/645120 = 60.68%\n" in printed("prove", "menace")  # the longest that fits


def test_prove_shows_a_lost_game_once_as_cells_or_boards(printed, monkeypatch):
    chosen = {name: engines()[name] for name in ("kind", "medium")}
    monkeypatch.setattr("noughts.cli.prove.engines", lambda: chosen)
    out = " ".join(printed("prove").split())
    cells = "with cells 1 2 3 4 5 7 9 (XOXOX.O.X);"
    assert f"medium: loses moving second, {cells} gives away value in 467 of" in out
    assert "most often with cells 2 1 3 4 8 5 6 7 (" in out
    assert "this game" not in out and "as below" not in out
    out = printed("prove", "medium")
    assert "medium: loses moving second, as below; gives away value in 467 of" in out
    assert max(map(len, out.splitlines())) <= 80
    assert "\nX 1           O 2 ?         X 3           O 4 ?" in out


class Fickle:
    """Answers each position with its functions in turn."""

    about, may_vary = "", True

    def __init__(self, *answers, name="fickle", perfect=False):
        self.answers, self.asked = answers, Counter()
        self.name, self.perfect = name, perfect

    def reply(self, position):
        answer = self.answers[self.asked[position] % len(self.answers)]
        self.asked[position] += 1
        return Reply(answer(position))


def test_prove_fails_if_an_engine_is_wrongly_called_perfect(noughts, monkeypatch):
    rules = engines()["rules"]
    chosen = Fickle(lambda position: rules.reply(position).cells, name="random", perfect=True)
    monkeypatch.setattr("noughts.engines.built_in.engines", lambda: {"random": chosen})
    status, out, err = noughts("prove", "random")
    assert status == 1 and "random: never loses; gives away value" in out
    assert "random should play perfectly and does not (see above)" in err


def played(choose, first, other):
    """The chances that a function wins, draws and loses; other: its opponent's answers."""

    def mine(position):
        return alike(choose(noughts.Board.of(position)))

    return ends(mine, other) if first else ends(other, mine)[::-1]


@pytest.mark.long
def test_prove_figures_equal_those_of_playing_every_game(folder, printed, monkeypatch):
    chosen = {name: engines()[name] for name in ("medium", "hard", "kind", "menace")}
    monkeypatch.setattr("noughts.cli.prove.engines", lambda: chosen)
    (folder / "mine.py").write_text("def choose(board):\n    return board.legal_moves[:2]\n")

    def choose(board):
        return board.legal_moves[:2]

    out = " ".join(printed("prove", "mine.py").split())
    for order, first in (("first", True), ("second", False)):
        boards = list(outcomes(choose, first))
        games = Counter(board.winner for board in boards)
        won, drawn, lost = (games[end] for end in (["X", None, "O"] if first else ["O", None, "X"]))
        plies = [9 - str(board).count(".") for board in boards]
        wins, _, losses = played(choose, first, lambda position: alike(position.free))
        assert (
            f"mine.py {order} {len(boards):,} {won:,} {drawn:,} {lost:,} {min(plies)}-{max(plies)} "
            f"{f'{wins} = ' if len(str(wins)) < 14 else ''}{float(wins):.2%} mine.py"
        ) in out
        assert f"moving {order}, it loses {float(losses):.2%} of games against random" in out
    several = sum(len(position.free) > 1 for position in unfinished())
    assert f"mine.py: chooses among several cells in {several:,} positions;" in out
    facts = json.loads(printed("prove", "mine.py", "--json"))["mine.py"]
    assert facts["varies"] is facts["never_loses"] is False
    for name, engine in chosen.items():
        seats = [played(choose, first, answers(engine)) for first in (True, False)]
        shares = [f"{float(sum(both) / 2):.1%}" for both in zip(*seats, strict=True)]
        listed = name.replace("menace", "menace (untrained)")
        assert f" {listed} {' '.join(shares)}" in out
        exact = facts["against"][name]["first"]
        assert [Fraction(exact[result]) for result in RESULTS] == seats[0]


def test_proof_follows_all_varying_answers_and_ignores_their_order():
    proof = prove(Fickle(lambda position: position.free, lambda position: position.free[::-1]))
    assert proof.varies is None
    answers = slice(1), slice(-1, None)
    proof = prove(Fickle(*(lambda position, part=part: position.free[part] for part in answers)))
    position, one, other = proof.varies
    assert (position, one.cells, other.cells) == (EMPTY, (0,), (8,))
    assert proof.replies[EMPTY].cells == (0, 8)


def test_varying_answers_are_not_a_proof(printed, monkeypatch):
    fickle = Fickle(
        lambda position: solver.hard_moves(position)[:1],
        lambda position: solver.hard_moves(position)[-1:],
    )
    both = {"hard": engines()["hard"], "fickle": fickle}
    monkeypatch.setattr("noughts.engines.built_in.engines", lambda: both)
    out = " ".join(printed("prove", "fickle").split())
    assert "never loses" not in out
    assert "fickle: did not lose when asked twice, but that is not a proof;" in out
    assert "averaged over both seats, counting each of its answers equally: against" in out
    varied = r"fickle: its answers vary: in \S{9} it played \d, and another time \d"
    assert re.search(varied, out)
