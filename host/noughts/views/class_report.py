"""The class report, the statistics page and `noughts stats`: facts, tables, and positions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from noughts.game.solver import hard_moves, value
from noughts.protocol.describe import CELLS, counted, opponents, seated
from noughts.store.statistics import BoardStats, MetPosition, Player, Stats
from noughts.store.stored_game import RESULTS
from noughts.store.timestamps import When
from noughts.views.board_pictures import Picture, board_text
from noughts.views.table import Table, Value, bars, numbers, texts
from noughts.views.words import VALUE_WORDS, either, name_key

MISTAKE = "A mistake is a move that turns a win into a draw or a loss, or a draw into a loss."
_SHOWN = 9
"""Positions that fit on a printed page."""


@dataclass(frozen=True)
class Statistics:
    """The statistics of many games, for page and report."""

    facts: list[tuple[str, str]]
    """Each a figure and its unit."""
    results: Table
    boards: Table
    players: Table
    lengths: Table
    first_moves: Picture | None
    """None if no person began a game that was won or drawn."""
    first_cells: list[int]
    mistakes: Table
    positions: list[tuple[Picture, list[str]]]
    """Those to talk about, with three sentences about each."""


def statistics(
    stats: Stats, last_games: Mapping[str, When], positions: Sequence[MetPosition]
) -> Statistics:
    """Everything on the statistics page.

    last_games: by board, when its last game began. positions: those in which people moved, the one
    with the most mistakes first.
    """
    return Statistics(
        facts(stats),
        results(stats),
        boards(stats, last_games),
        players(stats),
        lengths(stats),
        first_moves(stats.first_moves) if any(stats.first_moves) else None,
        stats.first_moves,
        mistakes(positions),
        [to_talk_about(position) for position in positions[:_SHOWN] if position.mistakes],
    )


def facts(stats: Stats) -> list[tuple[str, str]]:
    """Figures about all games, each with its unit."""
    people = stats.players.get("P", Player())
    won, drawn, lost = map(sum, zip(*(board.against_chip() for board in stats.boards), strict=True))
    shown = [
        (f"{number:,}", noun if number == 1 else f"{noun}s")
        for number, noun in ((stats.games, "game"), (len(stats.boards), "board"))
    ]
    if won + drawn + lost:
        shown.append((f"{won:,} – {drawn:,} – {lost:,}", "won, drawn, lost against the chip"))
    if people.mistakes_a_game is not None:
        shown.append((f"{people.mistakes_a_game:.2f}", "mistakes per person per game"))
    if stats.recovered:
        shown.append((f"{stats.recovered:,}", "recovered after they ended"))
    if stats.by_radio:
        shown.append((f"{stats.by_radio:,}", "with last moves by radio only"))
    return shown


def results(stats: Stats) -> Table:
    """Games by who played, who began, and how they ended."""
    games = stats.results.items()
    return Table(
        "Results",
        [
            *texts(opponents="A against B", first="began"),
            *numbers(games="games", A="A won", B="B won", draw="draw"),
            *numbers(abandoned="abandoned", unfinished="unfinished"),
        ],
        [
            (opponents(seats), first, ends.total(), *(ends[end] for end in RESULTS.values()))
            for (seats, first), ends in games
        ],
        bars=bars(
            {"a": "A won", "even": "draw", "b": "B won", "open": "not ended"},
            [(ends["A"], ends["="], ends["B"], ends["x"] + ends["-"]) for _, ends in games],
        ),
        minor=frozenset(["abandoned", "unfinished"]),
    )


def boards_by_name(stats: Stats) -> list[BoardStats]:
    """The boards in the order of tables, JSON and CSV."""
    return sorted(stats.boards, key=lambda board: name_key(board.display_name))


def boards(stats: Stats, last_games: Mapping[str, When]) -> Table:
    """One row per board: its games and their results."""
    rows: list[tuple[Value, ...]] = []
    parts = []
    for board in boards_by_name(stats):
        chip, two_people = board.against_chip(), board.between_people()
        not_ended = board.ended("x") + board.ended("-")
        wrong = board.people.mistakes, board.people.mistakes_a_game
        began = str(last_games.get(board.board, When()))
        rows.append((board.display_name, board.games, *chip, two_people, not_ended, *wrong, began))
        parts.append((*chip, two_people + not_ended))
    return Table(
        "Boards",
        [
            *texts(board="board"),
            *numbers(games="games", won="won", drawn="drawn", lost="lost"),
            *numbers(between_people="two people", not_ended="not ended"),
            *numbers(mistakes="mistakes", mistakes_a_game="per game"),
            *texts(last_games="last game began"),
        ],
        rows,
        "Won, drawn and lost are games of a person against the chip; two people: games between "
        "them that were won or drawn. Mistakes are those of people in all of these.",
        bars({"good": "won", "even": "drawn", "wrong": "lost", "open": "other games"}, parts),
        frozenset(["between_people", "not_ended", "mistakes", "last_games"]),
    )


def players(stats: Stats) -> Table:
    """One row per kind of player: games, mistakes, and times per move."""
    rows: list[tuple[Value, ...]] = []
    for seat, player in stats.players.items():
        median, middle_half = None, None
        if quartiles := player.quartiles_ms():
            low, median, high = (f"{ms / 1000:.1f}" for ms in quartiles)
            middle_half = f"{low} to {high}"
        counts = player.games, player.moves, player.mistakes, player.mistakes_a_game
        rows.append((seated(seat), *counts, median, middle_half))
    return Table(
        "Players",
        [
            *texts(player="player"),
            *numbers(games="games", moves="moves", mistakes="mistakes", mistakes_a_game="per game"),
            *numbers(median_s="median (s)", quartiles_s="the middle half"),
        ],
        rows,
        "Counts are from games that were won or drawn; times per move are from all games. A game "
        "between two people counts once for each of them. The middle half: a quarter of the moves "
        "were faster, and a quarter slower.",
        minor=frozenset(["moves", "mistakes", "median_s"]),
    )


def lengths(stats: Stats) -> Table:
    """Games by their number of moves."""
    counts = {length: stats.lengths[length] for length in range(5, 10)}
    return Table(
        "How long games are",
        numbers(moves="moves", games="games"),
        list(counts.items()),
        "Games that were won or drawn.",
        bars({"plain": "games"}, [(count,) for count in counts.values()], max(counts.values())),
    )


def first_moves(openings: Sequence[int]) -> Picture:
    """The first moves of people, by cell, of at least one game; the title is a summary."""
    total, most = sum(openings), max(openings)
    corners = sum(openings[cell] for cell in (0, 2, 6, 8))
    edges = total - corners - openings[4]
    shares = tuple(f"{count / total:.0%}" for count in openings)
    text = (
        f"Where people began {counted(total, 'game')}: {openings[4] / total:.0%} in the centre, "
        f"{corners / total:.0%} in a corner, {edges / total:.0%} on an edge."
    )
    heat = tuple(f"heat{round(count / most * 4)}" for count in openings)
    return Picture("." * 9, text, shares, heat)


def mistakes(positions: Sequence[MetPosition]) -> Table:
    """The mistakes of people, by the move of the game."""
    moves, wrong = [0] * 9, [0] * 9
    for stats in positions:
        moves[stats.position.ply] += stats.times_met
        wrong[stats.position.ply] += stats.mistakes
    plies = [ply for ply in range(9) if moves[ply]]
    return Table(
        "Mistakes",
        [
            *numbers(ply="move of the game", moves="moves of people"),
            *numbers(mistakes="mistakes", share="share"),
        ],
        [(ply + 1, moves[ply], wrong[ply], f"{wrong[ply] / moves[ply]:.0%}") for ply in plies],
        f"{MISTAKE} Only moves of people count, in games that were won or drawn.",
        bars(
            {"wrong": "mistakes", "even": "other moves"},
            [(wrong[ply], moves[ply] - wrong[ply]) for ply in plies],
        ),
    )


def to_talk_about(stats: MetPosition) -> tuple[Picture, list[str]]:
    """A position in which people made mistakes, with three sentences about it."""
    mover, other = "XO" if stats.position.ply % 2 == 0 else "OX"
    cell, count = stats.commonest_mistake
    position_after = stats.position.play(cell)
    answer = f"{other} answers {either(hard_moves(position_after))}"
    value_word = VALUE_WORDS[value(stats.position)]
    value_word_after = VALUE_WORDS[-value(position_after)]
    turns = f"turns a {value_word} into a {value_word_after}"
    how_many = f"{counted(stats.mistakes, 'mistake')} in {counted(stats.times_met, 'game')}"
    where = f"{cell + 1}, {CELLS[cell]} ({counted(count, 'time')})"
    labels = [str(number) for number in range(1, 10)]
    grounds = [""] * 9
    for right in stats.right:
        labels[right] += " ✓"
        grounds[right] = "win"
    labels[cell] += " ✗"
    grounds[cell] = "loss"
    marks = str(stats.position)
    return (
        Picture(marks, f"{mover} to move; {board_text(marks)}", tuple(labels), tuple(grounds)),
        [
            f"{mover} to move: {how_many} ({stats.mistakes / stats.times_met:.0%}).",
            f"Most often wrong: {where}; it {turns}: {answer}.",
            f"Right: {either(stats.right)}.",
        ],
    )
