"""MENACE, held against what Michie published, and against calculations of another kind.

D. Michie, "Experiments on the mechanization of game-learning. Part I", The Computer Journal 6(3),
1963, 232-236.
"""

import re
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from noughts.cli import main
from noughts.engines.menace import Menace, train
from noughts.engines.menace_file import write
from noughts.engines.registry import engines
from noughts.game.engine import Reply
from noughts.game.positions import EMPTY, parse, unfinished
from noughts.game.proof import odds, prove

LINES = ("012", "345", "678", "036", "147", "258", "048", "246")


def turned(board):
    """The eight ways to look at a board, a text of nine characters."""
    for _ in range(4):
        board = "".join(board[cell] for cell in (6, 3, 0, 7, 4, 1, 8, 5, 2))
        yield board
        yield "".join(board[cell] for cell in (2, 1, 0, 5, 4, 3, 8, 7, 6))


def has_line(board, mark):
    return any(all(board[int(cell)] == mark for cell in line) for line in LINES)


def after_each_move(board, mark):
    return [board[:cell] + mark + board[cell + 1 :] for cell in range(9) if board[cell] == "."]


def classes_by_ply():
    """By brute force: of each ply, the unfinished boards that differ up to symmetry."""
    boards, found = {"........."}, []
    while boards:
        found.append({min(turned(board)) for board in boards})
        mark = "XO"[len(found) % 2 == 0]
        following = {after for board in boards for after in after_each_move(board, mark)}
        boards = {after for after in following if "." in after and not has_line(after, mark)}
    return found


def test_there_is_a_box_for_each_position_with_a_choice():
    plies = classes_by_ply()
    boxes = Counter(position.ply for position in Menace().boxes)
    assert [boxes[ply] for ply in range(8)] == list(map(len, plies[:8]))
    assert {min(turned(str(box))) for box in Menace().boxes} == set().union(*plies[:8])
    assert [len(plies[ply]) for ply in (0, 2, 4, 6)] == [1, 12, 108, 183]
    assert sum(boxes[ply] for ply in (0, 2, 4, 6)) == 304
    assert sum(boxes[ply] for ply in (1, 3, 5, 7)) == 289


def test_michie_s_287_are_those_in_which_something_can_still_be_done():
    def lost_next(board):
        won = any(has_line(after, "X") for after in after_each_move(board, "X"))
        threats = sum(has_line(after, "O") for after in after_each_move(board, "O"))
        return not won and threats >= 2

    plies = classes_by_ply()
    openers = set().union(*(plies[ply] for ply in (0, 2, 4, 6)))
    assert len(openers) - sum(map(lost_next, openers)) == 287


