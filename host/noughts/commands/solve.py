"""`noughts solve`: what a position is worth, the best line, and what finding them costs."""

from __future__ import annotations

import argparse
import json
import sys
from itertools import accumulate
from pathlib import Path

from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from noughts import brain
from noughts.commands.options import add_own_engines, chosen_engines
from noughts.device_files import device_files
from noughts.engines.registry import engines
from noughts.engines.search import in_words, score_of_move, variation
from noughts.engines.tree import MAX_DRAWN, Node, build_tree, unfinished
from noughts.engines.tree_svg import drawn, estimated_bytes
from noughts.errors import NoughtsError, printable
from noughts.files import write_whole
from noughts.game.board import Board
from noughts.game.engine import Engine, Reply
from noughts.game.positions import Position
from noughts.terminal.layout import board

_SEARCHES = ("minimax", "alphabeta", "transposition")
_MAX_DEPTH = 9
_DRAWN = {"alphabeta": "what alpha-beta searches", "minimax": "what minimax searches"}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command's options."""
    parser.add_argument(
        "position",
        metavar="POSITION",
        help="nine characters X, O and . (or x and o) in reading order, where X moved first: "
        "X...O....",
    )
    parser.add_argument(
        "--tree",
        metavar="DEPTH",
        type=int,
        help=f"draw what is searched, 1 to {_MAX_DEPTH} plies deep, cut branches marked",
    )
    parser.add_argument(
        "--search",
        choices=tuple(_DRAWN),
        default="alphabeta",
        help="whose tree: alphabeta, which cuts branches, or minimax, which looks at all "
        "(alphabeta)",
    )
    parser.add_argument(
        "--svg",
        metavar="FILE",
        type=Path,
        help=f"draw the tree, of up to {MAX_DRAWN:,} positions, or what the chip sees into this "
        "picture",
    )
    parser.add_argument(
        "--chip",
        action="store_true",
        help="show how the chip's table chooses: what its weights make of each free cell",
    )
    parser.add_argument(
        "--engine",
        metavar="ENGINE",
        action="append",
        default=[],
        help="ask this engine of your own, too, such as ./mine.py; may be given several times",
    )
    add_own_engines(parser)
    parser.add_argument("--json", action="store_true", help="print the solution as JSON")


def run(args: argparse.Namespace) -> int:
    """Solve one position."""
    if args.tree is not None and not 1 <= args.tree <= _MAX_DEPTH:
        args.error(f"argument --tree: {args.tree} is not from 1 to {_MAX_DEPTH}")
    if args.svg and args.tree is None and not args.chip:
        args.error("--svg draws the tree or what the chip sees; give --tree DEPTH or --chip")
    if args.chip and args.tree:
        args.error("--chip shows one position, --tree what a search looks at; give one of them")
    position = unfinished(args.position)
    asked = [*engines().values(), *chosen_engines(args.engine, args)]
    if args.chip:
        return _chip(position, args.svg, args.json)
    tree = None if args.tree is None else build_tree(position, args.tree, args.search)
    if tree and args.svg:
        _require_small(tree)
    scores = {cell: score_of_move(position, cell) for cell in position.free}
    if args.json:
        print(json.dumps(_facts(position, scores, _replies(asked, position))))
    else:
        _tell(position, scores, _replies(asked, position))
    if tree and args.svg:
        write_whole(args.svg, drawn(tree, _DRAWN[args.search]).encode())
        if not args.json:
            print(printable(f"{args.svg} written"))
    elif tree and not args.json:
        print()
        Console(file=sys.stdout, highlight=False).print(_as_text(tree))
    return 0


def _chip(position: Position, picture: Path | None, as_json: bool) -> int:
    choice = brain.choose(position, brain.of(device_files()))
    cells = [cell + 1 for cell in choice.cells]
    if as_json:
        values = {cell + 1: value for cell, value in choice.values.items()}
        facts = {"position": str(position), "values": values, "book": choice.entry, "plays": cells}
        print(json.dumps(facts))
    else:
        mover = "XO"[position.ply % 2]
        print(board(position, {cell: str(value) for cell, value in choice.values.items()}))
        print(f"\n{mover} to move; in each free cell stands the sum of the weights of its lines.")
        if choice.entry is not None:
            named, value = divmod(choice.entry, 32)
            entry = f"{choice.entry} = 32 * {named} + {value}"
            print(
                f"The book has {entry}: the squares add up to {named}; play a cell worth {value}."
            )
        print(f"The chip plays {' or '.join(map(str, cells))}; cells are numbered 1 to 9.")
    if picture:
        write_whole(picture, Board.of(position).svg(choice.values).encode())
        if not as_json:
            print(printable(f"{picture} written"))
    return 0


def _replies(asked: list[Engine], position: Position) -> dict[str, Reply]:
    return {engine.name: engine.reply(position) for engine in asked}


def _tell(position: Position, scores: dict[int, int], replies: dict[str, Reply]) -> None:
    mover = "XO"[position.ply % 2]
    print(board(position, {cell: in_words(score) for cell, score in scores.items()}))
    print()
    print(f"{mover} to move: {in_words(max(scores.values()))}")
    print(f"best line {' '.join(str(cell + 1) for cell in variation(position))}")
    for name, reply in replies.items():
        cells = " ".join(str(cell + 1) for cell in reply.cells)
        cost = f"  {reply.nodes:,} nodes, {reply.cut:,} moves cut" if name in _SEARCHES else ""
        print(printable(f"{name:<14} plays {cells}{cost}"))
    print("Cells are numbered 1 to 9 in reading order; wins and losses are counted in plies.")


def _facts(
    position: Position, scores: dict[int, int], replies: dict[str, Reply]
) -> dict[str, object]:
    return {
        "position": str(position),
        "mover": "XO"[position.ply % 2],
        "value": in_words(max(scores.values())),
        "cells": {cell + 1: in_words(score) for cell, score in scores.items()},
        "variation": [cell + 1 for cell in variation(position)],
        "plays": {name: [cell + 1 for cell in reply.cells] for name, reply in replies.items()},
        "nodes": {name: replies[name].nodes for name in _SEARCHES},
        "cut": {name: replies[name].cut for name in _SEARCHES},
    }


def _as_text(node: Node) -> Tree:
    """The tree; what a move is worth is said from the side of who makes it."""
    if node.cell is None:
        tree = Tree(Text(f"{node.position}  (each move's value is for the player who makes it)"))
    else:
        label = f"{node.cell + 1}  {node.position}  "
        if node.score is None:
            tree = Tree(Text(label + "✂ cut", style="dim"))
        else:
            bound = node.bound and f"{node.bound} "
            tree = Tree(Text(f"{label}{bound}{in_words(node.score)}"))
    for child in node.children:
        tree.children.append(_as_text(child))
    return tree


def _require_small(tree: Node) -> None:
    """Raise `NoughtsError` if a picture of the tree would be too large to be of use."""
    plies = [[tree]]
    while below := [child for node in plies[-1] for child in node.children]:
        plies.append(below)
    totals = list(accumulate(len(nodes) for nodes in plies))
    if totals[-1] > MAX_DRAWN:
        fits = sum(total <= MAX_DRAWN for total in totals) - 1
        raise NoughtsError(
            f"the picture would show {totals[-1]:,} positions in about "
            f"{estimated_bytes(tree) / 1e6:.1f} MB; "
            f"give --tree {fits}, of {totals[fits]:,} positions, or less"
        )
