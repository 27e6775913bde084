"""The `noughts` command: its subcommands, and what becomes of failures."""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NoReturn

from noughts import __version__, standard_streams
from noughts.errors import GameError, NoughtsError, in_words, printable
from noughts.invocation import as_typed, installing


@dataclass(frozen=True)
class Command:
    """What the help needs of a command; the rest is in `noughts.commands.<name>`."""

    name: str
    task: str
    """What it is for: commands of the same task are listed together."""
    help: str
    example: str
    """One a line; the list of all commands shows the first."""


COMMANDS = (
    Command(
        "play",
        "play",
        "play on a virtual micro:bit in this terminal",
        "noughts play\n  noughts play --board v1\n  noughts play --keys 'B 500 A A B'",
    ),
    Command(
        "web",
        "play",
        "play and look on in the browser",
        "noughts web\n  noughts web --boards 3\n  noughts web --lan --no-browser",
    ),
    Command(
        "vs",
        "play",
        "play an engine by typing, or see two play",
        "noughts vs hard\n  noughts vs minimax --first it\n  noughts vs medium hard --seed 1\n"
        "  noughts vs ./mine.py\n  noughts vs --program './mine --quick'",
    ),
    Command(
        "flash",
        "board",
        "copy the game to a board by its USB drive",
        "noughts flash\n  noughts flash --all\n  noughts flash --all --radio 7",
    ),
    Command(
        "put",
        "board",
        "update the game on a board over serial",
        "noughts put\n  noughts put --port /dev/ttyACM0 --table my_table.py\n"
        "  noughts put --gateway 7\n  noughts put --radio off",
    ),
    Command(
        "hex",
        "board",
        "build a hex for any micro:bit, or list one",
        "noughts hex -o a.hex\n  noughts hex --list noughts.hex\n"
        "  noughts hex --radio 7 -o class.hex",
    ),
    Command(
        "doctor",
        "board",
        "check computer and boards: what to fix",
        "noughts doctor\n  noughts doctor --json",
    ),
    Command(
        "watch",
        "class",
        "show every board live, and keep every game",
        "noughts watch\n  noughts watch --emulated 3\n  noughts watch --plain /dev/ttyACM0\n"
        "  noughts watch --publish mqtts://3b@broker.example --room 3b --password-file password\n"
        "  noughts watch mqtts://office@broker.example --password-file password",
    ),
    Command(
        "boards",
        "class",
        "list the boards that were seen; name them",
        'noughts boards\n  noughts boards name 3 "blue table"',
    ),
    Command(
        "games",
        "class",
        "list the games that are kept",
        "noughts games\n  noughts games --seats PH --result A --since 2026-11-21",
    ),
    Command(
        "replay",
        "class",
        "step through a game, each move judged",
        "noughts replay last\n  noughts replay 12 --text",
    ),
    Command(
        "stats",
        "class",
        "count results, first moves and mistakes",
        "noughts stats\n  noughts stats --seats PH --plot stats.png",
    ),
    Command(
        "report",
        "class",
        "write a page on a class: results, mistakes",
        "noughts report -o 7b.html\n  noughts report --since monday --csv -o class.csv",
    ),
    Command(
        "export",
        "class",
        "write games as a table for a spreadsheet",
        "noughts export -o all.csv\n  noughts export --format parquet -o games.parquet",
    ),
    Command(
        "solve",
        "engines",
        "show a position's worth, and the best line",
        "noughts solve X...O....\n  noughts solve XX.OO.... --tree 2",
    ),
    Command(
        "duel",
        "engines",
        "let engines play many games, and count",
        "noughts duel hard medium\n  noughts duel ./mine.py hard\n  noughts duel --all",
    ),
    Command(
        "prove",
        "engines",
        "prove which engines never lose",
        "noughts prove\n  noughts prove hard rules\n  noughts prove ./mine.py",
    ),
    Command(
        "new",
        "engines",
        "write the start of an engine of your own",
        "noughts new engine mine.py",
    ),
    Command(
        "learn",
        "engines",
        "make the chip win more against your players",
        "noughts learn\n  noughts learn --since monday -o table.py",
    ),
    Command(
        "train",
        "engines",
        "let matchboxes learn to play, and see how",
        "noughts train menace\n"
        "  noughts train menace --against hard --games 200 -o menace.json\n"
        "  noughts train menace.json --show X...O....",
    ),
    Command(
        "table",
        "engines",
        "make or check the table the chip plays by",
        "noughts table --check",
    ),
)


