"""`noughts flash`, `put`, `hex` and `doctor`: the game on boards and in files, and checks."""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from itertools import chain
from pathlib import Path

import click

from noughts import brain
from noughts.boards import drive as drives
from noughts.boards.drive import Drive
from noughts.boards.firmware import Firmware, is_sound, load_firmware
from noughts.boards.flash import flash, hex_in, our_hex
from noughts.boards.packing import files_for_boards, pack
from noughts.boards.ports import choose_port
from noughts.boards.probe import Check, ProbedBoard, find_boards, of_board, of_computer, probe
from noughts.boards.put import bring_up_to_date
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, radio_of
from noughts.cli import options
from noughts.cli.options import FILE
from noughts.errors import BoardError, NoughtsError, StoreError, error_message, printable
from noughts.files import atomic_write
from noughts.invocation import as_typed
from noughts.protocol.describe import counted
from noughts.terminal.ascii_text import is_plain
from noughts.terminal.output import progress, say

Contents = Mapping[str, Mapping[str, bytes]]


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
    port: str | None,
    no_verify: bool,
) -> None:
    """Copy the game to a board by its USB drive.

    With `--all`, continue after a failure, and print at the end how many boards failed.
    """
    if every and (drive or port):
        raise click.UsageError("--all flashes every board; leave out DRIVE and --port")
    if hex and radio:
        raise click.UsageError("--hex copies a hex as it is; leave out --radio and --gateway")
    chosen = _chosen(drive, every)
    what = hex_in(hex) if hex else our_hex(radio or OFF)
    if what.table is not None:
        options.prove_table(what.table, unproved)
    failed = 0
    for each in chosen:
        try:
            flash(each, what, partial(print, flush=True), progress, port=port, verify=not no_verify)
        except (NoughtsError, OSError) as error:
            if not every:
                raise
            failed += 1
            say(f"noughts: {each.path}: {error_message(error)}")
    if failed:
        raise BoardError(f"{failed} of {len(chosen)} boards failed; flash them again")


def _chosen(path: Path | None, every: bool) -> Sequence[Drive]:
    if path is not None:
        if drive := drives.look(path):
            return [drive]
        raise BoardError(f"{path} is not a micro:bit's drive (no DETAILS.TXT); check the path")
    found = drives.find_drives()
    if not found:
        raise BoardError(drives.NO_DRIVE)
    if every or len(found) == 1:
        return found
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        names = ", ".join(str(drive.path) for drive in found)
        raise BoardError(f"{len(found)} boards are plugged in ({names}); name one, or use --all")
    for number, drive in enumerate(found, 1):
        print(f"{number}  {drive}")
    numbers = options.IntRange(1, len(found))
    question = f"Which board, 1 to {len(found)}"
    return [found[click.prompt(question, type=numbers, prompt_suffix="? ") - 1]]


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
    help="overwrite another program's files of the same names, such as its main.py",
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
        given = brain.parse_table(table.read_text("latin-1"), str(table))
        files["table.py"] = pack(brain.source(given).encode())
    present = brain.table_in(files)  # report missing files before looking for a board
    if not is_gateway:
        options.prove_table(present, unproved)
    name = choose_port(port)
    start = bring_up_to_date(name, files, replace, print, progress, radio, forget)
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
    unproved: bool,
    listed: Path | None,
    extract: tuple[Path, Path] | None,
    as_json: bool,
) -> None:
    """Build a hex for any micro:bit, or list one."""
    present = listed or (extract and extract[1])
    if (listed and extract) or (present and (output or firmware or radio or unproved)):
        raise click.UsageError("--list and --extract take only a hex; leave out other options")
    lines = []
    if present:
        firmwares = load_firmware(present)
    else:
        path, made = output or Path("noughts.hex"), our_hex(radio or OFF, firmware)
        firmwares = made.firmwares
        if made.table is not None:
            options.prove_table(made.table, unproved)
        atomic_write(path, made.content)
        whom = "any micro:bit" if made.table else "the micro:bit that will be the gateway"
        lines.append(f"{path} written, {len(made.content):,} bytes; drag it onto {whom}")
        lines += [V1_WITHOUT_RADIO] if made.radio.sends is not None else []
    contents = {board: each.files() for board, each in firmwares.items()}
    facts = _described(firmwares, contents, lines)
    if extract:
        _extract(extract[0], contents)
        lines.append(f"files written to {extract[0]}")
    if as_json:
        print(json.dumps(facts))
        return
    for line in lines:
        print(printable(line))


