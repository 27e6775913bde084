"""What the commands for engines share: the names of engines as arguments, and their options."""

from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import Any

import click

from noughts.cli import options
from noughts.cli.options import Run
from noughts.engines.built_in import engines
from noughts.engines.by_name import engine_named
from noughts.engines.own import LIMIT_S, from_program, packaged
from noughts.errors import UnknownEngineError, printable
from noughts.game.engine import Engine


def engine_arguments(about: str) -> Callable[[Run], Run]:
    """The argument for names of engines, which a shell completes, and `own_engines`."""
    # Not a choice: the message for a wrong name has the nearest one.
    named = click.argument(
        "engine",
        nargs=-1,
        shell_complete=_complete_engine,
        help=f"{about}; or your own, such as ./mine.py, or a trained MENACE, such as ./menace.json",
    )
    return lambda run: named(own_engines(run))


def own_engines(run: Run) -> Run:
    """The options for your own engines; the command gets all engines, in `named_engines`.

    Files with the same name, or with the name of one of our engines, are called by their paths.
    """

    @click.option(
        "--program",
        metavar="COMMAND",
        multiple=True,
        help="use a program as an engine, after the named ones; it reads lines such as "
        "'X...O.... X' (position, side to move) and answers each with a cell, 0 to 8",
    )
    @click.option(
        "--limit",
        metavar="SECONDS",
        cls=options.Option,
        type=options.Number(0, 3600, min_open=True),
        default=LIMIT_S,
        help="how long your own engine may take to answer",
    )
    @wraps(run)
    def with_engines(
        *, engine: Sequence[str], program: Sequence[str], limit: float, **named: Any
    ) -> Any:
        named_engines = [named_engine(name, limit) for name in engine]
        named_engines += [from_program(command, limit) for command in program]
        names = [*(own_engine.name for own_engine in named_engines), *engines()]
        for own_engine, typed in zip(named_engines, [*engine, *program], strict=True):
            if names.count(own_engine.name) > 1:
                own_engine.name = printable(typed)
        return run(named_engines=named_engines, **named)

    return with_engines


def named_engine(name: str, limit_s: float = LIMIT_S) -> Engine:
    """The engine with this name. A wrong name is a usage error, with the nearest name."""
    try:
        return engine_named(name, limit_s)
    except UnknownEngineError as error:
        raise click.UsageError(str(error)) from error


def _complete_engine(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    folder = Path(incomplete).parent if not incomplete.endswith("/") else Path(incomplete)
    typed = "./" if incomplete.startswith("./") else ""  # a Path drops this
    names = [*engines(), *packaged(), *(f"{typed}{file}" for file in folder.glob("*.py"))]
    return [name for name in names if name.startswith(incomplete)]