def test_the_beads_before_the_first_game():
    menace = Menace()
    # "White, lilac and gold": a corner, an edge and the centre, four of each.
    assert menace.boxes[EMPTY] == {0: 4, 1: 4, 4: 4}
    # His figure 3: seven cells are free, and symmetry reduces them to four.
    for text in (".X..O....", ".O..X...."):
        assert menace.beads(parse(text)) == {0: 3, 2: 0, 3: 3, 5: 0, 6: 3, 7: 3, 8: 0}
    for position, box in menace.boxes.items():
        assert set(box.values()) == {{0: 4, 2: 3, 4: 2, 6: 1}[position.ply // 2 * 2]}
        ways = [way for way in range(8) if list(turned(str(position)))[way] == str(position)]
        marked = [f"{'.' * cell}!{'.' * (8 - cell)}" for cell in position.free]
        assert len(box) == len({min(list(turned(each))[way] for way in ways) for each in marked})


def test_what_it_learns_from_a_game():
    """Opening in the corner 9, in a game that is turned: the boxes are those of the corner 1."""
    menace = Menace()
    menace.learn([8, 4, 0, 2, 6, 3, 7], True, 1)  # X has the bottom row
    assert menace.boxes[EMPTY] == {0: 4 + 3, 1: 4, 4: 4}
    assert menace.beads(parse("....O...X"))[0] == 3 + 3
    assert menace.beads(parse("X...O...."))[8] == 3 + 3
    assert menace.beads(parse("X.O.O...X"))[6] == 2 + 3
    assert menace.beads(parse("X.OOO.X.X"))[7] == 1 + 3
    before = Menace()
    before.learn([8, 4, 0, 2, 6, 3, 7], False, -1)
    assert before.beads(parse("X........"))[4] == 4 - 1
    assert before.beads(parse("X...O...X"))[2] == 3 - 1 and before.boxes[EMPTY][0] == 4
    before.learn([0, 1, 2, 4, 3, 5, 7, 6, 8], True, 0)
    assert before.boxes[EMPTY] == {0: 4 + 1, 1: 4, 4: 4}


def test_it_resigns_where_a_box_is_empty_but_not_its_first():
    menace = Menace()
    lost = [1, 0, 2, 4, 3, 8]
    for _ in range(30):
        menace.learn(lost, True, -1)
    assert menace.boxes[EMPTY] == {0: 4, 1: 0, 4: 4}
    for cell in (0, 4):
        for _ in range(30):
            menace.learn([cell], True, -1)
    assert menace.boxes[EMPTY] == {0: 0, 1: 0, 4: 1}
    # Which of its moves lost a bead: not the first, whose last one stays.
    assert menace.learn([4, 0, 1, 3, 2, 6], True, -1) == [1, 2]
    for cell in range(1, 9):
        for _ in range(4):
            menace.learn([0, cell], False, -1)
    assert sum(menace.reply(parse("X........")).weights) == 1
    position = parse("OX.......")
    for cell in position.free:
        for _ in range(3):
            menace.learn([1, 0, cell], True, -1)
    assert menace.reply(position).cells == ()


@cache
def trained(name, games=500, seed=1, seats=(True,)):
    menace = Menace()
    opponent = menace if name == "menace" else engines()[name]
    results = list(train(menace, opponent, games, seats, Random(seed)))
    return menace, results


def paths(first, second, position=EMPTY, chance=Fraction(1)):
    """Every game of two engines, one after the other: how it ends, and its probability."""
    board, mark = str(position), "XO"[position.ply % 2]
    if has_line(board, "XO"[mark == "X"]):
        yield "XO"[mark == "X"], chance
    elif "." not in board:
        yield "=", chance
    else:
        reply = (first, second)[position.ply % 2].reply(position)
        if not reply.cells:
            yield "XO"[mark == "X"], chance
        weights = reply.weights or [1] * len(reply.cells)
        for cell, weight in zip(reply.cells, weights, strict=True):
            share = Fraction(weight, sum(weights))
            yield from paths(first, second, position.play(cell), chance * share)


def added(found):
    total = Counter()
    for end, chance in found:
        total[end] += chance
    return total


@pytest.mark.parametrize("opponent", ["medium", "random"])
def test_chances_are_those_of_all_games_added(opponent):
    menace, _ = trained("medium")
    other = engines()[opponent]
    for number, players in enumerate([(menace, other), (other, menace)]):
        exact = added(paths(*players))
        assert sum(exact.values()) == 1
        assert odds(*players) == pytest.approx([float(exact[end]) for end in "X=O"], abs=1e-12)
        if opponent == "random":
            seat = prove(menace).seats[number]
            ours, theirs = ("X", "O") if seat.first else ("O", "X")
            assert (seat.win_chance, seat.loss_chance) == (exact[ours], exact[theirs])


class Spoiler:
    """Knows all beads, and plays to win, by a table that is filled from the last ply backwards."""

    name, about, perfect = "spoiler", "", False

    def __init__(self, menace, first):
        self.mark, self.moves = ("O", 1) if first else ("X", 0)
        self.chance = {}
        for position in sorted(unfinished(), key=lambda position: -position.ply):
            if position.ply % 2 == self.moves:
                self.chance[position] = max(self.worth(position.play(c)) for c in position.free)
            else:
                reply = menace.reply(position)
                worths = [p * self.worth(position.play(cell)) for cell, p in reply.chances()]
                self.chance[position] = sum(worths) if worths else Fraction(1)

    def worth(self, position):
        if position.over:
            return Fraction(has_line(str(position), self.mark))
        return self.chance[position]

    def best(self, position):
        worth = self.chance[position]
        return [cell for cell in position.free if self.worth(position.play(cell)) == worth]

    def reply(self, position):
        return Reply(tuple(self.best(position)[:1]))


def losses(menace, spoiler, position=EMPTY, line=(), chance=Fraction(1)):
    """Each game that it loses to the spoiler, whichever of its best moves that plays."""
    if position.over:
        if has_line(str(position), spoiler.mark):
            yield line, chance
    elif position.ply % 2 == spoiler.moves:
        for cell in spoiler.best(position):
            yield from losses(menace, spoiler, position.play(cell), (*line, cell), chance)
    else:
        shares = menace.reply(position).chances()
        if not shares:
            yield line, chance
        for cell, share in shares:
            yield from losses(menace, spoiler, position.play(cell), (*line, cell), chance * share)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("teacher", ["medium", "hard"])
def test_the_greatest_loss_is_what_its_best_opponent_gets(teacher, first):
    menace, _ = trained(teacher)
    spoiler = Spoiler(menace, first)
    players = (menace, spoiler) if first else (spoiler, menace)
    seat = prove(menace).seats[not first]
    greatest = seat.greatest_loss_chance
    assert greatest == spoiler.chance[EMPTY] == added(paths(*players))[spoiler.mark]
    for each in engines().values():
        if each.name not in ("minimax", "alphabeta"):  # they answer as transposition
            loses = odds(menace, each).lost if first else odds(each, menace).won
            assert loses <= greatest + Fraction(1, 10**9)
    found = dict(losses(menace, spoiler))
    assert seat.likeliest_loss_chance == max(found.values()) == found[seat.likeliest_loss]


def test_prove_shows_the_game_by_which_it_loses_most_often(tmp_path, capsys):
    menace, _ = trained("medium")
    write(menace, tmp_path / "menace.json")
    assert main(["prove", str(tmp_path / "menace.json")]) == 0
    told = capsys.readouterr().out
    shown = told.split(" of games against its best opponent like this;\n")
    assert len(shown) == 3 and "loses this game" not in told
    for seat, mark, (before, after) in zip(prove(menace).seats, "XO", pairwise(shown), strict=True):
        assert before.endswith(f", as {mark}, loses {float(seat.likeliest_loss_chance):.2%}")
        pictured, _, _ = after.partition("menace.json, as O")
        moves = re.findall(r"([XO]) ([1-9])(?: [?]+)?(?=  |$)", pictured, re.MULTILINE)
        assert [int(cell) - 1 for _, cell in moves] == list(seat.likeliest_loss)
        assert max(map(len, pictured.splitlines())) <= 80
    assert "resigns" not in told


def test_a_game_at_random_favours_the_opening_player_two_to_one():
    """Published: "to the extent of about 2:1"."""
    found = odds(engines()["random"], engines()["random"])
    assert 1.9 < found.won / found.lost < 2.1


def test_it_settles_on_draws_against_the_best_and_learns_slower_against_random():
    """Michie: "settling into a stereotyped line which ensured a draw", and coping after 150 games.

    And, in the paper: to learn against random play is enormously more time-consuming.
    """
    menace, results = trained("hard", 150)
    assert odds(Menace(), engines()["hard"]).lost > 0.85
    assert odds(menace, engines()["hard"]).drawn > 0.99
    assert results[-100:].count(0) >= 99
    slow, _ = trained("random", 150)
    assert 0.15 < odds(slow, engines()["random"]).lost < odds(Menace(), engines()["random"]).lost


def test_moving_second_it_is_told_its_own_results():
    results = list(train(Menace(), engines()["hard"], 20, (False,), Random(1)))
    assert results.count(-1) > 10 and 1 not in results


def test_in_self_play_both_sides_learn():
    menace, _ = trained("menace", 3000)
    after, before = prove(menace).seats, prove(Menace()).seats
    for learned, new in zip(after, before, strict=True):
        assert learned.loss_chance < new.loss_chance / 2
