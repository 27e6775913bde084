"""The `noughts` command: its subcommands, and what becomes of failures."""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from noughts import __version__, standard_streams
from noughts.errors import GameError, NoughtsError, in_words, printable
from noughts.invocation import as_typed


@dataclass(frozen=True)
class Command:
    """What the help needs of a command; the rest is in `noughts.commands.<name>`."""

    name: str
    help: str
    example: str


COMMANDS = (
    Command(
        "play",
        "play on a virtual micro:bit in this terminal",
        "noughts play\n  noughts play --board v1\n  noughts play --keys 'B 500 A A B'",
    ),
    Command(
        "prove",
        "play engines against every sequence of moves, and report what is proved",
        "noughts prove\n  noughts prove hard rules",
    ),
    Command(
        "vs",
        "play against an engine by typing cells, or watch two engines play",
        "noughts vs hard\n  noughts vs minimax --first it\n  noughts vs medium hard --seed 1",
    ),
    Command(
        "duel",
        "let engines play many games against each other, and count the results",
        "noughts duel hard medium -n 1000\n  noughts duel --all",
    ),
    Command(
        "solve",
        "show what a position is worth, the best line, and what every engine plays",
        "noughts solve X...O....\n  noughts solve XX.OO.... --tree 2",
    ),
    Command(
        "hex",
        "build a hex with the game for any micro:bit, or list what a hex holds",
        "noughts hex -o noughts.hex\n  noughts hex --list noughts.hex",
    ),
    Command(
        "flash",
        "copy the game to a board through its USB drive, and check that it starts",
        "noughts flash\n  noughts flash --all",
    ),
    Command(
        "put",
        "update the game on a board over its serial port",
        "noughts put\n  noughts put --port /dev/ttyACM0 --table my_table.py",
    ),
    Command(
        "watch",
        "show every board that is plugged in, live, and keep every game",
        "noughts watch\n  noughts watch --emulated 3\n  noughts watch --plain /dev/ttyACM0",
    ),
    Command(
        "games",
        "list the games that are kept",
        "noughts games\n  noughts games --seats PH --result A --since 2026-11-21",
    ),
    Command(
        "replay",
        "step through a game, with what each move was worth",
        "noughts replay last\n  noughts replay 12 --text",
    ),
    Command(
        "stats",
        "count results, first moves, lengths, thinking times and mistakes",
        "noughts stats\n  noughts stats --seats PH --plot stats.png",
    ),
    Command(
        "export",
        "write games as a table for a spreadsheet or pandas",
        "noughts export -o games.csv\n  noughts export --format parquet -o games.parquet",
    ),
    Command(
        "doctor",
        "check this computer and the boards on it, and say what to fix",
        "noughts doctor\n  noughts doctor --json",
    ),
    Command(
        "table",
        "make the table that the chip plays by, or check the one that is there",
        "noughts table --check",
    ),
)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


def _parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser; of the commands, only the wanted one is imported, so that help is quick."""
    parser = _Parser(
        prog="noughts",
        description="Tic-tac-toe on a BBC micro:bit, and the tools around it.",
        epilog="Example:\n  noughts play",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"noughts {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help[0].upper() + command.help[1:] + ".",
            epilog=f"Example:\n  {command.example}",
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(command=command.name)
        if command.name == wanted:
            module = importlib.import_module(f"noughts.commands.{command.name}")
            module.add_arguments(sub)
            sub.set_defaults(run=module.run, error=sub.error)
    return parser


def main(argv: Sequence[str] | None = None, ready: Callable[[], None] = lambda: None) -> int:
    """Run a command; the exit status is 0, 1 after an expected failure, 2 after wrong usage.

    `ready` is called when all is imported, and Ctrl-C may be heard.
    """
    standard_streams.prepare()
    arguments = sys.argv[1:] if argv is None else list(argv)
    try:
        status = _run(arguments, ready)
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        status = 130
    except BrokenPipeError:  # whoever read our output has enough
        status = 1
    except (NoughtsError, OSError) as error:
        for line in error.details if isinstance(error, GameError) else ():
            print(printable(line), file=sys.stderr)
        print(f"noughts: {printable(as_typed(in_words(error)))}", file=sys.stderr)
        status = 1
    standard_streams.abandon_output()
    return status


def _run(arguments: list[str], ready: Callable[[], None]) -> int:
    wanted = next((word for word in arguments if not word.startswith("-")), None)
    try:
        args = _parser(wanted).parse_args(arguments)
        ready()
        status: int = args.run(args)
        return status
    except SystemExit:
        sys.stdout.flush()  # argparse prints the help, and does not look whether that went well
        raise


if __name__ == "__main__":
    sys.exit(main())
