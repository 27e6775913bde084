"""`noughts solve`: a position's value and best line, and the cost of finding them."""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

import click
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from noughts import brain
from noughts.brain.device import device_files
from noughts.cli import engine_options, options
from noughts.engines.built_in import engines
from noughts.engines.search import MAX_DRAWN, Node, build_tree, format_score
from noughts.errors import NoughtsError, printable
from noughts.files import atomic_write
from noughts.game.board import Board
from noughts.game.engine import Engine
from noughts.game.positions import Position, parse_unfinished
from noughts.game.solver import score_of_move, variation
from noughts.terminal.layout import board
from noughts.views.tree_drawing import tree_svg

_SEARCHES = ("minimax", "alphabeta", "transposition")
_DRAWN = {"alphabeta": "what alpha-beta searches", "minimax": "what minimax searches"}


@options.command("noughts solve X...O....", "noughts solve XX.OO.... --tree 2")
@click.argument(
    "position",
    help="nine characters X, O and . (or x and o) in reading order, where X moved first: X...O....",
)
@click.option(
    "--tree",
    metavar="DEPTH",
    cls=options.Option,
    type=options.IntRange(1, 9),
    help="draw the search tree, this many moves deep",
)
@click.option(
    "--search",
    cls=options.Option,
    type=click.Choice(_DRAWN),
    default="alphabeta",
    help="which search to draw",
)
@options.output(
    "write an SVG picture: the position with each free cell's value; with --tree, the tree (up to "
    f"{MAX_DRAWN:,} positions); with --chip, the chip's values",
    "--svg",
    endings=[".svg"],
)
@click.option(
    "--chip",
    is_flag=True,
    help="show how the chip's table chooses: what its weights make of each free cell",
)
@click.option(
    "--engine",
    metavar="ENGINE",
    multiple=True,
    help="also ask an engine such as ./mine.py; can be repeated",
)
@engine_options.own_engines
@options.as_json("the solution")
def run_solve(
    position: str,
    tree: int | None,
    search: Literal["alphabeta", "minimax"],
    svg: Path | None,
    chip: bool,
    named_engines: list[Engine],
    as_json: bool,
) -> None:
    """Show a position's value and the best line."""
    if chip and tree:
        raise click.UsageError("--chip and --tree show different things; leave out one")
    if tree is None and search == "minimax":
        raise click.UsageError("--search chooses which tree is drawn; add --tree, or leave it out")
    solved = parse_unfinished(position)
    root = None if tree is None else build_tree(solved, tree, search)
    if root and svg and (size := sum(1 for _ in root)) > MAX_DRAWN:
        raise NoughtsError(f"the picture would show {size:,} positions; give a smaller --tree")
    if chip:
        labels, facts, lines = _by_chip(solved)
    else:
        labels, facts, lines = _by_search(solved, [*engines().values(), *named_engines])
    if as_json:
        print(json.dumps(facts))
    else:
        print(f"{board(solved, labels)}\n")
        for line in lines:
            print(printable(line))
    if svg:
        picture = tree_svg(root, _DRAWN[search]) if root else Board.of(solved).svg(labels)
        atomic_write(svg, picture.encode())
        if not as_json:
            print(printable(f"{svg} written"))
    elif root and not as_json:
        print()
        Console(file=sys.stdout, highlight=False).print(_as_text(root))


Solution = tuple[dict[int, str], Mapping[str, object], list[str]]
"""The labels of the free cells; the facts for JSON, with cells 1 to 9; the same as lines."""


def _by_chip(position: Position) -> Solution:
    choice = brain.choose(position, brain.table_in(device_files()))
    cells = [cell + 1 for cell in choice.cells]
    values = {cell + 1: value for cell, value in choice.values.items()}
    facts = {"position": str(position), "values": values, "book": choice.entry, "plays": cells}
    stands = "each free cell shows the sum of its lines' weights"
    lines = [f"{position.turn} to move; {stands}."]
    if choice.entry is not None:
        named, value = divmod(choice.entry, 32)
        lines.append(
            f"The book has {choice.entry} = 32 * {named} + {value}: the squares add up to {named}; "
            f"play a cell worth {value}."
        )
    lines.append(f"The chip plays {' or '.join(map(str, cells))}; cells are numbered 1 to 9.")
    return {cell: str(value) for cell, value in choice.values.items()}, facts, lines


def _by_search(position: Position, asked: list[Engine]) -> Solution:
    scores = {cell: score_of_move(position, cell) for cell in position.free}
    labels = {cell: format_score(score) for cell, score in scores.items()}
    value = format_score(max(scores.values()))
    best = [cell + 1 for cell in variation(position)]
    replies = {engine.name: engine.reply(position) for engine in asked}
    plays = {name: [cell + 1 for cell in reply.cells] for name, reply in replies.items()}
    facts = {
        "position": str(position),
        "mover": position.turn,
        "value": value,
        "cells": {cell + 1: label for cell, label in labels.items()},
        "variation": best,
        "plays": plays,
        "nodes": {name: replies[name].nodes for name in _SEARCHES},
        "cut": {name: replies[name].cut for name in _SEARCHES},
    }
    lines = [f"{position.turn} to move: {value}", f"best line {' '.join(map(str, best))}"]
    for name, reply in replies.items():
        cost = (
            f"  {reply.nodes:,} boards looked at, {reply.cut:,} moves cut"
            if name in _SEARCHES
            else ""
        )
        lines.append(f"{name:<14} plays {' '.join(map(str, plays[name]))}{cost}")
    lines += [
        "Cells are numbered 1 to 9 in reading order.",
        "Win in 3: three moves from this position, both players' moves counted.",
    ]
    return labels, facts, lines


def _as_text(node: Node) -> Tree:
    """The tree; a move's value is for the player who makes it."""
    if node.cell is None:
        text = Text(f"{node.position}  (each move's value is for the player who makes it)")
    elif node.score is None:
        text = Text(f"{node.number}  {node.position}  ✂ cut", style="dim")
    else:
        text = Text(f"{node.number}  {node.position}  {node.value}")
    tree = Tree(text)
    tree.children.extend(map(_as_text, node.children))
    return tree