def _described(
    firmwares: Mapping[str, Firmware], contents: Contents, lines: list[str]
) -> dict[str, object]:
    """The contents for each board; added as lines, too."""
    facts: dict[str, object] = {}
    previous: Mapping[str, bytes] | None = None
    for board, firmware in firmwares.items():
        files = contents[board]
        total, used, radio = len(firmware.layout), firmware.used(files), radio_of(files)
        try:
            table = brain.table_in(files).id
        except NoughtsError:
            table = None
        sizes = {name: len(content) for name, content in files.items()}
        facts[board] = {
            "firmware": firmware.release,
            "micropython": firmware.micropython,
            "files": sizes,
            "used_bytes": used,
            "free_bytes": total - used,
            "table_id": table,
            "radio_group": radio.sends,
            "gateway_group": radio.gateway,
        }
        lines.append(str(firmware))
        if not is_sound(board, firmware.release):
            lines.append(
                "  it may stop saving the settings, and freeze when tilted; use 2.1 or later"
            )
        lines.append(f"  file system: {used:,} of {total:,} bytes used, {total - used:,} free")
        if radio.gateway is None:
            lines.append(f"  table id: {table or 'none (no table of noughts)'}")
        if radio != OFF:
            lines.append(f"  radio: {radio}")
        lines.append(f"  files: {len(files)}{', the same' if files == previous else ''}")
        if files != previous:
            lines += [f"    {name:<14} {size:>6,} bytes" for name, size in sizes.items()]
        previous = files
    return facts


def _extract(folder: Path, contents: Contents) -> None:
    """Write all files or none; if the boards' files differ, each board gets its own folder."""
    versions = list(contents.values())
    alike = all(files == versions[0] for files in versions)
    wanted = {}
    for board, files in contents.items():
        for name, content in files.items():
            # A hex may come from anywhere; no name in it may lead out of the folder.
            if name in ("", "..") or Path(name).name != name or not name.isprintable():
                raise NoughtsError(f"the hex has a file named {name!r}; it is not safe to write")
            wanted[(folder if alike else folder / board) / name] = content
    for path, content in wanted.items():
        if path.exists() and path.read_bytes() != content:
            raise NoughtsError(f"{path} exists, with other contents; choose an empty folder")
    for path, content in wanted.items():
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

    found = find_boards(port)
    for each in found:
        probe(each, not no_restart)
    boards = [(each, list(of_board(each))) for each in found]
    here = of_computer(bool(boards))
    store = db or default_path()
    if store.exists():
        here.append(Check.of("games", partial(_check_games, store)))
    if as_json:
        facts = [_facts(board, checks) for board, checks in boards]
        print(json.dumps({"here": [asdict(check) for check in here], "boards": facts}))
    else:
        _print(here)
        for number, (_, checks) in enumerate(boards, 1):
            print(f"board {number}")
            _print(checks)
    everything = chain(here, *(checks for _, checks in boards))
    return not all(check.good for check in everything)


def _check_games(path: Path) -> str:
    """Compare a store's games with its lines. Raises `StoreError` for those that it corrects."""
    from noughts.store.queries import GameFilter, count
    from noughts.store.store import Store

    with Store(path) as store:
        if wrong := store.correct_games():
            raise StoreError(
                f"{counted(wrong, 'game')} in {path} did not match what boards sent (now "
                "corrected); if this happens again, check the disk"
            )
        return f"{counted(count(store, GameFilter(moved=True)), 'game')} in {path}"


def _print(checks: Sequence[Check]) -> None:
    marks = "+!" if is_plain() else "✓✗"
    for check in checks:
        print(f"{marks[not check.good]} {check.what:<10} {as_typed(check.found)}")
        for line in check.details:
            print(f"    {printable(line)}")


def _facts(board: ProbedBoard, checks: list[Check]) -> dict[str, object]:
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
        "checks": [asdict(check) for check in checks],
    }
