"""`noughts flash`, `put`, `hex` and `doctor`: the game on boards and in files, and checks."""

import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import click

from noughts import brain
from noughts.boards import drive as drives
from noughts.boards.doctor import Check, ProbedBoard, find_boards, of_board, of_computer, probe
from noughts.boards.drive import Drive
from noughts.boards.firmware import Firmware, is_sound, load_firmware
from noughts.boards.flash import Hex, flash, hex_in, our_hex
from noughts.boards.packing import files_for_boards, pack
from noughts.boards.ports import choose_port
from noughts.boards.put import bring_up_to_date
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, radio_of
from noughts.cli import options
from noughts.cli.options import FILE
from noughts.errors import BoardError, NoughtsError, StoreError, error_message, printable
from noughts.files import atomic_write, read_small
from noughts.invocation import as_typed
from noughts.protocol.describe import counted
from noughts.terminal.ascii_text import is_plain
from noughts.terminal.output import progress, say

FilesByBoard = Mapping[str, Mapping[str, bytes]]
"""By `V1` and `V2`, the files in a hex."""


@options.command("noughts flash", "noughts flash --all", "noughts flash --all --radio 7")
@click.argument("drive", required=False, type=FILE, help="the board's drive (found automatically)")
@click.option(
    "--all",
    "every",
    is_flag=True,
    help="flash every board that is plugged in",
)
@click.option(
    "--hex",
    type=FILE,
    help="copy this hex, which `noughts hex` made",
)
@options.unproved
@options.radio
@options.quiet
@click.option(
    "--port",
    metavar="PORT",
    help="the board's serial port (found automatically on real boards)",
)
@click.option(
    "--no-verify",
    is_flag=True,
    help="do not check on the serial port that the game starts",
)
def run_flash(
    drive: Path | None,
    every: bool,
    hex: Path | None,
    unproved: bool,
    radio: Radio | None,
    quiet: bool,
    port: str | None,
    no_verify: bool,
) -> None:
    """Copy the game to a board by its USB drive.

    With `--all`, continue after a failure, and print at the end how many boards failed.
    """
    if every and (drive or port):
        raise click.UsageError("--all flashes every board; leave out DRIVE and --port")
    if hex and (radio or quiet):
        raise click.UsageError(
            "--hex copies a hex as it is; leave out --radio, --gateway and --quiet"
        )
    drives_to_flash = _drives_to_flash(drive, every)
    new_hex = hex_in(hex) if hex else our_hex(radio or OFF, quiet=quiet)
    if new_hex.table is not None:
        options.prove_table(new_hex.table, unproved)
    failures = 0
    for board_drive in drives_to_flash:
        try:
            flash(
                board_drive,
                new_hex,
                partial(print, flush=True),
                progress,
                port=port,
                verify=not no_verify,
            )
        except (NoughtsError, OSError) as error:
            if not every:
                raise
            failures += 1
            say(f"noughts: {board_drive.path}: {error_message(error)}")
    if failures:
        raise BoardError(f"{failures} of {len(drives_to_flash)} boards failed; flash them again")


def _drives_to_flash(path: Path | None, every: bool) -> Sequence[Drive]:
    if path is not None:
        if drive := drives.look(path):
            return [drive]
        raise BoardError(f"{path} is not a micro:bit's drive (no DETAILS.TXT); check the path")
    present_drives = drives.find_drives()
    if not present_drives:
        raise drives.refusal() or BoardError(drives.NO_DRIVE)
    if every or len(present_drives) == 1:
        return present_drives
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        names = ", ".join(str(drive.path) for drive in present_drives)
        raise BoardError(
            f"{len(present_drives)} boards are plugged in ({names}); name one, or use --all"
        )
    for number, drive in enumerate(present_drives, 1):
        print(f"{number}  {drive}")
    numbers = options.IntRange(1, len(present_drives))
    question = f"Which board, 1 to {len(present_drives)}"
    return [present_drives[click.prompt(question, type=numbers, prompt_suffix="? ") - 1]]


