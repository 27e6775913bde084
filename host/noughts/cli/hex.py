"""`noughts hex`: build a hex for every micro:bit, list the files in one, or extract them."""

import json
from collections.abc import Mapping
from pathlib import Path

import click

from noughts import brain
from noughts.boards.firmware import (
    Firmware,
    firmware_for_boards,
    is_sound,
    load_firmware,
    universal_hex,
)
from noughts.boards.packing import files_for_boards
from noughts.boards.radio import OFF, V1_WITHOUT_RADIO, Radio, files_with, radio_of
from noughts.cli import options
from noughts.cli.options import FILE, option
from noughts.errors import NoughtsError, printable
from noughts.files import atomic_write
from noughts.terminal.output import say

Contents = Mapping[str, Mapping[str, bytes]]


@options.command(
    "noughts hex -o a.hex", "noughts hex --list noughts.hex", "noughts hex --radio 7 -o class.hex"
)
@options.output("write the hex here instead of noughts.hex", endings=[".hex"])
@option(
    "--firmware FILE",
    "use this official MicroPython instead of the bundled one: a Universal Hex, or a hex for "
    "V1 or for V2; can be given twice",
    multiple=True,
)
@options.radio
@options.unproved
@option("--list FILE", "list the contents of this hex; build nothing", "listed")
@option(
    "--extract",
    "build nothing; put the files that a hex holds into a folder",
    nargs=2,
    metavar="DIR FILE",
    type=FILE,
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
    if listed and extract:
        raise click.UsageError("--list and --extract each take a hex; give one of them")
    radio, head = radio or OFF, []
    looking = listed or (extract and extract[1])
    if looking:
        if output or firmware or radio != OFF or unproved:
            raise click.UsageError(
                "-o, --firmware, --radio, --gateway and --unproved are for building, not for "
                "--list or --extract"
            )
        firmwares = load_firmware(looking)
    else:
        path = output or Path("noughts.hex")
        files = files_for_boards()
        table = brain.of(files)  # without one, it would not be the game
        if radio.gateway is None:
            options.prove_table(table, unproved)
        firmwares = firmware_for_boards(firmware)
        _warn(firmwares)
        firmwares = {
            board: each.with_files(files_with(radio, board, files))
            for board, each in firmwares.items()
        }
        atomic_write(path, universal_hex(firmwares).encode())
        whom = "any micro:bit" if radio.gateway is None else "the micro:bit that is the gateway"
        head = [f"{path} written, {path.stat().st_size:,} bytes; drag it onto {whom}"]
        head += [V1_WITHOUT_RADIO] if radio.sends is not None else []
    contents = {board: each.files() for board, each in firmwares.items()}
    if extract:
        _extract(extract[0], contents)
    facts, lines = _described(firmwares, contents)
    if as_json:
        print(json.dumps(facts))
        return
    for line in (*head, *lines):
        print(printable(line))
    if extract:
        print(printable(f"files written to {extract[0]}"))


def _warn(firmwares: Mapping[str, Firmware]) -> None:
    for board, firmware in firmwares.items():
        if not is_sound(board, firmware.release):
            say(
                f"noughts: {board} firmware {firmware.release} may stop saving the settings, and "
                "freeze when the board is tilted; use 2.1 or later"
            )


def _described(
    firmwares: Mapping[str, Firmware], contents: Contents
) -> tuple[dict[str, object], list[str]]:
    """The contents for each board, as JSON and as lines."""
    facts: dict[str, object] = {}
    lines: list[str] = []
    previous: Mapping[str, bytes] | None = None
    for board, firmware in firmwares.items():
        files = contents[board]
        total, used, radio = len(firmware.layout), firmware.used(files), radio_of(files)
        try:
            table = brain.of(files).id
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
        lines.append(f"  file system: {used:,} of {total:,} bytes used, {total - used:,} free")
        if radio.gateway is None:
            lines.append(f"  table id: {table or 'none (no table of noughts)'}")
        if radio != OFF:
            lines.append(f"  radio: {radio}")
        lines.append(f"  files: {len(files)}{', the same' if files == previous else ''}")
        if files != previous:
            for name, size in sizes.items():
                shown = name if name.isprintable() else ascii(name)
                lines.append(f"    {shown:<14} {size:>6,} bytes")
        previous = files
    return facts, lines


def _extract(folder: Path, contents: Contents) -> None:
    """Write all files or none; if the boards' files differ, each board gets its own folder."""
    versions = list(contents.values())
    alike = all(files == versions[0] for files in versions)
    wanted = {
        _safe(folder if alike else folder / board, name): content
        for board, files in contents.items()
        for name, content in files.items()
    }
    for path, content in wanted.items():
        if path.exists() and path.read_bytes() != content:
            raise NoughtsError(f"{path} is there already, and differs; choose an empty folder")
    for path, content in wanted.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, content)


def _safe(folder: Path, name: str) -> Path:
    """The path of a file that the hex names. It may not lead out of the folder."""
    if name in ("", "..") or Path(name).name != name or not name.isprintable():
        raise NoughtsError(f"the hex has a file named {name!r}; it is not safe to write")
    return folder / name
