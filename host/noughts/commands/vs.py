"""`noughts vs`: play against an engine by typing cells, or watch two engines play."""

from __future__ import annotations

import argparse
import sys
import time
from random import Random

from noughts.commands.options import engine_option
from noughts.engines.registry import engines
from noughts.errors import printable
from noughts.game.engine import Engine
from noughts.game.match import winner
from noughts.game.positions import EMPTY, Position
from noughts.terminal.layout import board


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "engine",
        nargs="+",
        metavar="ENGINE",
        help=f"{', '.join(engines())}; name two to watch them play",
    )
    parser.add_argument(
        "--first", choices=("me", "it"), default="me", help="who moves first, as X (me)"
    )
    parser.add_argument(
        "--seed",
        metavar="N",
        type=int,
        help="the seed of the engine's random choices, to repeat a game",
    )


def run(args: argparse.Namespace) -> int:
    """Play one game."""
    if len(args.engine) > 2:
        args.error(f"name one engine to play against, or two to watch, not {len(args.engine)}")
    players: list[Engine | None] = [engine_option(name, args) for name in args.engine]
    if len(players) == 1:
        players.insert(args.first == "it", None)
    random = Random(args.seed)
    position = EMPTY
    _show(position)
    while not position.over:
        mark = "XO"[position.ply % 2]
        engine = players[position.ply % 2]
        if engine is None:
            cell = _asked(position, mark)
            if cell is None:
                print("\nstopped; the game is not over")
                return 0
        else:
            cell = _answered(engine, position, mark, random)
        position = position.play(cell)
        _show(position)
    print({1: "X wins", -1: "O wins", 0: "a draw"}[winner(position)])
    return 0


def _show(position: Position) -> None:
    """The board, with the numbers of the free cells as long as they can be played."""
    free = {} if position.over else {cell: str(cell + 1) for cell in position.free}
    print(f"\n{board(position, free)}\n", flush=True)


def _answered(engine: Engine, position: Position, mark: str, random: Random) -> int:
    start = time.perf_counter()
    reply = engine.reply(position)
    took_ms = (time.perf_counter() - start) * 1000
    cell = reply.cells[0] if len(reply.cells) == 1 else random.choice(reply.cells)
    cost = f" ({reply.nodes:,} nodes visited, {took_ms:.1f} ms)" if reply.nodes else ""
    print(f"{mark}, {engine.name}, plays {cell + 1}{cost}")
    return cell


def _asked(position: Position, mark: str) -> int | None:
    """The cell that the player types, asked again until it is one; None at the end of input."""
    while True:
        try:
            text = input(f"{mark}, your cell: ")
        except (EOFError, UnicodeDecodeError):
            return None
        if not sys.stdin.isatty():
            print(text)  # as a terminal would have
        cell, wrong = read_cell(text, position)
        if cell is not None:
            return cell
        print(wrong, file=sys.stderr, flush=True)


def read_cell(text: str, position: Position) -> tuple[int | None, str]:
    """The free cell that a text names, or None and what is wrong with it.

    A cell is 1 to 9 in reading order, or its row and column, 1 to 3 each: `2,3` is 6.
    """
    parts = [part.strip() for part in text.split(",")]
    limit = {1: 9, 2: 3}.get(len(parts), 0)
    if not all(part in "123456789" and len(part) == 1 and int(part) <= limit for part in parts):
        shown = printable(text[:20])
        return None, f"{shown!r} is not a cell; type 1 to 9, or row,column such as 2,3"
    numbers = [int(part) - 1 for part in parts]
    cell = numbers[0] if len(numbers) == 1 else 3 * numbers[0] + numbers[1]
    if cell not in position.free:
        free = ", ".join(str(each + 1) for each in position.free)
        return None, f"cell {cell + 1} is taken; these are free: {free}"
    return cell, ""