def overview() -> str:
    """All commands by task, each with an example; at most 80 columns, and 24 rows with a prompt."""
    examples = [command.example.splitlines()[0] for command in COMMANDS]
    width = max(map(len, examples))
    indent = max(len(command.task) for command in COMMANDS) + 1
    lines = ["Tic-tac-toe on a BBC micro:bit; `noughts COMMAND --help` explains a command."]
    task = None
    for command, example in zip(COMMANDS, examples, strict=True):
        heading = command.task if command.task != task else ""
        task = command.task
        lines.append(f"{heading:<{indent}}{example:<{width}}  {command.help}")
    return "\n".join(lines)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))


class _Completion(argparse.Action):
    """Prints the shell's part of completion, and ends."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option_string: str | None = None,
    ) -> None:
        try:
            from argcomplete.shell_integration import shellcode
        except ImportError as error:
            raise NoughtsError(
                f"completion needs argcomplete ({error}); install it with "
                f"`{installing('argcomplete')}`"
            ) from error
        print(shellcode(["noughts"], shell=str(values)))
        parser.exit()


def _parser(wanted: str | None) -> argparse.ArgumentParser:
    """The parser; of the commands, only the wanted one is imported, so that help is quick."""
    parser = _Parser(
        prog="noughts",
        usage="noughts [-h] [--version] [--completion SHELL] COMMAND ...",
        description=overview(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"noughts {__version__}")
    parser.add_argument(
        "--completion",
        action=_Completion,
        metavar="SHELL",
        choices=("bash", "zsh", "fish", "powershell"),
        help="print what lets this shell complete commands and options at Tab, as with "
        '`eval "$(noughts --completion bash)"` in ~/.bashrc (bash, zsh, fish, powershell)',
    )
    commands = parser.add_subparsers(
        prog="noughts", metavar="COMMAND", required=True, help=argparse.SUPPRESS
    )
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
    if "_ARGCOMPLETE" in os.environ:  # the shell asks what could come next
        with suppress(ImportError):  # it was there when the shell was set up
            import argcomplete

            typed = os.environ.get("COMP_LINE", "").split()[1:]
            argcomplete.autocomplete(_parser(_wanted(typed)))
    wanted = _wanted(arguments)
    try:
        _refuse_unknown(arguments)
        args = _parser(wanted).parse_args(arguments)
        ready()
        status: int = args.run(args)
        return status
    except SystemExit:
        sys.stdout.flush()  # argparse prints the help, and does not look whether that went well
        raise


def _wanted(words: list[str]) -> str | None:
    return next((word for word in words if not word.startswith("-")), None)


def _refuse_unknown(arguments: list[str]) -> None:
    """End with status 2, and with what there is, unless a command or an option comes first."""
    names = [command.name for command in COMMANDS]
    if not arguments:
        _end_usage(overview())
    elif not arguments[0].startswith("-") and arguments[0] not in names:
        import difflib  # only here: help is quick

        near = difflib.get_close_matches(arguments[0].lower(), names, 1)
        hint = f"did you mean {near[0]!r}?" if near else as_typed("`noughts --help` lists them")
        _end_usage(f"noughts: error: {printable(arguments[0][:20])!r} is not a command; {hint}")


def _end_usage(message: str) -> NoReturn:
    print(message, file=sys.stderr)
    raise SystemExit(2)


if __name__ == "__main__":
    sys.exit(main())
