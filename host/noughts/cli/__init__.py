"""The `noughts` command: the list of its commands, and the handling of failures."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from noughts import __version__
from noughts.errors import GameError, NoughtsError, error_message
from noughts.terminal import output

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem


class _Entry(NamedTuple):
    """A command in the overview."""

    file: str
    """In this folder; the command is its function `run_<name>`."""
    example: str
    purpose: str


_PLAY = {
    "play": _Entry("play", "noughts play", "play on a virtual micro:bit in this terminal"),
    "web": _Entry("web", "noughts web", "play and watch boards in the browser"),
    "vs": _Entry("vs", "noughts vs hard", "play against an engine, or watch two play"),
}
_BOARD = {
    "flash": _Entry("board", "noughts flash", "copy the game to a board by its USB drive"),
    "put": _Entry("board", "noughts put", "update the game on a board over serial"),
    "hex": _Entry("board", "noughts hex -o a.hex", "build a hex for any micro:bit, or list one"),
    "doctor": _Entry("board", "noughts doctor", "check this computer and its boards"),
}
_CLASS = {
    "watch": _Entry("watch", "noughts watch", "show every board live, and store every game"),
    "boards": _Entry("games", "noughts boards", "list known boards, and name them"),
    "games": _Entry("games", "noughts games", "list the stored games"),
    "replay": _Entry("games", "noughts replay last", "step through a game, judging each move"),
    "stats": _Entry("stats", "noughts stats", "count results, first moves and mistakes"),
    "report": _Entry("report", "noughts report -o 7b.html", "write a page about a class"),
    "export": _Entry(
        "games", "noughts export -o all.csv", "write games as a table for a spreadsheet"
    ),
}
_ENGINES = {
    "solve": _Entry(
        "solve", "noughts solve X...O....", "show a position's value and the best line"
    ),
    "duel": _Entry("vs", "noughts duel hard medium", "let engines play many games, and count"),
    "prove": _Entry("prove", "noughts prove", "prove which engines never lose"),
    "new": _Entry("new", "noughts new engine mine.py", "write a template for your own engine"),
    "learn": _Entry("table", "noughts learn", "make the chip win more against your players"),
    "train": _Entry("train", "noughts train menace", "train matchboxes, and watch them learn"),
    "table": _Entry("table", "noughts table --check", "make or check the table the chip plays by"),
}
_TASKS = {"play": _PLAY, "board": _BOARD, "class": _CLASS, "engines": _ENGINES}
COMMANDS = {**_PLAY, **_BOARD, **_CLASS, **_ENGINES}


def overview() -> str:
    """All commands by task, each with an example; at most 80 columns, and 24 rows with a prompt."""
    text = "Tic-tac-toe on a BBC micro:bit; `noughts COMMAND --help` explains a command.\n"
    for task, commands in _TASKS.items():
        title = task
        for entry in commands.values():
            text += f"{title:<8}{entry.example:<28}{entry.purpose}\n"
            title = ""
    return text


def load(name: str) -> click.Command:
    """Import the command with this name, one of `COMMANDS`."""
    module = importlib.import_module(f"noughts.cli.{COMMANDS[name].file}")
    command: click.Command = getattr(module, f"run_{name}")
    return command


class _Commands(click.Group):
    """Imports only the command that is wanted, so that help is quick."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS and not ctx.resilient_parsing:
            raise click.NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_help(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Only the overview: more would scroll its beginning off a small terminal."""
        formatter.write(overview())

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        commands = [
            CompletionItem(name, help=entry.purpose)
            for name, entry in COMMANDS.items()
            if name.startswith(incomplete)
        ]
        return [*commands, *click.Command.shell_complete(self, ctx, incomplete)]


_commands = _Commands(context_settings={"help_option_names": ["-h", "--help"]})
click.version_option(__version__, message="noughts %(version)s")(_commands)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; the exit status is 0, 1 after an expected failure, 2 after wrong usage."""
    output.prepare()
    try:
        status = _commands.main(argv, "noughts", standalone_mode=False) or 0
        sys.stdout.flush()
        return status
    except click.Abort:  # after Ctrl-C
        status = 130
    except BrokenPipeError:  # the reader of our output is gone
        status = 1
    except click.exceptions.NoArgsIsHelpError as error:
        print(overview(), end="", file=sys.stderr)
        status = error.exit_code
    except click.UsageError as error:
        output.say(_usage_message(error))
        status = error.exit_code
    except (NoughtsError, OSError) as error:
        for line in error.details if isinstance(error, GameError) else ():
            output.say(line)
        output.say(f"noughts: {error_message(error)}")
        status = 1
    output.abandon_output(finish=status != 130)
    return status


def _usage_message(error: click.UsageError) -> str:
    command = error.ctx.command_path if error.ctx else "noughts"
    message = " ".join(error.format_message().split()).removesuffix(".")
    if not {";", "?"} & {*message}:  # it does not say what to do
        message += f"; see `{command} --help`"
    return f"{command}: error: {message}"