@options.command(
    "noughts put",
    "noughts put --port /dev/ttyACM0 --table my_table.py",
    "noughts put --gateway 7",
    "noughts put --radio off",
)
@click.option(
    "--port",
    metavar="PORT",
    help="the board's serial port, if there are several: a device or a pyserial URL",
)
@click.option(
    "--table",
    type=FILE,
    help="send this table instead of device/table.py",
)
@options.unproved
@options.radio
@click.option(
    "--forget",
    is_flag=True,
    help="remove the stored games and the menu's choice from the board",
)
@click.option(
    "--replace",
    is_flag=True,
    help="overwrite another program's files with the same names, such as its main.py",
)
def run_put(
    port: str | None,
    table: Path | None,
    unproved: bool,
    radio: Radio | None,
    forget: bool,
    replace: bool,
) -> None:
    """Update the game on a board over serial."""
    is_gateway = radio is not None and radio.gateway is not None
    if table and is_gateway:
        raise click.UsageError("a gateway has no table; leave out --table")
    files = files_for_boards()
    if table:
        new_table = brain.parse_table(read_small(table).decode("latin-1"), str(table))
        files["table.py"] = pack(brain.source(new_table).encode())
    table_to_send = brain.table_in(files)  # report missing files before looking for a board
    if not is_gateway:
        options.prove_table(table_to_send, unproved)
    port_name = choose_port(port)
    start = bring_up_to_date(port_name, files, replace, print, progress, radio, forget)
    print(start.message)


@options.command(
    "noughts hex -o a.hex", "noughts hex --list noughts.hex", "noughts hex --radio 7 -o class.hex"
)
@options.output("write the hex here instead of noughts.hex", endings=[".hex"])
@click.option(
    "--firmware",
    type=FILE,
    multiple=True,
    help="use another official MicroPython; can be given twice",
)
@options.radio
@options.quiet
@options.unproved
@click.option(
    "--list",
    "listed",
    type=FILE,
    help="list the contents of this hex; build nothing",
)
@click.option(
    "--extract",
    nargs=2,
    metavar="DIR FILE",
    type=FILE,
    help="put a hex's files into a folder",
)
@options.as_json("the contents")
def run_hex(
    output: Path | None,
    firmware: tuple[Path, ...],
    radio: Radio | None,
    quiet: bool,
    unproved: bool,
    listed: Path | None,
    extract: tuple[Path, Path] | None,
    as_json: bool,
) -> None:
    """Build a hex for any micro:bit, or list one."""
    existing = listed or (extract and extract[1])
    if (listed and extract) or (existing and (output or firmware or radio or quiet or unproved)):
        raise click.UsageError("--list and --extract take only a hex; leave out other options")
    if existing:
        firmwares, lines = load_firmware(existing), []
    else:
        new_hex = our_hex(radio or OFF, firmware, quiet=quiet)
        firmwares = new_hex.firmwares
        lines = _write_hex(output or Path("noughts.hex"), new_hex, unproved)
    files_by_board = {board: board_firmware.files() for board, board_firmware in firmwares.items()}
    lines += _hex_lines(firmwares, files_by_board)
    if extract:
        _extract(extract[0], files_by_board)
        lines.append(f"files written to {extract[0]}")
    if as_json:
        _print_hex_facts(firmwares, files_by_board)
        return
    for line in lines:
        print(printable(line))


def _write_hex(path: Path, new_hex: Hex, unproved: bool) -> list[str]:
    """Write a hex whose table is proved, or accepted unproved; returns what to say about it."""
    if new_hex.table is not None:
        options.prove_table(new_hex.table, unproved)
    atomic_write(path, new_hex.content)
    target = "any micro:bit" if new_hex.table else "the micro:bit that will be the gateway"
    lines = [f"{path} written, {len(new_hex.content):,} bytes; drag it onto {target}"]
    if new_hex.radio.sends is not None:
        lines.append(V1_WITHOUT_RADIO)
    return lines


def _print_hex_facts(firmwares: Mapping[str, Firmware], files_by_board: FilesByBoard) -> None:
    facts = {
        board_model: _hex_facts(firmware, files_by_board[board_model])
        for board_model, firmware in firmwares.items()
    }
    print(json.dumps(facts))


def _hex_facts(firmware: Firmware, files: Mapping[str, bytes]) -> dict[str, object]:
    """What a hex has for one kind of board, for `--json`."""
    radio, used = radio_of(files), firmware.used(files)
    try:
        table_id = brain.table_in(files).id
    except NoughtsError:
        table_id = None
    return {
        "firmware": firmware.release,
        "micropython": firmware.micropython,
        "files": {name: len(content) for name, content in files.items()},
        "used_bytes": used,
        "free_bytes": len(firmware.layout) - used,
        "table_id": table_id,
        "radio_group": radio.sends,
        "gateway_group": radio.gateway,
    }


