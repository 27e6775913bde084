"""The page: results, a table of boards, first moves, mistakes, and positions to talk about.

It is one file: style and pictures are in it, nothing is loaded, and nothing runs. All text that
comes from the store or the command line goes through `_text`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape

from noughts import __version__
from noughts.errors import printable
from noughts.game.board_svg import drawn
from noughts.game.solver import hard_moves, value
from noughts.protocol.describe import CELLS, WORTHS, counted, either, opponents
from noughts.report.style import CSS
from noughts.store import timestamps
from noughts.store.people_moves import MetPosition, PeopleMoves
from noughts.store.statistics import BoardStats, Stats, in_order
from noughts.store.stored_game import RESULTS

_SHOWN = 9
"""Positions: a page of print."""
_WRONG, _RIGHT = "#fecaca", "#bbf7d0"
_WARMTH = ((239, 59), (246, 130), (255, 246))
"""Red, green and blue of no first move and of the most."""
_POLICY = "default-src 'none'; style-src 'unsafe-inline'"

Last = Mapping[str, int | None]
"""By board, when its latest game began."""


def page(found: Stats, last: Last, moves: PeopleMoves, chosen: str) -> str:
    """The whole page; chosen: which games, in words, empty for all."""
    parts = [_heading(found, chosen), _results(found), _boards(found.boards, last)]
    if any(moves.openings):
        parts.append(_first_moves(moves.openings))
    if moves.positions:
        parts.append(_mistakes(moves.positions))
        parts.append(_positions(moves.positions))
    body = "\n".join(parts)
    return (
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>Noughts: a class report</title>\n<style>{CSS}</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _text(text: object) -> str:
    return escape(printable(str(text)))


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    names = "".join(f'<th scope="col">{_text(name)}</th>' for name in head)
    lines = [
        "<tr>" + "".join(f"<td>{_text(_shown(value))}</td>" for value in row) + "</tr>"
        for row in rows
    ]
    return (
        f'<div class="scroll"><table>\n<thead><tr>{names}</tr></thead>\n<tbody>\n'
        + "\n".join(lines)
        + "\n</tbody></table></div>"
    )


def _shown(value: object) -> str:
    if value is None:
        return "–"
    if isinstance(value, float):
        return f"{value:.2f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _heading(found: Stats, chosen: str) -> str:
    people = sum(board.people.games for board in found.boards)
    mistakes = sum(board.people.mistakes for board in found.boards)
    won, drawn_, lost = map(sum, zip(*(each.against_chip() for each in found.boards), strict=True))
    facts = [(f"{found.games:,}", "games"), (f"{len(found.boards):,}", "boards")]
    if won + drawn_ + lost:
        facts.append((f"{won:,} – {drawn_:,} – {lost:,}", "won, drawn, lost against the chip"))
    if people:
        facts.append((f"{mistakes / people:.2f}", "mistakes a game, of each person"))
    items = "".join(f"<li><b>{number}</b>{what}</li>" for number, what in facts)
    which = f"Only {_text(chosen)}. " if chosen else ""
    made = timestamps.local(timestamps.now())
    return (
        "<h1>Noughts: a class report</h1>\n"
        f'<p class="made">{which}Made {made} with noughts {__version__}.</p>\n'
        f'<ul class="facts">{items}</ul>'
    )


def _results(found: Stats) -> str:
    rows = [
        (opponents(seats), first, results.total(), *(results[end] for end in RESULTS.values()))
        for seats, first, results in in_order(found)
    ]
    head = ("A against B", "began", "games", "A won", "B won", "draw", "abandoned", "unfinished")
    return f"<h2>Results</h2>\n{_table(head, rows)}"


def _boards(boards: Sequence[BoardStats], last: Last) -> str:
    rows = [
        (
            board.called,
            board.games,
            *board.against_chip(),
            board.between_people(),
            board.ended("x") + board.ended("-"),
            board.people.mistakes,
            board.people.mistakes_a_game,
            timestamps.local(last.get(board.board)),
        )
        for board in boards
    ]
    head = (
        "board", "games", "won", "drawn", "lost", "two people", "not ended", "mistakes", "a game",
        "last game began",
    )  # fmt: skip
    note = (
        "Won, drawn and lost are games of a person against the chip; two people: games between "
        "them that were won or drawn. Mistakes are those of people in all of these."
    )
    return f'<h2>Boards</h2>\n{_table(head, rows)}\n<p class="note">{note}</p>'


def _first_moves(openings: Sequence[int]) -> str:
    total, most = sum(openings), max(openings)
    labels = {cell: f"{count / total:.0%}" for cell, count in enumerate(openings)}
    grounds = {cell: _warm(count / most) for cell, count in enumerate(openings)}
    corners = sum(openings[cell] for cell in (0, 2, 6, 8))
    edges = total - corners - openings[4]
    shares = f"{openings[4] / total:.0%} in the centre, {corners / total:.0%} in a corner, "
    return (
        "<h2>First moves</h2>\n<figure>"
        + drawn("." * 9, None, labels, grounds)
        + f"<figcaption>Where people began {counted(total, 'game')}: {shares}"
        f"{edges / total:.0%} on an edge.</figcaption></figure>"
    )


def _warm(heat: float) -> str:
    """Never so dark that the label could not be read."""
    return "#{:02x}{:02x}{:02x}".format(
        *(round(cold + (warm - cold) * heat * 0.5) for cold, warm in _WARMTH)
    )


def _mistakes(positions: Sequence[MetPosition]) -> str:
    moves, wrong = [0] * 9, [0] * 9
    for each in positions:
        moves[each.position.ply] += each.met
        wrong[each.position.ply] += each.mistakes
    rows = [
        (ply + 1, moves[ply], wrong[ply], f"{wrong[ply] / moves[ply]:.0%}")
        for ply in range(9)
        if moves[ply]
    ]
    note = (
        "A mistake is a move that turns a win into a draw or a loss, or a draw into a loss. "
        "Counted are the moves of people in games that were won or drawn."
    )
    head = ("move of the game", "moves of people", "mistakes", "share")
    return f'<h2>Mistakes</h2>\n<p class="note">{note}</p>\n{_table(head, rows)}'


def _positions(positions: Sequence[MetPosition]) -> str:
    figures = [_figure(each) for each in positions[:_SHOWN] if each.mistakes]
    if not figures:
        return "<h2>Positions to talk about</h2>\n<p>No person made a mistake.</p>"
    note = (
        "Where people made most mistakes, the commonest first. X moved first; positions that are "
        "the same turned or mirrored are counted together. The cells are numbered 1 to 9."
    )
    return (
        f'<h2 class="page">Positions to talk about</h2>\n<p class="note">{note}</p>\n'
        f'<div class="positions">\n{"".join(figures)}</div>'
    )


def _figure(met: MetPosition) -> str:
    position = met.position
    mover, other = "XO" if position.ply % 2 == 0 else "OX"
    cell, count = met.commonest_mistake
    after = position.play(cell)
    labels = {each: str(each + 1) for each in position.free}
    labels |= {each: f"{each + 1} right" for each in met.right} | {cell: f"{cell + 1} wrong"}
    grounds = {**dict.fromkeys(met.right, _RIGHT), cell: _WRONG}
    answer = f"{other} answers {either(hard_moves(after))}"
    turns = f"turns a {WORTHS[value(position)]} into a {WORTHS[met.kept(cell)]}"
    return (
        f"<figure>{drawn(str(position), None, labels, grounds)}<figcaption>\n"
        f"<p><b>{mover} to move</b>: {counted(met.mistakes, 'mistake')} in "
        f"{counted(met.met, 'game')} ({met.mistakes / met.met:.0%}).</p>\n"
        f"<p>Most often wrong: {cell + 1}, {CELLS[cell]} ({counted(count, 'time')}); it {turns}: "
        f"{answer}.</p>\n<p>Right: {either(met.right)}.</p></figcaption></figure>\n"
    )
