"""The `noughts` command: the list of its commands, and the handling of failures."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from noughts import __version__
from noughts.errors import GameError, NoughtsError, error_message
from noughts.terminal import output

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

OVERVIEW = """\
Tic-tac-toe on a BBC micro:bit; `noughts COMMAND --help` explains a command.
play    noughts play                play on a virtual micro:bit in this terminal
        noughts web                 play and watch boards in the browser
        noughts vs hard             play an engine by typing, or watch two play
board   noughts flash               copy the game to a board by its USB drive
        noughts put                 update the game on a board over serial
        noughts hex -o a.hex        build a hex for any micro:bit, or list one
        noughts doctor              check this computer and its boards
class   noughts watch               show every board live, and store every game
        noughts boards              list known boards, and name them
        noughts games               list the stored games
        noughts replay last         step through a game, judging each move
        noughts stats               count results, first moves and mistakes
        noughts report -o 7b.html   write a page about a class
        noughts export -o all.csv   write games as a table for a spreadsheet
engines noughts solve X...O....     show a position's value and the best line
        noughts duel hard medium    let engines play many games, and count
        noughts prove               prove which engines never lose
        noughts new engine mine.py  write a template for your own engine
        noughts learn               make the chip win more against your players
        noughts train menace        let matchboxes learn to play, and see how
        noughts table --check       make or check the table the chip plays by
"""
"""All commands by task, each with an example; at most 80 columns, and 24 rows with a prompt."""

COMMANDS = dict(re.findall(r"noughts ([a-z]+).*?  +(\S.*)", OVERVIEW))
"""The purpose of each. Its code is in `noughts.cli.<name>`, except for these:"""
_FILES = {"flash": "board", "put": "board", "hex": "board", "doctor": "board"}
_FILES |= {"boards": "games", "replay": "games", "export": "games", "report": "stats"}
_FILES |= {"duel": "vs", "learn": "table"}


def load(name: str) -> click.Command:
    file = importlib.import_module(f"noughts.cli.{_FILES.get(name, name)}")
    command: click.Command = getattr(file, f"run_{name}")
    return command


class _Commands(click.Group):
    """Imports only the command that is wanted, so that help is quick."""

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS and not ctx.resilient_parsing:
            raise click.NoSuchCommand(cmd_name, possibilities=COMMANDS, ctx=ctx)
        return load(cmd_name) if cmd_name in COMMANDS else None

    def format_help_text(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        formatter.write(f"\n{OVERVIEW}")

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """They are in the overview."""

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        named = [name for name in COMMANDS if name.startswith(incomplete)]
        options = click.Command.shell_complete(self, ctx, incomplete)
        return [*(CompletionItem(name, help=COMMANDS[name]) for name in named), *options]


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
        print(OVERVIEW, end="", file=sys.stderr)
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