def _hex_lines(firmwares: Mapping[str, Firmware], files_by_board: FilesByBoard) -> Iterator[str]:
    """The contents of a hex, for people; files that two boards share are listed once."""
    previous_files: Mapping[str, bytes] | None = None
    for board_model, firmware in firmwares.items():
        files = files_by_board[board_model]
        facts, radio = _hex_facts(firmware, files), radio_of(files)
        yield str(firmware)
        if not is_sound(board_model, firmware.release):
            yield "  it may stop saving the settings, and freeze when tilted; use 2.1 or later"
        used, total = firmware.used(files), len(firmware.layout)
        yield f"  file system: {used:,} of {total:,} bytes used, {total - used:,} free"
        if radio.gateway is None:
            yield f"  table id: {facts['table_id'] or 'none (no table of noughts)'}"
        if radio != OFF:
            yield f"  radio: {radio}"
        yield f"  files: {len(files)}{', the same' if files == previous_files else ''}"
        if files != previous_files:
            for name, content in files.items():
                yield f"    {name:<14} {len(content):>6,} bytes"
        previous_files = files


def _extract(folder: Path, files_by_board: FilesByBoard) -> None:
    """Write all files or none; if the boards' files differ, each board gets its own folder."""
    all_files = list(files_by_board.values())
    alike = all(files == all_files[0] for files in all_files)
    content_of = {}
    for board, files in files_by_board.items():
        for name, content in files.items():
            # A hex may come from anywhere; no name in it may lead out of the folder.
            if name in ("", "..") or Path(name).name != name or not name.isprintable():
                raise NoughtsError(f"the hex has a file named {name!r}; it is not safe to write")
            content_of[(folder if alike else folder / board) / name] = content
    for path, content in content_of.items():
        if path.exists() and path.read_bytes() != content:
            raise NoughtsError(f"{path} exists, with other contents; choose an empty folder")
    for path, content in content_of.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, content)


@options.command("noughts doctor", "noughts doctor --json")
@click.option(
    "--port",
    metavar="PORT",
    multiple=True,
    help="check this serial port too; can be repeated",
)
@click.option(
    "--no-restart",
    is_flag=True,
    help="do not ask the boards what they run (that restarts their game)",
)
@options.as_json("the report")
@options.db
def run_doctor(port: tuple[str, ...], no_restart: bool, as_json: bool, db: Path | None) -> int:
    """Check this computer and its boards."""
    from noughts.store.store import default_path

    boards = find_boards(port)
    for board in boards:
        probe(board, not no_restart)
    checks_by_board = [(board, list(of_board(board))) for board in boards]
    computer_checks = of_computer(bool(boards))
    store_path = db or default_path()
    if store_path.exists():
        computer_checks.append(Check.of("games", partial(_check_games, store_path)))
    if as_json:
        facts = [board_facts(board, checks) for board, checks in checks_by_board]
        print(json.dumps({"here": [check.record() for check in computer_checks], "boards": facts}))
    else:
        _print_checks(computer_checks)
        for number, (_, checks) in enumerate(checks_by_board, 1):
            print(f"board {number}")
            _print_checks(checks)
    all_checks = chain(computer_checks, *(checks for _, checks in checks_by_board))
    return not all(check.good for check in all_checks)


def _check_games(path: Path) -> str:
    """Compare a store's games with its lines. Raises `StoreError` for those that it corrects."""
    from noughts.store.game_filter import GameFilter
    from noughts.store.queries import count
    from noughts.store.store import Store

    with Store(path) as store:
        if corrected := store.correct_games():
            raise StoreError(
                f"{counted(corrected, 'game')} in {path} did not match what boards sent (now "
                "corrected); if this happens again, check the disk"
            )
        return f"{counted(count(store, GameFilter(moved=True)), 'game')} in {path}"


def _print_checks(checks: Sequence[Check]) -> None:
    marks = "+!" if is_plain() else "✓✗"
    for check in checks:
        print(f"{marks[not check.good]} {check.what:<10} {as_typed(check.facts)}")
        for line in check.details:
            print(f"    {printable(line)}")


def board_facts(board: ProbedBoard, checks: list[Check]) -> dict[str, object]:
    """What is known about a board, for `--json`; None for what is not."""
    return {
        "drive": str(board.drive.path) if board.drive else None,
        "interface": board.drive.interface if board.drive else None,
        "port": board.port.name if board.port else None,
        "usb_id": board.port.usb_id if board.port else None,
        "board": board.board_model,
        "firmware": board.firmware,
        "micropython": board.micropython,
        "release": board.start.release if board.start else None,
        "table_id": board.start.boot.table_id if board.start and board.start.boot else None,
        "radio_group": board.start.radio.sends if board.start else None,
        "radio_id": board.start.radio_id if board.start else None,
        "gateway_group": board.start.radio.gateway if board.start else None,
        "checks": [check.record() for check in checks],
    }
